/** A rule while it is being written. */
import type {
  ApiPolicyRuleInput,
  ApiPolicyScope,
  ApiPolicySettings,
} from '@plumbline/backstage-plugin-drift-common';
import { formatWholeDuration, parseDuration } from '../live/time';

export interface RuleDraft {
  scope: ApiPolicyScope;
  settings: ApiPolicySettings;
  /** As they are typed; `problemsOf` says what is wrong with them. */
  times: Partial<Record<TimeName, string>>;
  reason: string;
}

export const EMPTY_DRAFT: RuleDraft = {
  scope: {},
  settings: {},
  times: {},
  reason: '',
};

type TimeName = 'resyncSeconds' | 'maxStalenessSeconds';

/** The settings that are times, with the bounds that the API has for them, in seconds. */
export const TIME_FIELDS: {
  name: TimeName;
  label: string;
  example: string;
  min: number;
  max: number;
}[] = [
  {
    name: 'resyncSeconds',
    label: 'Verify at least every',
    example: '1 min',
    min: 5,
    max: 604_800,
  },
  {
    name: 'maxStalenessSeconds',
    label: 'Unknown when not verified for',
    example: '10 min',
    min: 10,
    max: 604_800,
  },
];

/** What is wrong with the times, in words for whoever types them. */
export function problemsOf({
  times,
}: RuleDraft): Partial<Record<TimeName, string>> {
  const problems: Partial<Record<TimeName, string>> = {};
  for (const { name, min, max } of TIME_FIELDS) {
    const text = times[name]?.trim();
    if (!text) continue;
    const seconds = parseDuration(text);
    if (seconds === undefined) {
      problems[name] = 'Write a number with s, min, h or d, such as 10 min.';
    } else if (seconds < min || seconds > max) {
      problems[name] = `It must be from ${formatWholeDuration(
        min,
      )} to ${formatWholeDuration(max)}.`;
    }
  }
  const { resyncSeconds, maxStalenessSeconds } = readTimes(times);
  if (
    Object.keys(problems).length === 0 &&
    resyncSeconds !== undefined &&
    maxStalenessSeconds !== undefined &&
    maxStalenessSeconds <= resyncSeconds
  ) {
    problems.maxStalenessSeconds = `It must be longer than the ${formatWholeDuration(
      resyncSeconds,
    )} between two checks, or everything turns unknown in between.`;
  }
  return problems;
}

/** The times that were typed, in seconds. */
export function readTimes(
  times: RuleDraft['times'],
): Partial<Record<TimeName, number>> {
  const read: Partial<Record<TimeName, number>> = {};
  for (const { name } of TIME_FIELDS) {
    const seconds = parseDuration(times[name] ?? '');
    if (seconds !== undefined) read[name] = seconds;
  }
  return read;
}

/** The settings that the portal can change, with their choices in plain words. */
export const SETTING_FIELDS: {
  name: keyof ApiPolicySettings;
  label: string;
  options: { id: string; label: string }[];
}[] = [
  {
    name: 'mode',
    label: 'Mode',
    options: [
      { id: 'observe', label: 'observe: only look' },
      { id: 'ask', label: 'ask: plans wait for a person' },
      { id: 'enforce', label: 'enforce: correct by itself' },
    ],
  },
  {
    name: 'onLiveEdit',
    label: 'When only live was changed',
    options: [
      { id: 'revert', label: 'revert it' },
      { id: 'ask', label: 'ask a person' },
      { id: 'accept', label: 'accept it' },
    ],
  },
  {
    name: 'onFirstSight',
    label: 'When it differed before we looked',
    options: [
      { id: 'ask', label: 'ask a person' },
      { id: 'declared', label: 'the declared side stands' },
      { id: 'live', label: 'the live side stands' },
    ],
  },
  {
    name: 'actuator',
    label: 'Who writes',
    options: [
      { id: 'direct', label: 'we do' },
      { id: 'operator', label: 'its own controller' },
    ],
  },
  {
    name: 'prune',
    label: 'Delete what is no longer declared',
    options: [
      { id: 'true', label: 'yes' },
      { id: 'false', label: 'no' },
    ],
  },
  {
    name: 'paused',
    label: 'Paused',
    options: [
      { id: 'true', label: 'yes: nothing is written' },
      { id: 'false', label: 'no' },
    ],
  },
];

/** @param until - ISO 8601; absent: no end */
export function toRule(
  draft: RuleDraft,
  until: string | undefined,
): ApiPolicyRuleInput {
  const scope = Object.fromEntries(
    Object.entries(draft.scope)
      .map(([name, value]) => [name, value?.trim()])
      .filter(([, value]) => value),
  );
  return {
    scope,
    settings: { ...draft.settings, ...readTimes(draft.times) },
    reason: draft.reason.trim(),
    ...(until && { until }),
  };
}
