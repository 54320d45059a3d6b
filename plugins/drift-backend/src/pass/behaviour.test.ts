/** What the loop does with drifts, conflicts and people's choices, from a sweep to the record. */
import { TestDatabases } from '@backstage/backend-test-utils';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import type { JsonObject } from '@backstage/types';
import type { Json } from '@plumbline/drift-engine';
import type { Knex } from 'knex';
import { mustReplay } from '../__testUtils__/replays';
import type {
  LiveObject,
  LiveRead,
} from '@plumbline/backstage-plugin-drift-node';
import type { ConflictRow } from '../store/rows';
import { unreachable } from '../__testUtils__/scriptedPlatform';
import { ANN, createWorld, type World } from '../__testUtils__/world';

const databases = TestDatabases.create();
const orders = { kind: 'services', namespace: 'shop', name: 'orders' };
const SERVICE = { host: 'orders.shop.svc', retries: 3 };

describe.each(databases.eachSupportedId())('the loop on %s', databaseId => {
  const suite = new SuiteDatabase(databases, databaseId);
  let knex: Knex;
  let world: World;

  async function start(drift: JsonObject = { defaults: { mode: 'enforce' } }) {
    knex = await suite.empty();
    world = await createWorld(knex, { drift });
  }

  afterEach(async () => {
    await mustReplay(knex);
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

  async function episode() {
    const row = await world.row('orders');
    return (await world.store.listEpisodes(row.id, { limit: 1 })).items[0];
  }

  async function question() {
    const row = await world.row('orders');
    const open = await world.store.getOpenConflict(row.id);
    if (!open) throw new Error('No question is open');
    return open;
  }

  describe('a value that never comes back', () => {
    const web = { kind: 'certificates', namespace: 'shop', name: 'web' };
    const certificate = (key: string, tags: string[] = []) =>
      world.source.declare(web, { cert: 'c', key, tags });
    const key = () =>
      [...world.platform.objects.values()].map(
        ({ document }) => (document as JsonObject).key,
      );

    /** From now on the answers of the platform do not show it. */
    function hide() {
      const { get, find, sweep } = world.platform;
      const hidden = (live: LiveObject): LiveObject => {
        const { key: _key, ...document } = live.document as {
          [field: string]: Json;
        };
        return { ...live, document };
      };
      const read = (answer: LiveRead): LiveRead =>
        answer.found === true
          ? { ...answer, live: hidden(answer.live) }
          : answer;
      world.platform.get = async (...args) =>
        read(await get.apply(world.platform, args));
      world.platform.find = async (...args) =>
        read(await find.apply(world.platform, args));
      world.platform.sweep = async function* hiding() {
        for await (const page of sweep.apply(world.platform)) {
          yield { items: page.items.map(hidden) };
        }
      };
    }

    async function writeFirst() {
      await start();
      hide();
      certificate('k1');
      await world.turn();
      await world.turn();
      expect((await world.row('web')).verdict).toBe('InSync');
      expect(key()).toEqual(['k1']);
    }

    beforeEach(writeFirst);

    it('is written once when it is declared anew, and agreed once the write was acknowledged', async () => {
      certificate('k2');
      await world.turn();
      expect(key()).toEqual(['k2']);
      expect((await world.row('web')).verdict).toBe('InSync');
      const writes = world.platform.script.count('write');
      // what was agreed is remembered, also for the next change
      await world.turn();
      await world.turn();
      expect((await world.row('web')).verdict).toBe('InSync');
      expect(world.platform.script.count('write')).toBe(writes);
      certificate('k1');
      await world.turn();
      expect(key()).toEqual(['k1']);
      expect((await world.row('web')).verdict).toBe('InSync');
      expect(world.platform.script.count('write')).toBe(writes + 1);
    });

    it('is written once also where something else still differs', async () => {
      const [live] = world.platform.objects.values();
      await start({ defaults: { mode: 'enforce', onLiveEdit: 'ask' } });
      hide();
      certificate('k1');
      await world.turn();
      await world.turn();
      const [{ key: liveKey }] = world.platform.objects.values();
      expect(liveKey).not.toBe(live.key);
      world.platform.edit(liveKey, { cert: 'edited' });
      certificate('k2');
      const before = world.platform.script.count('write');
      await world.turn();
      for (let i = 0; i < 3; i += 1) {
        world.clock.advance(60_000);
        await world.actions.check((await world.row('web')).id, ANN);
        await world.settle();
      }
      expect(key()).toEqual(['k2']);
      expect(world.platform.field(liveKey, 'cert')).toBe('edited');
      expect((await world.row('web')).verdict).toBe('Drifted');
      expect(world.platform.script.count('write')).toBe(before + 1);
    });

    it('is left to a controller, and agreed once it says that it has written it', async () => {
      const nudges: string[] = [];
      world.source.nudge = async declared => {
        nudges.push(declared.version);
        return { message: 'asked kong-operator to look again.' };
      };
      const declare = (value: string, upToDate: boolean) =>
        world.source.declare(
          web,
          { cert: 'c', key: value, tags: [] },
          {
            controller: {
              ...{ name: 'kong-operator', evidence: 'It has set a condition.' },
              ...(upToDate && { upToDate }),
            },
          },
        );
      declare('k2', false);
      await world.turn();
      expect(nudges).toHaveLength(1);
      expect((await world.row('web')).verdict).toBe('Pending');
      declare('k2', true);
      await world.turn();
      expect((await world.row('web')).verdict).toBe('InSync');
      // it is remembered
      declare('k2', false);
      await world.turn();
      expect((await world.row('web')).verdict).toBe('InSync');
      expect(nudges).toHaveLength(1);
    });

    it('is written again where the write was not acknowledged', async () => {
      world.platform.script.on('write', { fails: unreachable() });
      certificate('k2');
      await world.turn();
      expect(key()).toEqual(['k1']);
      expect((await world.row('web')).verdict).not.toBe('InSync');
      world.clock.advance(60_000);
      await world.turn();
      expect(key()).toEqual(['k2']);
      expect((await world.row('web')).verdict).toBe('InSync');
    });
  });

  describe('enforce', () => {
    it('corrects a live edit, a deletion and a changed declaration', async () => {
      await start();
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.turn();
      expect(world.platform.field(live.key, 'retries')).toBe(3);

      world.platform.objects.delete(live.key);
      await world.turn();
      expect(await episode()).toMatchObject({
        verdict: 'Missing',
        ending: 'corrected',
      });

      world.source.declare(orders, { ...SERVICE, retries: 4 });
      await world.turn();
      expect(await episode()).toMatchObject({
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
      const { id, seen, kindOfQuestion } = await question();
      expect(kindOfQuestion).toBe('firstSight');
      await world.actions.resolve(id, { choice: 'declared', seen }, ANN);
      expect(world.platform.field(live.key, 'retries')).toBe(3);
      expect(await episode()).toMatchObject({
        ending: 'corrected',
        decidedBy: ANN.ref,
      });
    });

    it('waits for a person where a live edit asks, and withdraws the question when it is gone', async () => {
      await start({ defaults: { mode: 'enforce', onLiveEdit: 'ask' } });
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 }, 'ben');
      await world.turn();
      const open = await question();
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
      expect(await episode()).toMatchObject({ ending: 'correctedElsewhere' });
    });

    it('ends an episode as a changed declaration where that is what ended it', async () => {
      await start({ defaults: { mode: 'observe' } });
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.turn();
      world.source.declare(orders, { ...SERVICE, retries: 9 });
      await world.turn();
      expect(await episode()).toMatchObject({ ending: 'declarationChanged' });
    });
  });

  describe('both sides changed', () => {
    beforeEach(async () => {
      await start();
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      world.source.declare(orders, { ...SERVICE, retries: 5 });
      await world.turn();
    });

    it('writes nothing and asks with all three values', async () => {
      expect(world.platform.script.count('write')).toBe(0);
      const open = await question();
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
      expect((await question()).id).toBe(open.id);
    });

    it('applies the declared side when a person chooses it', async () => {
      const { id, seen } = await question();
      await world.actions.resolve(id, { choice: 'declared', seen }, ANN);
      const row = await world.row('orders');
      expect(row.verdict).toBe('InSync');
      expect(world.platform.field(row.liveKey!, 'retries')).toBe(5);
    });

    it('keeps the live side when a person chooses it, until a side moves again', async () => {
      const { id, seen } = await question();
      await world.actions.resolve(
        id,
        { choice: 'live', seen, note: 'needed for the sale' },
        ANN,
      );
      const row = await world.row('orders');
      expect(world.platform.field(row.liveKey!, 'retries')).toBe(9);
      expect(await world.store.getOpenConflict(row.id)).toBeUndefined();
      expect(await episode()).toMatchObject({
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
      expect(await question()).toMatchObject({ status: 'open' });
      expect(await world.store.getKept(row.id)).toEqual([]);
    });

    it('answers a question once', async () => {
      const { id, seen } = await question();
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
      return { live, asked: await question() };
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
      const anew = await question();
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
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.turn();
      const asked = await question();
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
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9 });
      await world.turn();
      const asked = await question();
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
      expect((await question()).id).not.toBe(asked.id);
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
      const { live } = await agreed();
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
      const { live } = await agreed();
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
      expect(await question()).toMatchObject({
        fields: [{ declared: 5, live: 7, lastAgreed: 3 }],
      });
    });
  });

  it('looks for what it has not seen yet with the live ids that it refers to', async () => {
    await start();
    const { declared, live } = await agreed();
    const find = jest.spyOn(world.platform, 'find');
    const route = { ...orders, kind: 'routes', name: 'orders-route' };
    world.source.declare(
      route,
      { name: 'orders-route', service: {} },
      { references: [{ path: '/service/id', ref: declared.ref }] },
    );
    await world.turn();
    const [[lookedFor]] = find.mock.calls.filter(
      ([asked]) => asked.ref.name === route.name,
    );
    expect(lookedFor.document).toMatchObject({ service: { id: live.id } });
  });

  it('keeps a live value on a person’s word, field by field', async () => {
    await start({ defaults: { mode: 'ask' } });
    const { live } = await agreed();
    world.platform.edit(live.key, { retries: 9, host: 'elsewhere' });
    await world.turn();
    const row = await world.row('orders');
    const seen = { declared: row.declaredDigest!, live: row.liveDigest! };
    await world.actions.keepLive(row.id, { seen, paths: ['/retries'] }, ANN);
    expect(
      (await world.store.getKept(row.id)).map(field => field.path),
    ).toEqual(['/retries']);
    await world.actions.reconcile(row.id, { seen, paths: ['/host'] }, ANN);
    expect(world.platform.field(live.key, 'host')).toBe(SERVICE.host);
    expect(world.platform.field(live.key, 'retries')).toBe(9);
  });

  describe('a choice for single fields', () => {
    async function twoMoved(drift: JsonObject) {
      await start(drift);
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9, host: 'elsewhere' });
      await world.turn();
      const row = await world.row('orders');
      const seen = { declared: row.declaredDigest!, live: row.liveDigest! };
      return { live, row, seen };
    }
    const look = async (
      id: string,
      side: 'declared' | 'live',
      ...paths: string[]
    ) => world.actions.preview(id, { side, paths }, ANN);

    it('writes no other field under ask, as the preview says', async () => {
      const { live, row, seen } = await twoMoved({ defaults: { mode: 'ask' } });
      const plan = await look(row.id, 'declared', '/host');
      expect(plan).toMatchObject({
        action: 'update',
        writes: [{ path: '/host' }],
        kept: ['/retries'],
        after: { host: SERVICE.host, retries: 9 },
      });
      await world.actions.reconcile(row.id, { seen, paths: ['/host'] }, ANN);
      expect(world.platform.field(live.key, 'host')).toBe(SERVICE.host);
      expect(world.platform.field(live.key, 'retries')).toBe(9);
      expect((await question()).fields.map(field => field.path)).toEqual([
        '/retries',
      ]);
    });

    it('says what policy writes besides', async () => {
      const { row } = await twoMoved({
        defaults: { mode: 'enforce', onLiveEdit: 'ask' },
      });
      world.source.declare(orders, { ...SERVICE, protocol: 'https' });
      expect(await look(row.id, 'declared', '/host')).toMatchObject({
        writes: [{ path: '/host' }, { path: '/protocol' }],
        kept: ['/retries'],
      });
      expect(await look(row.id, 'live', '/host')).toMatchObject({
        action: 'update',
        writes: [{ path: '/protocol' }],
        kept: ['/host', '/retries'],
      });
      expect(world.platform.script.count('write')).toBe(0);
    });

    it('answers a conflict field by field', async () => {
      await start();
      const { live } = await agreed();
      world.platform.edit(live.key, { retries: 9, host: 'elsewhere' });
      world.source.declare(orders, { host: 'new.shop.svc', retries: 5 });
      await world.turn();
      const { resourceId, seen } = await question();
      expect(await look(resourceId, 'declared', '/host')).toMatchObject({
        verdict: 'Conflicted',
        writes: [{ path: '/host' }],
        kept: ['/retries'],
      });
      await world.actions.reconcile(
        resourceId,
        { seen, paths: ['/host'] },
        ANN,
      );
      expect(world.platform.field(live.key, 'host')).toBe('new.shop.svc');
      expect(world.platform.field(live.key, 'retries')).toBe(9);
      const rest = await question();
      expect(rest.fields.map(field => field.path)).toEqual(['/retries']);
      await world.actions.keepLive(
        resourceId,
        { seen: rest.seen, paths: ['/retries'] },
        ANN,
      );
      expect(await world.store.getOpenConflict(resourceId)).toBeUndefined();
      expect(await world.row('orders')).toMatchObject({
        verdict: 'Drifted',
        reason: 'KeptLive',
      });
    });

    it('asks about the others only, and an answer leaves alone what is kept', async () => {
      const { live, row, seen } = await twoMoved({
        defaults: { mode: 'enforce', onLiveEdit: 'ask' },
      });
      expect((await question()).question).toContain('were changed');
      await world.actions.keepLive(row.id, { seen, paths: ['/host'] }, ANN);
      const rest = await question();
      expect(rest.fields.map(field => field.path)).toEqual(['/retries']);
      expect(rest.question).toContain('retries of');
      expect(rest.question).not.toContain('host');
      await world.actions.resolve(
        rest.id,
        { choice: 'declared', seen: rest.seen },
        ANN,
      );
      expect(world.platform.field(live.key, 'retries')).toBe(3);
      expect(world.platform.field(live.key, 'host')).toBe('elsewhere');
      expect(await world.store.getOpenConflict(row.id)).toBeUndefined();
      expect(await world.store.getConflict(rest.id)).toMatchObject({
        status: 'resolved',
        choice: 'declared',
      });
    });

    it('does nothing for a field that does not differ', async () => {
      const { row, seen } = await twoMoved({ defaults: { mode: 'ask' } });
      const paths = ['/host', '/port'];
      for (const act of [world.actions.reconcile, world.actions.keepLive]) {
        await expect(act(row.id, { seen, paths }, ANN)).rejects.toThrow(
          'Nothing was done',
        );
      }
      expect(world.platform.script.count('write')).toBe(0);
      expect(await world.store.getKept(row.id)).toEqual([]);
    });
  });

  it('previews without writing anything anywhere', async () => {
    await start({ defaults: { mode: 'ask' } });
    const { live } = await agreed();
    world.platform.edit(live.key, { retries: 9 });
    await world.turn();
    const row = await world.row('orders');
    const dump = async () =>
      JSON.stringify([
        await knex('resources'),
        await knex('decisions'),
        await knex('intents'),
      ]);
    const before = await dump();
    const plan = await world.actions.preview(row.id, { side: 'declared' }, ANN);
    expect(await dump()).toBe(before);
    expect(world.platform.script.count('write')).toBe(0);
    expect(plan).toMatchObject({
      action: 'update',
      seen: { declared: row.declaredDigest, live: row.liveDigest },
      writes: [{ path: '/retries', operation: 'set', from: 9, to: 3 }],
    });
    expect(plan.before).toMatchObject({ retries: 9 });
    expect(plan.after).toMatchObject({ retries: 3 });
    expect(plan.guards.every(guard => !guard.holds)).toBe(true);
  });

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

  it('counts a write against a new declaration', async () => {
    await start();
    await agreed();
    world.source.declare(orders, { ...SERVICE, retries: 5 });
    await world.turn();
    const { convergence } = await world.row('orders');
    expect(convergence.heat).toBeCloseTo(1, 1);
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
    expect((await question()).answers.map(answer => answer.choice)).toEqual([
      'live',
    ]);
  });

  it('creates what is referred to first, and fills its id in', async () => {
    await start();
    const service = world.source.declare(orders, SERVICE);
    const route = { kind: 'routes', namespace: 'shop', name: 'all' };
    world.source.declare(
      route,
      { paths: ['/'] },
      {
        references: [{ path: '/service/id', ref: service.ref }],
        parent: service.ref,
      },
    );
    await world.turn();
    for (let i = 0; i < 3; i++) {
      world.clock.advance(20_000);
      await world.settle();
    }
    const parent = await world.row('orders');
    const child = await world.row('all');
    expect(child.verdict).toBe('InSync');
    expect(world.platform.field(child.liveKey!, 'service')).toEqual({
      id: parent.liveId,
    });
  });

  it('forgets what is gone on both sides', async () => {
    await start();
    const { declared, live } = await agreed();
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
    await agreed();
    const written: string[] = [];
    knex.on('query', ({ sql }: { sql: string }) => {
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
    const { live } = await agreed();
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
    await agreed();
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
