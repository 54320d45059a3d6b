/** Resources as they are shown: stale, worst first, and only those that a caller may see. */
import { TestDatabases } from '@backstage/backend-test-utils';
import { NOW, row } from '../__testUtils__/rows';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import { storeOn, type DriftStore } from '.';

const databases = TestDatabases.create();

describe.each(databases.eachSupportedId())('the store on %s', databaseId => {
  const suite = new SuiteDatabase(databases, databaseId);
  let store: DriftStore;

  beforeEach(async () => {
    store = storeOn(await suite.empty(), () => NOW);
  });

  it('turns a verdict Unknown by itself when it grows old, and only then', async () => {
    const platform = 'konnect/prod';
    const source = 'kubernetes/prod/customResources';
    await store.putScope({ id: platform, kind: 'platform', title: 'Prod' });
    await store.putScope({ id: source, kind: 'source', title: 'CRs' });
    const clean = row('clean');
    const dirty = row('dirty', { dirty: true });
    await store.addResources([clean, dirty]);
    const shown = async (at: number) =>
      (await store.listResources({}, { limit: 10 }, at)).items
        .map(view => [view.ref.name, view.shownVerdict])
        .sort();
    expect(await shown(NOW + 300_000)).toEqual([
      ['clean', 'InSync'],
      ['dirty', 'InSync'],
    ]);
    expect(await shown(NOW + 300_001)).toEqual([
      ['clean', 'Unknown'],
      ['dirty', 'Unknown'],
    ]);
    const ok = { status: 'ok' as const, complete: true };
    await store.recordRead(platform, { ...ok, at: NOW + 300_000 });
    // one side alone verifies nothing
    expect(await shown(NOW + 300_001)).toEqual([
      ['clean', 'Unknown'],
      ['dirty', 'Unknown'],
    ]);
    await store.recordRead(source, { ...ok, at: NOW + 200_000 });
    expect(await shown(NOW + 500_000)).toEqual([
      ['clean', 'InSync'],
      ['dirty', 'Unknown'],
    ]);
    expect(await shown(NOW + 500_001)).toEqual([
      ['clean', 'Unknown'],
      ['dirty', 'Unknown'],
    ]);
    await store.recordRead(source, {
      status: 'unreachable',
      complete: false,
      at: NOW + 600_000,
      message: 'no answer',
    });
    expect((await store.listScopes()).find(s => s.id === source)).toMatchObject(
      {
        lastCompleteAt: NOW + 200_000,
        failures: 1,
        message: 'no answer',
      },
    );
    const [view] = (
      await store.listResources({ q: 'CLEAN' }, { limit: 1 }, NOW + 900_000)
    ).items;
    expect(view).toMatchObject({ shownReason: 'Stale', verdict: 'InSync' });
  });

  it('lists worst first, page by page, without gap or double', async () => {
    await store.addResources([
      ...Array.from({ length: 7 }, (_, i) => row(`ok-${i}`)),
      row('bad', { verdict: 'Drifted' }),
      row('worst', { verdict: 'Conflicted' }),
      row('new', { verdict: 'Pending' }),
    ]);
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.listResources({}, { limit: 3, cursor }, NOW);
      expect(page.total).toBe(10);
      names.push(...page.items.map(view => view.ref.name));
      cursor = page.nextCursor;
    } while (cursor);
    expect(names).toEqual([
      'worst',
      'bad',
      'new',
      ...Array.from({ length: 7 }, (_, i) => `ok-${i}`),
    ]);
    await expect(
      store.listResources({}, { limit: 3, cursor: 'bogus' }, NOW),
    ).rejects.toThrow('"cursor"');
  });

  it('filters and counts by what a caller may see', async () => {
    const [orders, carts] = await store.addResources([
      row('orders', { verdict: 'Drifted', since: NOW - 5 }),
      row('carts'),
    ]);
    await store.setEntities([
      {
        resourceId: orders.id,
        entities: [
          { ref: 'component:default/orders', owner: 'group:default/a' },
        ],
      },
      { resourceId: carts.id, entities: [] },
    ]);
    const names = async (filter: Parameters<DriftStore['listResources']>[0]) =>
      (await store.listResources(filter, { limit: 10 }, NOW)).items.map(
        view => view.ref.name,
      );
    expect(await names({ entity: 'component:default/orders' })).toEqual([
      'orders',
    ]);
    expect(await names({ unassigned: true })).toEqual(['carts']);
    expect(await names({ verdicts: ['InSync'] })).toEqual(['carts']);
    expect(await names({ q: '%' })).toEqual([]);
    expect(await names({ visible: { anyOf: [] } })).toEqual([]);
    expect(
      await names({
        visible: { not: { property: 'owner', values: ['group:default/a'] } },
      }),
    ).toEqual(['carts']);
    expect(
      await names({
        visible: {
          allOf: [
            { property: 'owner', values: ['group:default/a'] },
            { anyOf: [{ property: 'namespace', values: ['shop'] }] },
          ],
        },
      }),
    ).toEqual(['orders']);
    expect(await store.countByVerdict({}, NOW, 'owner')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          group: 'group:default/a',
          byVerdict: { Drifted: 1 },
          oldestDriftSince: NOW - 5,
        }),
        expect.objectContaining({ byVerdict: { InSync: 1 }, total: 1 }),
      ]),
    );
    expect(
      await store.bringForwardWhere(
        { entity: 'component:default/orders' },
        NOW - 100,
      ),
    ).toBe(1);
    expect((await store.getResource(orders.id))?.dueAt).toBe(NOW - 100);
  });
});
