/** What bulk reads and watches must not overlook. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type {
  Platform,
  SweepScope,
} from '@plumbline/backstage-plugin-drift-node';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import { createWorld, type World } from '../__testUtils__/world';

const databases = TestDatabases.create();
const orders = { kind: 'services', namespace: 'shop', name: 'orders' };

describe.each(databases.eachSupportedId())('what is read on %s', databaseId => {
  const suite = new SuiteDatabase(databases, databaseId);
  let world: World;

  beforeEach(async () => {
    world = await createWorld(await suite.empty());
  });

  it('is, in a sweep, every kind of a stored resource too', async () => {
    const scopes: SweepScope[] = [];
    const platform: Platform = world.platform;
    const sweep = platform.sweep.bind(platform);
    platform.sweep = (scope, options) => {
      scopes.push(scope);
      return sweep(scope, options);
    };
    await world.sweep();
    world.source.declare({ ...orders, kind: 'apps/v1/Deployment' }, {});
    world.source.declare(orders, {});
    await world.sweep();
    expect(scopes.map(scope => scope.kinds)).toEqual([
      platform.kinds,
      [...platform.kinds, 'apps/v1/Deployment'],
    ]);
  });

  it('is an object that comes back, as soon as a watch tells of it', async () => {
    world.source.declare(orders, { host: 'orders.shop.svc' });
    const document = { name: 'orders', host: 'orders.shop.svc' };
    const live = world.platform.put('services', document);
    const verdict = async () => (await world.row('orders')).verdict;
    await world.turn();
    await world.turn();
    expect(await verdict()).toBe('InSync');

    world.platform.objects.delete(live.key);
    await world.sweep();
    for (const { row } of await world.settle()) {
      if (row) world.inventory.note(row);
    }
    expect(await verdict()).toBe('Missing');
    expect(await world.settle()).toEqual([]);

    world.platform.put('services', document, { id: live.id });
    await world.inventory.liveChanged(world.platform, [
      { key: live.key, locators: [], version: 'other' },
    ]);
    await world.settle();
    expect(await verdict()).toBe('InSync');
  });
});
