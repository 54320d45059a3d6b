/* The platform against API servers: what it reads, writes, refuses and reports. */
import { mockServices } from '@backstage/backend-test-utils';
import {
  at,
  isObject,
  listAt,
  textAt,
} from '@plumbline/backstage-plugin-drift-node';
import type { LiveObject } from '@plumbline/backstage-plugin-drift-node';
import {
  evaluate,
  type Json,
  type JsonObject,
  normalise,
  type ResourceSchema,
} from '@plumbline/drift-engine';
import { staticAccess } from '../cluster/access';
import { Cluster } from '../cluster/cluster';
import { FIELD_MANAGER } from '../constants';
import { parseKind } from '../gvk';
import { testContext } from '../__testUtils__/context';
import { declaredFrom, planOf } from '../__testUtils__/plan';
import { describeOnServers, type TestServer } from '../__testUtils__/servers';
import { installThings, thing } from '../__testUtils__/things';
import { KubernetesPlatform } from './platform';

const signal = new AbortController().signal;
const NAMESPACE = 'plumb';

function deployment(name: string, image: string, extra: JsonObject = {}) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE, labels: { app: name } },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            { name: 'app', image, ports: [{ containerPort: 8080 }] },
          ],
        },
      },
      ...extra,
    },
  } satisfies JsonObject;
}

function configMap(name: string, data: JsonObject): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: NAMESPACE },
    data,
  };
}

function podTemplate(name: string, container: JsonObject): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'app', image: 'app:1', ...container }] },
      },
    },
  };
}

function podWith(spec: JsonObject): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'pod', namespace: NAMESPACE },
    spec: { containers: [{ name: 'app', image: 'app:1' }], ...spec },
  };
}

function stateOf(
  document: Json,
  side: 'declared' | 'live',
  schema: ResourceSchema,
) {
  return normalise(document, {
    schema,
    side,
    secretDigest: value => `digest of ${value.length}`,
    ourManager: FIELD_MANAGER,
  });
}

describeOnServers('KubernetesPlatform', start => {
  let server: TestServer;
  let cluster: Cluster;
  let platform: KubernetesPlatform;

  beforeAll(async () => {
    server = await start();
    const context = testContext();
    cluster = new Cluster(
      staticAccess(
        { name: 'test', title: 'Test', requestsPerMinute: 1000 },
        server.access,
      ),
      context,
    );
    platform = new KubernetesPlatform(
      cluster,
      {
        kinds: ['v1/ConfigMap', 'apps/v1/Deployment'].map(
          kind => parseKind(kind)!,
        ),
        logger: mockServices.logger.mock(),
      },
      context,
    );
    await send('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: NAMESPACE },
    });
  }, 90_000);

  afterAll(async () => server?.stop());

  function send(
    method: 'POST' | 'PATCH' | 'GET' | 'DELETE',
    path: string,
    body?: JsonObject,
    contentType?: string,
    query?: Record<string, string>,
  ) {
    return cluster.connection.send({
      method,
      path,
      body,
      contentType,
      query,
      signal,
      priority: 'pass',
    });
  }

  async function live(key: string): Promise<LiveObject> {
    const read = await platform.get(key, { signal });
    if (read.found !== true) {
      throw new Error(`${key} is not there`);
    }
    return read.live;
  }

  async function create(document: JsonObject) {
    const declared = declaredFrom(platform.id, document);
    const schema = await platform.schema(declared.ref.kind, { signal });
    const receipt = await platform.write(planOf(declared, null, schema), {
      signal,
    });
    return { declared, schema, receipt };
  }

  it('creates, finds, reads and removes an object', async () => {
    const { declared, receipt } = await create(deployment('first', 'app:1'));
    expect(receipt.key).toBe('apps/v1/Deployment/plumb/first');
    const found = await platform.find(declared, { signal });
    expect(found.found).toBe(true);
    const object = await live(receipt.key);
    expect(object.id).toBe(receipt.id);
    expect(object.changedBy).toBe('plumbline');
    expect(object.marks).toEqual([
      expect.objectContaining({
        key: 'drift.plumbline/declared-by',
        value: 'test',
      }),
    ]);
    await platform.remove({ ref: declared.ref, live: object }, { signal });
    expect(await platform.find(declared, { signal })).toEqual({ found: false });
  });

  it('puts back only the planned field and leaves undeclared ones alone', async () => {
    const { declared, schema, receipt } = await create(
      deployment('second', 'app:1'),
    );
    await send(
      'PATCH',
      '/apis/apps/v1/namespaces/plumb/deployments/second',
      {
        metadata: { labels: { team: 'a' } },
        spec: {
          replicas: 3,
          template: {
            spec: {
              nodeSelector: { disk: 'ssd' },
              containers: [
                {
                  name: 'app',
                  image: 'app:2',
                  env: [{ name: 'A', value: '1' }],
                },
              ],
            },
          },
        },
      },
      'application/strategic-merge-patch+json',
      { fieldManager: 'somebody' },
    );
    const drifted = await live(receipt.key);
    await platform.write(
      planOf(declared, drifted, schema, {
        fields: ['/spec/template/spec/containers/[name=app]/image'],
      }),
      { signal },
    );
    const after = (await live(receipt.key)).document;
    expect(at(after, 'spec', 'replicas')).toBe(3);
    expect(textAt(after, 'metadata', 'labels', 'team')).toBe('a');
    expect(at(after, 'spec', 'template', 'spec', 'nodeSelector')).toEqual({
      disk: 'ssd',
    });
    expect(at(after, 'spec', 'template', 'spec', 'containers')).toEqual([
      expect.objectContaining({
        image: 'app:1',
        env: [{ name: 'A', value: '1' }],
        ports: [{ containerPort: 8080, protocol: 'TCP' }],
      }),
    ]);
  });

  it('reads as in sync what it has just written, and writes that again without a change', async () => {
    const { declared, schema, receipt } = await create(
      deployment('synced', 'app:1', { replicas: 2 }),
    );
    const first = await live(receipt.key);
    const evaluation = evaluate({
      schema,
      declared: stateOf(declared.document, 'declared', schema),
      live: stateOf(first.document, 'live', schema),
    });
    expect(evaluation.verdict).toBe('InSync');
    expect(evaluation.extras.filter(extra => !extra.isDefault)).toEqual([]);
    await platform.write(planOf(declared, first, schema), { signal });
    expect((await live(receipt.key)).version).toBe(first.version);
  });

  it('takes the parts of an atomic object from the plan and leaves the rest', async () => {
    const { declared, schema, receipt } = await create(
      podWith({ nodeSelector: { disk: 'ssd', zone: 'a' } }),
    );
    const changed = {
      ...declared,
      document: podWith({
        nodeSelector: { disk: 'ssd', zone: 'a' },
        containers: [{ name: 'app', image: 'app:2' }],
      }),
    };
    await platform.write(
      planOf(changed, await live(receipt.key), schema, {
        fields: ['/spec/containers/[name=app]/image'],
      }),
      { signal },
    );
    const { document } = await live(receipt.key);
    expect(at(document, 'spec', 'nodeSelector')).toEqual({
      disk: 'ssd',
      zone: 'a',
    });
    expect(at(document, 'spec', 'containers')).toEqual([
      expect.objectContaining({ image: 'app:2' }),
    ]);
  });

  it('sets and removes keys of a Secret that was declared in clear', async () => {
    const secret = (stringData: JsonObject): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'hidden', namespace: NAMESPACE },
      stringData,
    });
    const { schema, receipt } = await create(secret({ a: 'one', b: 'two' }));
    expect(at((await live(receipt.key)).document, 'data')).toEqual({
      a: 'b25l',
      b: 'dHdv',
    });
    await platform.write(
      planOf(
        declaredFrom(platform.id, secret({ a: 'three' })),
        await live(receipt.key),
        schema,
        { fields: ['/data/a'], removals: ['/data/b'] },
      ),
      { signal },
    );
    expect(at((await live(receipt.key)).document, 'data')).toEqual({
      a: 'dGhyZWU=',
    });
  });

  it('keeps a drifted field that must stay as it is', async () => {
    const { declared, schema, receipt } = await create(
      deployment('third', 'app:1', { replicas: 2 }),
    );
    await send(
      'PATCH',
      '/apis/apps/v1/namespaces/plumb/deployments/third',
      { spec: { replicas: 5, revisionHistoryLimit: 3 } },
      'application/merge-patch+json',
      { fieldManager: 'somebody' },
    );
    const drifted = await live(receipt.key);
    const changed = declaredFrom(platform.id, {
      ...deployment('third', 'app:2', { replicas: 2 }),
    });
    await platform.write(
      planOf(changed, drifted, schema, {
        fields: ['/spec/template/spec/containers/[name=app]/image'],
        kept: ['/spec/replicas'],
      }),
      { signal },
    );
    const after = (await live(receipt.key)).document;
    expect(at(after, 'spec', 'replicas')).toBe(5);
    expect(at(after, 'spec', 'revisionHistoryLimit')).toBe(3);
    expect(declared.ref).toEqual(changed.ref);
  });

  it('removes what it set and no longer declares, owned alone or with others', async () => {
    const { schema, receipt } = await create(
      configMap('fourth', { a: '1', b: '2', c: '3' }),
    );
    await send(
      'PATCH',
      '/api/v1/namespaces/plumb/configmaps/fourth',
      { data: { b: 'other', d: '4' } },
      'application/merge-patch+json',
      { fieldManager: 'somebody' },
    );
    const declared = declaredFrom(platform.id, configMap('fourth', { a: '1' }));
    const receipt2 = await platform.write(
      planOf(declared, await live(receipt.key), schema, {
        removals: ['/data/b'],
      }),
      { signal },
    );
    const after = (await live(receipt.key)).document;
    // `c` was ours as well and is not part of the plan: it stays.
    expect(at(after, 'data')).toEqual({ a: '1', c: '3', d: '4' });
    expect(receipt2.requests).toHaveLength(2);
  });

  it('removes an item of a list that it set and no longer declares', async () => {
    const withEnv = (...names: string[]) =>
      podTemplate('listed', {
        env: names.map(name => ({ name, value: 'ours' })),
      });
    const { schema, receipt } = await create(withEnv('A', 'B', 'C'));
    await send(
      'PATCH',
      '/apis/apps/v1/namespaces/plumb/deployments/listed',
      podTemplate('listed', {
        env: [
          { name: 'B', value: 'theirs' },
          { name: 'D', value: 'theirs' },
        ],
      }),
      'application/strategic-merge-patch+json',
      { fieldManager: 'somebody' },
    );
    const env = '/spec/template/spec/containers/[name=app]/env';
    await platform.write(
      planOf(
        declaredFrom(platform.id, withEnv('A')),
        await live(receipt.key),
        schema,
        { removals: [`${env}/[name=B]`, `${env}/[name=C]`] },
      ),
      { signal },
    );
    const after = (await live(receipt.key)).document;
    const [container] = listAt(
      after,
      ...'spec.template.spec.containers'.split('.'),
    );
    expect(
      listAt(container, 'env')
        .map(item => textAt(item, 'name'))
        .sort(),
    ).toEqual(['A', 'D']);
  });

  it('calls a field that the kind does not have invalid, or drops it as the server does', async () => {
    const { declared, schema, receipt } = await create({
      ...configMap('typo', { a: '1' }),
      dataa: { b: '2' },
    });
    const object = await live(receipt.key);
    expect(at(object.document, 'dataa')).toBeUndefined();
    const changed = { ...declared, document: configMap('typo', { a: 1 }) };
    await expect(
      platform.write(planOf(changed, object, schema, { fields: ['/data/a'] }), {
        signal,
      }),
    ).rejects.toMatchObject({ classification: 'invalid' });
  });

  it('takes the schema of a custom resource from its definition, and writes all its digits', async () => {
    await installThings(cluster, signal);
    const { schema, receipt } = await create(
      thing('measured', { size: 9007199254740993n, kept: { a: 1 } }),
    );
    expect(schema.partial).toBeUndefined();
    await send(
      'PATCH',
      '/apis/things.example.com/v1/namespaces/default/things/measured',
      { spec: { size: 9007199254740992n, kept: { b: 2 } } },
      'application/merge-patch+json',
      { fieldManager: 'somebody' },
    );
    const declared = declaredFrom(
      platform.id,
      thing('measured', { size: 9007199254740993n, kept: { a: 1 } }),
    );
    await platform.write(
      planOf(declared, await live(receipt.key), schema, {
        fields: ['/spec/size'],
      }),
      { signal },
    );
    expect(at((await live(receipt.key)).document, 'spec')).toEqual({
      size: 9007199254740993n,
      kept: { a: 1, b: 2 },
    });
  });

  it('changes fields that kubectl applied on the client side', async () => {
    const applied = JSON.stringify(configMap('fifth', { a: 'old', b: '2' }));
    await send(
      'POST',
      '/api/v1/namespaces/plumb/configmaps',
      {
        ...configMap('fifth', { a: 'old', b: '2' }),
        metadata: {
          name: 'fifth',
          namespace: NAMESPACE,
          annotations: {
            'kubectl.kubernetes.io/last-applied-configuration': applied,
          },
        },
      },
      undefined,
      { fieldManager: 'kubectl-client-side-apply' },
    );
    const declared = declaredFrom(
      platform.id,
      configMap('fifth', { a: 'new', b: '2' }),
    );
    const schema = await platform.schema('v1/ConfigMap', { signal });
    await platform.write(
      planOf(declared, await live('v1/ConfigMap/plumb/fifth'), schema, {
        fields: ['/data/a'],
      }),
      { signal },
    );
    const after = (await live('v1/ConfigMap/plumb/fifth')).document;
    expect(at(after, 'data')).toEqual({ a: 'new', b: '2' });
  });

  it('refuses to write over a change that it has not seen', async () => {
    const { declared, schema, receipt } = await create(
      configMap('sixth', { a: '1' }),
    );
    const seen = await live(receipt.key);
    await send(
      'PATCH',
      '/api/v1/namespaces/plumb/configmaps/sixth',
      { data: { a: 'theirs' } },
      'application/merge-patch+json',
    );
    await expect(
      platform.write(planOf(declared, seen, schema, { fields: ['/data/a'] }), {
        signal,
      }),
    ).rejects.toMatchObject({ classification: 'conflict', status: 409 });
    await send('DELETE', '/api/v1/namespaces/plumb/configmaps/sixth');
    await expect(
      platform.write(planOf(declared, seen, schema, { fields: ['/data/a'] }), {
        signal,
      }),
    ).rejects.toMatchObject({ classification: 'conflict' });
  });

  it('writes although the status moved since the plan was made', async () => {
    const { declared, schema, receipt } = await create(
      deployment('seventh', 'app:1'),
    );
    await send(
      'PATCH',
      '/apis/apps/v1/namespaces/plumb/deployments/seventh',
      { spec: { paused: true } },
      'application/merge-patch+json',
    );
    const seen = await live(receipt.key);
    await send(
      'PATCH',
      '/apis/apps/v1/namespaces/plumb/deployments/seventh/status',
      { status: { observedGeneration: 1 } },
      'application/merge-patch+json',
    );
    const changed = { ...declared, document: deployment('seventh', 'app:9') };
    const result = await platform.write(
      planOf(changed, seen, schema, {
        fields: ['/spec/template/spec/containers/[name=app]/image'],
      }),
      { signal },
    );
    expect(result.requests).toHaveLength(2);
  });

  it('does not create over an object that appeared in between', async () => {
    await create(configMap('eighth', { a: 'first' }));
    await send(
      'POST',
      '/api/v1/namespaces/plumb/configmaps',
      configMap('ninth', { a: 'theirs' }),
      undefined,
      { fieldManager: 'somebody' },
    );
    await expect(
      create(configMap('ninth', { a: 'ours' })),
    ).rejects.toMatchObject({
      classification: 'conflict',
      managerConflict: true,
    });
  });

  it('names a missing namespace', async () => {
    const document: JsonObject = configMap('lost', { a: '1' });
    document.metadata = { name: 'lost', namespace: 'nowhere' };
    await expect(create(document)).rejects.toMatchObject({
      classification: 'denied',
      message:
        'namespace nowhere does not exist in cluster test: create it first',
    });
  });

  it('tells an invalid document from a failing server, without its values', async () => {
    const document = deployment('bad', 'app:1', { replicas: -7 });
    await expect(create(document)).rejects.toMatchObject({
      classification: 'invalid',
      message: expect.not.stringContaining('-7'),
    });
  });

  it('answers a dry run without changing anything', async () => {
    const { declared, schema, receipt } = await create(
      configMap('tenth', { a: '1' }),
    );
    const seen = await live(receipt.key);
    const changed = { ...declared, document: configMap('tenth', { a: '2' }) };
    const plan = planOf(changed, seen, schema, { fields: ['/data/a'] });
    const result = await platform.dryRun(plan, { signal });
    expect('document' in result && at(result.document, 'data')).toEqual({
      a: '2',
    });
    expect((await live(receipt.key)).version).toBe(seen.version);
  });

  it('sweeps page by page and calls an unserved kind empty', async () => {
    const many = Array.from({ length: 20 }, (_, index) => `many-${index}`);
    await Promise.all(many.map(name => create(configMap(name, { a: '1' }))));
    const keys: string[] = [];
    const sweep = platform.sweep(
      {
        kinds: [
          'v1/ConfigMap',
          'autoscaling/v2/HorizontalPodAutoscaler',
          'nowhere.example/v1/Thing',
        ],
      },
      { signal },
    );
    for await (const page of sweep) {
      keys.push(...page.items.map(item => item.key));
    }
    expect(keys).toEqual(
      expect.arrayContaining(many.map(name => `v1/ConfigMap/plumb/${name}`)),
    );
    await expect(
      platform.get('nowhere.example/v1/Thing/plumb/x', { signal }),
    ).rejects.toMatchObject({ classification: 'gone' });
  });

  it('watches and names what changed', async () => {
    const controller = new AbortController();
    const changed: string[] = [];
    const seen = Promise.withResolvers<void>();
    const watching = platform.watch(
      { kinds: ['v1/ConfigMap'] },
      {
        signal: controller.signal,
        onRelist: () => {},
        onChange: changes => {
          changed.push(...changes.map(change => change.key));
          if (changed.includes('v1/ConfigMap/plumb/watched')) {
            seen.resolve();
          }
        },
      },
    );
    // The watch may start after the first write; a later one is seen in any case.
    let round = 0;
    const touch = async (): Promise<void> => {
      await send(
        'PATCH',
        '/api/v1/namespaces/plumb/configmaps/watched',
        configMap('watched', { round: String(round++) }),
        'application/apply-patch+yaml',
        { fieldManager: 'somebody', force: 'true' },
      );
      if (!changed.includes('v1/ConfigMap/plumb/watched')) {
        await touch();
      }
    };
    await touch();
    await seen.promise;
    controller.abort();
    await watching;
    expect(changed).toContain('v1/ConfigMap/plumb/watched');
  });

  it('watches further kinds from when they are swept or declared', async () => {
    const controller = new AbortController();
    let relists = 0;
    let onRelist = () => {};
    const seen = Promise.withResolvers<string>();
    const watching = platform.watch(
      { kinds: ['v1/ConfigMap'] },
      {
        signal: controller.signal,
        onRelist: () => {
          relists += 1;
          onRelist();
        },
        onChange: ([change]) => {
          if (change.key.startsWith('v1/Service/')) {
            seen.resolve(change.key);
          }
        },
      },
    );
    const relisted = (run: () => Promise<void>) =>
      new Promise<void>((resolve, reject) => {
        onRelist = resolve;
        run().catch(reject);
      });
    const sweep = async () => {
      const scope = { kinds: ['v1/ConfigMap', 'v1/Service'] };
      for await (const page of platform.sweep(scope, { signal })) {
        expect(page.items).toBeDefined();
      }
    };
    // What happened between the sweep's list and the watch's beginning is in the listing that it asks for.
    await relisted(sweep);
    await sweep();
    await create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'late', namespace: NAMESPACE },
      spec: { ports: [{ port: 80 }] },
    });
    expect(await seen.promise).toBe('v1/Service/plumb/late');
    await relisted(async () =>
      cluster.noteDeclaredKind(parseKind('batch/v1/Job')!),
    );
    expect(relists).toBe(2);
    controller.abort();
    await watching;
  });

  it('leaves a kind of its own choice out that it may not list, but none that was asked for', async () => {
    const logger = mockServices.logger.mock();
    const restricted = (kindsAreDefaults: boolean) => {
      const reader = new Cluster(
        staticAccess(
          { name: 'test', title: 'Test', requestsPerMinute: 1000 },
          { ...server.access, serviceAccountToken: server.readerToken },
        ),
        testContext(),
      );
      return new KubernetesPlatform(
        reader,
        { kinds: [parseKind('v1/ConfigMap')!], kindsAreDefaults, logger },
        testContext(),
      );
    };
    const sweep = async (one: KubernetesPlatform) => {
      const pages: unknown[] = [];
      for await (const page of one.sweep(
        { kinds: [...one.kinds] },
        { signal },
      )) {
        pages.push(page);
      }
      return pages;
    };
    const lenient = restricted(true);
    expect(await sweep(lenient)).toEqual([]);
    expect(await sweep(lenient)).toEqual([]);
    expect(logger.info).toHaveBeenCalledTimes(1);
    await expect(sweep(restricted(false))).rejects.toMatchObject({
      classification: 'denied',
    });
  });

  it('says what an account may not do', async () => {
    const reader = new Cluster(
      staticAccess(
        { name: 'test', title: 'Test', requestsPerMinute: 1000 },
        { ...server.access, serviceAccountToken: server.readerToken },
      ),
      testContext(),
    );
    const options = { signal, priority: 'pass' } as const;
    const read = reader.objects.get(
      { gvk: parseKind('v1/Secret')!, namespace: 'plumb', name: 'x' },
      options,
    );
    await expect(read).rejects.toMatchObject({
      classification: 'denied',
      status: 403,
    });
    const stranger = new Cluster(
      staticAccess(
        { name: 'test', title: 'Test', requestsPerMinute: 1000 },
        { ...server.access, serviceAccountToken: 'wrong' },
      ),
      testContext(),
    );
    await expect(
      stranger.objects.get(
        { gvk: parseKind('v1/ConfigMap')!, namespace: 'plumb', name: 'x' },
        options,
      ),
    ).rejects.toMatchObject({ classification: 'denied', status: 401 });
    expect(isObject((await live('v1/ConfigMap/plumb/many-1')).document)).toBe(
      true,
    );
  });
});
