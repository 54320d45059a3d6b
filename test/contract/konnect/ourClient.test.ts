// The whole life of every kind through our own Konnect platform, with every request held against Kong's documents.
import { ConfigReader } from '@backstage/config';
import { createKonnectParts } from '@plumbline/backstage-plugin-drift-backend-module-konnect';
import type {
  DeclaredResource,
  LiveObject,
  LiveRead,
  Platform,
} from '@plumbline/backstage-plugin-drift-node';
import type { JsonObject } from '@plumbline/drift-engine';
import { createKonnectSandbox } from '@plumbline/drift-sandbox';
import {
  ExchangeRecorder,
  loadKonnectOpenApi,
  recordExchanges,
} from '../../src';

const api = loadKonnectOpenApi();
if (!api) {
  process.stderr.write(
    "LEFT OUT, Kong's OpenAPI documents are not present: requests of our client are not held against them\n",
  );
}

const { signal } = new AbortController();

const uid = (index: number) => `7c1f0f9e-6c52-4d2a-9a55-0d5f6f3b1c0${index}`;

/** One of each kind, parents first, and a field to change. */
const RESOURCES: {
  kind: string;
  document: JsonObject;
  changed: JsonObject;
  field: string;
}[] = [
  {
    kind: 'services',
    document: { name: 'orders', url: 'https://orders.internal:8443/v1' },
    changed: { name: 'orders', retries: 3 },
    field: '/retries',
  },
  {
    kind: 'upstreams',
    document: { name: 'orders.shop', tags: ['gold'] },
    changed: { name: 'orders.shop', slots: 100 },
    field: '/slots',
  },
  {
    kind: 'consumer_groups',
    document: { name: 'gold' },
    changed: { name: 'gold', tags: ['vip'] },
    field: '/tags',
  },
  {
    kind: 'routes',
    document: {
      name: 'orders',
      paths: ['/orders'],
      headers: { 'x-a': ['1'] },
      service: { id: uid(0) },
    },
    changed: { name: 'orders', paths: ['/orders', '/o'] },
    field: '/paths',
  },
  {
    kind: 'targets',
    document: { target: '10.0.0.1', weight: 50, upstream: { id: uid(1) } },
    changed: { target: '10.0.0.1', weight: 70, upstream: { id: uid(1) } },
    field: '/weight',
  },
  {
    kind: 'consumers',
    document: { username: 'alice', groups: ['gold'] },
    changed: { username: 'alice', custom_id: '77', groups: [] },
    field: '/custom_id',
  },
  {
    kind: 'plugins',
    document: {
      name: 'rate-limiting',
      enabled: true,
      config: { minute: 5 },
      service: { id: uid(0) },
    },
    changed: { name: 'rate-limiting', config: { minute: 6 } },
    field: '/config/minute',
  },
];

function declare(kind: string, document: JsonObject): DeclaredResource {
  const index = RESOURCES.findIndex(resource => resource.kind === kind);
  return {
    ref: { platform: 'konnect/prod', kind, namespace: 'shop', name: kind },
    document,
    version: '1',
    origin: {
      source: 'test',
      type: 'customResource',
      apiVersion: 'configuration.konghq.com/v1alpha1',
      kind: 'KongThing',
      namespace: 'shop',
      name: kind,
    },
    locators: [`id:${uid(index)}`],
    mark: { key: 'k8s-uid', value: uid(index) },
    deterministicId: uid(index),
  };
}

function liveOf(read: LiveRead): LiveObject {
  if (read.found !== true) throw new Error(JSON.stringify(read));
  return read.live;
}

describe('our Konnect platform', () => {
  let platform: Platform;
  let recorder: ExchangeRecorder;
  let close: () => Promise<void>;

  beforeEach(async () => {
    const sandbox = createKonnectSandbox();
    sandbox.store.createControlPlane({ name: 'prod' }, 'test');
    const server = await sandbox.listen();
    close = server.close;
    recorder = recordExchanges(api);
    const { platforms } = createKonnectParts(
      new ConfigReader({
        drift: {
          konnect: {
            controlPlanes: [
              {
                id: 'prod',
                serverUrl: server.url,
                controlPlaneName: 'prod',
                token: 'kpat_contract',
                pageSize: 1,
              },
            ],
          },
        },
      }),
    );
    platform = platforms[0].create({
      gate: () => ({
        run: (_options, request) => request(),
        observe: () => {},
      }),
      now: Date.now,
      fetch: recorder.fetch,
    });
  });
  afterEach(() => close());

  async function write(
    declared: DeclaredResource,
    live: LiveObject | null,
    fields: string[],
  ): Promise<string> {
    const { ref } = declared;
    const schema = await platform.schema(ref.kind, { signal, declared });
    const receipt = await platform.write(
      { ref, declared, live, fields, removals: [], kept: [], schema },
      { signal },
    );
    return receipt.key;
  }

  it("says nothing that Kong's documents do not allow, from the first lookup to the last removal", async () => {
    expect(RESOURCES.map(({ kind }) => kind)).toEqual(platform.kinds);
    for (const { kind, document, changed, field } of RESOURCES) {
      const declared = declare(kind, document);
      expect(await platform.find(declared, { signal })).toEqual({
        found: false,
      });
      const key = await write(declared, null, []);
      const live = liveOf(await platform.get(key, { signal }));
      await write(declare(kind, changed), live, [field, '/groups']);
      const after = liveOf(await platform.find(declared, { signal }));
      expect([kind, after.version]).not.toEqual([kind, live.version]);
    }
    let swept = 0;
    const pages = platform.sweep({ kinds: [...platform.kinds] }, { signal });
    for await (const { items } of pages) swept += items.length;
    expect(swept).toBe(RESOURCES.length);
    for (const { kind, document } of [...RESOURCES].reverse()) {
      const declared = declare(kind, document);
      const live = liveOf(await platform.find(declared, { signal }));
      await platform.remove({ ref: declared.ref, live }, { signal });
    }
    expect(await platform.health({ signal })).toEqual({ status: 'ok' });
    expect(recorder.exchanges.length).toBeGreaterThan(50);
    expect(
      recorder.exchanges.filter(
        ({ status }) => status >= 400 && status !== 404,
      ),
    ).toEqual([]);
    expect(recorder.violations).toEqual([]);
  });
});
