/** A person’s choice for single fields, and the preview of what it would do. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { JsonObject } from '@backstage/types';
import {
  agreed,
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

  it('keeps a live value on a person’s word, field by field', async () => {
    await start({ defaults: { mode: 'ask' } });
    const { live } = await agreed(world);
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
      const { live } = await agreed(world);
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
      expect((await question(world)).fields.map(field => field.path)).toEqual([
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
      const { live } = await agreed(world);
      world.platform.edit(live.key, { retries: 9, host: 'elsewhere' });
      world.source.declare(orders, { host: 'new.shop.svc', retries: 5 });
      await world.turn();
      const { resourceId, seen } = await question(world);
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
      const rest = await question(world);
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
      expect((await question(world)).question).toContain('were changed');
      await world.actions.keepLive(row.id, { seen, paths: ['/host'] }, ANN);
      const rest = await question(world);
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
    const { live } = await agreed(world);
    world.platform.edit(live.key, { retries: 9 });
    await world.turn();
    const row = await world.row('orders');
    const dump = async () =>
      JSON.stringify([
        await loop.knex('resources'),
        await loop.knex('decisions'),
        await loop.knex('intents'),
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
});
