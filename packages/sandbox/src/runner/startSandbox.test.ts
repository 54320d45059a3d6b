import { createMockDirectory } from '@backstage/backend-test-utils';
import { KonnectClient } from '../clients/konnectClient';
import { KubeClient } from '../clients/kubeClient';
import { Sandbox, startSandbox } from './startSandbox';

describe('startSandbox', () => {
  const directory = createMockDirectory();
  let sandbox: Sandbox;
  let lines: string[];

  const start = async (clean = false) => {
    lines = [];
    sandbox = await startSandbox({
      dataDir: directory.resolve('data'),
      ports: { konnect: 0, kubernetes: 0 },
      log: line => lines.push(line),
      now: () => Date.parse('2026-11-02T09:12:00Z'),
      clean,
    });
  };
  const konnect = () => new KonnectClient(sandbox.konnect);
  const kube = () => new KubeClient(sandbox.kubernetes);

  beforeEach(() => directory.clear());
  afterEach(() => sandbox.close());

  it('seeds both sides, with the drifts that can be there at first sight', async () => {
    await start();
    const planes = await konnect().controlPlanes();
    expect(planes.map(({ name }) => name)).toEqual([
      'prod-gateway',
      'edge-gateway',
    ]);
    const service = await konnect().find('prod-gateway', 'services', 'orders');
    const custom = await kube().get(
      await kube().kind('KongService'),
      'orders',
      'shop',
    );
    expect(service).toMatchObject({ retries: 9, read_timeout: 30000 });
    expect(custom).toMatchObject({
      metadata: { labels: { 'backstage.io/kubernetes-id': 'orders' } },
      spec: { retries: 3, read_timeout: 30000 },
      status: {
        conditions: [{ type: 'Programmed', status: 'True' }],
        konnect: { id: service.id, controlPlaneID: planes[0].id },
      },
    });
    const { uid } = custom.metadata as { uid: string };
    expect(service.tags).toEqual([
      'tier:1',
      'k8s-generation:1',
      'k8s-group:configuration.konghq.com',
      'k8s-kind:KongService',
      'k8s-name:orders',
      'k8s-namespace:shop',
      `k8s-uid:${uid}`,
      'k8s-version:v1alpha1',
      'managed-by:kong-operator',
    ]);
    await expect(
      konnect().find('prod-gateway', 'routes', 'checkout'),
    ).rejects.toThrow("no 'checkout' among the routes");
    const ahead = await kube().get(
      await kube().kind('KongService'),
      'storefront-web',
      'shop',
    );
    expect(ahead).toMatchObject({
      metadata: { generation: 2 },
      spec: { read_timeout: 30000 },
    });
  });

  it('has everything in sync when that is asked for', async () => {
    await start(true);
    const service = await konnect().find('prod-gateway', 'services', 'orders');
    expect(service.retries).toBe(3);
    const search = await kube().get(
      await kube().kind('deploy'),
      'search',
      'shop',
    );
    expect(search).toMatchObject({ spec: { replicas: 2 } });
  });

  it('has the same IDs in every new folder', async () => {
    await start();
    const first = await konnect().controlPlanes();
    await sandbox.close();
    directory.clear();
    await start();
    expect(await konnect().controlPlanes()).toEqual(first);
  });

  it('loses nothing in a restart', async () => {
    await start();
    const orders = await konnect().find('prod-gateway', 'services', 'orders');
    await konnect().replace('prod-gateway', 'services', {
      ...orders,
      retries: 7,
    });
    const kind = await kube().kind('configmap');
    await kube().patch(
      kind,
      'orders-config',
      'shop',
      { data: { NEW: 'x' } },
      'me',
    );
    const before = await kube().get(kind, 'orders-config', 'shop');
    await sandbox.close();
    await start();
    expect(lines.join()).not.toContain('seeded');
    const after = await konnect().find('prod-gateway', 'services', 'orders');
    expect(after).toMatchObject({ id: orders.id, retries: 7 });
    expect(await kube().get(kind, 'orders-config', 'shop')).toEqual(before);
  });

  it('goes back to the seed, and forgets faults and counts', async () => {
    await start();
    const orders = await konnect().find('prod-gateway', 'services', 'orders');
    await konnect().replace('prod-gateway', 'services', {
      ...orders,
      retries: 1,
    });
    sandbox.kubernetes.faults.add({ kind: 'drop' });
    const response = await fetch(`${sandbox.konnect.url}/sandbox/reset`, {
      method: 'POST',
    });
    expect(response.status).toBe(204);
    expect(sandbox.kubernetes.faults.list()).toEqual([]);
    expect(
      await konnect().find('prod-gateway', 'services', 'orders'),
    ).toMatchObject({
      id: orders.id,
      retries: 9,
    });
    expect(await kube().kind('KongRoute')).toMatchObject({
      plural: 'kongroutes',
    });
  });

  it('names the file that it cannot read', async () => {
    await start();
    await sandbox.close();
    directory.addContent({ 'data/konnect.json': '{' });
    await expect(start()).rejects.toThrow(
      /konnect\.json cannot be read .*: delete it/,
    );
  });
});
