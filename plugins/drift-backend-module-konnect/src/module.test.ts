import { mockServices, startTestBackend } from '@backstage/backend-test-utils';
import {
  driftDeclarationsExtensionPoint,
  driftPlatformsExtensionPoint,
  type CustomResourceMapper,
  type DriftContext,
  type DriftDeclarationsExtensionPoint,
  type DriftPlatformsExtensionPoint,
} from '@plumbline/backstage-plugin-drift-node';
import konnect from './index';
import { contextOf } from './__testUtils__/objects';
import { OpenGate, startHarness } from './__testUtils__/harness';

type CreatePlatform = Parameters<
  DriftPlatformsExtensionPoint['addPlatform']
>[0];

async function start(
  data: Parameters<typeof mockServices.rootConfig.factory>[0],
) {
  const platforms: CreatePlatform[] = [];
  const mappers: CustomResourceMapper[] = [];
  const declarations: DriftDeclarationsExtensionPoint = {
    addDeclarationSource: () => {
      throw new Error('Konnect declares nothing by itself');
    },
    addCustomResourceMapper: mapper => mappers.push(mapper),
  };
  const backend = await startTestBackend({
    extensionPoints: [
      [
        driftPlatformsExtensionPoint,
        {
          addPlatform: create => platforms.push(create),
        } satisfies DriftPlatformsExtensionPoint,
      ],
      [driftDeclarationsExtensionPoint, declarations],
    ],
    features: [konnect, mockServices.rootConfig.factory(data)],
  });
  await backend.stop();
  return { platforms, mappers };
}

const controlPlane = {
  id: 'prod',
  serverUrl: 'eu.api.example.com',
  controlPlaneId: '11111111-2222-4333-8444-555555555555',
  token: 'kpat_test',
  requestsPerMinute: 600,
};

/** As in Git: without a version of its own. */
const manifestFor = (id: string) => ({
  apiVersion: 'configuration.konghq.com/v1alpha1',
  kind: 'KongService',
  metadata: { name: 'orders', namespace: 'shop' },
  spec: {
    name: 'orders',
    host: 'x',
    controlPlaneRef: { type: 'konnectID', konnectID: id },
  },
});

describe('the module', () => {
  it('adds a platform for each control plane, and one mapper for all', async () => {
    const { platforms, mappers } = await start({
      data: {
        drift: {
          konnect: {
            controlPlanes: [
              controlPlane,
              { ...controlPlane, id: 'stage', serverUrl: 'us.api.example.com' },
            ],
          },
        },
      },
    });
    const asked: unknown[] = [];
    const context: DriftContext = {
      gate: platform => {
        asked.push(platform);
        return new OpenGate();
      },
      customResourceMappers: () => mappers,
      keyFor: purpose => `key for ${purpose}`,
      now: Date.now,
    };
    const created = await Promise.all(platforms.map(create => create(context)));
    expect(created.map(({ id, type }) => [id, type])).toEqual([
      ['konnect/prod', 'konnect'],
      ['konnect/stage', 'konnect'],
    ]);
    expect(asked[0]).toEqual({
      id: 'konnect/prod',
      budget: { requestsPerMinute: 600, reserve: expect.any(Number) },
    });
    expect(created[0].kinds).toEqual([
      'services',
      'upstreams',
      'consumer_groups',
      'routes',
      'targets',
      'consumers',
      'plugins',
    ]);
    expect(mappers.map(({ title }) => title)).toEqual(['Kong Konnect']);
    expect(
      mappers[0].resources.filter(({ auxiliary }) => !auxiliary),
    ).toHaveLength(13);
  });

  it('gives versions that stay when the token is rotated, under a key that is not known to others', async () => {
    const harness = await startHarness();
    try {
      harness.seed('services', { name: 'orders', host: 'x' });
      const version = async (token: string, key: string) => {
        const { platforms, mappers } = await start({
          data: {
            drift: {
              konnect: {
                controlPlanes: [
                  {
                    ...{ id: 'prod', serverUrl: harness.url, token },
                    controlPlaneId: harness.controlPlaneId,
                  },
                ],
              },
            },
          },
        });
        const platform = await platforms[0]({
          gate: () => new OpenGate(),
          customResourceMappers: () => [],
          keyFor: purpose => `${key} for ${purpose}`,
          now: Date.now,
        });
        const { signal } = new AbortController();
        for await (const { items } of platform.sweep(
          { kinds: ['services'] },
          { signal },
        )) {
          for (const live of items) {
            const manifest = manifestFor(harness.controlPlaneId);
            const [declared] = await mappers[0].map(
              manifest,
              contextOf(manifest, []),
            );
            return [live.version, declared.version];
          }
        }
        throw new Error('There is no service');
      };
      const first = await version('kpat_first', 'key');
      expect(await version('kpat_second', 'key')).toEqual(first);
      const others = await version('kpat_first', 'another key');
      expect(others[0]).not.toBe(first[0]);
      expect(others[1]).not.toBe(first[1]);
    } finally {
      await harness.close();
    }
  });

  it('adds nothing where nothing is configured', async () => {
    expect(await start({ data: {} })).toEqual({ platforms: [], mappers: [] });
  });

  it('does not start with a wrong configuration', async () => {
    await expect(
      start({
        data: {
          drift: {
            konnect: { controlPlanes: [{ ...controlPlane, pageSize: 5000 }] },
          },
        },
      }),
    ).rejects.toThrow('drift.konnect.controlPlanes[0].pageSize is 5000');
  });
});
