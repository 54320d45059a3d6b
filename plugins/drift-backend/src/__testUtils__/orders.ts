/** The loop around one service, `orders`: what tests of what it does with a resource begin with. */
import type {
  TestDatabaseId,
  TestDatabases,
} from '@backstage/backend-test-utils';
import type { JsonObject } from '@backstage/types';
import type { Knex } from 'knex';
import { mustReplay } from './replays';
import { SuiteDatabase } from './suiteDatabase';
import { createWorld, type World } from './world';

export const orders = { kind: 'services', namespace: 'shop', name: 'orders' };
export const SERVICE = { host: 'orders.shop.svc', retries: 3 };

/** A new world for every `start()`; every decision of a test must replay. */
export function loopOn(databases: TestDatabases, id: TestDatabaseId) {
  const suite = new SuiteDatabase(databases, id);
  let knex: Knex;

  afterEach(async () => {
    await mustReplay(knex);
  });

  return {
    /** @param drift - the plugin's configuration; it enforces unless told otherwise */
    async start(
      drift: JsonObject = { defaults: { mode: 'enforce' } },
    ): Promise<World> {
      knex = await suite.empty();
      return createWorld(knex, { drift });
    },
    /** The database of the last `start()`. */
    get knex(): Knex {
      return knex;
    },
  };
}

/** Declares `orders` and puts the same live. */
export async function agreed(world: World) {
  const declared = world.source.declare(orders, SERVICE);
  const live = world.platform.put(
    'services',
    { name: 'orders', ...SERVICE },
    { uid: 'uid-orders' },
  );
  await world.turn();
  expect((await world.row('orders')).verdict).toBe('InSync');
  return { declared, live };
}

/** The latest one of `orders`. */
export async function episode(world: World) {
  const row = await world.row('orders');
  return (await world.store.listEpisodes(row.id, { limit: 1 })).items[0];
}

/** The open one about `orders`. */
export async function question(world: World) {
  const row = await world.row('orders');
  const open = await world.store.getOpenConflict(row.id);
  if (!open) throw new Error('No question is open');
  return open;
}
