/* The modules in a backend: where the clusters come from, and what each of them brings. */
import {
  createBackendModule,
  createBackendPlugin,
} from '@backstage/backend-plugin-api';
import { mockServices, startTestBackend } from '@backstage/backend-test-utils';
import kubernetesPlugin from '@backstage/plugin-kubernetes-backend';
import {
  kubernetesAuthStrategyExtensionPoint,
  kubernetesObjectsProviderExtensionPoint,
} from '@backstage/plugin-kubernetes-node';
import type { JsonObject } from '@backstage/types';
import {
  type DeclarationSource,
  driftDeclarationsExtensionPoint,
  driftPlatformsExtensionPoint,
  type DriftContext,
  type Platform,
} from '@plumbline/backstage-plugin-drift-node';
import { createKubernetesSandbox } from '@plumbline/drift-sandbox';
import kubernetesModules from './index';
import { testContext } from './__testUtils__/context';

type Create<T> = (context: DriftContext) => T | Promise<T>;
type Feature = Parameters<typeof startTestBackend>[0]['features'] extends
  | (infer F)[]
  | undefined
  ? F
  : never;

/** Starts a backend with a stand-in for the drift plugin; returns what was brought to it. */
async function start(data: JsonObject, features: Feature[]) {
  const platforms: Create<Platform>[] = [];
  const sources: Create<DeclarationSource>[] = [];
  const logger = mockServices.logger.mock();
  logger.child.mockReturnValue(logger);
  const drift = createBackendPlugin({
    pluginId: 'drift',
    register(env) {
      env.registerExtensionPoint(driftPlatformsExtensionPoint, {
        addPlatform: create => platforms.push(create),
      });
      env.registerExtensionPoint(driftDeclarationsExtensionPoint, {
        addDeclarationSource: create => sources.push(create),
        addCustomResourceMapper: () => {},
      });
      env.registerInit({ deps: {}, async init() {} });
    },
  });
  const backend = await startTestBackend({
    features: [
      drift,
      kubernetesModules,
      ...features,
      mockServices.rootConfig.factory({ data }),
      logger.factory,
    ],
  });
  const context = testContext();
  const made = {
    platforms: await Promise.all(platforms.map(create => create(context))),
    sources: await Promise.all(sources.map(create => create(context))),
  };
  await backend.stop();
  const logged = [...logger.info.mock.calls, ...logger.warn.mock.calls].map(
    ([message]) => message,
  );
  return { ...made, logged };
}

const ownCluster = (url: string) => ({
  drift: {
    kubernetes: {
      clusters: [{ name: 'own', url, serviceAccountToken: 'sandbox-admin' }],
      manifests: [
        { cluster: 'own', target: 'https://git.example/a.yaml' },
        { cluster: 'own', type: 'file', target: './deploy' },
      ],
      lastApplied: { enabled: true },
    },
  },
});

const pluginClusters = (url: string) => ({
  kubernetes: {
    serviceLocatorMethod: { type: 'multiTenant' },
    clusterLocatorMethods: [
      {
        type: 'config',
        clusters: [
          {
            name: 'theirs',
            title: 'Theirs',
            url,
            authProvider: 'serviceAccount',
            serviceAccountToken: 'sandbox-admin',
          },
          { name: 'personal', url, authProvider: 'google' },
          {
            name: 'own',
            url: 'https://elsewhere.example',
            authProvider: 'serviceAccount',
            serviceAccountToken: 'x',
          },
        ],
      },
    ],
  },
});

/** The plugin's own strategies load the client library with a dynamic import, which jest does not do. */
const strategies = createBackendModule({
  pluginId: 'kubernetes',
  moduleId: 'test-strategies',
  register(env) {
    env.registerInit({
      deps: { auth: kubernetesAuthStrategyExtensionPoint },
      async init({ auth }) {
        for (const provider of ['serviceAccount', 'google']) {
          auth.addAuthStrategy(provider, {
            getCredential: async cluster => ({
              type: 'bearer token',
              token: cluster.authMetadata.serviceAccountToken,
            }),
            validateCluster: () => [],
            presentAuthMetadata: () => ({}),
          });
        }
      },
    });
  },
});

describe('the Kubernetes modules', () => {
  let url: string;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ url, close } = await createKubernetesSandbox().listen());
  });

  afterAll(async () => close());

  it('bring the clusters of drift.kubernetes.clusters where the Kubernetes plugin is absent', async () => {
    const { platforms, sources, logged } = await start(ownCluster(url), []);
    expect(platforms.map(({ id }) => id)).toEqual(['kubernetes/own']);
    expect(sources.map(({ id }) => id)).toEqual([
      'kubernetes/own/customResources',
      expect.stringMatching(/^kubernetes\/own\/manifests\/[0-9a-f]{8}$/),
      expect.stringMatching(/^kubernetes\/own\/manifests\/[0-9a-f]{8}$/),
      'kubernetes/own/lastApplied',
    ]);
    expect(
      logged.filter(line => line.startsWith('Only the clusters of')),
    ).toEqual([
      'Only the clusters of drift.kubernetes.clusters are used: the Kubernetes plugin is not installed in this backend',
    ]);
    expect(
      await platforms[0].health({ signal: new AbortController().signal }),
    ).toEqual({ status: 'ok' });
  });

  it('take the clusters and the authentication of the Kubernetes plugin', async () => {
    const { platforms, logged } = await start(
      { ...ownCluster(url), ...pluginClusters(url) },
      [kubernetesPlugin, strategies],
    );
    expect(platforms.map(({ id, title }) => [id, title])).toEqual([
      ['kubernetes/own', 'own'],
      ['kubernetes/theirs', 'Theirs'],
    ]);
    expect(logged).toContainEqual(
      expect.stringContaining(
        'Cluster personal is left out: its authentication provider google needs the person who looks',
      ),
    );
    // Reaches the sandbox with the token that the plugin's strategy gives.
    const signal = new AbortController().signal;
    expect(await platforms[1].health({ signal })).toEqual({ status: 'ok' });
    const pages: number[] = [];
    for await (const page of platforms[1].sweep(
      { kinds: ['v1/Namespace'] },
      { signal },
    )) {
      pages.push(page.items.length);
    }
    expect(pages[0]).toBeGreaterThan(0);
  });

  it("leave somebody else's objects provider in its place, and say so", async () => {
    const theirs = createBackendModule({
      pluginId: 'kubernetes',
      moduleId: 'a-provider',
      register(env) {
        env.registerInit({
          deps: { objects: kubernetesObjectsProviderExtensionPoint },
          async init({ objects }) {
            objects.addObjectsProvider(({ getDefault }) => getDefault());
          },
        });
      },
    });
    const { platforms, logged } = await start(
      { ...ownCluster(url), ...pluginClusters(url) },
      [theirs, kubernetesPlugin],
    );
    expect(platforms.map(({ id }) => id)).toEqual(['kubernetes/own']);
    expect(logged).toContainEqual(
      expect.stringContaining(
        'another module provides the objects of the Kubernetes plugin',
      ),
    );
  });

  it('leave the Kubernetes plugin alone where they are told to', async () => {
    const data: JsonObject = {
      ...pluginClusters(url),
      drift: {
        kubernetes: {
          ...ownCluster(url).drift.kubernetes,
          useKubernetesPlugin: false,
        },
      },
    };
    const { platforms } = await start(data, [kubernetesPlugin]);
    expect(platforms.map(({ id }) => id)).toEqual(['kubernetes/own']);
  });

  it('stop the start with the key that is wrong', async () => {
    await expect(
      start({ drift: { kubernetes: { kinds: ['Deployment'] } } }, []),
    ).rejects.toThrow('drift.kubernetes.kinds[0]: "Deployment"');
  });
});
