/** What only a person may decide: what is asked, and what comes of the answers. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { JsonObject } from '@backstage/types';
import type { ConflictRow } from '../store/rows';
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

  describe('both sides changed', () => {
    beforeEach(async () => {
      await start();
      const { live } = await agreed(world);
      world.platform.edit(live.key, { retries: 9 });
      world.source.declare(orders, { ...SERVICE, retries: 5 });
      await world.turn();
    });

    it('writes nothing and asks with all three values', async () => {
      expect(world.platform.script.count('write')).toBe(0);
      const open = await question(world);
      expect(open).toMatchObject({
        kindOfQuestion: 'conflict',
        fields: [
          {
            path: '/retries',
            declared: 5,
            live: 9,
            lastAgreed: 3,
            movedBy: 'both',
          },
        ],
      });
      expect(open.answers.map(answer => answer.choice)).toEqual([
        'declared',
        'live',
      ]);
      // it goes on waiting, as the same question
      world.clock.advance(60_000);
      await world.turn();
      expect((await question(world)).id).toBe(open.id);
    });

    it('applies the declared side when a person chooses it', async () => {
      const { id, seen } = await question(world);
      await world.actions.resolve(id, { choice: 'declared', seen }, ANN);
      const row = await world.row('orders');
      expect(row.verdict).toBe('InSync');
      expect(world.platform.field(row.liveKey!, 'retries')).toBe(5);
    });

    it('keeps the live side when a person chooses it, until a side moves again', async () => {
      const { id, seen } = await question(world);
      await world.actions.resolve(
        id,
        { choice: 'live', seen, note: 'needed for the sale' },
        ANN,
      );
      const row = await world.row('orders');
      expect(world.platform.field(row.liveKey!, 'retries')).toBe(9);
      expect(await world.store.getOpenConflict(row.id)).toBeUndefined();
      expect(await episode(world)).toMatchObject({
        ending: 'keptLive',
        decidedBy: ANN.ref,
      });
      // decided, but not the same: no conflict any more, and no green tick
      const kept = { verdict: 'Drifted', reason: 'KeptLive' };
      expect(row).toMatchObject(kept);
      for (let i = 0; i < 3; i++) {
        world.clock.advance(40 * 60_000);
        await world.turn();
      }
      expect(await world.row('orders')).toMatchObject(kept);
      expect(world.platform.script.count('write')).toBe(0);
      expect(await world.store.getOpenConflict(row.id)).toBeUndefined();
      world.platform.edit(row.liveKey!, { retries: 11 });
      await world.turn();
      expect(await question(world)).toMatchObject({ status: 'open' });
      expect(await world.store.getKept(row.id)).toEqual([]);
    });

    it('answers a question once', async () => {
      const { id, seen } = await question(world);
      await world.actions.resolve(id, { choice: 'live', seen }, ANN);
      await expect(
        world.actions.resolve(id, { choice: 'declared', seen }, ANN),
      ).rejects.toThrow('resolved already');
    });
  });

  describe('an answer that does not settle what is found after its write', () => {
    async function conflict(more: object = {}) {
      await start();
      world.source.declare(orders, SERVICE, more);
      const live = world.platform.put('services', {
        name: 'orders',
        ...SERVICE,
      });
      await world.turn();
      world.platform.edit(live.key, { retries: 9 });
      world.source.declare(orders, { ...SERVICE, retries: 5 }, more);
      await world.turn();
      return { live, asked: await question(world) };
    }

    /** The answer is remembered, and another question is open about what is there now. */
    async function mustAskAnew(asked: ConflictRow, about: object) {
      expect(await world.store.getConflict(asked.id)).toMatchObject({
        status: 'resolved',
        choice: 'declared',
        resolvedBy: ANN.ref,
        seen: asked.seen,
      });
      const row = await world.row('orders');
      const anew = await question(world);
      expect(anew.id).not.toBe(asked.id);
      expect(anew).toMatchObject({
        fields: [{ path: '/retries', ...about }],
        seen: { declared: row.declaredDigest, live: row.liveDigest },
      });
      return row;
    }

    const orderings: [string, (asked: ConflictRow) => Promise<unknown>][] = [
      [
        'an answer',
        async ({ id, seen }) =>
          world.actions.resolve(id, { choice: 'declared', seen }, ANN),
      ],
      [
        'an order to reconcile',
        async ({ resourceId, seen }) =>
          world.actions.reconcile(resourceId, { seen }, ANN),
      ],
    ];

    it.each(orderings)(
      'is followed by another question where both sides move during %s',
      async (_, order) => {
        const { live, asked } = await conflict();
        world.platform.script.on('write', {
          before: () => {
            world.source.declare(orders, { ...SERVICE, retries: 6 });
          },
        });
        // before the write it is read twice
        world.platform.script.on('get', undefined, undefined, {
          before: () => {
            world.platform.edit(live.key, { retries: 7 });
          },
        });
        await order(asked);
        expect(world.platform.plans).toHaveLength(1);
        expect(
          await mustAskAnew(asked, { declared: 6, live: 7 }),
        ).toMatchObject({ verdict: 'Conflicted', reason: 'BothChanged' });
      },
    );

    it('is followed by another question where the fresh read still shows the conflict', async () => {
      const { asked } = await conflict();
      world.platform.script.on('write', { ignored: true });
      await orderings[0][1](asked);
      const row = await mustAskAnew(asked, { declared: 5, live: 9 });
      expect(row.verdict).toBe('Conflicted');
    });

    it('is followed by another question where a controller was asked and has not acted', async () => {
      const controller = { name: 'kong-operator', evidence: 'A condition.' };
      const { asked } = await conflict({ controller });
      world.source.nudge = async () => ({ message: 'asked it to look again.' });
      await orderings[1][1](asked);
      const row = await mustAskAnew(asked, { declared: 5, live: 9 });
      expect(row.verdict).toBe('Conflicted');
      expect(world.platform.plans).toEqual([]);
    });

    it('is followed by another question about a live edit that came after it', async () => {
      await start({ defaults: { mode: 'ask' } });
      const { live } = await agreed(world);
      world.platform.edit(live.key, { retries: 9 });
      await world.turn();
      const asked = await question(world);
      world.platform.script.on('get', undefined, undefined, {
        before: () => {
          world.platform.edit(live.key, { retries: 7 });
        },
      });
      await orderings[0][1](asked);
      const row = await mustAskAnew(asked, { declared: 3, live: 7 });
      expect(row.verdict).toBe('Drifted');
    });

    it('is not asked about again at once where the very state that was answered is still shown', async () => {
      await start({ defaults: { mode: 'ask' } });
      const { live } = await agreed(world);
      world.platform.edit(live.key, { retries: 9 });
      await world.turn();
      const asked = await question(world);
      world.platform.script.on('write', { ignored: true });
      await orderings[0][1](asked);
      const row = await world.row('orders');
      expect(await world.store.getOpenConflict(row.id)).toBeUndefined();
      // whoever looks again and finds the same asks
      await world.store.bringForward([row.id], {
        dueAt: world.clock.now(),
        dirty: true,
      });
      await world.settle();
      expect((await question(world)).id).not.toBe(asked.id);
    });
  });

  it('leaves what bears another’s mark to a person', async () => {
    await start();
    world.source.declare(orders, SERVICE);
    world.platform.put(
      'services',
      { name: 'orders', retries: 1 },
      { uid: 'uid-of-somebody' },
    );
    await world.turn();
    expect(await world.row('orders')).toMatchObject({
      verdict: 'Conflicted',
      reason: 'ForeignOwner',
    });
    expect(world.platform.script.count('write')).toBe(0);
  });

  it('does not choose between several live objects', async () => {
    await start();
    world.source.declare(orders, SERVICE);
    world.platform.put('services', { name: 'orders' });
    world.platform.put('services', { name: 'orders' });
    await world.turn();
    expect(await world.row('orders')).toMatchObject({
      verdict: 'Conflicted',
      reason: 'AmbiguousMatch',
    });
    expect(
      (await question(world)).answers.map(answer => answer.choice),
    ).toEqual(['live']);
  });
});
