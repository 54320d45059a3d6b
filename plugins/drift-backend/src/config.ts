/** Reads `drift` from app-config: every wrong value is an error that names the key, the value and the remedy. */
import { type Config, readDurationFromConfig } from '@backstage/config';
import { InputError } from '@backstage/errors';
import { durationToMilliseconds } from '@backstage/types';
import type { PolicySettings, PolicyStatement } from './policy/policy';

/** All durations in milliseconds. */
export interface DriftConfig {
  resyncMs: number;
  maxStalenessMs: number;
  /** Passes at the same time in one process. */
  concurrency: number;
  decisionRetentionMs: number;
  /** More orphans than this at once wait for a person. */
  prune: { maxItems: number; maxPercent: number };
  /** Key of secret digests; absent: one that the installation makes for itself. */
  secretDigestKey?: string;
  defaults: PolicySettings;
  policies: PolicyStatement[];
}

const MODES = ['observe', 'ask', 'enforce'] as const;
const ON_LIVE_EDIT = ['revert', 'ask', 'accept'] as const;
const ON_FIRST_SIGHT = ['ask', 'declared', 'live'] as const;
const ACTUATORS = ['direct', 'operator'] as const;
const SCOPE_KEYS = ['platform', 'kind', 'namespace', 'name'] as const;
const SETTING_KEYS = [
  'mode',
  'onLiveEdit',
  'onFirstSight',
  'actuator',
  'prune',
  'paused',
  'resync',
  'maxStaleness',
] as const;
// modules own the sections of their platforms
const ROOT_KEYS = [
  'resync',
  'maxStaleness',
  'concurrency',
  'decisionRetention',
  'prune',
  'secretDigestKey',
  'defaults',
  'policies',
  'konnect',
  'kubernetes',
];

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/**
 * @param root - the whole configuration
 * @throws InputError that names the key, what it holds and what to write instead
 */
export function readDriftConfig(root: Config): DriftConfig {
  const config = root.getOptionalConfig('drift');
  const key = 'drift';
  if (config) onlyKeys(config, key, ROOT_KEYS, { openEnded: true });
  const resyncMs = config
    ? duration(config, key, 'resync', { min: SECOND }) ?? MINUTE
    : MINUTE;
  const maxStalenessMs =
    (config && duration(config, key, 'maxStaleness', { min: SECOND })) ??
    5 * MINUTE;
  if (maxStalenessMs <= resyncMs) {
    throw new InputError(
      `drift.maxStaleness is ${maxStalenessMs / SECOND} s and drift.resync is ${
        resyncMs / SECOND
      } s: everything would turn Unknown between two sweeps; make maxStaleness longer than resync (three times as long is a good start)`,
    );
  }
  return {
    resyncMs,
    maxStalenessMs,
    concurrency:
      (config && integer(config, key, 'concurrency', { min: 1, max: 256 })) ??
      8,
    decisionRetentionMs:
      (config && duration(config, key, 'decisionRetention', { min: MINUTE })) ??
      90 * DAY,
    prune: {
      maxItems:
        (config && integer(config, key, 'prune.maxItems', { min: 0 })) ?? 10,
      maxPercent:
        (config &&
          integer(config, key, 'prune.maxPercent', { min: 0, max: 100 })) ??
        10,
    },
    secretDigestKey: config?.getOptionalString('secretDigestKey'),
    defaults: config?.has('defaults')
      ? readSettings(config.getConfig('defaults'), 'drift.defaults', [])
      : {},
    policies: (config?.getOptionalConfigArray('policies') ?? []).map(
      (policy, index) => readPolicy(policy, index),
    ),
  };
}

function readPolicy(config: Config, index: number): PolicyStatement {
  const key = `drift.policies[${index}]`;
  const scope: PolicyStatement['scope'] = {};
  if (!config.has('scope')) {
    throw new InputError(
      `${key} has no "scope": add one, for example { platform: konnect/prod }, or move the settings to drift.defaults to have them everywhere`,
    );
  }
  const scopeConfig = config.getConfig('scope');
  onlyKeys(scopeConfig, `${key}.scope`, [...SCOPE_KEYS]);
  for (const part of SCOPE_KEYS) {
    const value = scopeConfig.getOptionalString(part);
    if (value !== undefined) scope[part] = value;
  }
  if (!Object.keys(scope).length) {
    throw new InputError(
      `${key}.scope is empty: name at least one of ${SCOPE_KEYS.join(
        ', ',
      )}, or move the settings to drift.defaults to have them everywhere`,
    );
  }
  return {
    scope,
    settings: readSettings(config, key, ['scope']),
    origin: 'config',
    label: key,
  };
}

function readSettings(
  config: Config,
  key: string,
  besides: string[],
): PolicySettings {
  onlyKeys(config, key, [...besides, ...SETTING_KEYS]);
  return definedOnly({
    mode: oneOf(config, key, 'mode', MODES),
    onLiveEdit: oneOf(config, key, 'onLiveEdit', ON_LIVE_EDIT),
    onFirstSight: oneOf(config, key, 'onFirstSight', ON_FIRST_SIGHT),
    actuator: oneOf(config, key, 'actuator', ACTUATORS),
    prune: flag(config, key, 'prune'),
    paused: flag(config, key, 'paused'),
    resyncMs: duration(config, key, 'resync', { min: SECOND }),
    maxStalenessMs: duration(config, key, 'maxStaleness', { min: SECOND }),
  });
}

function definedOnly(settings: PolicySettings): PolicySettings {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  );
}

function onlyKeys(
  config: Config,
  key: string,
  allowed: string[],
  options: { openEnded?: boolean } = {},
) {
  for (const found of config.keys()) {
    if (allowed.includes(found)) continue;
    const value = config.getOptional(found);
    // further platforms bring sections of their own
    if (options.openEnded && typeof value === 'object') continue;
    throw new InputError(
      `${key}.${found} (${show(
        value,
      )}) is not a setting; use one of ${allowed.join(', ')}`,
    );
  }
}

function oneOf<const T extends string>(
  config: Config,
  key: string,
  name: string,
  allowed: readonly T[],
): T | undefined {
  const value = config.getOptional(name);
  if (value === undefined) return undefined;
  const found = allowed.find(option => option === value);
  if (found === undefined) {
    throw new InputError(
      `${key}.${name} is ${show(value)}; use one of ${allowed.join(', ')}`,
    );
  }
  return found;
}

function flag(config: Config, key: string, name: string): boolean | undefined {
  const value = config.getOptional(name);
  if (value === undefined || typeof value === 'boolean') return value;
  throw new InputError(`${key}.${name} is ${show(value)}; use true or false`);
}

function integer(
  config: Config,
  key: string,
  name: string,
  range: { min: number; max?: number },
): number | undefined {
  const value = config.getOptional(name);
  if (value === undefined) return undefined;
  const { min, max = Number.MAX_SAFE_INTEGER } = range;
  if (
    typeof value !== 'number' ||
    !Number.isInteger(value) ||
    value < min ||
    value > max
  ) {
    throw new InputError(
      `${key}.${name} is ${show(value)}; use a whole number ${
        range.max === undefined ? `of at least ${min}` : `from ${min} to ${max}`
      }`,
    );
  }
  return value;
}

function duration(
  config: Config,
  key: string,
  name: string,
  range: { min: number },
): number | undefined {
  if (!config.has(name)) return undefined;
  const remedy = `use a duration such as { seconds: 60 }, "60s" or "PT1M", of at least ${
    range.min / SECOND
  } s`;
  let ms: number;
  try {
    ms = durationToMilliseconds(readDurationFromConfig(config, { key: name }));
  } catch (error) {
    throw new InputError(
      `${key}.${name} is ${show(config.getOptional(name))}; ${remedy}`,
      error,
    );
  }
  if (!Number.isFinite(ms) || ms < range.min) {
    throw new InputError(
      `${key}.${name} is ${show(config.getOptional(name))}; ${remedy}`,
    );
  }
  return ms;
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined';
}
