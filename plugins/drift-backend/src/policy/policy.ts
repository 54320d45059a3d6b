/** Which policy is in force for one resource: the narrowest scope wins, setting by setting. */
import type { EffectivePolicy } from '@plumbline/drift-engine';
import type { ResourceRef } from '@plumbline/backstage-plugin-drift-common';
import type { ControllerEvidence } from '@plumbline/backstage-plugin-drift-node';
import type { Millis, PolicyRuleRow } from '../store/rows';

export interface PolicySettings {
  mode?: EffectivePolicy['mode'];
  onLiveEdit?: EffectivePolicy['onLiveEdit'];
  onFirstSight?: EffectivePolicy['onFirstSight'];
  actuator?: EffectivePolicy['actuator'];
  prune?: boolean;
  paused?: boolean;
  resyncMs?: number;
  maxStalenessMs?: number;
}

/** Settings for a scope, from app-config or from the portal. */
export interface PolicyStatement {
  scope: {
    platform?: string;
    kind?: string;
    namespace?: string;
    name?: string;
  };
  settings: PolicySettings;
  origin: 'config' | 'portal';
  /** Names it in messages: the config key, or who set it in the portal. */
  label: string;
  reason?: string;
  until?: Millis;
}

/** The policy in force and what else hangs on it. */
export interface PolicyInForce {
  policy: EffectivePolicy;
  /** Set where somebody asked for single checks of this resource, more often than sweeps. */
  resyncMs?: number;
  maxStalenessMs: number;
  /** Why it is paused, by whom, and until when. */
  pause?: { label: string; reason?: string; until?: Millis };
  /** Which statement set the mode, for messages. */
  modeLabel: string;
  /** When the first of the statements in force ends: a pass is due then. */
  changesAt?: Millis;
}

const DEFAULTS: Required<
  Pick<
    PolicySettings,
    'mode' | 'onLiveEdit' | 'onFirstSight' | 'prune' | 'paused'
  >
> = {
  mode: 'observe',
  onLiveEdit: 'revert',
  onFirstSight: 'ask',
  prune: false,
  paused: false,
};

/** Rules that people set in the portal, as statements. Ended ones are left out. */
export function portalStatements(
  rules: PolicyRuleRow[],
  now: Millis,
): PolicyStatement[] {
  return rules
    .filter(rule => rule.until === undefined || rule.until > now)
    .sort((a, b) => a.createdAt - b.createdAt)
    .map(rule => {
      const { resyncSeconds, maxStalenessSeconds, ...settings } = rule.settings;
      return {
        scope: rule.scope,
        settings: {
          ...settings,
          ...(resyncSeconds === undefined
            ? {}
            : { resyncMs: resyncSeconds * 1000 }),
          ...(maxStalenessSeconds === undefined
            ? {}
            : { maxStalenessMs: maxStalenessSeconds * 1000 }),
        },
        origin: 'portal',
        label: rule.by,
        reason: rule.reason,
        until: rule.until,
      };
    });
}

/** A resource is narrower than its namespace, that than a kind, that than a platform; two parts are narrower than one. */
function width(scope: PolicyStatement['scope']): number {
  return (
    (scope.name === undefined ? 0 : 8) +
    (scope.namespace === undefined ? 0 : 4) +
    (scope.kind === undefined ? 0 : 2) +
    (scope.platform === undefined ? 0 : 1)
  );
}

export function matchesScope(
  scope: PolicyStatement['scope'],
  ref: ResourceRef,
): boolean {
  return (
    (scope.platform === undefined || scope.platform === ref.platform) &&
    (scope.kind === undefined || scope.kind === ref.kind) &&
    (scope.namespace === undefined ||
      scope.namespace === (ref.namespace ?? '')) &&
    (scope.name === undefined || scope.name === ref.name)
  );
}

/**
 * @param statements - all of them, app-config first; at the same width the portal wins, and then the later one
 */
export function policyInForce(options: {
  ref: ResourceRef;
  statements: PolicyStatement[];
  defaults: PolicySettings;
  maxStalenessMs: number;
  controller?: ControllerEvidence;
  readOnly?: string;
  now: Millis;
}): PolicyInForce {
  const { ref, defaults, now } = options;
  // sort is stable: within the same width and origin the later statement stays later
  const matching = options.statements
    .filter(
      statement =>
        (statement.until === undefined || statement.until > now) &&
        matchesScope(statement.scope, ref),
    )
    .sort(
      (a, b) =>
        width(a.scope) - width(b.scope) ||
        Number(a.origin === 'portal') - Number(b.origin === 'portal'),
    );
  const settings: PolicySettings = { ...DEFAULTS, ...defaults };
  let modeLabel = defaults.mode ? 'drift.defaults.mode' : 'the default';
  let pause: PolicyInForce['pause'] = defaults.paused
    ? { label: 'drift.defaults.paused' }
    : undefined;
  for (const statement of matching) {
    Object.assign(settings, statement.settings);
    if (statement.settings.mode) modeLabel = statement.label;
    if (statement.settings.paused !== undefined) {
      pause = statement.settings.paused
        ? {
            label: statement.label,
            reason: statement.reason,
            until: statement.until,
          }
        : undefined;
    }
  }
  const ends = matching.flatMap(statement => statement.until ?? []);
  return {
    policy: {
      mode: options.readOnly ? 'observe' : settings.mode ?? DEFAULTS.mode,
      onLiveEdit: settings.onLiveEdit ?? DEFAULTS.onLiveEdit,
      onFirstSight: settings.onFirstSight ?? DEFAULTS.onFirstSight,
      // never an unannounced second writer beside a controller, unless somebody said so on purpose
      actuator:
        settings.actuator ?? (options.controller ? 'operator' : 'direct'),
      prune: settings.prune ?? DEFAULTS.prune,
      paused: settings.paused ?? DEFAULTS.paused,
    },
    resyncMs: settings.resyncMs,
    maxStalenessMs: settings.maxStalenessMs ?? options.maxStalenessMs,
    pause,
    modeLabel: options.readOnly ? 'the declaration itself' : modeLabel,
    changesAt: ends.length ? Math.min(...ends) : undefined,
  };
}
