/* Every wrong value of drift.kubernetes gives an error that names the key, the value and the remedy. */
import { ConfigReader } from '@backstage/config';
import type { JsonObject } from '@backstage/types';
import { checkClusterNames, readKubernetesConfig } from './config';
import { formatKind } from './gvk';

const read = (kubernetes: JsonObject) =>
  readKubernetesConfig(new ConfigReader({ drift: { kubernetes } }));

const cluster = (extra: JsonObject = {}) => ({
  clusters: [
    {
      name: 'prod',
      url: 'https://10.0.0.1:6443',
      serviceAccountToken: 'top-secret',
      ...extra,
    },
  ],
});

describe('readKubernetesConfig', () => {
  it('has defaults for everything', () => {
    const config = readKubernetesConfig(new ConfigReader({}));
    expect(config).toMatchObject({
      useKubernetesPlugin: true,
      clusters: [],
      manifests: [],
      lastApplied: undefined,
      customResources: {},
    });
    const kinds = config.kinds.map(formatKind);
    expect(kinds).toContain('apps/v1/Deployment');
    expect(kinds).not.toContain('v1/Secret');
  });

  it('reads what is right', () => {
    const config = read({
      ...cluster({ title: 'Production', requestsPerMinute: 60 }),
      kinds: ['v1/Secret'],
      namespaces: ['shop', 'shop'],
      manifests: [
        { cluster: 'prod', target: 'https://git.example/a.yaml' },
        { cluster: 'prod', type: 'file', target: 'deploy', namespace: 'shop' },
      ],
      lastApplied: { enabled: true, clusters: ['prod'], kinds: ['v1/Service'] },
    });
    expect(config.clusters).toEqual([
      expect.objectContaining({
        name: 'prod',
        title: 'Production',
        requestsPerMinute: 60,
      }),
    ]);
    expect(config.namespaces).toEqual(['shop']);
    expect(config.manifests[0]).toMatchObject({
      type: 'url',
      namespace: 'default',
    });
    expect(config.lastApplied?.kinds?.map(formatKind)).toEqual(['v1/Service']);
  });

  it.each<[string, JsonObject, string]>([
    [
      'a kind',
      { kinds: ['Deployment'] },
      'drift.kubernetes.kinds[0]: "Deployment"; write group/version/Kind such as apps/v1/Deployment',
    ],
    [
      'a kind of last applied',
      { lastApplied: { enabled: true, kinds: ['apps/Deployment'] } },
      'drift.kubernetes.lastApplied.kinds[0]: "apps/Deployment"',
    ],
    [
      'a namespace',
      { namespaces: ['Shop'] },
      'drift.kubernetes.namespaces[0]: "Shop"; a namespace has lower-case',
    ],
    [
      'no namespaces',
      { namespaces: [] },
      'drift.kubernetes.namespaces: []; leave the key out',
    ],
    [
      'a type of manifest',
      { manifests: [{ cluster: 'a', type: 'git', target: 'x' }] },
      `drift.kubernetes.manifests[0].type: "git"; use 'url' or 'file'`,
    ],
    [
      'a URL of a manifest',
      { manifests: [{ cluster: 'a', target: './x.yaml' }] },
      'drift.kubernetes.manifests[0].target: "./x.yaml"; write a full http(s) URL, or set type: file',
    ],
    [
      'a manifest twice',
      {
        manifests: [1, 2].map(() => ({
          cluster: 'a',
          target: 'https://x.example/a',
        })),
      },
      'drift.kubernetes.manifests[1].target: "https://x.example/a"; the same target is listed twice',
    ],
    [
      'a namespace of a manifest',
      {
        manifests: [
          { cluster: 'a', type: 'file', target: 'x', namespace: '-' },
        ],
      },
      'drift.kubernetes.manifests[0].namespace: "-"',
    ],
    [
      'a name',
      cluster({ name: 'a/b' }),
      'drift.kubernetes.clusters[0].name: "a/b"',
    ],
    [
      'two of a name',
      { clusters: [...cluster().clusters, ...cluster().clusters] },
      'drift.kubernetes.clusters[1].name: "prod"; another cluster has this name',
    ],
    [
      'an address',
      cluster({ url: '10.0.0.1' }),
      'drift.kubernetes.clusters[0].url: "10.0.0.1"; write the address',
    ],
    [
      'an address in clear',
      cluster({ url: 'http://10.0.0.1' }),
      'a token must not travel in clear',
    ],
    [
      'an address with a password',
      cluster({ url: 'https://me:hidden@10.0.0.1' }),
      'drift.kubernetes.clusters[0].url: an address with credentials',
    ],
    [
      'a budget',
      cluster({ requestsPerMinute: 0 }),
      'drift.kubernetes.clusters[0].requestsPerMinute: 0; use a number of at least 1',
    ],
    [
      'two tokens',
      cluster({ serviceAccountTokenFile: '/x' }),
      'serviceAccountToken and serviceAccountTokenFile are both set; remove one',
    ],
    [
      'two authorities',
      cluster({ caData: 'x', caFile: '/x' }),
      'caData and caFile are both set; remove one',
    ],
    [
      'an authority',
      cluster({ caData: 'certificate' }),
      'drift.kubernetes.clusters[0].caData: it must be the base64 of a PEM',
    ],
    [
      'no token',
      { clusters: [{ name: 'a', url: 'https://10.0.0.1' }] },
      'Missing configuration at drift.kubernetes.clusters[0]: set serviceAccountToken',
    ],
    [
      'no address',
      { clusters: [{ name: 'a' }] },
      'Missing configuration at drift.kubernetes.clusters[0]: set url, or kubeconfig',
    ],
    [
      'a kubeconfig and more',
      cluster({ kubeconfig: '/k' }),
      'a kubeconfig says everything itself: remove drift.kubernetes.clusters[0].url',
    ],
    [
      'a context alone',
      cluster({ context: 'c' }),
      'drift.kubernetes.clusters[0].context: "c"; a context needs a kubeconfig',
    ],
  ])('names %s that is wrong', (_what, kubernetes, message) => {
    expect(() => read(kubernetes)).toThrow(message);
    expect(() => read(kubernetes)).toThrow(
      expect.objectContaining({
        message: expect.not.stringMatching(/top-secret|hidden/),
      }),
    );
  });

  it.each<[JsonObject, string]>([
    [
      { manifests: [{ cluster: 'tset', type: 'file', target: 'x' }] },
      'drift.kubernetes.manifests[0].cluster: "tset"; no such cluster; known clusters: prod',
    ],
    [
      { lastApplied: { enabled: true, clusters: ['x'] } },
      'drift.kubernetes.lastApplied.clusters[0]: "x"',
    ],
    [
      { customResources: { clusters: ['x'] } },
      'drift.kubernetes.customResources.clusters[0]: "x"',
    ],
  ])('names a cluster that nobody knows: %j', (kubernetes, message) => {
    expect(() => checkClusterNames(read(kubernetes), ['prod'])).toThrow(
      message,
    );
  });
});
