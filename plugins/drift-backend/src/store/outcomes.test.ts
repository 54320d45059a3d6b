/** What passes found: written whole or not at all, and only under a lease that still holds. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { Knex } from 'knex';
import {
  conflict,
  decision,
  episode,
  finish,
  lease,
  NOW,
  row,
  state,
} from '../__testUtils__/rows';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import { LeaseLostError, storeOn, type DriftStore } from '.';

const databases = TestDatabases.create();

describe.each(databases.eachSupportedId())('the store on %s', databaseId => {
  const suite = new SuiteDatabase(databases, databaseId);
  let knex: Knex;
  let store: DriftStore;
  let now = NOW;

  beforeEach(async () => {
    now = NOW;
    knex = await suite.empty();
    store = storeOn(knex, () => now);
  });

  it('writes all that a pass found, or nothing', async () => {
    const resource = row('orders');
    await store.addResources([resource]);
    const opened = episode(resource.id, NOW);
    const asked = conflict(resource.id, NOW);
    const decided = decision(resource.id, NOW);
    const kept = [
      {
        path: '/retries',
        declared: 3,
        live: 9,
        by: 'user:default/ann',
        at: NOW,
      },
    ];
    await finish(
      store,
      { ...resource, verdict: 'Conflicted', dirty: true },
      {
        states: { agreed: state({ a: 1 }, 'a'), live: state({ a: 2 }, 'b') },
        episode: { open: opened },
        conflict: { open: asked },
        decision: decided,
        kept,
      },
    );
    expect(await store.getStates(resource.id)).toEqual({
      agreed: state({ a: 1 }, 'a'),
      live: state({ a: 2 }, 'b'),
    });
    expect(await store.getOpenEpisode(resource.id)).toEqual(opened);
    expect(await store.getOpenConflict(resource.id)).toEqual(asked);
    expect(await store.getKept(resource.id)).toEqual(kept);
    expect(await store.getDecision(decided.id)).toMatchObject(decided);
    await finish(store, resource, {
      states: { live: null },
      episode: { close: { ...opened, endedAt: NOW + 1, ending: 'corrected' } },
      conflict: { close: { ...asked, status: 'withdrawn' } },
      kept: [],
    });
    expect(await store.getStates(resource.id)).toEqual({
      agreed: state({ a: 1 }, 'a'),
    });
    expect(await store.getOpenEpisode(resource.id)).toBeUndefined();
    expect(await store.getOpenConflict(resource.id)).toBeUndefined();
    expect((await store.listEpisodes(resource.id, { limit: 5 })).items).toEqual(
      [{ ...opened, endedAt: NOW + 1, ending: 'corrected' }],
    );
  });

  describe('many at once', () => {
    const options = { owner: 'a', leaseMs: 30_000 };

    it('writes what passes found, but of those whose lease is over', async () => {
      const rows = ['one', 'two', 'three', 'four', 'five'].map(name =>
        row(name),
      );
      await store.addResources(rows);
      const leases = await store.leaseMany(
        rows.map(({ id }) => id),
        { ...options, now },
      );
      const [first, byOther, wished, byMyself, released] = leases;
      await store.bringForward([wished.resourceId], {
        dueAt: NOW - 1,
        dirty: true,
      });
      now += 30_000;
      for (const [{ resourceId }, owner] of [
        [byOther, 'b'],
        [byMyself, 'a'],
      ] as const) {
        await store.leaseOne(resourceId, { owner, now, leaseMs: 30_000 });
      }
      await store.releaseLease(released);
      const finished = leases.map(one => {
        const id = one.resourceId;
        const stored = rows.find(other => other.id === id)!;
        return {
          lease: one,
          outcome: {
            row: { ...stored, message: `found ${id}`, dueAt: NOW + 60_000 },
            states: { agreed: state({ id }, id), live: null },
            decision: decision(id, NOW),
            episode: { open: episode(id, NOW) },
            conflict: { open: conflict(id, NOW) },
          },
        };
      });
      const written = await store.finishMany(finished);
      expect(written.map(one => one.lease)).toEqual([first, wished]);
      for (const { lease: one, outcome } of [finished[0], finished[2]]) {
        const id = one.resourceId;
        expect(await store.getResource(id)).toMatchObject({
          message: `found ${id}`,
        });
        expect(await store.getStates(id)).toEqual({
          agreed: state({ id }, id),
        });
        expect(await store.getOpenEpisode(id)).toEqual(outcome.episode.open);
        expect(await store.getOpenConflict(id)).toEqual(outcome.conflict.open);
        expect(await store.getDecision(outcome.decision.id)).toMatchObject({
          inputs: outcome.decision.inputs,
        });
        await expect(store.assertLease(one, NOW)).rejects.toThrow(
          LeaseLostError,
        );
      }
      // the wish that came while they were judged
      expect(await store.getResource(wished.resourceId)).toMatchObject({
        dueAt: NOW - 1,
        dirty: true,
      });
      for (const { resourceId: id } of [byOther, byMyself, released]) {
        expect((await store.getResource(id))?.message).toBe(rows[0].message);
        expect(await store.getStates(id)).toEqual({});
        expect(await store.getOpenEpisode(id)).toBeUndefined();
        expect(await store.getOpenConflict(id)).toBeUndefined();
        expect((await store.listDecisions(id, { limit: 5 })).items).toEqual([]);
      }
    });

    // SQLite has one connection, and with it no two transactions at once
    if (databaseId.startsWith('POSTGRES')) {
      it('waits for nobody who is changing one of them', async () => {
        const rows = ['one', 'two'].map(name => row(name));
        await store.addResources(rows);
        const leases = await store.leaseMany(
          rows.map(({ id }) => id),
          { ...options, now },
        );
        const [busy, free] = leases;
        await knex.transaction(async trx => {
          await trx('resources')
            .where({ id: busy.resourceId })
            .update({ title: 'busy' });
          const finished = leases.map(one => ({
            lease: one,
            outcome: {
              row: rows.find(({ id }) => id === one.resourceId)!,
              states: {},
            },
          }));
          expect(await store.finishMany(finished)).toEqual([finished[1]]);
        });
        await expect(store.assertLease(busy, now)).resolves.toBeUndefined();
        await expect(store.assertLease(free, now)).rejects.toThrow(
          LeaseLostError,
        );
      });
    }
  });

  it('removes a resource whole and ends what was open', async () => {
    const [resource] = await store.addResources([row('orders')]);
    const opened = episode(resource.id, NOW);
    const asked = conflict(resource.id, NOW);
    await finish(store, resource, {
      states: { agreed: state({}, 'a') },
      episode: { open: opened },
      conflict: { open: asked },
    });
    await store.removeResource(await lease(store, resource.id), NOW + 9);
    expect(await store.getResource(resource.id)).toBeUndefined();
    expect(await store.getStates(resource.id)).toEqual({});
    expect(await store.listEpisodes(resource.id, { limit: 5 })).toMatchObject({
      items: [{ ending: 'resourceGone', endedAt: NOW + 9 }],
    });
    expect(await store.getConflict(asked.id)).toMatchObject({
      status: 'withdrawn',
    });
  });

  it('keeps a resource for which a pass was wished while it was being removed', async () => {
    const [resource] = await store.addResources([row('orders')]);
    const held = await lease(store, resource.id);
    await store.bringForward([resource.id], { dueAt: NOW, dirty: true });
    expect(await store.removeResource(held, NOW + 9)).toBe(false);
    await store.finishPass(held, { row: resource, states: {} });
    const again = await lease(store, resource.id);
    expect(await store.removeResource(again, NOW + 9)).toBe(true);
    await expect(store.removeResource(again, NOW + 9)).rejects.toThrow(
      LeaseLostError,
    );
  });
});
