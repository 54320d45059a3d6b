/** Policies in plain words. */
import type {
  ApiEffectivePolicy,
  ApiPolicyScope,
  ApiPolicySettings,
} from '@plumbline/backstage-plugin-drift-common';
import { formatWholeDuration } from '../live/time';

export const MODE_MEANINGS: Record<ApiEffectivePolicy['mode'], string> = {
  observe: 'only looks, never writes by itself',
  ask: 'plans, and each plan waits for a person',
  enforce: 'corrects drift by itself',
};

/** What the mode does not say about live edits; for the end of a sentence. */
export const LIVE_EDIT_MEANINGS: Record<
  ApiEffectivePolicy['onLiveEdit'],
  string
> = {
  revert: '',
  ask: '; asks before it touches live edits',
  accept: '; accepts live edits',
};

/** `platform konnect/eu, kind services`, or `everything`. */
export function describeScope(scope: ApiPolicyScope): string {
  const parts = [
    scope.platform && `platform ${scope.platform}`,
    scope.kind && `kind ${scope.kind}`,
    scope.namespace && `namespace ${scope.namespace}`,
    scope.name && `name ${scope.name}`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : 'everything';
}

/** Each setting as `name` and `value` for people. */
export function describeSettings(
  settings: ApiPolicySettings,
): { name: string; value: string }[] {
  const rows: [string, string | undefined][] = [
    ['mode', settings.mode],
    ['on a live edit', settings.onLiveEdit],
    ['at first sight', settings.onFirstSight],
    ['who writes', settings.actuator],
    ['prune', yesNo(settings.prune)],
    ['verify every', seconds(settings.resyncSeconds)],
    ['unknown after', seconds(settings.maxStalenessSeconds)],
    ['paused', yesNo(settings.paused)],
  ];
  return rows.flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  );
}

function yesNo(value: boolean | undefined): string | undefined {
  if (value === undefined) return undefined;
  return value ? 'yes' : 'no';
}

function seconds(value: number | undefined): string | undefined {
  return value === undefined ? undefined : formatWholeDuration(value);
}
