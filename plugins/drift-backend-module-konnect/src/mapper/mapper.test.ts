import {
  type DeclaredResource,
  PlatformError,
} from '@plumbline/backstage-plugin-drift-node';
import type { Json, JsonObject } from '@plumbline/drift-engine';
import {
  anySignal,
  startHarness,
  type Harness,
} from '../__testUtils__/harness';
import {
  contextOf,
  CP_ID,
  mapperFor,
  object,
  partsFor,
} from '../__testUtils__/objects';

const UID = '7c1f0f9e-6c52-4d2a-9a55-0d5f6f3b1c01';
const KONNECT_ID = '2d1f0f9e-6c52-4d2a-9a55-0d5f6f3b1c02';

const controlPlane = object('KonnectGatewayControlPlane', 'prod', {
  apiVersion: 'konnect.konghq.com/v1alpha2',
  spec: { createControlPlaneRequest: { name: 'prod' } },
  status: { id: CP_ID },
});
const controlPlaneRef = {
  type: 'konnectNamespacedRef',
  konnectNamespacedRef: { name: 'prod' },
};
const service = object('KongService', 'orders', {
  spec: { name: 'orders', host: 'orders.internal', controlPlaneRef },
});

async function mapOne(
  mapped: JsonObject,
  others: JsonObject[] = [controlPlane, service],
): Promise<DeclaredResource> {
  const all = await mapperFor().map(mapped, contextOf(mapped, others));
  expect(all).toHaveLength(1);
  return all[0];
}

const reasons = (declared: DeclaredResource) =>
  (declared.problems ?? []).map(({ reason }) => reason);

describe('KonnectMapper', () => {
  it('maps a KongService: its fields, its identity and where it comes from', async () => {
    const mapped = object('KongService', 'orders', {
      metadata: { uid: UID, resourceVersion: '42' },
      spec: {
        name: 'orders',
        url: 'https://orders.internal/v1',
        retries: 3,
        tags: ['gold'],
        some_field_of_tomorrow: { a: 1 },
        controlPlaneRef,
      },
    });
    expect(await mapOne(mapped)).toEqual({
      ref: {
        platform: 'konnect/prod',
        kind: 'services',
        namespace: 'shop',
        name: 'orders',
      },
      document: {
        name: 'orders',
        url: 'https://orders.internal/v1',
        retries: 3,
        tags: ['gold'],
        some_field_of_tomorrow: { a: 1 },
      },
      version: '42',
      origin: expect.objectContaining({ kind: 'KongService', name: 'orders' }),
      locators: [`id:${UID}`, `mark:k8s-uid:${UID}`, 'name:orders'],
      mark: { key: 'k8s-uid', value: UID },
      deterministicId: UID,
    });
  });

  it('follows a route through its service to the control plane', async () => {
    const declared = await mapOne(
      object('KongRoute', 'orders', {
        metadata: { uid: UID },
        spec: {
          paths: ['/orders'],
          serviceRef: {
            type: 'namespacedRef',
            namespacedRef: { name: 'orders' },
          },
        },
      }),
    );
    const parent = {
      platform: 'konnect/prod',
      kind: 'services',
      namespace: 'shop',
      name: 'orders',
    };
    expect(declared).toMatchObject({
      ref: { platform: 'konnect/prod', kind: 'routes' },
      document: { paths: ['/orders'] },
      references: [{ path: '/service/id', ref: parent }],
      parent,
      deterministicId: UID,
    });
    expect(declared.document).not.toHaveProperty('serviceRef');
    expect(declared.problems).toBeUndefined();
  });

  it('maps a route without a service', async () => {
    const declared = await mapOne(
      object('KongRoute', 'orders', {
        spec: { paths: ['/x'], controlPlaneRef },
      }),
    );
    expect(declared.references).toBeUndefined();
    expect(declared.document).toEqual({ paths: ['/x'] });
  });

  it('says that a service is missing instead of dropping the route', async () => {
    const route = object('KongRoute', 'orders', {
      spec: {
        paths: ['/x'],
        serviceRef: { type: 'namespacedRef', namespacedRef: { name: 'gone' } },
      },
    });
    const declared = await mapOne(route, [controlPlane]);
    expect(reasons(declared)).toEqual(['DanglingReference']);
    expect(declared.problems?.[0].message).toContain('KongService shop/gone');
  });

  it('maps a target under its upstream, with the port that Kong adds', async () => {
    const upstream = object('KongUpstream', 'orders', {
      spec: { name: 'orders.shop', controlPlaneRef },
    });
    const target = object('KongTarget', 'orders-1', {
      spec: {
        target: '10.0.0.1',
        weight: 50,
        upstreamRef: { name: 'orders' },
      },
    });
    expect(await mapOne(target, [controlPlane, upstream])).toMatchObject({
      document: { target: '10.0.0.1:8000', weight: 50 },
      locators: expect.arrayContaining(['name:orders.shop/10.0.0.1:8000']),
      references: [{ path: '/upstream/id' }],
      parent: { kind: 'upstreams', name: 'orders' },
    });
  });

  it('maps a consumer with its memberships by the names that Konnect knows', async () => {
    const consumer = object('KongConsumer', 'alice', {
      apiVersion: 'configuration.konghq.com/v1',
      username: 'alice',
      custom_id: '77',
      credentials: ['secret-of-the-ingress-controller'],
      consumerGroups: ['gold-group', 'nowhere'],
      spec: { controlPlaneRef, tags: ['vip'] },
    });
    const group = object('KongConsumerGroup', 'gold-group', {
      apiVersion: 'configuration.konghq.com/v1beta1',
      metadata: { resourceVersion: '9' },
      spec: { name: 'gold', controlPlaneRef },
    });
    const declared = await mapOne(consumer, [controlPlane, group]);
    expect(declared.document).toEqual({
      username: 'alice',
      custom_id: '77',
      tags: ['vip'],
      groups: ['gold'],
    });
    expect(declared.locators).toEqual(
      expect.arrayContaining(['name:alice', 'name:custom_id=77']),
    );
    expect(declared.version).toMatch(/\+9$/);
    expect(reasons(declared)).toEqual(['DanglingReference']);
  });

  it('leaves memberships undeclared where none are declared', async () => {
    const declared = await mapOne(
      object('KongConsumer', 'alice', {
        apiVersion: 'configuration.konghq.com/v1',
        username: 'alice',
        spec: { controlPlaneRef },
      }),
    );
    expect(declared.document).toEqual({ username: 'alice' });
  });

  describe('plugins', () => {
    const plugin = object('KongPlugin', 'limit', {
      apiVersion: 'configuration.konghq.com/v1',
      metadata: { resourceVersion: '7' },
      plugin: 'rate-limiting',
      config: { minute: 5, policy: 'local' },
      tags: ['from-plugin'],
    });
    const binding = (spec: JsonObject) =>
      object('KongPluginBinding', 'orders-limit', {
        metadata: { resourceVersion: '3' },
        spec: { pluginRef: { name: 'limit' }, controlPlaneRef, ...spec },
      });
    const serviceRef = {
      name: 'orders',
      kind: 'KongService',
      group: 'configuration.konghq.com',
    };

    it('puts a binding and its plugin together', async () => {
      const declared = await mapOne(
        binding({ targets: { serviceRef }, tags: ['from-binding'] }),
        [controlPlane, service, plugin],
      );
      expect(declared).toMatchObject({
        ref: { kind: 'plugins', name: 'orders-limit' },
        document: {
          name: 'rate-limiting',
          enabled: true,
          config: { minute: 5, policy: 'local' },
          tags: ['from-binding', 'from-plugin'],
        },
        version: '3+7',
        references: [{ path: '/service/id', ref: { name: 'orders' } }],
        parent: { kind: 'services', name: 'orders' },
      });
    });

    it('inherits from the most particular target', async () => {
      const route = object('KongRoute', 'r', { spec: {} });
      const declared = await mapOne(
        binding({
          targets: {
            serviceRef,
            routeRef: { ...serviceRef, name: 'r', kind: 'KongRoute' },
          },
        }),
        [controlPlane, service, plugin, route],
      );
      expect(declared.parent?.kind).toBe('routes');
      expect(declared.references).toHaveLength(2);
    });

    it('maps a global plugin', async () => {
      const declared = await mapOne(
        binding({ scope: 'GlobalInControlPlane' }),
        [controlPlane, plugin],
      );
      expect(declared.references).toBeUndefined();
      expect(declared.problems).toBeUndefined();
    });

    it.each([
      ['no target', {}, [plugin], 'MissingField'],
      [
        'a plugin that is not there',
        { targets: { serviceRef } },
        [],
        'DanglingReference',
      ],
      [
        'a target that Konnect does not know',
        {
          targets: {
            serviceRef: { ...serviceRef, kind: 'Service', group: '' },
          },
        },
        [plugin],
        'UnsupportedReference',
      ],
      [
        'a target that is not there',
        { targets: { consumerRef: { name: 'nobody' } } },
        [plugin],
        'DanglingReference',
      ],
      [
        'configuration in a Secret',
        { targets: { serviceRef } },
        [{ ...plugin, configFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
        'SecretNotReadable',
      ],
      [
        'a value in a Secret',
        { targets: { serviceRef } },
        [
          {
            ...plugin,
            configPatches: [
              {
                path: '/redis/password',
                valueFrom: { secretKeyRef: { name: 's', key: 'k' } },
              },
            ],
          },
        ],
        'SecretNotReadable',
      ],
    ])('says what is wrong: %s', async (_what, spec, others, reason) => {
      const declared = await mapOne(binding(spec as JsonObject), [
        controlPlane,
        service,
        ...(others as JsonObject[]),
      ]);
      expect(reasons(declared)).toEqual([reason]);
    });
  });

  describe('identity', () => {
    const spec = { host: 'x', controlPlaneRef };

    it('takes the id that the operator wrote down, unless it is of another control plane', async () => {
      const status = (controlPlaneID: string) => ({
        metadata: { uid: UID },
        spec,
        status: { konnect: { id: KONNECT_ID, controlPlaneID } },
      });
      const ours = await mapOne(object('KongService', 'a', status(CP_ID)));
      expect(ours.deterministicId).toBe(KONNECT_ID);
      expect(ours.locators[0]).toBe(`id:${KONNECT_ID}`);
      const other = await mapOne(
        object('KongService', 'a', status(KONNECT_ID)),
      );
      expect(other.deterministicId).toBe(UID);
      expect(other.locators).not.toContain(`id:${KONNECT_ID}`);
    });

    it('takes an id that is declared', async () => {
      const declared = await mapOne(
        object('KongService', 'a', { spec: { ...spec, id: KONNECT_ID } }),
      );
      expect(declared.deterministicId).toBe(KONNECT_ID);
      expect(declared.document).toEqual({ host: 'x' });
    });

    it('looks for an entity to adopt by its id only', async () => {
      const declared = await mapOne(
        object('KongService', 'a', {
          metadata: { uid: UID },
          spec: {
            ...spec,
            name: 'orders',
            adopt: { from: 'konnect', konnect: { id: KONNECT_ID } },
          },
        }),
      );
      expect(declared.deterministicId).toBeUndefined();
      expect(declared.locators).toEqual([
        `id:${KONNECT_ID}`,
        `adopt:${KONNECT_ID}`,
        `mark:k8s-uid:${UID}`,
      ]);
    });

    it('needs something to tell a nameless one from others', async () => {
      const declared = await mapOne(
        object('KongService', 'a', { metadata: { uid: undefined }, spec }),
      );
      expect(reasons(declared)).toEqual(['NoIdentity']);
    });

    it('refuses more tags than Konnect takes beside the mark', async () => {
      const tags = Array.from({ length: 20 }, (_, index) => `tag-${index}`);
      const declared = await mapOne(
        object('KongService', 'a', { spec: { ...spec, tags } }),
      );
      expect(reasons(declared)).toEqual(['TooManyTags']);
    });

    it('reads tags from the annotation too', async () => {
      const declared = await mapOne(
        object('KongService', 'a', {
          metadata: { annotations: { 'konghq.com/tags': 'gold, silver' } },
          spec: { ...spec, tags: ['gold'] },
        }),
      );
      expect(declared.document).toMatchObject({ tags: ['gold', 'silver'] });
    });

    it('knows what is being deleted and what is a mirror', async () => {
      const declared = await mapOne(
        object('KongService', 'a', {
          metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
          spec: { ...spec, source: 'Mirror' },
        }),
      );
      expect(declared).toMatchObject({
        deleting: true,
        readOnly: expect.stringContaining('mirror'),
      });
    });
  });

  describe('the operator beside us', () => {
    const withCondition = (condition: JsonObject) =>
      mapOne(
        object('KongService', 'a', {
          metadata: { finalizers: ['gateway.konghq.com/konnect-cleanup'] },
          spec: { host: 'x', controlPlaneRef },
          status: { conditions: [{ type: 'Programmed', ...condition }] },
        }),
      );

    it('is seen by a condition that it wrote, also when it fails', async () => {
      for (const status of ['True', 'False']) {
        const declared = await withCondition({
          status,
          reason: 'Something',
          lastTransitionTime: '2025-05-05T05:05:05Z',
        });
        expect(declared.controller).toEqual({
          name: 'kong-operator',
          evidence: expect.stringContaining(`Programmed=${status}`),
        });
      }
    });

    it('says of a generation that it has brought it to Konnect', async () => {
      const upToDate = async (status: string, observedGeneration?: number) => {
        const declared = await mapOne(
          object('KongService', 'a', {
            metadata: { generation: 3 },
            spec: { host: 'x', controlPlaneRef },
            status: {
              conditions: [
                {
                  ...{ type: 'Programmed', status, reason: 'Something' },
                  ...(observedGeneration && { observedGeneration }),
                  lastTransitionTime: '2025-05-05T05:05:05Z',
                },
              ],
            },
          }),
        );
        expect(declared.controller).toMatchObject({ name: 'kong-operator' });
        return declared.controller?.upToDate;
      };
      expect(await upToDate('True', 3)).toBe(true);
      expect(await upToDate('True', 2)).toBeUndefined();
      expect(await upToDate('False', 3)).toBeUndefined();
      expect(await upToDate('True')).toBeUndefined();
    });

    it('is not seen in what the custom resource definition fills in, nor in a finalizer alone', async () => {
      const declared = await withCondition({
        status: 'Unknown',
        reason: 'Pending',
        lastTransitionTime: '1970-01-01T00:00:00Z',
      });
      expect(declared.controller).toBeUndefined();
    });
  });

  describe('which control plane', () => {
    const map = (mapped: Json, others: JsonObject[]) =>
      mapperFor().map(mapped, contextOf(mapped, others));

    it('is none of ours where the status has another id', async () => {
      const other = { ...controlPlane, status: { id: UID } };
      expect(await map(service, [other])).toEqual([]);
    });

    it('is told by the name where the status has no id yet', async () => {
      const { mapper } = partsFor({ controlPlaneName: 'prod' });
      const named = (name: string) =>
        object('KonnectGatewayControlPlane', 'prod', {
          apiVersion: 'konnect.konghq.com/v1alpha2',
          spec: { createControlPlaneRequest: { name } },
        });
      for (const [name, count] of [
        ['prod', 1],
        ['other', 0],
      ] as const) {
        const context = contextOf(service, [named(name)]);
        expect(await mapper.map(service, context)).toHaveLength(count);
      }
    });

    it('is a question where two could be meant', async () => {
      const { mapper } = partsFor(
        { controlPlaneName: 'prod' },
        { controlPlaneName: 'prod', serverUrl: 'us.api.example.com' },
      );
      const bare = object('KonnectGatewayControlPlane', 'prod', {
        apiVersion: 'konnect.konghq.com/v1alpha2',
        spec: { createControlPlaneRequest: { name: 'prod' } },
      });
      const [declared] = await mapper.map(service, contextOf(service, [bare]));
      expect(reasons(declared)).toEqual(['AmbiguousControlPlane']);
      const located = { ...bare, status: { serverURL: 'us.api.example.com' } };
      const [known] = await mapper.map(service, contextOf(service, [located]));
      expect(known.problems).toBeUndefined();
      expect(known.ref.platform).toBe('konnect/cp1');
    });

    it('is none where the resource is the ingress controller’s, or no resource at all', async () => {
      const kic = object('KongConsumer', 'alice', {
        apiVersion: 'configuration.konghq.com/v1',
        username: 'alice',
      });
      expect(await map(kic, [])).toEqual([]);
      for (const junk of [null, 1, 'x', [], {}, { kind: 'KongService' }]) {
        expect(await map(junk as Json, [])).toEqual([]);
      }
    });

    it('stays known by the operator’s status when the chain of references breaks', async () => {
      const declared = await mapOne(
        object('KongService', 'a', {
          spec: { host: 'x', controlPlaneRef },
          status: { konnect: { controlPlaneID: CP_ID } },
        }),
        [],
      );
      expect(reasons(declared)).toEqual(['DanglingReference']);
    });

    it('crosses into another namespace only where a grant allows it', async () => {
      const far = object('KonnectGatewayControlPlane', 'prod', {
        apiVersion: 'konnect.konghq.com/v1alpha2',
        metadata: { namespace: 'kong' },
        status: { id: CP_ID },
      });
      const crossing = object('KongService', 'a', {
        spec: {
          host: 'x',
          controlPlaneRef: {
            type: 'konnectNamespacedRef',
            konnectNamespacedRef: { name: 'prod', namespace: 'kong' },
          },
        },
      });
      const grant = (kind: string) =>
        object('KongReferenceGrant', 'g', {
          metadata: { namespace: 'kong' },
          spec: {
            from: [
              {
                group: 'configuration.konghq.com',
                kind,
                namespace: 'shop',
              },
            ],
            to: [
              {
                group: 'konnect.konghq.com',
                kind: 'KonnectGatewayControlPlane',
              },
            ],
          },
        });
      const granted = await mapOne(crossing, [far, grant('KongService')]);
      expect(granted.problems).toBeUndefined();
      const other = await mapOne(crossing, [far, grant('KongRoute')]);
      expect(reasons(other)).toEqual(['ReferenceNotGranted']);
      const without = await mapOne(crossing, [far]);
      expect(reasons(without)).toEqual(['ReferenceNotGranted']);
      const denied = new PlatformError('denied', 'may not list grants');
      const blind = {
        ...contextOf(crossing, [far, grant('KongService')]),
        list: async () => Promise.reject(denied),
      };
      await expect(mapperFor().map(crossing, blind)).rejects.toBe(denied);
    });
  });

  describe('with a platform behind it', () => {
    let harness: Harness;
    beforeEach(async () => {
      harness = await startHarness();
    });
    afterEach(() => harness.close());

    it('learns the id of a control plane that is configured by name', async () => {
      const parts = partsFor({
        serverUrl: harness.url,
        controlPlaneName: 'prod',
      });
      const known = {
        ...controlPlane,
        status: { id: harness.controlPlaneId },
      };
      const context = contextOf(service, [known]);
      // Before the platform has started, nothing can be said: and that is no "none of ours".
      await expect(parts.mapper.map(service, context)).rejects.toMatchObject({
        classification: 'transient',
      });
      parts.platforms[0].create({
        gate: () => harness.gate,
        now: Date.now,
      });
      expect(await parts.mapper.map(service, context)).toHaveLength(1);
    });

    it('keeps what was declared for a control plane that is gone', async () => {
      const known = {
        ...controlPlane,
        status: { id: harness.controlPlaneId },
      };
      const context = contextOf(service, [known]);
      const create = async () => {
        const parts = partsFor({
          serverUrl: harness.url,
          controlPlaneName: 'prod',
        });
        const platform = parts.platforms[0].create({
          gate: () => harness.gate,
          now: Date.now,
        });
        return { ...parts, platform };
      };
      const before = await create();
      expect(await before.mapper.map(service, context)).toHaveLength(1);
      harness.sandbox.store.deleteControlPlane(harness.controlPlaneId, 'test');
      const health = await before.platform.health({ signal: anySignal() });
      expect(health).toMatchObject({ status: 'degraded' });
      expect(await before.mapper.map(service, context)).toHaveLength(1);
      // And after a restart.
      const after = await create();
      expect(await after.mapper.map(service, context)).toHaveLength(1);
    });
  });
});
