/** Declarations that refer to other resources: whose live ids they are filled in with. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { JsonObject } from '@backstage/types';
import { agreed, loopOn, orders, SERVICE } from '../__testUtils__/orders';
import type { World } from '../__testUtils__/world';

const databases = TestDatabases.create();

describe.each(databases.eachSupportedId())('the loop on %s', databaseId => {
  const loop = loopOn(databases, databaseId);
  let world: World;

  async function start(drift?: JsonObject) {
    world = await loop.start(drift);
  }

  it('looks for what it has not seen yet with the live ids that it refers to', async () => {
    await start();
    const { declared, live } = await agreed(world);
    const find = jest.spyOn(world.platform, 'find');
    const route = { ...orders, kind: 'routes', name: 'orders-route' };
    world.source.declare(
      route,
      { name: 'orders-route', service: {} },
      { references: [{ path: '/service/id', ref: declared.ref }] },
    );
    await world.turn();
    const [[lookedFor]] = find.mock.calls.filter(
      ([asked]) => asked.ref.name === route.name,
    );
    expect(lookedFor.document).toMatchObject({ service: { id: live.id } });
  });

  it('creates what is referred to first, and fills its id in', async () => {
    await start();
    const service = world.source.declare(orders, SERVICE);
    const route = { kind: 'routes', namespace: 'shop', name: 'all' };
    world.source.declare(
      route,
      { paths: ['/'] },
      {
        references: [{ path: '/service/id', ref: service.ref }],
        parent: service.ref,
      },
    );
    await world.turn();
    for (let i = 0; i < 3; i++) {
      world.clock.advance(20_000);
      await world.settle();
    }
    const parent = await world.row('orders');
    const child = await world.row('all');
    expect(child.verdict).toBe('InSync');
    expect(world.platform.field(child.liveKey!, 'service')).toEqual({
      id: parent.liveId,
    });
  });
});
