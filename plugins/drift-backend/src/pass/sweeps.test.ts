/** What sweeps find and cost, and how the loop recovers when the platform answers again. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { JsonObject } from '@backstage/types';
import { agreed, loopOn, orders } from '../__testUtils__/orders';
import { unreachable } from '../__testUtils__/scriptedPlatform';
import type { World } from '../__testUtils__/world';

const databases = TestDatabases.create();

describe.each(databases.eachSupportedId())('the loop on %s', databaseId => {
  const loop = loopOn(databases, databaseId);
  let world: World;

  async function start(drift?: JsonObject) {
    world = await loop.start(drift);
  }

  it('forgets what is gone on both sides', async () => {
    await start();
    const { declared, live } = await agreed(world);
    world.source.undeclare(declared);
    world.platform.objects.delete(live.key);
    await world.turn();
    world.clock.advance(70_000);
    await world.turn();
    expect(
      (await world.store.listResources({}, { limit: 5 }, world.clock.now()))
        .total,
    ).toBe(0);
    expect(world.platform.script.count('write', 'remove')).toBe(0);
  });

  it('says how many things stand from one sweep, without reading them one by one', async () => {
    await start({ defaults: { mode: 'observe' } });
    for (let i = 0; i < 40; i++) {
      world.source.declare(
        { ...orders, name: `s-${i}` },
        { host: 'h', retries: 3 },
      );
      if (i % 2)
        world.platform.put('services', {
          name: `s-${i}`,
          host: 'h',
          retries: i === 1 ? 9 : 3,
        });
    }
    await world.sweep();
    const [counts] = await world.store.countByVerdict({}, world.clock.now());
    expect(counts.byVerdict).toEqual({ InSync: 19, Drifted: 1, Pending: 20 });
    expect(world.platform.script.count('get', 'find')).toBe(0);
    expect(world.source.script.count('declared')).toBe(0);
  });

  it('writes one row in an unchanged sweep', async () => {
    await start({ defaults: { mode: 'observe' } });
    await agreed(world);
    const written: string[] = [];
    loop.knex.on('query', ({ sql }: { sql: string }) => {
      if (/^(insert|update|delete)/i.test(sql)) written.push(sql);
    });
    await world.inventory.sweepPlatform(world.platform, {
      signal: new AbortController().signal,
    });
    expect(written).toHaveLength(1);
    expect(written[0]).toContain('scopes');
  });

  it('recovers by itself when the platform answers again', async () => {
    await start();
    const { live } = await agreed(world);
    world.platform.edit(live.key, { retries: 9 });
    world.platform.script.on(
      'sweep',
      ...Array(3).fill({ fails: unreachable() }),
    );
    for (let i = 0; i < 3; i++) {
      await world.turn();
      world.clock.advance(100_000);
    }
    const row = await world.row('orders');
    const view = await world.store.viewResource(row.id, world.clock.now());
    expect(view?.shownVerdict).toBe('Unknown');
    await world.turn();
    expect((await world.row('orders')).verdict).toBe('InSync');
    expect(world.platform.field(live.key, 'retries')).toBe(3);
  });

  it('does not let what failed wait for its backoff when the platform answers again', async () => {
    await start();
    await agreed(world);
    world.platform.script.on(
      'get',
      ...Array(30).fill({ fails: unreachable() }),
    );
    for (let i = 0; i < 30; i++) {
      const { id } = await world.row('orders');
      await world.store.bringForward([id], {
        dueAt: world.clock.now(),
        dirty: true,
      });
      await world.settle();
    }
    expect((await world.row('orders')).dueAt).toBeGreaterThan(
      world.clock.now() + 120_000,
    );
    world.platform.script.on('sweep', { fails: unreachable() });
    await world.turn();
    expect((await world.row('orders')).verdict).toBe('Unknown');
    await world.turn();
    expect((await world.row('orders')).verdict).toBe('InSync');
  });
});
