// Which groups, versions and resources a server says it has.
import { Use } from './use';

interface Resource {
  name: string;
  kind: string;
  namespaced: boolean;
  verbs: string[];
  shortNames?: string[];
  group?: string;
}

export function discoveryContract({ server }: Use) {
  const read = async <T>(path: string): Promise<T> => {
    const { status, body } = await server().client.get(path);
    expect(status).toBe(200);
    return body as unknown as T;
  };

  it('tells its version', async () => {
    expect(await read('/version')).toMatchObject({
      major: '1',
      minor: expect.stringMatching(/^\d+\+?$/),
      gitVersion: expect.stringMatching(/^v1\.\d+\./),
    });
  });

  it('lists the core versions and the groups, the preferred version first', async () => {
    expect(await read('/api')).toMatchObject({
      kind: 'APIVersions',
      versions: ['v1'],
    });
    const { kind, groups } = await read<{
      kind: string;
      groups: { name: string; preferredVersion: object }[];
    }>('/apis');
    expect(kind).toBe('APIGroupList');
    expect(groups).toEqual(
      expect.arrayContaining(
        ['apps', 'batch', 'networking.k8s.io', 'rbac.authorization.k8s.io'].map(
          name =>
            expect.objectContaining({
              name,
              preferredVersion: { groupVersion: `${name}/v1`, version: 'v1' },
            }),
        ),
      ),
    );
    expect(await read('/apis/apps')).toMatchObject({
      kind: 'APIGroup',
      name: 'apps',
      versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
    });
  });

  it('lists resources with their verbs, short names and subresources', async () => {
    const core = await read<{ groupVersion: string; resources: Resource[] }>(
      '/api/v1',
    );
    expect(core.groupVersion).toBe('v1');
    const configMaps = core.resources.find(({ name }) => name === 'configmaps');
    expect(configMaps).toMatchObject({
      kind: 'ConfigMap',
      namespaced: true,
      shortNames: ['cm'],
    });
    expect([...(configMaps?.verbs ?? [])].sort()).toEqual([
      'create',
      'delete',
      'deletecollection',
      'get',
      'list',
      'patch',
      'update',
      'watch',
    ]);
    const apps = await read<{ groupVersion: string; resources: Resource[] }>(
      '/apis/apps/v1',
    );
    expect(apps.groupVersion).toBe('apps/v1');
    const names = apps.resources.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'deployments',
        'deployments/scale',
        'deployments/status',
        'statefulsets',
        'daemonsets',
      ]),
    );
    expect(
      apps.resources.find(({ name }) => name === 'deployments/scale'),
    ).toMatchObject({ kind: 'Scale', group: 'autoscaling' });
  });

  it('publishes schemas that say how lists are merged', async () => {
    const { text } = await server().client.get('/openapi/v2');
    const { definitions } = JSON.parse(text) as {
      definitions: {
        [name: string]: { properties: { [name: string]: object } };
      };
    };
    const { properties } = definitions['io.k8s.api.core.v1.ServiceSpec'];
    expect(properties.ports).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
    });
    expect(definitions['io.k8s.api.apps.v1.Deployment']).toMatchObject({
      'x-kubernetes-group-version-kind': [
        { group: 'apps', version: 'v1', kind: 'Deployment' },
      ],
    });
  });

  it('answers 404 where nothing is served', async () => {
    const { client } = server();
    for (const path of [
      '/api/v1/namespaces/default/gadgets',
      '/apis/nowhere.example.org/v1/gadgets',
      '/apis/apps/v9/deployments',
    ]) {
      expect((await client.get(path)).status).toBe(404);
    }
  });
}
