/** Every wrong value is an error that names the key, the value and the remedy. */
import { ConfigReader } from '@backstage/config';
import type { JsonObject } from '@backstage/types';
import { readDriftConfig } from './config';

const read = (drift: JsonObject) =>
  readDriftConfig(new ConfigReader({ drift }));

describe('readDriftConfig', () => {
  it('has a default for everything', () => {
    expect(readDriftConfig(new ConfigReader({}))).toEqual({
      resyncMs: 60_000,
      maxStalenessMs: 300_000,
      concurrency: 8,
      decisionRetentionMs: 90 * 24 * 3_600_000,
      prune: { maxItems: 10, maxPercent: 10 },
      secretDigestKey: undefined,
      defaults: {},
      policies: [],
    });
  });

  it('reads all settings', () => {
    const config = read({
      resync: '30s',
      maxStaleness: { minutes: 3 },
      concurrency: 4,
      decisionRetention: 'P7D',
      prune: { maxItems: 3, maxPercent: 5 },
      secretDigestKey: 'k',
      defaults: { mode: 'ask' },
      policies: [
        {
          scope: { platform: 'konnect/prod', kind: 'services' },
          mode: 'enforce',
          onLiveEdit: 'ask',
          onFirstSight: 'declared',
          actuator: 'direct',
          prune: true,
          paused: false,
          resync: '10s',
          maxStaleness: '1m',
        },
      ],
      konnect: { controlPlanes: [] },
      kubernetes: {},
    });
    expect(config).toMatchObject({
      resyncMs: 30_000,
      maxStalenessMs: 180_000,
      concurrency: 4,
    });
    expect(config.policies[0]).toEqual({
      scope: { platform: 'konnect/prod', kind: 'services' },
      settings: {
        mode: 'enforce',
        onLiveEdit: 'ask',
        onFirstSight: 'declared',
        actuator: 'direct',
        prune: true,
        paused: false,
        resyncMs: 10_000,
        maxStalenessMs: 60_000,
      },
      origin: 'config',
      label: 'drift.policies[0]',
    });
  });

  it.each<[JsonObject, string, string, string]>([
    [{ resync: 'soon' }, 'drift.resync', '"soon"', 'PT1M'],
    [{ resync: { milliseconds: 1 } }, 'drift.resync', '1', 'at least 1 s'],
    [{ maxStaleness: 5 }, 'drift.maxStaleness', '5', 'use a duration'],
    [{ concurrency: 0 }, 'drift.concurrency', '0', 'from 1 to 256'],
    [{ concurrency: 'many' }, 'drift.concurrency', '"many"', 'whole number'],
    [
      { prune: { maxPercent: 101 } },
      'drift.prune.maxPercent',
      '101',
      'from 0 to 100',
    ],
    [{ prune: { maxItems: -1 } }, 'drift.prune.maxItems', '-1', 'at least 0'],
    [
      { decisionRetention: 'for ever' },
      'drift.decisionRetention',
      '"for ever"',
      'duration',
    ],
    [
      { defaults: { mode: 'force' } },
      'drift.defaults.mode',
      '"force"',
      'observe, ask, enforce',
    ],
    [
      { defaults: { prune: 'yes' } },
      'drift.defaults.prune',
      '"yes"',
      'true or false',
    ],
    [
      { defaults: { modes: 'ask' } },
      'drift.defaults.modes',
      '"ask"',
      'mode, onLiveEdit',
    ],
    [{ resink: '10s' }, 'drift.resink', '"10s"', 'resync'],
    [
      { policies: [{ mode: 'ask' }] },
      'drift.policies[0]',
      'no "scope"',
      'drift.defaults',
    ],
    [
      { policies: [{ scope: {}, mode: 'ask' }] },
      'drift.policies[0].scope',
      'empty',
      'platform, kind',
    ],
    [
      { policies: [{ scope: { cluster: 'a' } }] },
      'drift.policies[0].scope.cluster',
      '"a"',
      'platform, kind, namespace, name',
    ],
    [
      { policies: [{ scope: { kind: 'services' }, onLiveEdit: 'undo' }] },
      'drift.policies[0].onLiveEdit',
      '"undo"',
      'revert, ask, accept',
    ],
    [{ resync: '10m' }, 'drift.maxStaleness', '600 s', 'longer than resync'],
  ])('refuses %j', (drift, key, value, remedy) => {
    let message = '';
    try {
      read(drift);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain(key);
    expect(message).toContain(value);
    expect(message).toContain(remedy);
  });
});
