// The client library that the product uses cannot tell the servers apart.
import {
  ApiException,
  CoreV1Api,
  CustomObjectsApi,
  KubernetesObject,
  KubernetesObjectApi,
  PatchStrategy,
  VersionApi,
  Watch,
} from '@kubernetes/client-node';
import { Use, configMap, useNamespace } from './use';

export function clientContract(use: Use) {
  const namespace = useNamespace(use);
  const kubeconfig = () => use.server().kubeconfig;
  const named = (name: string, data: { [key: string]: string }) =>
    ({
      ...configMap(name, data),
      metadata: { name, namespace: namespace() },
    } as KubernetesObject & { metadata: { name: string } });

  it('reads, writes and lists by typed calls', async () => {
    const core = kubeconfig().makeApiClient(CoreV1Api);
    const created = await core.createNamespacedConfigMap({
      namespace: namespace(),
      body: { metadata: { name: 'typed' }, data: { a: '1' } },
    });
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const list = await core.listNamespacedConfigMap({
      namespace: namespace(),
      fieldSelector: 'metadata.name=typed',
    });
    expect(list.items.map(item => item.data)).toEqual([{ a: '1' }]);
    const version = await kubeconfig().makeApiClient(VersionApi).getCode();
    expect(version.major).toBe('1');
  });

  it('finds kinds by discovery, and applies objects', async () => {
    const objects = KubernetesObjectApi.makeApiClient(kubeconfig());
    const applied = await objects.patch(
      named('applied', { a: '1' }),
      undefined,
      undefined,
      'client',
      undefined,
      PatchStrategy.ServerSideApply,
    );
    expect(applied.metadata?.managedFields?.[0]).toMatchObject({
      manager: 'client',
      operation: 'Apply',
    });
    const read = await objects.read(named('applied', {}));
    expect(read).toMatchObject({ data: { a: '1' } });
    await expect(
      objects.patch(
        named('applied', { a: '2' }),
        undefined,
        undefined,
        'other',
        undefined,
        PatchStrategy.ServerSideApply,
      ),
    ).rejects.toMatchObject({ code: 409 });
    await objects.delete(named('applied', {}));
  });

  it('throws errors with the code and the Status', async () => {
    const core = kubeconfig().makeApiClient(CoreV1Api);
    const failed = await core
      .readNamespacedConfigMap({ name: 'absent', namespace: namespace() })
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ApiException);
    expect(failed).toMatchObject({
      code: 404,
      body: expect.stringContaining('"reason":"NotFound"'),
    });
  });

  it('lists kinds that it has no type for', async () => {
    const custom = kubeconfig().makeApiClient(CustomObjectsApi);
    const list = await custom.listClusterCustomObject({
      group: 'apiextensions.k8s.io',
      version: 'v1',
      plural: 'customresourcedefinitions',
      limit: 1,
    });
    expect(list).toMatchObject({ kind: 'CustomResourceDefinitionList' });
  });

  it('watches', async () => {
    const core = kubeconfig().makeApiClient(CoreV1Api);
    const list = await core.listNamespacedConfigMap({ namespace: namespace() });
    const events: string[] = [];
    await new Promise<void>((resolve, reject) => {
      let abort = () => {};
      new Watch(kubeconfig())
        .watch(
          `/api/v1/namespaces/${namespace()}/configmaps`,
          {
            resourceVersion: list.metadata?.resourceVersion,
            allowWatchBookmarks: true,
            timeoutSeconds: 30,
          },
          (type, object) => {
            if (type !== 'BOOKMARK') {
              events.push(`${type} ${object.metadata.name}`);
            }
            if (type === 'DELETED') {
              abort();
              resolve();
            }
          },
          error => (error ? reject(error) : resolve()),
        )
        .then(async controller => {
          abort = () => controller.abort();
          await core.createNamespacedConfigMap({
            namespace: namespace(),
            body: { metadata: { name: 'watched' } },
          });
          await core.deleteNamespacedConfigMap({
            name: 'watched',
            namespace: namespace(),
          });
        })
        .catch(reject);
    });
    expect(events).toEqual(['ADDED watched', 'DELETED watched']);
  });
}
