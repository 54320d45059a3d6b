/** The small tables: scopes, rules, links to catalog entities, named leases and budgets. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { Knex } from 'knex';
import { randomUUID } from 'node:crypto';
import { NOW } from '../__testUtils__/rows';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import { createWorld, type World } from '../__testUtils__/world';
import { storeOn, type DriftStore } from '.';

const databases = TestDatabases.create();

describe.each(databases.eachSupportedId())('links on %s', databaseId => {
  const suite = new SuiteDatabase(databases, databaseId);
  let knex: Knex;
  let world: World;

  beforeEach(async () => {
    knex = await suite.empty();
    world = await createWorld(knex);
    for (const name of ['orders', 'carts']) {
      world.source.declare({ kind: 'services', namespace: 'shop', name }, {});
    }
    await world.turn();
  });

  it('writes only what has changed, one resource at a time', async () => {
    const rows = await Promise.all(['orders', 'carts'].map(world.row));
    const links = rows.map(({ id }) => ({
      resourceId: id,
      entities: [{ ref: 'component:default/shop', owner: 'group:default/a' }],
    }));
    await world.store.setEntities(links);
    const written: string[] = [];
    const note = ({ sql }: { sql: string }) => {
      if (/^(update|insert|delete)/.test(sql)) written.push(sql);
    };
    knex.on('query', note);
    try {
      await world.store.setEntities(links);
      expect(written).toEqual([]);
      await world.store.setEntities([
        links[0],
        {
          resourceId: rows[1].id,
          entities: [
            { ref: 'component:default/shop', owner: 'group:default/b' },
          ],
        },
        { resourceId: 'removed', entities: links[0].entities },
      ]);
      expect(written.filter(sql => sql.includes('insert'))).toHaveLength(1);
    } finally {
      knex.removeListener('query', note);
    }
    const { items } = await world.store.listResources(
      { owner: 'group:default/b' },
      { limit: 9 },
      world.clock.now(),
    );
    expect(items.map(item => item.id)).toEqual([rows[1].id]);
  });
});

describe.each(databases.eachSupportedId())('the store on %s', databaseId => {
  const suite = new SuiteDatabase(databases, databaseId);
  let store: DriftStore;

  beforeEach(async () => {
    store = storeOn(await suite.empty(), () => NOW);
  });

  it('counts looks that did not find a declaration, and says how many a complete read came after', async () => {
    const source = { id: 'source', kind: 'source' as const, title: 'Source' };
    await store.putScope(source);
    expect(await store.countAbsence('source')).toBe(1);
    expect(await store.countAbsence('source')).toBe(2);
    expect(await store.countAbsence('unknown')).toBeUndefined();
    const read = { at: NOW, status: 'ok' as const, through: 2 };
    await store.recordRead('source', { ...read, complete: true });
    await store.recordRead('source', { ...read, complete: false, through: 9 });
    expect(await store.listScopes()).toEqual([
      expect.objectContaining({ absences: 2, completeThrough: 2 }),
    ]);
  });

  it('lets one process hold a named lease until it drops it or it runs out', async () => {
    const take = (owner: string, at: number) =>
      store.takeNamedLease('sweep', { owner, now: at, ms: 100 });
    expect(await take('a', NOW)).toBe(true);
    expect(await take('b', NOW + 99)).toBe(false);
    expect(await take('a', NOW + 99)).toBe(true);
    expect(await take('b', NOW + 199)).toBe(true);
    await store.releaseAll('b');
    expect(await take('a', NOW + 199)).toBe(true);
  });

  it('lets one of two replicas change a budget', async () => {
    const budget = { platform: 'p', revision: 1, tokens: 10, refilledAt: NOW };
    expect(await store.writeBudget(budget, undefined)).toBe(true);
    expect(await store.writeBudget(budget, undefined)).toBe(false);
    expect(
      await store.writeBudget({ ...budget, revision: 2, tokens: 9.5 }, 1),
    ).toBe(true);
    expect(await store.writeBudget({ ...budget, revision: 2 }, 1)).toBe(false);
    expect(await store.readBudget('p')).toMatchObject({
      tokens: 9.5,
      revision: 2,
    });
  });

  it('forgets rules whose time is over', async () => {
    const rule = {
      id: randomUUID(),
      scope: { platform: 'konnect/prod' },
      settings: { paused: true },
      reason: 'incident',
      by: 'user:default/ann',
      createdAt: NOW,
      until: NOW + 10,
    };
    await store.addRule(rule);
    expect(await store.listRules(NOW + 9)).toEqual([rule]);
    expect(await store.listRules(NOW + 10)).toEqual([]);
    expect(await store.removeRule(rule.id)).toEqual(rule);
    expect(await store.removeRule(rule.id)).toBeUndefined();
  });
});
