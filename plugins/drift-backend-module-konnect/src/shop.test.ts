// The demonstration shop as a whole: what is declared in the cluster against what is live in Konnect, by our own means.
import { ConfigReader } from '@backstage/config';
import { createMockDirectory } from '@backstage/backend-test-utils';
import { isObject } from '@plumbline/backstage-plugin-drift-node';
import type {
  DeclaredResource,
  LiveObject,
  Platform,
  WritePlan,
} from '@plumbline/backstage-plugin-drift-node';
import { compare, normalise, type Json } from '@plumbline/drift-engine';
import {
  KubeClient,
  startSandbox,
  type Sandbox,
} from '@plumbline/drift-sandbox';
import { OpenGate } from './__testUtils__/harness';
import { contextOf } from './__testUtils__/objects';
import { createKonnectParts } from './create';

const { signal } = new AbortController();
const secretDigest = () => 'digest';

describe('the demonstration shop', () => {
  const directory = createMockDirectory();
  let sandbox: Sandbox;
  let platforms: Platform[];
  let declared: DeclaredResource[];
  let live: Map<string, LiveObject>;
  let sweepRequests: number;

  async function start(clean: boolean) {
    directory.clear();
    sandbox = await startSandbox({
      dataDir: directory.resolve('data'),
      ports: { konnect: 0, kubernetes: 0 },
      clean,
    });
    const gate = new OpenGate();
    const parts = createKonnectParts(
      new ConfigReader({
        drift: {
          konnect: {
            controlPlanes: ['prod-gateway', 'edge-gateway'].map(name => ({
              id: name,
              serverUrl: sandbox.konnect.url,
              controlPlaneName: name,
              token: sandbox.konnect.token,
            })),
          },
        },
      }),
    );
    platforms = parts.platforms.map(({ create }) =>
      create({ gate: () => gate, now: Date.now }),
    );
    declared = await mapAll(parts.mapper);
    const before = gate.priorities.length;
    await sweep();
    sweepRequests = gate.priorities.length - before;
  }

  async function sweep() {
    live = new Map();
    for (const platform of platforms) {
      const scope = { kinds: [...platform.kinds] };
      for await (const { items } of platform.sweep(scope, { signal })) {
        for (const item of items) {
          for (const locator of item.locators) {
            live.set(`${platform.id} ${item.kind} ${locator}`, item);
          }
        }
      }
    }
  }

  async function mapAll(
    mapper: ReturnType<typeof createKonnectParts>['mapper'],
  ): Promise<DeclaredResource[]> {
    const kube = new KubeClient(sandbox.kubernetes);
    const known = await kube.kinds();
    const objects: Json[] = [];
    for (const { group, version, kind } of mapper.resources) {
      const info = known.find(
        other =>
          other.kind === kind && other.apiVersion === `${group}/${version}`,
      );
      if (info) {
        objects.push(...((await kube.list(info)) as Json[]));
      }
    }
    const all: DeclaredResource[] = [];
    for (const object of objects) {
      all.push(...(await mapper.map(object, contextOf(object, objects))));
    }
    return all;
  }

  const liveOf = ({ ref, locators }: DeclaredResource) =>
    locators
      .map(locator => live.get(`${ref.platform} ${ref.kind} ${locator}`))
      .find(found => found !== undefined);

  /** The declaration with the live ids of what it refers to, as the loop fills them in. */
  function filled(resource: DeclaredResource): DeclaredResource {
    const document = { ...(isObject(resource.document) && resource.document) };
    for (const { path, ref } of resource.references ?? []) {
      const target = declared.find(
        other =>
          other.ref.kind === ref.kind &&
          other.ref.name === ref.name &&
          other.ref.platform === ref.platform,
      );
      const id = target && liveOf(target)?.id;
      if (id) {
        document[path.split('/')[1]] = { id };
      }
    }
    return { ...resource, document };
  }

  function platformOf({ ref }: DeclaredResource): Platform {
    const platform = platforms.find(({ id }) => id === ref.platform);
    if (!platform) {
      throw new Error(`There is no platform ${ref.platform}`);
    }
    return platform;
  }

  /** Everything that the loop would plan to write. */
  async function plans(): Promise<WritePlan[]> {
    const all: WritePlan[] = [];
    for (const resource of declared.map(filled)) {
      const item = liveOf(resource);
      const schema = await platformOf(resource).schema(resource.ref.kind, {
        signal,
        declared: resource,
      });
      const state = (side: 'declared' | 'live', document: Json) =>
        normalise(document, { schema, side, secretDigest });
      const fields = item
        ? compare({
            schema,
            declared: state('declared', resource.document),
            live: state('live', item.document),
          }).changes.map(({ path }) => path)
        : [];
      if (!item || fields.length > 0) {
        all.push({
          ref: resource.ref,
          declared: resource,
          live: item ?? null,
          fields,
          removals: [],
          kept: [],
          schema,
        });
      }
    }
    return all;
  }

  async function differences(): Promise<string[]> {
    const found = (await plans()).flatMap(({ ref, live: item, fields }) =>
      (item ? fields : ['(missing)']).map(
        field => `${ref.kind} ${ref.name} ${field}`,
      ),
    );
    return found.sort();
  }

  afterEach(() => sandbox.close());

  it('is in sync where nobody has edited anything, whatever the defaults', async () => {
    await start(true);
    expect(declared.length).toBeGreaterThan(30);
    expect(declared.flatMap(({ problems }) => problems ?? [])).toEqual([]);
    expect(await differences()).toEqual([]);
    // One page for each of seven collections, and for the memberships one list for each group.
    const groups = declared.filter(({ ref }) => ref.kind === 'consumer_groups');
    expect(sweepRequests).toBe(2 * 7 + groups.length);
    expect(
      sandbox.konnect.sandbox.store.journal
        .entries()
        .filter(({ by }) => by !== 'kong-operator'),
    ).toEqual([]);
  });

  it('shows exactly the drifts that were made', async () => {
    await start(false);
    expect(await differences()).toEqual([
      'plugins payments-key-auth /config/hide_credentials',
      'routes checkout (missing)',
      'services orders /retries',
      'services storefront-web /read_timeout',
      'targets search-b /weight',
    ]);
    const owned = new Set(declared.map(({ mark }) => mark?.value));
    const orphans = [...new Set(live.values())].filter(({ marks }) =>
      marks.some(({ value }) => !owned.has(value)),
    );
    expect(orphans.map(({ marks }) => marks[0].description)).toEqual([
      'KongRoute shop/orders-legacy',
    ]);
  });

  it('comes back to what was declared, with one request for each drift, and is at rest then', async () => {
    await start(false);
    const { requests, store } = sandbox.konnect.sandbox;
    requests.reset();
    const planned = await plans();
    for (const plan of planned) {
      await platformOf(plan.declared).write(plan, { signal });
    }
    expect(requests.report().writes).toBe(planned.length);
    await sweep();
    expect(await differences()).toEqual([]);
    expect(await plans()).toEqual([]);
    // What nobody declared was left alone.
    const [prod] = store.controlPlanes();
    expect(store.find(prod.id, 'services', 'catalog')).toMatchObject({
      connect_timeout: 15000,
    });
    expect(store.find(prod.id, 'services', 'orders')).toMatchObject({
      retries: 3,
      read_timeout: 30000,
    });
    expect(store.find(prod.id, 'services', 'legacy-import')).toBeDefined();
  });
});
