/** What bulk reads look at, and what they leave alone. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { Knex } from 'knex';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import { createWorld, type World } from '../__testUtils__/world';

const databases = TestDatabases.create();
const NAMES = ['alpha', 'bravo', 'charlie', 'delta'];

describe.each(databases.eachSupportedId())('sweeps on %s', databaseId => {
  const suite = new SuiteDatabase(databases, databaseId);
  let knex: Knex;
  let world: World;
  let keys: string[];

  /** Some services, as declared, looked at, and swept again since. */
  beforeEach(async () => {
    knex = await suite.empty();
    world = await createWorld(knex);
    keys = NAMES.map(name => {
      world.source.declare({ kind: 'services', namespace: 'shop', name }, {});
      return world.platform.put('services', { name }, { uid: `uid-${name}` })
        .key;
    });
    await world.turn();
    await world.turn();
    await world.sweep();
  });

  async function verdicts() {
    const rows = await Promise.all(NAMES.map(name => world.row(name)));
    return rows.map(row => row.verdict);
  }

  async function lookedInto(run: () => Promise<void>): Promise<number> {
    const before = world.platform.pagesLookedInto;
    await run();
    return world.platform.pagesLookedInto - before;
  }

  it('look into no page that is as it was', async () => {
    const { script } = world.platform;
    const reads = script.count('get', 'find');
    expect(await lookedInto(() => world.turn())).toBe(0);
    expect(script.count('get', 'find')).toBe(reads);
    expect(await verdicts()).toEqual(Array(4).fill('InSync'));
  });

  it('see one edit, and what is gone, among pages that are as they were', async () => {
    world.platform.edit(keys[3], { name: 'delta', host: 'x' });
    await lookedInto(() => world.turn());
    expect(await lookedInto(() => world.turn())).toBe(0);

    world.platform.objects.delete(keys[3]);
    await world.turn();
    expect(await verdicts()).toEqual(['InSync', 'InSync', 'InSync', 'Missing']);
  });

  it('look again at what was recorded as it is not, on a page that is as it was', async () => {
    // another replica looked when it was otherwise for a moment
    await knex('resources')
      .where({ live_key: keys[0] })
      .update({ live_version: 'other', verdict: 'Drifted', noted_at: 4e12 });
    expect(await lookedInto(() => world.turn())).toBe(0);
    expect((await world.row('alpha')).verdict).toBe('InSync');
  });

  it('find what somebody waits for on a page that is as it was', async () => {
    const row = await world.row('alpha');
    await knex('resources').where({ id: row.id }).update({
      live_key: null,
      live_id: null,
      live_version: null,
      verdict: 'Missing',
      noted_at: 4e12,
    });
    expect(await lookedInto(() => world.turn())).toBeGreaterThan(0);
    expect(await world.row('alpha')).toMatchObject({
      verdict: 'InSync',
      liveKey: keys[0],
    });
  });

  it('add what another replica has removed and is declared anew', async () => {
    await knex('resources').where({ live_key: keys[1] }).delete();
    world.source.declare(
      { kind: 'services', namespace: 'shop', name: 'bravo' },
      {},
    );
    await world.turn();
    expect((await world.row('bravo')).verdict).toBe('InSync');
  });

  it('are right about an object that moves from one page to another meanwhile', async () => {
    world.platform.sweep = async function* twice() {
      const all = [...this.objects.values()];
      yield { items: all };
      yield { items: all.slice(0, 1) };
    };
    // so many that they are paired with what the sweep shows
    for (let i = 0; i < 12; i += 1) {
      const name = `further-${i}`;
      world.source.declare({ kind: 'services', namespace: 'shop', name }, {});
      world.platform.put('services', { name }, { uid: `uid-${name}` });
    }
    world.source.declare(
      { kind: 'services', namespace: 'shop', name: 'alpha' },
      {},
    );
    await world.sweep();
    expect(await verdicts()).toEqual(Array(4).fill('InSync'));
  });
});
