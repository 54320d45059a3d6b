/* Custom resources as declarations, against API servers. */
import { mockServices } from '@backstage/backend-test-utils';
import { at } from '@plumbline/backstage-plugin-drift-node';
import type { DeclaredResource } from '@plumbline/backstage-plugin-drift-node';
import type { JsonObject } from '@plumbline/drift-engine';
import { staticAccess } from '../cluster/access';
import { Cluster } from '../cluster/cluster';
import { testContext } from '../__testUtils__/context';
import { describeOnServers, type TestServer } from '../__testUtils__/servers';
import { installThings, thing, thingMapper } from '../__testUtils__/things';
import { CustomResourceSource } from './customResources';

const signal = new AbortController().signal;
const THINGS = '/apis/things.example.com/v1/namespaces/default/things';

describeOnServers('CustomResourceSource', start => {
  let server: TestServer;
  let cluster: Cluster;
  let source: CustomResourceSource;
  const context = testContext([thingMapper]);

  beforeAll(async () => {
    server = await start();
    cluster = new Cluster(
      staticAccess(
        { name: 'test', title: 'Test', requestsPerMinute: 1000 },
        server.access,
      ),
      context,
    );
    source = new CustomResourceSource(cluster, context, {
      logger: mockServices.logger.mock(),
    });
  }, 90_000);

  afterAll(async () => server?.stop());

  async function list(from = source): Promise<DeclaredResource[]> {
    const items: DeclaredResource[] = [];
    for await (const page of from.list({ signal })) {
      items.push(...page.items);
    }
    return items;
  }

  function apply(manifest: JsonObject, dryRun = false) {
    return source.apply(manifest, {
      signal,
      dryRun,
      fieldManager: 'backstage-scaffolder',
    });
  }

  it('is empty while the definitions are not installed, then lists, gets, applies and nudges', async () => {
    expect(await list()).toEqual([]);
    await installThings(cluster, signal);

    const dry = await apply(thing('one', { size: 1 }), true);
    expect(dry.outcome).toBe('created');
    expect(await list()).toEqual([]);

    const created = await apply(thing('one', { size: 1 }));
    expect(created).toMatchObject({
      outcome: 'created',
      refs: [
        {
          platform: 'things',
          kind: 'thing',
          namespace: 'default',
          name: 'one',
        },
      ],
    });
    expect((await apply(thing('one', { size: 1 }))).outcome).toBe('unchanged');
    expect((await apply(thing('one', { size: 1 }), true)).outcome).toBe(
      'unchanged',
    );
    expect((await apply(thing('one', { size: 2 }), true)).outcome).toBe(
      'configured',
    );
    const changed = await apply(thing('one', { size: 2 }));
    expect(changed.outcome).toBe('configured');
    expect(changed.version).not.toBe(created.version);

    const [declared] = await list();
    expect(declared).toMatchObject({
      document: { spec: { size: 2 }, help: null, helpers: [] },
      version: changed.version,
      origin: {
        source: 'kubernetes/test/customResources',
        type: 'customResource',
        cluster: 'test',
        kind: 'Thing',
      },
    });
    const read = await source.get(declared.origin, declared.ref, { signal });
    expect(read).toEqual({ found: true, declared });

    const nudged = await source.nudge(declared, {
      signal,
      requestedAt: '2026-12-01T00:00:00Z',
    });
    expect(nudged.message).toBe(
      'asked its controller to look at Thing default/one again',
    );
    const [after] = await list();
    expect(after.origin.annotations).toEqual({
      'drift.plumbline/requested-at': '2026-12-01T00:00:00Z',
    });
  });

  it('keeps long integers', async () => {
    await apply(thing('big', { size: 9007199254740993n }));
    const all = await list();
    const big = all.find(one => one.ref.name === 'big');
    expect(at(big?.document, 'spec', 'size')).toBe(9007199254740993n);
  });

  it('looks up helpers in the listing and freshly', async () => {
    await apply({
      ...thing('first-aid', { text: 'press here' }),
      kind: 'Helper',
    });
    await apply(thing('helped', { helper: 'first-aid' }));
    const listed = (await list()).find(one => one.ref.name === 'helped')!;
    expect(at(listed.document, 'help')).toBe('press here');
    const read = await source.get(listed.origin, listed.ref, { signal });
    expect(read).toMatchObject({
      found: true,
      declared: { document: { help: 'press here' } },
    });
  });

  it('lists helpers from the listing and freshly, of one namespace', async () => {
    const helper = (name: string, namespace: string) => ({
      ...thing(name, {}),
      kind: 'Helper',
      metadata: { name, namespace },
    });
    await apply(helper('far', 'kube-system'));
    await apply(helper('near', 'default'));
    await apply(thing('served', { helpersOf: 'kube-system' }));
    const listed = (await list()).find(one => one.ref.name === 'served')!;
    expect(at(listed.document, 'helpers')).toEqual(['far']);
    const read = await source.get(listed.origin, listed.ref, { signal });
    expect(read).toMatchObject({
      found: true,
      declared: { document: { helpers: ['far'] } },
    });

    const namespaced = new CustomResourceSource(cluster, context, {
      namespaces: ['default'],
      logger: mockServices.logger.mock(),
    });
    // Outside of what was listed it is read by itself, and does not look empty.
    const again = (await list(namespaced)).find(
      one => one.ref.name === 'served',
    );
    expect(at(again?.document, 'helpers')).toEqual(['far']);
  });

  it('says with authority that a declaration is gone', async () => {
    const { refs, origin } = await apply(thing('short-lived', {}));
    await cluster.connection.send({
      method: 'DELETE',
      path: `${THINGS}/short-lived`,
      signal,
      priority: 'pass',
    });
    expect(await source.get(origin, refs[0], { signal })).toEqual({
      found: false,
    });
  });

  it('fails as a whole rather than leave out what cannot be mapped', async () => {
    await cluster.connection.send({
      method: 'POST',
      path: THINGS,
      body: thing('broken', { broken: true }),
      signal,
      priority: 'pass',
    });
    await expect(list()).rejects.toMatchObject({
      classification: 'invalid',
      message:
        'Things cannot make anything of Thing default/broken in cluster test: this thing is broken',
    });
    await cluster.connection.send({
      method: 'DELETE',
      path: `${THINGS}/broken`,
      signal,
      priority: 'pass',
    });
  });

  it('applies nothing but what a mapper knows, and names what is missing', async () => {
    await expect(
      apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } }),
    ).rejects.toMatchObject({
      classification: 'invalid',
      message: expect.stringContaining('only these can be applied'),
    });
    await expect(
      apply({ ...thing('x', {}), metadata: {} }),
    ).rejects.toMatchObject({
      message: 'the manifest has no metadata.name: give the resource a name',
    });
    await expect(
      apply({ ...thing('x', {}), metadata: { name: 'x' } }),
    ).rejects.toMatchObject({
      message: expect.stringContaining('needs a namespace'),
    });
    await expect(
      apply({ ...thing('x', {}), metadata: { name: 'x', namespace: 'no' } }),
    ).rejects.toMatchObject({ classification: 'denied' });
  });

  it('does not take a field from another manager', async () => {
    await apply(thing('contended', { size: 1 }));
    await expect(
      source.apply(thing('contended', { size: 2 }), {
        signal,
        dryRun: false,
        fieldManager: 'somebody-else',
      }),
    ).rejects.toMatchObject({
      classification: 'conflict',
      managerConflict: true,
    });
  });

  it('names what changed while it watches, and asks for a listing where it cannot', async () => {
    const controller = new AbortController();
    const changed = new Set<string>();
    const seen = Promise.withResolvers<void>();
    const relist = Promise.withResolvers<void>();
    const watching = source.watch({
      signal: controller.signal,
      onChange: items => {
        items.forEach(item => changed.add(item.ref.name));
        if (changed.has('watched')) {
          seen.resolve();
        }
      },
      onRelist: () => relist.resolve(),
    });
    // The watch may start after the first write; a later one is seen in any case.
    for (let size = 0; !changed.has('watched'); size++) {
      await apply(thing('watched', { size }));
    }
    await seen.promise;
    await cluster.connection.send({
      method: 'DELETE',
      path: `${THINGS}/watched`,
      signal,
      priority: 'pass',
    });
    await relist.promise;
    controller.abort();
    await watching;
    expect([...changed]).toContain('watched');
  });
});
