/** Links to catalog entities, which every process computes for itself. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { Knex } from 'knex';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import { createWorld, type World } from '../__testUtils__/world';

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
