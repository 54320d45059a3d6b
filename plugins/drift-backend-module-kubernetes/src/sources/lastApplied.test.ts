/* What kubectl last applied, as declarations. */
import type { DeclaredResource } from '@plumbline/backstage-plugin-drift-node';
import type { JsonObject } from '@plumbline/drift-engine';
import { staticAccess } from '../cluster/access';
import { Cluster } from '../cluster/cluster';
import { LAST_APPLIED } from '../constants';
import { parseKind } from '../gvk';
import { testContext } from '../__testUtils__/context';
import { describeOnServers, type TestServer } from '../__testUtils__/servers';
import { LastAppliedSource } from './lastApplied';

const signal = new AbortController().signal;

describeOnServers('LastAppliedSource', start => {
  let server: TestServer;
  let cluster: Cluster;
  let source: LastAppliedSource;

  beforeAll(async () => {
    server = await start();
    cluster = new Cluster(
      staticAccess(
        { name: 'test', title: 'Test', requestsPerMinute: 1000 },
        server.access,
      ),
      testContext(),
    );
    source = new LastAppliedSource(cluster, {
      kinds: [parseKind('v1/ConfigMap')!, parseKind('v1/Secret')!],
      namespaces: ['default'],
    });
  }, 90_000);

  afterAll(async () => server?.stop());

  async function create(
    plural: string,
    kind: string,
    name: string,
    annotation: string | undefined,
    more: JsonObject = {},
  ) {
    await cluster.connection.send({
      method: 'POST',
      path: `/api/v1/namespaces/default/${plural}`,
      body: {
        apiVersion: 'v1',
        kind,
        metadata: {
          name,
          annotations: annotation ? { [LAST_APPLIED]: annotation } : {},
        },
        ...more,
      },
      signal,
      priority: 'pass',
    });
  }

  async function list(): Promise<DeclaredResource[]> {
    const items: DeclaredResource[] = [];
    for await (const page of source.list({ signal })) {
      items.push(...page.items);
    }
    return items;
  }

  it('declares what the annotation says and nothing else', async () => {
    const applied = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { annotations: {}, name: 'applied' },
      data: { k: 'applied' },
    };
    await create(
      'configmaps',
      'ConfigMap',
      'applied',
      JSON.stringify(applied),
      {
        data: { k: 'edited' },
      },
    );
    await create('configmaps', 'ConfigMap', 'plain', undefined);
    await create('configmaps', 'ConfigMap', 'garbled', '{"data": "hunter2');
    await create(
      'secrets',
      'Secret',
      'hidden',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'hidden', namespace: 'default' },
        data: { pin: 'MTIzNA==' },
      }),
      { data: { pin: 'MTIzNA==' } },
    );
    const items = await list();
    expect(
      items.map(({ ref }) => `${ref.kind} ${ref.namespace}/${ref.name}`),
    ).toEqual([
      'v1/ConfigMap default/applied',
      'v1/ConfigMap default/garbled',
      'v1/Secret default/hidden',
    ]);
    const [first, garbled, hidden] = items;
    expect(first.document).toMatchObject({ data: { k: 'applied' } });
    expect(first.origin.annotations).toEqual({});
    expect(garbled.problems).toEqual([
      expect.objectContaining({
        reason: 'NotReadable',
        message: expect.not.stringContaining('hunter2'),
      }),
    ]);
    expect(JSON.stringify({ ...hidden, document: undefined })).not.toContain(
      'MTIzNA',
    );
    expect(await source.get(first.origin, first.ref, { signal })).toEqual({
      found: true,
      declared: first,
    });
  });
});
