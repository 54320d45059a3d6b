/** A rule while it is being written. */
import type {
  ApiPolicyRuleInput,
  ApiPolicyScope,
  ApiPolicySettings,
} from '@plumbline/backstage-plugin-drift-common';

export interface RuleDraft {
  scope: ApiPolicyScope;
  settings: ApiPolicySettings;
  reason: string;
}

export const EMPTY_DRAFT: RuleDraft = { scope: {}, settings: {}, reason: '' };

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
    settings: draft.settings,
    reason: draft.reason.trim(),
    ...(until && { until }),
  };
}
