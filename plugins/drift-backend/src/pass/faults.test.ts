/** What the simulation of the loop has found, each as one small story under the rule that it broke. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { Knex } from 'knex';
import { ManualClock } from '../__testUtils__/manualClock';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import { ANN, createWorld, type World } from '../__testUtils__/world';
import { lastCheck } from '../loop/lastCheck';
import { LeaseLostError } from '../store';
import { runPass } from './runPass';

const databases = TestDatabases.create();
const orders = { kind: 'services', namespace: 'shop', name: 'orders' };
const SERVICE = { host: 'orders.shop.svc', retries: 3 };
const PRUNE = { defaults: { mode: 'enforce', prune: true } };

describe.each(databases.eachSupportedId())('faults on %s', databaseId => {
  const suite = new SuiteDatabase(databases, databaseId);
  let knex: Knex;
  let world: World;

  beforeEach(async () => {
    knex = await suite.empty();
    world = await createWorld(knex, { drift: PRUNE });
  });

  async function agreed() {
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

  async function count() {
    return (
      await world.store.listResources({}, { limit: 5 }, world.clock.now())
    ).total;
  }

  /** Turns with so much time between them that every pass comes up. */
  async function turns(times: number) {
    for (let i = 0; i < times; i++) {
      world.clock.advance(70_000);
      await world.turn();
    }
  }

  describe('rule 1: fresh before write', () => {
    it('sends nothing whose turn comes late: both sides are read again first', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.sweep();
      let sent = 0;
      world.platform.script.on('write', {
        before: async () => {
          // the platform asked for silence for so long
          world.clock.advance(5_000);
          await lastCheck(1);
          sent += 1;
        },
      });
      await world.settle();
      expect(sent).toBe(0);
      expect(world.platform.field(live.key, 'retries')).toBe(9);
      const row = await world.row('orders');
      expect(row.dueAt - world.clock.now()).toBeLessThan(5_000);
      world.clock.advance(5_000);
      await world.settle();
      expect(world.platform.field(live.key, 'retries')).toBe(3);
    });
  });

  describe('rule 3: intent first', () => {
    it('looks for what a lost create made, although nothing declares it any more', async () => {
      const declared = world.source.declare(orders, SERVICE);
      world.platform.script.on('write', {
        before: () => world.source.undeclare(declared),
        losesAnswer: true,
      });
      await world.turn();
      expect(world.platform.objects.size).toBe(1);
      expect((await world.row('orders')).liveKey).toBeDefined();
    });

    it('forgets nothing while a create may still land', async () => {
      const declared = world.source.declare(orders, SERVICE);
      world.platform.script.on('write', {
        before: () => world.source.undeclare(declared),
        ignored: true,
        losesAnswer: true,
      });
      await world.turn();
      for (let i = 0; i < 3; i++) {
        world.clock.advance(4_000);
        await world.turn();
      }
      expect(await count()).toBe(1);
      await turns(4);
      expect(await count()).toBe(0);
    });

    it('knows the object of a declaration that was made again under another identity', async () => {
      const { declared } = await agreed();
      world.source.undeclare(declared);
      const again = world.source.declare(orders, SERVICE, {
        locators: ['mark:uid-again', 'name:orders'],
        mark: { key: 'k8s-uid', value: 'uid-again' },
      });
      await turns(1);
      expect(await world.row('orders')).toMatchObject({
        verdict: 'Conflicted',
        reason: 'ForeignOwner',
      });
      world.source.undeclare(again);
      await turns(5);
      expect(await world.row('orders')).toMatchObject({ verdict: 'Orphaned' });
    });
  });

  describe('rule 3: intents are settled', () => {
    it('soon after what they were about can no longer land, although all is right', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.sweep();
      const shutDown = new AbortController();
      const [lease] = await world.store.leaseDue({
        owner: 'other',
        limit: 1,
        now: world.clock.now(),
        leaseMs: 30_000,
      });
      world.platform.script.on('write', {
        before: () => shutDown.abort(),
        losesAnswer: true,
      });
      await expect(
        runPass(world.context, lease, {
          trigger: 'due',
          priority: 'pass',
          signal: shutDown.signal,
        }),
      ).rejects.toThrow();
      await world.store.releaseLease(lease);
      await world.settle();
      expect((await world.row('orders')).verdict).toBe('InSync');
      const { resourceId } = lease;
      expect(await world.store.listOpenIntents(resourceId)).toHaveLength(1);
      world.clock.advance(31_000);
      await world.settle();
      expect(await world.store.listOpenIntents(resourceId)).toEqual([]);
      // and then it rests
      const { dueAt } = await world.row('orders');
      expect(dueAt - world.clock.now()).toBeGreaterThan(600_000);
    });
  });

  describe('rule 5: unknown is not absent', () => {
    it('does not take a field whose reference cannot be filled in for equal', async () => {
      world.source.declare(
        { kind: 'routes', namespace: 'shop', name: 'all' },
        { paths: ['/'] },
        {
          references: [
            { path: '/service/id', ref: { platform: 'test/one', ...orders } },
          ],
        },
      );
      world.platform.put(
        'routes',
        { name: 'all', paths: ['/'], service: { id: 'another' } },
        { uid: 'uid-all' },
      );
      await world.turn();
      expect(await world.row('all')).toMatchObject({
        verdict: 'Blocked',
        reason: 'MissingDependency',
      });
    });

    it('never deletes what bears another mark, although we once set fields of it', async () => {
      const { declared, live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.turn();
      expect((await world.row('orders')).ownedBefore).not.toEqual([]);
      world.source.declare({ ...orders, name: 'carts' }, { host: 'carts' });
      world.platform.put(
        'services',
        { name: 'orders', ...SERVICE },
        { id: live.id, uid: 'uid-of-somebody' },
      );
      world.source.undeclare(declared);
      await turns(6);
      expect(world.platform.script.count('remove')).toBe(0);
      expect(world.platform.objects.has(live.key)).toBe(true);
    });

    it('does not count a listing that may still have shown the declaration', async () => {
      const { declared, live } = await agreed();
      world.source.declare({ ...orders, name: 'carts' }, { host: 'carts' });
      await world.turn();
      world.source.undeclare(declared);
      // a pass sees it before any listing does, and then one listing comes
      const { id } = await world.row('orders');
      for (let i = 0; i < 3; i++) {
        world.clock.advance(1_000);
        await world.store.bringForward([id], {
          dueAt: world.clock.now(),
          dirty: true,
        });
        await world.settle();
      }
      expect(await world.row('orders')).toMatchObject({ orphanSightings: 0 });
      await turns(1);
      expect((await world.row('orders')).orphanSightings).toBeLessThan(2);
      expect(world.platform.objects.has(live.key)).toBe(true);
    });
  });

  describe('rule 5: absence is counted, not timed', () => {
    it('does not count a listing that began earlier, whatever the clock of the replica that made it says', async () => {
      const { declared, live } = await agreed();
      // the prune ceiling is not what holds it
      world.source.declare({ ...orders, name: 'carts' }, { host: 'carts' });
      await world.turn();
      world.source.undeclare(declared);
      const { id } = await world.row('orders');
      const look = async () => {
        await world.store.bringForward([id], {
          dueAt: world.clock.now(),
          dirty: true,
        });
        await world.settle();
      };
      await look();
      const ahead = new ManualClock();
      ahead.advance(world.clock.now() - ahead.now() + 3_600_000);
      const other = await createWorld(knex, { clock: ahead, owner: 'two' });
      const { signal } = new AbortController();
      // while it is being listed, somebody looks: what the listing showed may be older than that
      world.source.script.on('list', { before: look });
      await other.inventory.listSource(world.source, { signal });
      await look();
      expect(await world.row('orders')).toMatchObject({ orphanSightings: 0 });

      const behind = new ManualClock();
      const late = await createWorld(knex, { clock: behind, owner: 'three' });
      expect(behind.now()).toBeLessThan(world.clock.now());
      for (let i = 0; i < 2; i += 1) {
        await late.inventory.listSource(world.source, { signal });
        await look();
      }
      expect(world.platform.objects.has(live.key)).toBe(false);
    });
  });

  describe('rule 6: nothing is hidden', () => {
    it('remembers a deletion that was cut off before its record', async () => {
      const { declared, live } = await agreed();
      world.source.declare({ ...orders, name: 'carts' }, { host: 'carts' });
      await world.turn();
      const { id } = await world.row('orders');
      world.source.undeclare(declared);
      const crash = new AbortController();
      world.platform.script.on('remove', {
        before: () => {
          world.platform.objects.delete(live.key);
          crash.abort();
          throw new Error('the process ended');
        },
      });
      const decide = async () => {
        for (let i = 0; i < 9; i += 1) {
          world.clock.advance(70_000);
          await world.sweep();
          const lease = await world.store.leaseOne(id, {
            owner: 'dead',
            now: world.clock.now(),
            leaseMs: 30_000,
          });
          await runPass(world.context, lease!, {
            trigger: 'due',
            priority: 'pass',
            signal: crash.signal,
          });
        }
      };
      await expect(decide()).rejects.toThrow('the process ended');
      expect(world.platform.objects.has(live.key)).toBe(false);
      const episodes = async () =>
        (await world.store.listEpisodes(id, { limit: 9 })).items;
      expect(await episodes()).toEqual([]);
      await turns(4);
      expect(await world.store.getResource(id)).toBeUndefined();
      expect(await episodes()).toEqual([
        expect.objectContaining({
          verdict: 'Orphaned',
          ending: 'resourceGone',
          endMessage: expect.stringContaining('was being deleted'),
          endedAt: expect.any(Number),
          decidedBy: 'policy (mode enforce)',
        }),
      ]);
    });

    it('keeps a question while a pause holds everything', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      world.source.declare(orders, { ...SERVICE, retries: 5 });
      await world.turn();
      const row = await world.row('orders');
      const open = await world.store.getOpenConflict(row.id);
      expect(open).toMatchObject({ kindOfQuestion: 'conflict' });
      await world.store.addRule({
        id: 'pause',
        scope: { namespace: 'shop' },
        settings: { paused: true },
        reason: 'sale',
        by: ANN.ref,
        createdAt: world.clock.now(),
      });
      await world.actions.check(row.id, ANN);
      expect((await world.store.getOpenConflict(row.id))?.id).toBe(open?.id);
    });

    it('keeps asking about a concurrent writer until a side moves', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 100 });
      await world.sweep();
      let retries = 100;
      const move = {
        before: () => {
          retries += 1;
          world.platform.edit(live.key, { retries });
        },
      };
      world.platform.script.on('get', ...Array(4).fill(move));
      await world.settle();
      const row = await world.row('orders');
      expect(row).toMatchObject({ reason: 'ConcurrentWriter' });
      const open = await world.store.getOpenConflict(row.id);
      await world.actions.check(row.id, ANN);
      expect(await world.row('orders')).toMatchObject({
        verdict: 'Conflicted',
        reason: 'ConcurrentWriter',
      });
      expect((await world.store.getOpenConflict(row.id))?.id).toBe(open?.id);
      expect(world.platform.script.count('write')).toBe(0);
    });
  });

  describe('references', () => {
    const parentRef = { platform: 'test/one', ...orders };
    const declareRoute = () =>
      world.source.declare(
        { kind: 'routes', namespace: 'shop', name: 'all' },
        { paths: ['/'] },
        { references: [{ path: '/service/id', ref: parentRef }] },
      );

    it('looks at children again when their parent has become another object', async () => {
      const { live } = await agreed();
      declareRoute();
      world.platform.put(
        'routes',
        { name: 'all', paths: ['/'], service: { id: live.id } },
        { uid: 'uid-all' },
      );
      await world.turn();
      expect((await world.row('all')).verdict).toBe('InSync');
      world.platform.objects.delete(live.key);
      const again = world.platform.put(
        'services',
        { name: 'orders', ...SERVICE },
        { uid: 'uid-orders' },
      );
      await world.turn();
      const row = await world.row('all');
      expect(world.platform.field(row.liveKey!, 'service')).toEqual({
        id: again.id,
      });
    });

    it('does so after a process ended before it could say that', async () => {
      const { live } = await agreed();
      declareRoute();
      world.platform.put(
        'routes',
        { name: 'all', paths: ['/'], service: { id: live.id } },
        { uid: 'uid-all' },
      );
      await world.turn();
      await knex('resources')
        .where({ live_id: live.id })
        .update({ live_id: 'another' });
      const other = await createWorld(knex, { clock: world.clock });
      await other.inventory.sweepPlatform(world.platform, {
        signal: new AbortController().signal,
      });
      const row = await world.row('all');
      expect(row.dirty).toBe(true);
      expect(row.dueAt).toBeLessThanOrEqual(world.clock.now());
    });

    it('waits ever longer for what is not there, and no longer once it is', async () => {
      declareRoute();
      await world.turn();
      expect(await world.row('all')).toMatchObject({
        reason: 'MissingDependency',
      });
      const looks = world.source.script.count('declared');
      for (let i = 0; i < 360; i += 1) {
        world.clock.advance(10_000);
        await world.settle();
      }
      const inAnHour = world.source.script.count('declared') - looks;
      expect(inAnHour).toBeLessThan(20);
      expect(inAnHour).toBeGreaterThanOrEqual(11);

      world.source.declare(orders, SERVICE);
      await world.turn();
      expect((await world.row('orders')).verdict).toBe('InSync');
      expect((await world.row('all')).verdict).toBe('InSync');
    });
  });

  describe('rule 7: one pass per resource at a time', () => {
    it('asks for the lease again when the turn of a write comes', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.sweep();
      world.platform.script.on('write', {
        before: async () => {
          world.clock.advance(60_000);
          await world.store.leaseDue({
            owner: 'two',
            limit: 10,
            now: world.clock.now(),
            leaseMs: 30_000,
          });
          await lastCheck(1);
        },
      });
      await expect(world.settle()).rejects.toThrow(LeaseLostError);
      expect(world.platform.field(live.key, 'retries')).toBe(9);
    });
  });

  describe('rule 8: a guard can hold a write, never force one', () => {
    it('holds a write for a pause that was set while both sides were read', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.sweep();
      world.platform.script.on('get', undefined, {
        before: async () => {
          await world.store.addRule({
            id: 'pause',
            scope: { namespace: 'shop' },
            settings: { paused: true },
            reason: 'sale',
            by: ANN.ref,
            createdAt: world.clock.now(),
          });
        },
      });
      await world.settle();
      expect(world.platform.script.count('write')).toBe(0);
      expect(await world.row('orders')).toMatchObject({
        verdict: 'Drifted',
        policy: { paused: true },
      });
    });
  });
});
