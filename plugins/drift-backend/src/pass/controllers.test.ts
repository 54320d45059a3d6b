/** Where a controller is at work, it is asked to look again and nothing is written. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { JsonObject } from '@backstage/types';
import { loopOn, orders, SERVICE } from '../__testUtils__/orders';
import type { World } from '../__testUtils__/world';

const databases = TestDatabases.create();

describe.each(databases.eachSupportedId())('the loop on %s', databaseId => {
  const loop = loopOn(databases, databaseId);
  let world: World;

  async function start(drift?: JsonObject) {
    world = await loop.start(drift);
  }

  it.each([
    ['about a new declaration', undefined],
    ['about one that moves on', { ...SERVICE, retries: 6 }],
  ])('remembers that the controller was asked %s', async (_, moved) => {
    await start();
    const controller = {
      name: 'kong-operator',
      evidence: 'It has set a condition.',
    };
    const nudges: string[] = [];
    world.source.nudge = async declared => {
      nudges.push(declared.version);
      // and the declaration moves on before it is looked at what came of it
      if (moved) world.source.declare(orders, moved, { controller });
      return { message: 'asked kong-operator to look again.' };
    };
    world.source.declare(orders, SERVICE, { controller });
    world.platform.put('services', { name: 'orders', ...SERVICE });
    await world.turn();
    expect(await world.row('orders')).toMatchObject({ verdict: 'InSync' });
    world.source.declare(orders, { ...SERVICE, retries: 5 }, { controller });
    await world.turn();
    expect(nudges).toHaveLength(1);
    const { id } = await world.row('orders');
    for (let i = 0; i < 3; i++) {
      world.clock.advance(1_000);
      await world.store.bringForward([id], {
        dueAt: world.clock.now(),
        dirty: true,
      });
      await world.settle();
    }
    expect(nudges).toHaveLength(1);
  });

  it('nudges the controller instead of writing where one is at work', async () => {
    await start();
    const nudges: string[] = [];
    world.source.nudge = async declared => {
      nudges.push(declared.ref.name);
      return { message: 'asked kong-operator to look again.' };
    };
    const controller = {
      name: 'kong-operator',
      evidence: 'It has set a condition.',
    };
    world.source.declare(orders, SERVICE, { controller });
    const live = world.platform.put('services', { name: 'orders', ...SERVICE });
    await world.turn();
    world.platform.edit(live.key, { retries: 9 });
    await world.turn();
    expect(nudges).toEqual(['orders']);
    expect(world.platform.script.count('write')).toBe(0);
    expect(await world.row('orders')).toMatchObject({
      verdict: 'Drifted',
      policy: { actuator: 'operator' },
    });
    // it gets a resync to act, whatever brings passes forward meanwhile
    for (let i = 0; i < 5; i++) {
      const { id } = await world.row('orders');
      world.clock.advance(5_000);
      await world.store.bringForward([id], {
        dueAt: world.clock.now(),
        dirty: true,
      });
      await world.settle();
    }
    expect(nudges).toHaveLength(1);
    for (let i = 0; i < 12; i++) {
      world.clock.advance(70_000);
      await world.turn();
    }
    // less often each time
    expect(nudges.length).toBeLessThanOrEqual(9);
    // and what has surfaced stands while the next one is waited for
    for (let i = 0; i < 6; i++) {
      expect(await world.row('orders')).toMatchObject({
        verdict: 'Blocked',
        reason: 'ControllerIdle',
      });
      world.clock.advance(70_000);
      await world.turn();
    }
    world.platform.edit(live.key, { retries: 3 });
    await world.turn();
    expect(await world.row('orders')).toMatchObject({ verdict: 'InSync' });
    expect(world.platform.script.count('write')).toBe(0);
  });
});
