/** First sight in bulk: the same is found as by passes one by one, and it costs little. */
import { TestDatabases } from '@backstage/backend-test-utils';
import { resourceKey } from '@plumbline/backstage-plugin-drift-common';
import type { Knex } from 'knex';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import { createWorld, type World } from '../__testUtils__/world';

const databases = TestDatabases.create();
const OF_THE_MOMENT = new Set([
  ...['id', 'at', 'since', 'verifiedAt', 'agreedAt', 'dueAt', 'heatAt'],
  ...['startedAt', 'openedAt', 'trigger'],
]);
const service = (name: string) => ({
  kind: 'services',
  namespace: 'shop',
  name,
});

/** One of each kind of what can be met at first sight, and some more that are in sync, so that they are judged in bulk. */
function meetEverything({ platform, source }: World): void {
  const put = (
    name: string,
    fields: object = {},
    { uid = `uid-${name}`, id = `id-${name}` } = {},
  ) => platform.put('services', { name, host: 'h', ...fields }, { id, uid });
  const declare = (
    name: string,
    more: Parameters<typeof source.declare>[2] = {},
  ) => source.declare(service(name), { host: 'h', retries: 3 }, more);
  for (let i = 0; i < 10; i += 1) {
    declare(`equal-${i}`);
    put(`equal-${i}`, { retries: 3 });
  }
  declare('different');
  put('different', { retries: 9, read_timeout: 777 });
  declare('missing');
  declare('foreign', { locators: ['name:foreign'] });
  put('foreign', {}, { uid: 'uid-of-somebody' });
  declare('several', { locators: ['name:several'] });
  put('several', {}, { uid: 'uid-one', id: 'id-one' });
  put('several', {}, { uid: 'uid-two', id: 'id-two' });
  declare('first-claim', { locators: ['name:claimed'], mark: undefined });
  declare('second-claim', { locators: ['name:claimed'], mark: undefined });
  put('claimed', { retries: 3 });
  source.declare(service('wrong'), { host: 'h', retries: 'many' });
  put('wrong', { retries: 3 });
  for (const [name, parent] of [
    ['child', 'equal-0'],
    ['waiting', 'missing'],
  ]) {
    source.declare(
      { kind: 'routes', namespace: 'shop', name },
      { paths: ['/'] },
      {
        references: [
          {
            path: '/service/id',
            ref: { platform: platform.id, ...service(parent) },
          },
        ],
      },
    );
  }
  platform.put(
    'routes',
    { name: 'child', paths: ['/'], service: { id: 'id-equal-0' } },
    { id: 'id-child', uid: 'uid-child' },
  );
}

describe.each(databases.eachSupportedId())('first sight on %s', databaseId => {
  const suite = new SuiteDatabase(databases, databaseId);
  let knex: Knex;
  let world: World;
  let statements = 0;

  async function begin() {
    knex = await suite.empty();
    world = await createWorld(knex, {
      drift: { defaults: { mode: 'observe' } },
    });
  }

  const count = () => {
    statements += 1;
  };

  async function statementsOf(run: () => Promise<void>): Promise<number> {
    statements = 0;
    knex.on('query', count);
    await run();
    knex.off('query', count);
    return statements;
  }

  /** All that is stored about the resources, but for IDs, times and what set it off. */
  async function stored() {
    const names = new Map<string, string>();
    for await (const { id, ref } of world.store.listIdentities(
      world.platform.id,
    )) {
      names.set(id, ref.name);
    }
    const cleaned = (text: string) => {
      let clean = text;
      for (const [id, name] of names) clean = clean.replaceAll(id, name);
      return JSON.parse(clean, (key, value) =>
        OF_THE_MOMENT.has(key) ? undefined : value,
      );
    };
    const found: Record<string, unknown> = {};
    for (const [id, name] of names) {
      const [row, states, episode, conflict, decisions] = await Promise.all([
        world.store.getResource(id),
        world.store.getStates(id),
        world.store.getOpenEpisode(id),
        world.store.getOpenConflict(id),
        world.store.listDecisions(id, { limit: 9 }),
      ]);
      found[name] = cleaned(
        JSON.stringify({
          ...{ row, states, episode, conflict },
          decisions: decisions.items,
        }),
      );
    }
    return found;
  }

  it('finds what passes find one by one', async () => {
    await begin();
    meetEverything(world);
    for (const declared of world.source.declarations.values()) {
      await world.inventory.declarationsChanged(world.source, [declared]);
      await world.settle();
    }
    const oneByOne = await stored();

    await begin();
    meetEverything(world);
    await world.sweep();
    const { script } = world.platform;
    expect(script.count('get', 'find')).toBe(0);
    const inBulk = await stored();
    expect(Object.keys(inBulk)).toHaveLength(world.source.declarations.size);
    expect(inBulk).toEqual(oneByOne);
    expect(
      Object.fromEntries(
        Object.entries(inBulk).map(([name, { row }]: [string, any]) => [
          name,
          row.reason,
        ]),
      ),
    ).toMatchObject({
      different: 'FirstSight',
      foreign: 'ForeignOwner',
      several: 'AmbiguousMatch',
      'second-claim': 'RivalClaims',
      waiting: 'MissingDependency',
      child: 'Equal',
    });
  });

  async function declareMore(many: number) {
    const first = world.source.declarations.size;
    for (let i = first; i < first + many; i += 1) {
      const name = `more-${i}`;
      world.source.declare(service(name), { host: 'h', retries: 3 });
      world.platform.put(
        'services',
        { name, host: 'h', retries: i % 2 ? 9 : 3 },
        { uid: `uid-${name}` },
      );
    }
  }

  it('takes few statements for many', async () => {
    await begin();
    await declareMore(20);
    const few = await statementsOf(() => world.sweep());
    await declareMore(90);
    const many = await statementsOf(() => world.sweep());
    expect(many - few).toBeLessThan(30);
    const [counts] = await world.store.countByVerdict({}, world.clock.now());
    expect(counts.byVerdict).toEqual({ InSync: 55, Drifted: 55 });
  });

  it('leaves to its pass what a pass holds, and records the others', async () => {
    await begin();
    await declareMore(20);
    await world.inventory.listSource(world.source, {
      signal: new AbortController().signal,
    });
    const row = await world.row('more-3');
    const lease = await world.store.leaseOne(row.id, {
      owner: 'two',
      now: world.clock.now(),
      leaseMs: 30_000,
    });
    await world.inventory.sweepPlatform(world.platform, {
      signal: new AbortController().signal,
    });
    expect(await world.row('more-3')).toMatchObject({
      verdict: 'Unknown',
      dirty: true,
    });
    expect(await world.row('more-4')).toMatchObject({
      verdict: 'InSync',
      dirty: false,
    });
    // and its pass knows that something was seen meanwhile
    await expect(
      world.store.assertLease(lease!, world.clock.now()),
    ).resolves.toBeUndefined();
    await world.store.releaseLease(lease!);
    await world.settle();
    expect((await world.row('more-3')).verdict).toBe('Drifted');
  });

  it('does not let one that cannot be judged stop the others', async () => {
    await begin();
    await declareMore(20);
    // whatever it is that a platform's module hands over
    world.platform.sweep = async function* broken() {
      yield {
        items: [...this.objects.values()].map(live =>
          live.locators.includes('name:more-2')
            ? Object.defineProperty({ ...live }, 'document', {
                get() {
                  throw new TypeError('a bug of the module');
                },
              })
            : live,
        ),
      };
    };
    await world.sweep();
    const [counts] = await world.store.countByVerdict({}, world.clock.now());
    expect(counts.byVerdict).toEqual({ InSync: 9, Drifted: 10, Unknown: 1 });
    expect((await world.row('more-2')).dueAt).toBeLessThanOrEqual(
      world.clock.now(),
    );
  });

  it('does not read one by one what a failing sweep has not shown, and judges it by the next', async () => {
    await begin();
    await declareMore(20);
    const { script } = world.platform;
    script.on('sweep', { truncated: true });
    await world.turn();
    expect(script.count('get', 'find')).toBe(0);
    await world.turn();
    expect(script.count('get', 'find')).toBe(0);
    const [counts] = await world.store.countByVerdict({}, world.clock.now());
    expect(counts.byVerdict).toEqual({ InSync: 10, Drifted: 10 });
  });

  it('waits for the sweep where the listing had failed before', async () => {
    await begin();
    await declareMore(20);
    const { signal } = new AbortController();
    world.source.script.on('list', { truncated: true });
    for (const isComplete of [false, true]) {
      expect(await world.inventory.listSource(world.source, { signal })).toBe(
        isComplete,
      );
      await world.settle();
    }
    expect(world.platform.script.count('get', 'find')).toBe(0);
    await world.inventory.sweepPlatform(world.platform, { signal });
    const [counts] = await world.store.countByVerdict({}, world.clock.now());
    expect(counts.byVerdict).toEqual({ InSync: 10, Drifted: 10 });
  });

  it('reads what no sweep shows in the end', async () => {
    await begin();
    await declareMore(20);
    const { script } = world.platform;
    script.on('sweep', ...Array(9).fill({ truncated: true }));
    await world.turn();
    world.clock.advance(2 * 60_000 + 20 * 10);
    await world.settle();
    const [counts] = await world.store.countByVerdict({}, world.clock.now());
    expect(counts.byVerdict).toEqual({ InSync: 10, Drifted: 10 });
  });

  it('stores parents before it judges their children, in whatever order they are declared', async () => {
    await begin();
    const parent = { platform: world.platform.id, ...service('more-5') };
    const child = { kind: 'routes', namespace: 'shop', name: 'child' };
    world.source.declare(
      child,
      { paths: ['/'] },
      { references: [{ path: '/service/id', ref: parent }] },
    );
    await declareMore(20);
    const live = [...world.platform.objects.values()].find(({ locators }) =>
      locators.includes('name:more-6'),
    );
    world.platform.put(
      'routes',
      { name: 'child', paths: ['/'], service: { id: live?.id ?? '' } },
      { uid: 'uid-child' },
    );
    expect(
      world.source.declarations.has(
        resourceKey({ platform: world.platform.id, ...child }),
      ),
    ).toBe(true);
    await world.sweep();
    expect((await world.row('child')).verdict).toBe('Drifted');
  });
});
