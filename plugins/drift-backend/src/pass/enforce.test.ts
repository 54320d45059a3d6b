/** What the loop corrects by itself, and when it asks before it does; also where the declaration moves on meanwhile. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { JsonObject } from '@backstage/types';
import {
  agreed,
  episode,
  loopOn,
  orders,
  question,
  SERVICE,
} from '../__testUtils__/orders';
import { ANN, type World } from '../__testUtils__/world';

const databases = TestDatabases.create();

describe.each(databases.eachSupportedId())('the loop on %s', databaseId => {
  const loop = loopOn(databases, databaseId);
  let world: World;

  async function start(drift?: JsonObject) {
    world = await loop.start(drift);
  }

  describe('enforce', () => {
    it('corrects a live edit, a deletion and a changed declaration', async () => {
      await start();
      const { live } = await agreed(world);
      world.platform.edit(live.key, { retries: 9 });
      await world.turn();
      expect(world.platform.field(live.key, 'retries')).toBe(3);

      world.platform.objects.delete(live.key);
      await world.turn();
      expect(await episode(world)).toMatchObject({
        verdict: 'Missing',
        ending: 'corrected',
      });

      world.source.declare(orders, { ...SERVICE, retries: 4 });
      await world.turn();
      expect(await episode(world)).toMatchObject({
        verdict: 'Pending',
        reason: 'DeclaredMoved',
        ending: 'corrected',
      });
      const row = await world.row('orders');
      expect(row).toMatchObject({ verdict: 'InSync', dirty: false });
      expect(world.platform.field(row.liveKey!, 'retries')).toBe(4);
    });

    it('takes back a field that we set and that is no longer declared', async () => {
      await start();
      world.source.declare(orders, { ...SERVICE, read_timeout: 1000 });
      await world.turn();
      const { liveKey } = await world.row('orders');
      expect(world.platform.field(liveKey!, 'read_timeout')).toBe(1000);
      world.source.declare(orders, SERVICE);
      await world.turn();
      expect(world.platform.field(liveKey!, 'read_timeout')).not.toBe(1000);
      expect((await world.row('orders')).verdict).toBe('InSync');
    });

    it('asks before it overwrites what was there at first sight', async () => {
      await start();
      world.source.declare(orders, SERVICE);
      const live = world.platform.put('services', {
        name: 'orders',
        ...SERVICE,
        retries: 9,
      });
      await world.turn();
      expect(await world.row('orders')).toMatchObject({
        verdict: 'Drifted',
        reason: 'FirstSight',
      });
      expect(world.platform.script.count('write')).toBe(0);
      const { id, seen, kindOfQuestion } = await question(world);
      expect(kindOfQuestion).toBe('firstSight');
      await world.actions.resolve(id, { choice: 'declared', seen }, ANN);
      expect(world.platform.field(live.key, 'retries')).toBe(3);
      expect(await episode(world)).toMatchObject({
        ending: 'corrected',
        decidedBy: ANN.ref,
      });
    });

    it('waits for a person where a live edit asks, and withdraws the question when it is gone', async () => {
      await start({ defaults: { mode: 'enforce', onLiveEdit: 'ask' } });
      const { live } = await agreed(world);
      world.platform.edit(live.key, { retries: 9 }, 'ben');
      await world.turn();
      const open = await question(world);
      expect(open).toMatchObject({
        kindOfQuestion: 'liveEdit',
        changedBy: 'ben',
      });
      expect(open.question).toContain('retries');
      world.platform.edit(live.key, { retries: 3 });
      await world.turn();
      expect(world.platform.script.count('write')).toBe(0);
      expect(await world.store.getConflict(open.id)).toMatchObject({
        status: 'withdrawn',
      });
      expect(await episode(world)).toMatchObject({
        ending: 'correctedElsewhere',
      });
    });

    it('ends an episode as a changed declaration where that is what ended it', async () => {
      await start({ defaults: { mode: 'observe' } });
      const { live } = await agreed(world);
      world.platform.edit(live.key, { retries: 9 });
      await world.turn();
      world.source.declare(orders, { ...SERVICE, retries: 9 });
      await world.turn();
      expect(await episode(world)).toMatchObject({
        ending: 'declarationChanged',
      });
    });
  });

  describe('a declaration that moves on while it is written', () => {
    function moveOn(to: object) {
      world.platform.script.on('write', {
        before: () => {
          world.source.declare(orders, { ...SERVICE, ...to });
        },
      });
    }

    it('is no conflict with what was written', async () => {
      await start();
      const { live } = await agreed(world);
      world.source.declare(orders, { ...SERVICE, retries: 4 });
      moveOn({ retries: 5 });
      await world.turn();
      expect(await world.row('orders')).toMatchObject({
        verdict: 'Pending',
        reason: 'DeclaredMoved',
      });
      world.clock.advance(70_000);
      await world.turn();
      expect((await world.row('orders')).verdict).toBe('InSync');
      expect(world.platform.field(live.key, 'retries')).toBe(5);
    });

    it('is not at first sight of what was created', async () => {
      await start();
      world.source.declare(orders, SERVICE);
      moveOn({ retries: 5 });
      await world.turn();
      expect(await world.row('orders')).toMatchObject({
        verdict: 'Pending',
        reason: 'DeclaredMoved',
      });
      world.clock.advance(70_000);
      await world.turn();
      expect((await world.row('orders')).verdict).toBe('InSync');
    });

    it('is a conflict where live shows something else than what was written', async () => {
      await start();
      const { live } = await agreed(world);
      world.source.declare(orders, { ...SERVICE, retries: 4 });
      moveOn({ retries: 5 });
      // before the write it is read twice
      world.platform.script.on('get', undefined, undefined, {
        before: () => {
          world.platform.edit(live.key, { retries: 7 });
        },
      });
      await world.turn();
      expect(await world.row('orders')).toMatchObject({
        verdict: 'Conflicted',
        reason: 'BothChanged',
      });
      expect(await question(world)).toMatchObject({
        fields: [{ declared: 5, live: 7, lastAgreed: 3 }],
      });
    });
  });

  it('counts a write against a new declaration', async () => {
    await start();
    await agreed(world);
    world.source.declare(orders, { ...SERVICE, retries: 5 });
    await world.turn();
    const { convergence } = await world.row('orders');
    expect(convergence.heat).toBeCloseTo(1, 1);
  });
});
