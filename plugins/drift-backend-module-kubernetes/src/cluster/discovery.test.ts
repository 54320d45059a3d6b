/* How often a cluster is asked what it serves, and what is never concluded from memory. */
import { mockServices } from '@backstage/backend-test-utils';
import { testContext } from '../__testUtils__/context';
import { describeOnServers, type TestServer } from '../__testUtils__/servers';
import { installThings, thing, thingMapper } from '../__testUtils__/things';
import { parseKind } from '../gvk';
import { KubernetesPlatform } from '../platform/platform';
import { CustomResourceSource } from '../sources/customResources';
import { staticAccess } from './access';
import { Cluster } from './cluster';
import { ANY_TIME } from './kept';

const signal = new AbortController().signal;
const request = { signal, priority: 'pass' } as const;
const KINDS = ['v1/ConfigMap', 'apps/v1/Deployment', 'v1/Service'];
const THING = parseKind('things.example.com/v1/Thing')!;

describeOnServers('Discovery', start => {
  let server: TestServer;
  let cluster: Cluster;
  let asked: string[];
  const context = testContext([thingMapper]);
  const logger = mockServices.logger.mock();

  beforeAll(async () => {
    server = await start();
  }, 90_000);

  afterAll(async () => server?.stop());

  beforeEach(() => {
    cluster = new Cluster(
      staticAccess(
        { name: 'test', title: 'Test', requestsPerMinute: 1000 },
        server.access,
      ),
      context,
    );
    asked = [];
    const send = cluster.connection.send.bind(cluster.connection);
    jest.spyOn(cluster.connection, 'send').mockImplementation(async one => {
      asked.push(`${one.method} ${one.path}`);
      return send(one);
    });
  });

  /** What was asked for while something ran. */
  async function askedBy(run: () => Promise<unknown>): Promise<string[]> {
    asked.length = 0;
    await run();
    return [...asked];
  }

  const platformOf = (kinds: string[]) =>
    new KubernetesPlatform(
      cluster,
      { kinds: kinds.map(kind => parseKind(kind)!), logger },
      context,
    );

  async function sweep(platform: KubernetesPlatform): Promise<number> {
    let objects = 0;
    const scope = { kinds: [...platform.kinds] };
    for await (const page of platform.sweep(scope, { signal })) {
      objects += page.items.length;
    }
    return objects;
  }

  async function list(source: CustomResourceSource): Promise<number> {
    let items = 0;
    for await (const page of source.list({ signal })) {
      items += page.items.length;
    }
    return items;
  }

  it('is asked once for each version, and then a sweep is its list pages', async () => {
    const platform = platformOf(KINDS);
    expect(await askedBy(() => sweep(platform))).toEqual([
      'GET /api/v1',
      'GET /api/v1/configmaps',
      'GET /apis',
      'GET /apis/apps/v1',
      'GET /apis/apps/v1/deployments',
      'GET /api/v1/services',
    ]);
    const again = [
      'GET /api/v1/configmaps',
      'GET /apis/apps/v1/deployments',
      'GET /api/v1/services',
    ];
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      context.advance(60_000);
      expect(await askedBy(() => sweep(platform))).toEqual(again);
    }
  });

  it('is asked once more in every bulk read for all kinds that were not served', async () => {
    const platform = platformOf([
      'v1/ConfigMap',
      'one.example.com/v1/One',
      'two.example.com/v1/Two',
      'two.example.com/v2/Two',
    ]);
    await sweep(platform);
    expect(await askedBy(() => sweep(platform))).toEqual([
      'GET /api/v1/configmaps',
      'GET /apis',
    ]);
    const source = new CustomResourceSource(cluster, context, { logger });
    expect(await askedBy(() => list(source))).toEqual(['GET /apis']);
  });

  it('answers many who ask at once with one read, and none with the failure of another', async () => {
    const find = (options: { signal: AbortSignal; priority: 'pass' }) =>
      cluster.discovery.find(parseKind('apps/v1/Deployment')!, options);
    const impatient = new AbortController();
    const asking = askedBy(async () => {
      const first = find({ ...request, signal: impatient.signal });
      const others = Array.from({ length: 10 }, () => find(request));
      impatient.abort(new Error('no longer wanted'));
      await expect(first).rejects.toThrow('no longer wanted');
      const found = await Promise.all(others);
      expect(new Set(found.map(one => one?.plural))).toEqual(
        new Set(['deployments']),
      );
    });
    // Those who waited for the one that gave up read for themselves.
    expect((await asking).length).toBeGreaterThan(2);
    const fresh = await askedBy(() =>
      Promise.all(
        Array.from({ length: 10 }, () =>
          cluster.discovery.find(parseKind('batch/v1/Job')!, request),
        ),
      ),
    );
    expect(fresh).toEqual(['GET /apis/batch/v1']);
  });

  it('sees a kind that was installed a moment ago, and one that went', async () => {
    const source = new CustomResourceSource(cluster, context, { logger });
    const platform = platformOf(['things.example.com/v1/Thing']);
    expect(await sweep(platform)).toBe(0);
    expect(await list(source)).toBe(0);
    expect(await cluster.discovery.find(THING, request)).toBeUndefined();
    await installThings(cluster, signal);
    await cluster.connection.send({
      method: 'POST',
      path: '/apis/things.example.com/v1/namespaces/default/things',
      body: thing('new', {}),
      ...request,
    });
    // The clock stood still: nothing that is remembered is old.
    const remembered = { ...request, since: ANY_TIME };
    expect(await cluster.discovery.find(THING, remembered)).toBeUndefined();
    expect(await sweep(platform)).toBe(1);
    expect(await list(source)).toBe(1);
    expect(
      await cluster.discovery.findVersion(
        'things.example.com',
        'Thing',
        request,
      ),
    ).toEqual(THING);

    await cluster.connection.send({
      method: 'DELETE',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.things.example.com',
      ...request,
    });
    // Until the server itself says that the kind is gone, a 404 of its path is no absence.
    const refusals: unknown[] = [];
    while (await cluster.discovery.find(THING, remembered)) {
      try {
        await sweep(platform);
      } catch (error) {
        refusals.push(error);
      }
    }
    expect(refusals).not.toEqual([]);
    expect(refusals).toEqual(
      refusals.map(() => expect.objectContaining({ status: 404 })),
    );
    expect(await sweep(platform)).toBe(0);
  });
});
