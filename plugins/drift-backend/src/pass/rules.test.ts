/** The ten rules that no pass may break, each under its name: every test here fails where its rule is broken. */
import { TestDatabases } from '@backstage/backend-test-utils';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import { decide, evaluate, konnectSchema } from '@plumbline/drift-engine';
import { PlatformError } from '@plumbline/backstage-plugin-drift-node';
import type { Knex } from 'knex';
import { runPass } from './runPass';
import { LeaseLostError, type ResourceRow } from '../store';
import { mustReplay } from '../__testUtils__/replays';
import { unreachable } from '../__testUtils__/scriptedPlatform';
import { ANN, createWorld, type World } from '../__testUtils__/world';

const databases = TestDatabases.create();
const ENFORCE = { defaults: { mode: 'enforce' } };
const orders = { kind: 'services', namespace: 'shop', name: 'orders' };
const SERVICE = { host: 'orders.shop.svc', retries: 3 };

describe.each(databases.eachSupportedId())('rules on %s', databaseId => {
  const suite = new SuiteDatabase(databases, databaseId);
  let knex: Knex;
  let world: World;

  beforeEach(async () => {
    knex = await suite.empty();
    world = await createWorld(knex, { drift: ENFORCE });
  });

  afterEach(async () => {
    await mustReplay(knex);
  });

  /** A service that both sides agree on. */
  async function agreed(more: object = {}) {
    const declared = world.source.declare(orders, SERVICE, more);
    const live = world.platform.put(
      'services',
      { name: 'orders', ...SERVICE, connect_timeout: 1234 },
      { uid: 'uid-orders' },
    );
    await world.turn();
    expect((await world.row('orders')).verdict).toBe('InSync');
    return { declared, live };
  }

  async function decisions(row: ResourceRow) {
    return (await world.store.listDecisions(row.id, { limit: 100 })).items;
  }

  describe('rule 1: fresh before write', () => {
    it('reads both sides again right before a write, from their source', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.sweep();
      const before = world.platform.script.calls.length;
      const declaredBefore = world.source.script.count('declared');
      await world.settle();
      const calls = world.platform.script.calls
        .slice(before)
        .map(call => call.operation);
      expect(calls).toEqual(['get', 'get', 'write', 'get']);
      expect(world.source.script.count('declared') - declaredBefore).toBe(3);
    });

    it('drops a plan whose live side moved meanwhile, and decides anew on what is there', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.sweep();
      world.platform.script.on('get', undefined, {
        before: () => {
          world.platform.edit(live.key, { retries: 7 });
        },
      });
      await world.settle();
      expect(world.platform.plans).toHaveLength(1);
      const [write] = (await decisions(await world.row('orders'))).filter(
        one => one.action === 'update',
      );
      // what was overwritten is what the stored decision says it saw
      expect(write.inputs.live?.value).toMatchObject({ retries: 7 });
      expect(world.platform.field(live.key, 'retries')).toBe(3);
    });

    it('drops a plan whose declared side moved meanwhile', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.sweep();
      world.source.script.on('declared', undefined, {
        before: () => {
          world.source.declare(orders, { ...SERVICE, retries: 4 });
        },
      });
      await world.settle();
      // both sides moved now: a person decides
      expect(world.platform.plans).toHaveLength(0);
      expect(await world.row('orders')).toMatchObject({
        verdict: 'Conflicted',
        reason: 'BothChanged',
      });
    });

    it('gives up where a side moves all the time, and says so', async () => {
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
      world.platform.script.on('get', move, move, move, move, move, move);
      await world.settle();
      expect(world.platform.plans).toHaveLength(0);
      expect(await world.row('orders')).toMatchObject({
        verdict: 'Conflicted',
        reason: 'ConcurrentWriter',
      });
    });
  });

  describe('rule 2: overlay, never replace', () => {
    it('writes what drifted and keeps what nobody declared', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9, read_timeout: 777 });
      await world.turn();
      expect(world.platform.plans[0].fields).toEqual(['/retries']);
      expect(world.platform.field(live.key, 'retries')).toBe(3);
      expect(world.platform.field(live.key, 'read_timeout')).toBe(777);
      expect(world.platform.field(live.key, 'connect_timeout')).toBe(1234);
    });

    it('resets nothing that was never declared: an extra alone is no reason to write', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { read_timeout: 777 });
      await world.turn();
      expect(world.platform.plans).toHaveLength(0);
      expect((await world.row('orders')).verdict).toBe('InSync');
    });
  });

  describe('rule 3: intent first', () => {
    it('stores the intention before the create', async () => {
      world.source.declare(orders, SERVICE);
      let open = -1;
      world.platform.script.on('write', {
        before: async () => {
          open = (
            await world.store.listOpenIntents((await world.row('orders')).id)
          ).length;
        },
      });
      await world.turn();
      expect(open).toBe(1);
      const row = await world.row('orders');
      expect(row.verdict).toBe('InSync');
      expect(await world.store.listOpenIntents(row.id)).toEqual([]);
    });

    it('creates nothing twice where the answer to a create was lost', async () => {
      world.source.declare(orders, SERVICE);
      world.platform.script.on('write', { losesAnswer: true });
      await world.turn();
      world.clock.advance(60_000);
      await world.turn();
      expect(world.platform.script.count('write')).toBe(1);
      expect(world.platform.objects.size).toBe(1);
      expect((await world.row('orders')).verdict).toBe('InSync');
    });

    it('creates nothing twice after a crash between create and record', async () => {
      world.source.declare(orders, SERVICE);
      await world.sweep();
      const crash = new AbortController();
      const [lease] = await world.store.leaseDue({
        owner: 'dead',
        limit: 1,
        now: world.clock.now(),
        leaseMs: 30_000,
      });
      world.platform.script.on('find', undefined, undefined);
      world.platform.script.on('write', {
        before: () => crash.abort(),
        losesAnswer: true,
      });
      await expect(
        runPass(world.context, lease, {
          trigger: 'due',
          priority: 'pass',
          signal: crash.signal,
        }),
      ).rejects.toThrow();
      expect(await world.store.listOpenIntents(lease.resourceId)).toHaveLength(
        1,
      );
      world.clock.advance(31_000);
      await world.settle();
      expect(world.platform.script.count('write')).toBe(1);
      expect(world.platform.objects.size).toBe(1);
      expect((await world.row('orders')).verdict).toBe('InSync');
      expect(await world.store.listOpenIntents(lease.resourceId)).toEqual([]);
    });

    describe('where the declaration was made anew and is taken back during the create', () => {
      /** Begins the create; true: the process dies in it. */
      async function create(dies: boolean, fault = {}) {
        world.source.declare(orders, SERVICE);
        await world.sweep();
        // deleted and made again: another mark, which no pass has recorded
        const anew = world.source.declare(orders, SERVICE, {
          mark: { key: 'k8s-uid', value: 'uid-anew' },
          locators: ['mark:uid-anew', 'name:orders'],
        });
        const crash = new AbortController();
        world.platform.script.on('write', {
          before: () => {
            world.source.undeclare(anew);
            if (dies) crash.abort();
          },
          ...fault,
        });
        const [lease] = await world.store.leaseDue({
          owner: 'one',
          limit: 1,
          now: world.clock.now(),
          leaseMs: 30_000,
        });
        await runPass(world.context, lease, {
          trigger: 'due',
          priority: 'pass',
          signal: crash.signal,
        }).catch(error => {
          if (!dies) throw error;
        });
      }

      it.each<[string, boolean, object]>([
        ['an answer comes', false, {}],
        ['the answer is lost', false, { losesAnswer: true }],
        ['the process dies', true, { losesAnswer: true }],
      ])('knows what it created as ours: %s', async (_what, dies, fault) => {
        await create(dies, fault);
        expect(world.platform.objects.size).toBe(1);
        for (let round = 0; round < 3; round += 1) {
          world.clock.advance(60_000);
          await world.turn();
        }
        expect((await world.row('orders')).verdict).toBe('Orphaned');
      });
    });

    it('does not repeat a create that may still be on its way and has no identity of its own', async () => {
      world.source.declare(orders, SERVICE);
      // it reaches the platform later than the fresh read after it
      world.platform.script.on('write', { ignored: true, losesAnswer: true });
      await world.turn();
      world.clock.advance(5_000);
      await world.settle();
      expect(world.platform.script.count('write')).toBe(1);
      world.clock.advance(40_000);
      await world.settle();
      expect(world.platform.script.count('write')).toBe(2);
      expect(world.platform.objects.size).toBe(1);
    });

    it('repeats a create at once where the identity is ours to choose', async () => {
      world.source.declare(orders, SERVICE, { deterministicId: 'the-id' });
      world.platform.script.on('write', { ignored: true, losesAnswer: true });
      await world.turn();
      world.clock.advance(5_000);
      await world.settle();
      expect(world.platform.script.count('write')).toBe(2);
      expect([...world.platform.objects.keys()]).toEqual(['services/the-id']);
    });
  });

  describe('rule 4: verify after write', () => {
    it('does not count a write that a fresh read does not show, and stops after two', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      world.platform.script.on('write', ...Array(20).fill({ ignored: true }));
      await world.turn();
      const row = await world.row('orders');
      expect(row.verdict).toBe('Drifted');
      const [written] = await decisions(row);
      expect(written.result).toContain('does not show it yet');
      const [episode] = (await world.store.listEpisodes(row.id, { limit: 1 }))
        .items;
      expect(episode.ending).toBeUndefined();
      for (let i = 0; i < 20; i++) {
        world.clock.advance(20_000);
        await world.settle();
      }
      expect(world.platform.script.count('write')).toBe(2);
      expect(await world.row('orders')).toMatchObject({
        verdict: 'NonConvergent',
        reason: 'SameDiffAfterWrite',
      });
    });

    it('counts one that no answer came to, where a fresh read shows it', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      world.platform.script.on('write', { losesAnswer: true });
      await world.turn();
      expect((await world.row('orders')).verdict).toBe('InSync');
      expect(world.platform.script.count('write')).toBe(1);
    });
  });

  describe('rule 5: unknown is not absent', () => {
    it('turns Unknown and writes nothing where the live side cannot be read', async () => {
      const { live } = await agreed();
      world.platform.objects.delete(live.key);
      await world.sweep();
      world.platform.script.on('get', { fails: unreachable() });
      await world.settle();
      expect(await world.row('orders')).toMatchObject({
        verdict: 'Unknown',
        reason: 'Unreachable',
      });
      expect(world.platform.script.count('write')).toBe(0);
    });

    it('turns Unknown and keeps the declaration where the declared side cannot be read', async () => {
      await agreed();
      const row = await world.row('orders');
      await world.store.bringForward([row.id], {
        dueAt: world.clock.now(),
        dirty: true,
      });
      world.source.script.on('declared', { fails: unreachable() });
      await world.settle();
      expect(await world.row('orders')).toMatchObject({
        verdict: 'Unknown',
        reason: 'Unreachable',
        source: row.source,
        orphanSightings: 0,
      });
    });

    it('concludes nothing from half a sweep', async () => {
      const { live } = await agreed();
      world.platform.put('services', { name: 'another' });
      world.platform.objects.delete(live.key);
      world.platform.script.on('sweep', { truncated: true });
      await world.sweep();
      const row = await world.row('orders');
      expect(row).toMatchObject({ verdict: 'InSync', dirty: false });
      const scope = (await world.store.listScopes()).find(
        one => one.id === world.platform.id,
      );
      expect(scope).toMatchObject({ status: 'unreachable', failures: 1 });
      // and what is not verified any more turns Unknown by itself
      world.clock.advance(6 * 60_000);
      const view = await world.store.viewResource(row.id, world.clock.now());
      expect(view).toMatchObject({ shownVerdict: 'Unknown', stale: true });
    });

    it('concludes nothing from half a listing, and deletes nothing on it', async () => {
      world = await createWorld(knex, {
        drift: { defaults: { mode: 'enforce', prune: true } },
      });
      await agreed();
      world.source.declare({ ...orders, name: 'carts' }, { host: 'carts' });
      await world.turn();
      world.source.script.on('list', ...Array(5).fill({ truncated: true }));
      for (let i = 0; i < 5; i++) {
        await world.turn();
        world.clock.advance(60_000);
      }
      expect(world.platform.script.count('remove')).toBe(0);
      expect((await world.row('carts')).source).toBeDefined();
    });

    it('deletes only what two complete listings did not find', async () => {
      world = await createWorld(knex, {
        drift: { defaults: { mode: 'enforce', prune: true } },
      });
      const carts = world.source.declare(
        { ...orders, name: 'carts' },
        { host: 'carts' },
      );
      await agreed();
      expect(world.platform.objects.size).toBe(2);
      world.source.undeclare(carts);
      await world.turn();
      expect(await world.row('carts')).toMatchObject({
        verdict: 'Unknown',
        reason: 'OrphanUnconfirmed',
      });
      // however often a pass looks: without another complete listing it is one sighting
      for (let i = 0; i < 5; i++) {
        world.clock.advance(70_000);
        await world.settle();
      }
      expect(world.platform.script.count('remove')).toBe(0);
      for (let i = 0; i < 3; i++) {
        await world.turn();
        world.clock.advance(70_000);
      }
      expect(world.platform.script.count('remove')).toBe(1);
      expect(world.platform.objects.size).toBe(1);
    });

    it('counts complete listings anew where one shows the declaration in between', async () => {
      world = await createWorld(knex, {
        drift: { defaults: { mode: 'enforce', prune: true } },
      });
      const carts = world.source.declare(
        { ...orders, name: 'carts' },
        { host: 'carts' },
      );
      await agreed();
      world.source.undeclare(carts);
      for (let i = 0; i < 2; i++) {
        await world.turn();
        world.clock.advance(70_000);
      }
      expect(await world.row('carts')).toMatchObject({ orphanSightings: 1 });
      // it is there in one listing, and gone again before a pass looks
      world.source.declare(carts.ref, { host: 'carts' });
      await world.sweep();
      world.source.undeclare(carts);
      await world.settle();
      await world.turn();
      expect((await world.row('carts')).orphanSightings).toBeLessThan(2);
      expect(world.platform.script.count('remove')).toBe(0);
    });

    it('does not take a listing that showed the declaration while a pass was running for one that lacked it', async () => {
      world = await createWorld(knex, {
        drift: { defaults: { mode: 'enforce', prune: true } },
      });
      const carts = world.source.declare(
        { ...orders, name: 'carts' },
        { host: 'carts' },
      );
      await agreed();
      world.source.undeclare(carts);
      const { id } = await world.row('carts');
      const look = async () => {
        await world.store.bringForward([id], {
          dueAt: world.clock.now(),
          dirty: true,
        });
        await world.settle();
      };
      await look();
      expect((await world.row('carts')).absence).toBeDefined();
      // a pass that cannot read the live side lasts as long as a listing that shows the declaration
      world.source.declare(carts.ref, { host: 'carts' });
      const { signal } = new AbortController();
      world.platform.script.on('get', {
        before: async () => {
          await world.inventory.listSource(world.source, { signal });
        },
        fails: unreachable(),
      });
      await world.store.bringForward([id], {
        dueAt: world.clock.now(),
        dirty: true,
      });
      const [lease] = await world.store.leaseDue({
        ...{ owner: 'one', limit: 1, now: world.clock.now(), leaseMs: 30_000 },
      });
      await runPass(world.context, lease, {
        ...{ trigger: 'due', priority: 'pass', signal },
      });
      world.source.undeclare(carts);
      world.clock.advance(70_000);
      await look();
      expect(await world.row('carts')).toMatchObject({ orphanSightings: 0 });
    });

    it('never deletes what another controller reconciles', async () => {
      world = await createWorld(knex, {
        drift: { defaults: { mode: 'enforce', prune: true } },
      });
      const carts = world.source.declare(
        { ...orders, name: 'carts' },
        { host: 'carts' },
        { controller: { name: 'kong-operator', evidence: 'A condition.' } },
      );
      world.platform.put(
        'services',
        { name: 'carts', host: 'carts' },
        { uid: carts.mark?.value },
      );
      await agreed();
      expect(await world.row('carts')).toMatchObject({ verdict: 'InSync' });
      world.source.undeclare(carts);
      for (let i = 0; i < 5; i++) {
        await world.turn();
        world.clock.advance(70_000);
      }
      expect(await world.row('carts')).toMatchObject({
        verdict: 'Orphaned',
        policy: { actuator: 'operator' },
      });
      expect(world.platform.script.count('remove')).toBe(0);
    });

    it('never calls an object an orphan that does not bear our mark', async () => {
      world = await createWorld(knex, {
        drift: { defaults: { mode: 'enforce', prune: true } },
      });
      const carts = world.source.declare(
        { ...orders, name: 'carts' },
        { host: 'carts' },
      );
      world.platform.put('services', { name: 'carts', host: 'carts' });
      await agreed();
      world.source.undeclare(carts);
      for (let i = 0; i < 5; i++) {
        await world.turn();
        world.clock.advance(70_000);
      }
      expect(world.platform.script.count('remove')).toBe(0);
      expect(world.platform.objects.size).toBe(2);
      expect(
        (await world.store.listResources({}, { limit: 10 }, world.clock.now()))
          .total,
      ).toBe(1);
    });
  });

  describe('rule 6: nothing is hidden', () => {
    it('remembers the drift that a pass put right before it was cut off', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.sweep();
      const crash = new AbortController();
      const [lease] = await world.store.leaseDue({
        owner: 'dead',
        limit: 1,
        now: world.clock.now(),
        leaseMs: 30_000,
      });
      const cutOffAt = world.clock.now();
      world.platform.script.on('write', {
        before: () => crash.abort(),
        losesAnswer: true,
      });
      await expect(
        runPass(world.context, lease, {
          trigger: 'due',
          priority: 'pass',
          signal: crash.signal,
        }),
      ).rejects.toThrow();
      expect(
        (await world.store.listEpisodes(lease.resourceId, { limit: 9 })).items,
      ).toEqual([]);
      world.clock.advance(31_000);
      await world.settle();
      expect((await world.row('orders')).verdict).toBe('InSync');
      expect(
        (await world.store.listEpisodes(lease.resourceId, { limit: 9 })).items,
      ).toEqual([
        expect.objectContaining({
          verdict: 'Drifted',
          startedAt: cutOffAt,
          endedAt: expect.any(Number),
          ending: 'corrected',
          decidedBy: 'policy (mode enforce)',
          fields: [expect.objectContaining({ path: '/retries', live: 9 })],
        }),
      ]);
    });

    it('stores each decision so that it can be computed again', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 }, 'kong-admin');
      await world.turn();
      world.source.declare(orders, { ...SERVICE, retries: 5 });
      await world.turn();
      world.platform.objects.delete(live.key);
      await world.turn();
      world.platform.script.on('get', { fails: unreachable() });
      const row = await world.row('orders');
      await world.store.bringForward([row.id], {
        dueAt: world.clock.now(),
        dirty: true,
      });
      await world.settle();
      const stored = await decisions(row);
      expect(stored.map(one => one.action)).toEqual([
        'hold',
        'create',
        'update',
        'update',
        'none',
      ]);
      for (const one of stored) {
        const { inputs } = one;
        const evaluation = evaluate({
          schema: konnectSchema('services'),
          declared: inputs.declared,
          live: inputs.live,
          lastAgreed: inputs.lastAgreed,
          ownedBefore: inputs.ownedBefore,
          facts: inputs.facts,
        });
        const decision = decide({
          evaluation,
          policy: inputs.policy,
          accepted: inputs.accepted,
          choice: inputs.choice,
        });
        expect([evaluation.verdict, decision.action, decision.rule]).toEqual([
          one.verdict,
          one.action,
          one.rule,
        ]);
      }
      const update = stored.find(one => one.plan.includes('set /retries'));
      expect(update).toMatchObject({ trigger: 'due', rule: 'update' });
      expect(update?.guards.length).toBeGreaterThan(5);
      expect(update?.result).toContain('A fresh read shows it');
    });

    it('keeps an episode of what was put right in one pass: what, since when, why, how it ended', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 }, 'kong-admin');
      await world.turn();
      const row = await world.row('orders');
      const { items } = await world.store.listEpisodes(row.id, { limit: 10 });
      expect(items).toHaveLength(1);
      expect(items[0]).toMatchObject({
        verdict: 'Drifted',
        reason: 'LiveMoved',
        ending: 'corrected',
        decidedBy: 'policy (mode enforce)',
        changedBy: 'kong-admin',
        fields: [{ path: '/retries', declared: 3, live: 9, movedBy: 'live' }],
      });
      expect(items[0].startedAt).toBeLessThanOrEqual(items[0].endedAt ?? 0);
    });

    it('stores no decision at rest', async () => {
      await agreed();
      const row = await world.row('orders');
      const before = (await decisions(row)).length;
      for (let i = 0; i < 5; i++) {
        world.clock.advance(30 * 60_000);
        await world.turn();
      }
      expect(await decisions(row)).toHaveLength(before);
    });
  });

  describe('rule 7: one pass per resource at a time', () => {
    it('lets nobody else begin a pass while one runs', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.sweep();
      let taken = -1;
      world.platform.script.on('write', {
        before: async () => {
          const leases = await world.store.leaseDue({
            owner: 'two',
            limit: 10,
            now: world.clock.now(),
            leaseMs: 1000,
          });
          taken = leases.length;
        },
      });
      await world.settle();
      expect(taken).toBe(0);
    });

    it('asks for its lease once more between the intent and the write', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.sweep();
      const addIntent = world.store.addIntent.bind(world.store);
      world.store.addIntent = async (...args) => {
        await addIntent(...args);
        // this process was paused for a minute, and another one took over
        world.clock.advance(60_000);
        await world.store.leaseDue({
          owner: 'two',
          limit: 10,
          now: world.clock.now(),
          leaseMs: 30_000,
        });
      };
      await expect(world.settle()).rejects.toThrow(LeaseLostError);
      expect(world.platform.script.count('write')).toBe(0);
    });

    it('writes nothing under a lease that somebody else has taken over', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.sweep();
      world.platform.script.on('get', undefined, {
        before: async () => {
          // this process was paused for a minute, and another one took over
          world.clock.advance(60_000);
          await world.store.leaseDue({
            owner: 'two',
            limit: 10,
            now: world.clock.now(),
            leaseMs: 30_000,
          });
        },
      });
      await expect(world.settle()).rejects.toThrow(LeaseLostError);
      expect(world.platform.script.count('write')).toBe(0);
    });
  });

  describe('rule 8: a guard can hold a write, never force one', () => {
    it('applies a choice only to the state that the person saw', async () => {
      world = await createWorld(knex, { drift: { defaults: { mode: 'ask' } } });
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.turn();
      const row = await world.row('orders');
      const conflict = await world.store.getOpenConflict(row.id);
      expect(conflict).toMatchObject({
        kindOfQuestion: 'plan',
        status: 'open',
      });
      const seen = conflict!.seen;
      world.platform.edit(live.key, { retries: 11 });
      await expect(
        world.actions.resolve(conflict!.id, { choice: 'declared', seen }, ANN),
      ).rejects.toThrow('no longer the one that was decided on');
      expect(world.platform.script.count('write')).toBe(0);
      // the question is about what is there now, and still the same question
      const refreshed = await world.store.getConflict(conflict!.id);
      expect(refreshed).toMatchObject({ status: 'open' });
      expect(refreshed!.seen).not.toEqual(seen);
      const done = await world.actions.resolve(
        conflict!.id,
        { choice: 'declared', seen: refreshed!.seen, note: 'as agreed' },
        ANN,
      );
      expect(done.applied).toBe(true);
      expect(world.platform.field(live.key, 'retries')).toBe(3);
      expect(await world.store.getConflict(conflict!.id)).toMatchObject({
        status: 'resolved',
        choice: 'declared',
        resolvedBy: ANN.ref,
        note: 'as agreed',
      });
    });

    it('holds in observe mode whatever a person chooses', async () => {
      world = await createWorld(knex, {});
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.turn();
      const row = await world.row('orders');
      const outcome = await world.actions.reconcile(
        row.id,
        { seen: { declared: row.declaredDigest!, live: row.liveDigest! } },
        ANN,
      );
      expect(outcome).toMatchObject({ applied: false });
      expect(outcome.message).toContain('observe');
      expect(world.platform.script.count('write')).toBe(0);
    });

    it('holds a paused resource, and a pause counts at the next write', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.sweep();
      await world.store.addRule({
        id: 'pause',
        scope: { namespace: 'shop' },
        settings: { paused: true },
        reason: 'sale',
        by: ANN.ref,
        createdAt: world.clock.now(),
        until: world.clock.now() + 600_000,
      });
      await world.settle();
      expect(world.platform.script.count('write')).toBe(0);
      expect(await world.row('orders')).toMatchObject({
        verdict: 'Drifted',
        policy: { paused: true },
        pause: { by: ANN.ref, reason: 'sale' },
      });
      // a pause that is over holds nothing, and the pass comes by itself
      world.clock.advance(601_000);
      await world.sweep();
      await world.settle();
      expect(world.platform.field(live.key, 'retries')).toBe(3);
    });

    it('never deletes everything at once, nor many', async () => {
      world = await createWorld(knex, {
        drift: { defaults: { mode: 'enforce', prune: true } },
      });
      const all = Array.from({ length: 10 }, (_, i) =>
        world.source.declare(
          { ...orders, name: `service-${i}` },
          { host: 'h' },
        ),
      );
      await world.turn();
      expect(world.platform.objects.size).toBe(10);
      for (const one of all.slice(0, 4)) world.source.undeclare(one);
      for (let i = 0; i < 4; i++) {
        world.clock.advance(120_000);
        await world.turn();
      }
      expect(world.platform.script.count('remove')).toBe(0);
      const waiting = await world.store.listConflicts(
        { status: 'open' },
        { limit: 20 },
      );
      expect(waiting.items.map(one => one.kindOfQuestion)).toEqual(
        Array(4).fill('prune'),
      );
      for (const one of all) world.source.undeclare(one);
      for (let i = 0; i < 4; i++) {
        world.clock.advance(120_000);
        await world.turn();
      }
      expect(world.platform.script.count('remove')).toBe(0);
    });
  });

  describe('rule 9: no secret leaves memory', () => {
    it('stores no secret value, neither of a side nor of an error', async () => {
      const secret = 's3cr3t-Passw0rd';
      const token = 'kpat_abcdefghijklmnopqrstuvwxyz0123456789';
      world.source.declare(orders, {
        ...SERVICE,
        url: `https://bob:${secret}@orders.svc`,
      });
      world.platform.script.on('find', {
        fails: new PlatformError(
          'denied',
          `401 for Authorization: Bearer ${token}`,
        ),
      });
      await world.turn();
      world.clock.advance(10_000);
      await world.turn();
      let dump = '';
      for (const table of [
        'resources',
        'states',
        'decisions',
        'episodes',
        'conflicts',
        'scopes',
        'intents',
      ]) {
        dump += JSON.stringify(await knex(table).select());
      }
      expect(dump).toContain('orders');
      expect(dump).not.toContain(secret);
      expect(dump).not.toContain(token);
    });
  });

  describe('rule 10: bounded', () => {
    it('leaves no resource without a next pass, whatever happens', async () => {
      const { live } = await agreed();
      const row = await world.row('orders');
      expect(row.dueAt).toBeGreaterThan(world.clock.now());
      const faults = [
        unreachable(),
        new PlatformError('throttled', 'slow down', { retryAfterMs: 90_000 }),
        new PlatformError('denied', 'forbidden'),
        new PlatformError('gone', 'no such control plane'),
        new Error('a bug'),
      ];
      for (const fails of faults) {
        await world.store.bringForward([row.id], {
          dueAt: world.clock.now(),
          dirty: true,
        });
        world.platform.script.on('get', { fails });
        await world.settle();
        const after = await world.row('orders');
        expect(after.verdict).toBe('Unknown');
        expect(after.dueAt).toBeGreaterThan(world.clock.now());
        expect(after.dueAt).toBeLessThanOrEqual(world.clock.now() + 6 * 60_000);
        world.clock.advance(1000);
      }
      expect((await world.row('orders')).attempts).toBe(5);
      await world.store.bringForward([row.id], {
        dueAt: world.clock.now(),
        dirty: true,
      });
      await world.settle();
      expect(await world.row('orders')).toMatchObject({
        verdict: 'InSync',
        attempts: 0,
      });
      expect(world.platform.objects.has(live.key)).toBe(true);
    });

    it('waits as long as the platform asks, and longer each time it fails', async () => {
      await agreed();
      const row = await world.row('orders');
      await world.store.bringForward([row.id], {
        dueAt: world.clock.now(),
        dirty: true,
      });
      world.platform.script.on('get', {
        fails: new PlatformError('throttled', 'slow down', {
          retryAfterMs: 90_000,
        }),
      });
      await world.settle();
      expect(
        (await world.row('orders')).dueAt - world.clock.now(),
      ).toBeGreaterThan(89_000);
      const waits: number[] = [];
      world.platform.script.on(
        'get',
        ...Array(12).fill({ fails: unreachable() }),
      );
      for (let i = 0; i < 12; i++) {
        world.clock.advance(
          (await world.row('orders')).dueAt - world.clock.now(),
        );
        await world.settle();
        waits.push((await world.row('orders')).dueAt - world.clock.now());
      }
      expect(waits[3]).toBeGreaterThan(waits[0]);
      expect(Math.max(...waits)).toBeLessThanOrEqual(5 * 60_000);
    });

    it('surfaces a write that is refused, and stops hammering', async () => {
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      world.platform.script.on(
        'write',
        ...Array(50).fill({
          fails: new PlatformError('denied', 'quota exceeded'),
        }),
      );
      await world.turn();
      expect(await world.row('orders')).toMatchObject({
        verdict: 'Blocked',
        reason: 'Denied',
      });
      for (let i = 0; i < 60; i++) {
        world.clock.advance(10_000);
        await world.settle();
      }
      // ten minutes: looked at again, slowly
      expect(world.platform.script.count('write')).toBeLessThanOrEqual(4);
      expect(world.platform.script.count('write')).toBeGreaterThanOrEqual(2);
    });

    it('stops a fight with a writer that never writes the same twice', async () => {
      const { live } = await agreed();
      for (let i = 0; i < 30; i++) {
        world.platform.edit(live.key, { retries: 100 + i }, 'rival-tool');
        world.clock.advance(10_000);
        await world.turn();
      }
      expect(world.platform.script.count('write')).toBeLessThanOrEqual(12);
      expect((await world.row('orders')).reason).toBe('Fight');
    });

    it('stops a fight with another writer', async () => {
      const { live } = await agreed();
      for (let i = 0; i < 30; i++) {
        world.platform.edit(live.key, { retries: 9 }, 'rival-tool');
        world.clock.advance(10_000);
        await world.turn();
      }
      expect(world.platform.script.count('write')).toBeLessThanOrEqual(8);
      const row = await world.row('orders');
      expect(row).toMatchObject({ verdict: 'Contested', reason: 'Fight' });
      expect(row.message).toContain('rival-tool');
    });

    it('writes nothing at rest and reads nothing one by one', async () => {
      await agreed();
      const before = world.platform.script.count('get', 'find', 'write');
      for (let i = 0; i < 10; i++) {
        world.clock.advance(60_000);
        await world.turn();
      }
      expect(world.platform.script.count('get', 'find', 'write')).toBe(before);
      const row = await world.row('orders');
      const view = await world.store.viewResource(row.id, world.clock.now());
      expect(view).toMatchObject({ shownVerdict: 'InSync', stale: false });
    });
  });
});
