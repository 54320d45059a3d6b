/** Resources as they are added and read, one by one and many at once. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { Knex } from 'knex';
import { randomUUID } from 'node:crypto';
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
import { storeOn, type DriftStore } from '.';

const databases = TestDatabases.create();

describe.each(databases.eachSupportedId())('the store on %s', databaseId => {
  const suite = new SuiteDatabase(databases, databaseId);
  let knex: Knex;
  let store: DriftStore;

  beforeEach(async () => {
    knex = await suite.empty();
    store = storeOn(knex, () => NOW);
  });

  it('adds a resource once, whoever finds it first', async () => {
    const first = row('orders');
    await store.addResources([first]);
    const again = await store.addResources([row('orders'), row('carts')]);
    expect(again).toHaveLength(2);
    expect(again.map(r => r.id)).toContain(first.id);
    expect(await store.getResourceByRef(first.ref)).toEqual(first);
  });

  it('tells which identities have changed of late', async () => {
    const rows = ['orders', 'carts', 'stock'].map(name => row(name));
    await store.addResources(rows);
    await knex('resources').update({ noted_at: 0 });
    const changed = async () => {
      const names: string[] = [];
      for await (const { ref } of store.listIdentities('konnect/prod', {
        changedWithin: 60_000,
      })) {
        names.push(ref.name);
      }
      return names.sort();
    };
    expect(await changed()).toEqual([]);

    await finish(store, rows[0], {
      row: { ...rows[0], liveKey: 'services/1' },
    });
    expect(await changed()).toEqual(['orders']);
    await store.bringForward([rows[1].id], { dueAt: NOW, dirty: false });
    expect(await changed()).toEqual(['orders']);
    await store.bringForward([rows[1].id], { dueAt: NOW, dirty: true });
    await store.addResources([row('prices')]);
    expect(await changed()).toEqual(['carts', 'orders', 'prices']);
  });

  describe('many at once', () => {
    it('reads what is stored of each', async () => {
      const [full, bare] = ['full', 'bare'].map(name => row(name));
      await store.addResources([full, bare]);
      const opened = episode(full.id, NOW);
      const asked = conflict(full.id, NOW);
      const agreed = state({ a: 1 }, 'a');
      const kept = [{ path: '/b', by: 'user:default/ann', at: NOW }];
      await finish(store, full, {
        states: { agreed, live: state({ a: 2 }, 'b') },
        episode: { open: opened },
        conflict: { open: asked },
        kept,
      });
      const intent = {
        id: randomUUID(),
        resourceId: full.id,
        decisionId: randomUUID(),
        action: 'create' as const,
        createdAt: NOW,
        leaseToken: 2,
        liveDigest: 'none',
        locators: ['name:full'],
      };
      await store.addIntent(
        await lease(store, full.id),
        intent,
        decision(full.id, NOW),
        NOW,
      );
      const before = await store.readBefore([full.id, bare.id, randomUUID()]);
      expect([...before.keys()].sort()).toEqual([full.id, bare.id].sort());
      expect(before.get(full.id)).toMatchObject({
        ...{ agreed, kept, episode: opened, conflict: asked },
        row: await store.getResource(full.id),
        intents: [intent],
      });
      expect(before.get(bare.id)).toEqual({
        ...{ row: await store.getResource(bare.id), kept: [], intents: [] },
      });
    });
  });

  it('resolves no reference to what an unsettled create was about', async () => {
    const [resource] = await store.addResources([
      row('orders', { liveKey: 'services/1', liveId: '1' }),
    ]);
    const { ref } = resource;
    expect([...(await store.resolveLiveIds([ref])).values()]).toEqual(['1']);
    const held = await lease(store, resource.id);
    const decided = decision(resource.id, NOW);
    await store.addIntent(
      held,
      {
        id: randomUUID(),
        resourceId: resource.id,
        decisionId: decided.id,
        action: 'create',
        createdAt: NOW,
        leaseToken: held.token,
        liveDigest: 'none',
        locators: [],
      },
      decided,
      NOW,
    );
    expect([...(await store.resolveLiveIds([ref])).values()]).toEqual([]);
  });
});
