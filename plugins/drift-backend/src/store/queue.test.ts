/** The queue: who gets a resource, when, and what a wish for a pass changes. */
import { TestDatabases } from '@backstage/backend-test-utils';
import { randomUUID } from 'node:crypto';
import { decision, finish, lease, NOW, row } from '../__testUtils__/rows';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import { LeaseLostError, storeOn, type DriftStore, type ResourceRow } from '.';

const databases = TestDatabases.create();

describe.each(databases.eachSupportedId())('the store on %s', databaseId => {
  const suite = new SuiteDatabase(databases, databaseId);
  let store: DriftStore;
  let now = NOW;

  beforeEach(async () => {
    now = NOW;
    store = storeOn(await suite.empty(), () => now);
  });

  it('leases each due resource to one worker only, oldest first', async () => {
    await store.addResources([
      row('late', { dueAt: NOW - 1 }),
      row('later', { dueAt: NOW + 1 }),
      row('latest', { dueAt: NOW - 2 }),
    ]);
    const options = { limit: 10, now, leaseMs: 30_000 };
    const [a, b] = await Promise.all([
      store.leaseDue({ owner: 'a', ...options, limit: 1 }),
      store.leaseDue({ owner: 'b', ...options }),
    ]);
    const names = await Promise.all(
      [...a, ...b].map(
        async l => (await store.getResource(l.resourceId))?.ref.name,
      ),
    );
    expect(names.sort()).toEqual(['late', 'latest']);
    expect(await store.leaseDue({ owner: 'c', ...options })).toEqual([]);
  });

  describe('many at once', () => {
    const options = { owner: 'a', leaseMs: 30_000 };

    it('leases what nobody holds, and gives back what still holds', async () => {
      const rows = ['one', 'two', 'three'].map(name => row(name));
      await store.addResources(rows);
      const [first] = rows;
      const own = await lease(store, first.id);
      const ids = rows.map(({ id }) => id);
      const leases = await store.leaseMany(ids, { ...options, now });
      expect(leases.map(one => one.resourceId).sort()).toEqual(
        ids.slice(1).sort(),
      );
      now += 30_000;
      const [taken] = await store.leaseMany([leases[0].resourceId], {
        ...options,
        now,
      });
      await store.releaseMany(leases);
      await expect(store.assertLease(taken, now)).resolves.toBeUndefined();
      await expect(store.assertLease(own, NOW)).resolves.toBeUndefined();
      await expect(store.assertLease(leases[1], NOW)).rejects.toThrow(
        LeaseLostError,
      );
    });
  });

  it('takes over from a worker whose lease ran out and refuses the old one', async () => {
    const resource = row('orders');
    await store.addResources([resource]);
    const old = await lease(store, resource.id);
    await expect(store.assertLease(old, now)).resolves.toBeUndefined();
    now += 30_000;
    await expect(store.assertLease(old, now)).rejects.toThrow(LeaseLostError);
    const taken = await store.leaseOne(resource.id, {
      owner: 'b',
      now,
      leaseMs: 30_000,
    });
    expect(taken?.token).toBe(old.token + 1);
    const late = { row: { ...resource, message: 'late' }, states: {} };
    await expect(store.finishPass(old, late)).rejects.toThrow(LeaseLostError);
    await expect(store.renewLease(old, { now, leaseMs: 1 })).rejects.toThrow(
      LeaseLostError,
    );
    await expect(
      store.addIntent(
        old,
        {
          id: randomUUID(),
          resourceId: resource.id,
          decisionId: randomUUID(),
          action: 'create',
          createdAt: now,
          leaseToken: old.token,
          locators: [],
          liveDigest: 'none',
        },
        decision(resource.id, now),
        now,
      ),
    ).rejects.toThrow(LeaseLostError);
    expect(
      (await store.listDecisions(resource.id, { limit: 5 })).items,
    ).toEqual([]);
    expect((await store.getResource(resource.id))?.message).toBe(
      resource.message,
    );
  });

  it('does not swallow a wish that came while a pass was running', async () => {
    const resource = row('orders');
    await store.addResources([resource]);
    const held = await lease(store, resource.id);
    await store.bringForward([resource.id], { dueAt: NOW + 5, dirty: true });
    await store.finishPass(held, {
      row: { ...resource, dueAt: NOW + 60_000 },
      states: {},
    });
    const after = await store.getResource(resource.id);
    expect(after).toMatchObject({ dueAt: NOW, dirty: true });
    await finish(store, { ...resource, dueAt: NOW + 60_000 }, {});
    expect(await store.getResource(resource.id)).toMatchObject({
      dueAt: NOW + 60_000,
      dirty: false,
    });
  });

  it('never puts a due time later by a wish', async () => {
    const resource = row('orders', { dueAt: NOW - 10 });
    await store.addResources([resource]);
    await store.bringForward([resource.id], { dueAt: NOW, dirty: false });
    expect((await store.getResource(resource.id))?.dueAt).toBe(NOW - 10);
  });

  it('brings forward what refers to something that appears, moves or goes', async () => {
    const parent = row('parent');
    const [child, other] = ['child', 'other'].map(name =>
      row(name, { dueAt: NOW + 60_000 }),
    );
    await store.addResources([parent, child, other]);
    const refersTo = async (liveId?: string) =>
      finish(store, child, { dependencies: [{ ref: parent.ref, liveId }] });
    await finish(store, other, { dependencies: [{ ref: child.ref }] });
    const forward = (refs?: ResourceRow['ref'][]) =>
      store.bringDependentsForward({ refs, dueAt: NOW });

    await refersTo(undefined);
    expect(await forward([parent.ref])).toBe(0);
    await finish(store, { ...parent, liveId: '1' }, {});
    expect(await forward([other.ref])).toBe(0);
    expect(await forward([parent.ref])).toBe(1);
    expect(await store.getResource(child.id)).toMatchObject({
      dueAt: NOW,
      dirty: true,
    });
    await refersTo('1');
    expect(await forward()).toBe(0);
    await finish(store, { ...parent, liveId: '2' }, {});
    expect(await forward()).toBe(1);
    await refersTo('2');
    await store.removeResource(await lease(store, parent.id), NOW);
    expect(await forward([parent.ref])).toBe(1);
    // it refers to nothing any more
    await finish(store, child, { dependencies: [] });
    expect(await forward()).toBe(0);
  });
});
