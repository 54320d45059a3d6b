/** A whole loop in a box: the real store, a scripted platform and source, and a clock turned by hand. */
import { mockServices } from '@backstage/backend-test-utils';
import { ConfigReader } from '@backstage/config';
import type { JsonObject } from '@backstage/types';
import type { Knex } from 'knex';
import { silentAnnouncer } from '../announce/announcer';
import { readDriftConfig } from '../config';
import { Inventory } from '../inventory/inventory';
import { createActions } from '../pass/actions';
import type { PassContext } from '../pass/context';
import { runPass } from '../pass/runPass';
import type { PassResult } from '../pass/steps';
import { keyedDigest } from '../secretDigest';
import { storeOn, type DriftStore, type ResourceRow } from '../store';
import { ManualClock } from './manualClock';
import { Quiet } from './quiet';
import {
  PLATFORM,
  ScriptedPlatform,
  ScriptedSource,
  SOURCE,
} from './scriptedPlatform';

export const ANN = { ref: 'user:default/ann' };

export interface World {
  clock: ManualClock;
  /** When nothing is being asked of the store. */
  quiet: Quiet;
  store: DriftStore;
  platform: ScriptedPlatform;
  source: ScriptedSource;
  context: PassContext;
  inventory: Inventory;
  actions: ReturnType<typeof createActions>;
  /** Lists the source, then sweeps the platform. */
  sweep(): Promise<void>;
  /** Runs every pass that is due, until none is; fails where that does not come to an end. */
  settle(): Promise<PassResult[]>;
  /** Sweeps, then settles. */
  turn(): Promise<void>;
  row(name: string): Promise<ResourceRow>;
}

export async function createWorld(
  knex: Knex,
  options: { drift?: JsonObject; owner?: string; clock?: ManualClock } = {},
): Promise<World> {
  const clock = options.clock ?? new ManualClock();
  const quiet = new Quiet();
  const store = quiet.track(storeOn(knex, () => clock.now()));
  const platform = new ScriptedPlatform();
  const source = new ScriptedSource();
  const context: PassContext = {
    store,
    platforms: new Map([[PLATFORM, platform]]),
    sources: new Map([[SOURCE, source]]),
    config: readDriftConfig(new ConfigReader({ drift: options.drift ?? {} })),
    clock,
    random: () => 0.5,
    secretDigest: keyedDigest('test'),
    logger: mockServices.logger.mock(),
    announcer: silentAnnouncer,
    owner: options.owner ?? 'one',
  };
  const { signal } = new AbortController();
  const inventory = new Inventory(context, {
    due: () => {},
    added: () => {},
    sweepSoon: () => {},
  });
  await store.putScope({
    id: PLATFORM,
    kind: 'platform',
    title: platform.title,
  });
  await store.putScope({ id: SOURCE, kind: 'source', title: source.title });

  const world: World = {
    clock,
    quiet,
    store,
    platform,
    source,
    context,
    inventory,
    actions: createActions(
      context,
      { due: () => {}, passed: () => {}, listSoon: () => {} },
      { signal },
    ),
    async sweep() {
      clock.advance(1000);
      await inventory.listSource(source, { signal });
      await inventory.sweepPlatform(platform, { signal });
      clock.advance(1);
    },
    async settle() {
      const results: PassResult[] = [];
      for (;;) {
        const leases = await store.leaseDue({
          owner: context.owner,
          limit: 10,
          now: clock.now(),
          leaseMs: 30_000,
        });
        if (!leases.length) return results;
        for (const lease of leases) {
          results.push(
            await runPass(context, lease, {
              trigger: 'due',
              priority: 'pass',
              signal,
            }),
          );
          clock.advance(1);
        }
        if (results.length > 200)
          throw new Error('Passes do not come to an end');
      }
    },
    async turn() {
      await world.sweep();
      await world.settle();
    },
    async row(name) {
      const { items } = await store.listResources(
        { q: name },
        { limit: 2 },
        clock.now(),
      );
      if (items.length !== 1)
        throw new Error(`${items.length} resources are called ${name}`);
      const row = await store.getResource(items[0].id);
      if (!row) throw new Error(`${name} is gone`);
      return row;
    },
  };
  return world;
}
