// What is wrong from the start: one drift of each kind that can be there before anybody has looked.
import { KubeClient } from '../clients/kubeClient';
import { isObject, JsonObject } from '../konnect/json';
import { Collection } from '../konnect/kinds';
import { KonnectStore } from '../konnect/store';
import { ASKING, ENFORCED, KONG_NAMESPACE } from './kongResources';

/** Makes the drifts on the Konnect side. */
export function driftKonnect(store: KonnectStore): void {
  const planeId = (name: string) => {
    const plane = store.controlPlanes().find(other => other.name === name);
    if (!plane) throw new Error(`The seed has no control plane ${name}`);
    return plane.id;
  };
  const prod = planeId(ENFORCED);
  const edge = planeId(ASKING);
  const edit = (
    plane: string,
    collection: Collection,
    test: (entity: JsonObject) => boolean,
    change: (entity: JsonObject) => JsonObject,
    by: string,
  ) => {
    const entity = store.list(plane, collection).find(test);
    if (!entity)
      throw new Error(`The seed has no such entity among the ${collection}`);
    const { id, created_at: _c, updated_at: _u, ...rest } = entity;
    store.upsert(plane, collection, id, { ...rest, ...change(entity) }, by);
  };
  const named = (name: string) => (entity: JsonObject) => entity.name === name;

  // A field edited by hand: declared 3.
  edit(
    prod,
    'services',
    named('orders'),
    () => ({ retries: 9 }),
    'ben@example.com',
  );
  // A field inside a plugin's configuration: declared true.
  edit(
    prod,
    'plugins',
    named('key-auth'),
    ({ config }) => ({
      config: { ...(isObject(config) ? config : {}), hide_credentials: false },
    }),
    'cleo@example.com',
  );
  // An entity deleted by hand.
  store.delete(prod, 'routes', 'checkout', 'ada@example.com');
  // A field that nobody declared: no drift, but shown.
  edit(
    prod,
    'services',
    named('catalog'),
    () => ({ connect_timeout: 15000 }),
    'ben@example.com',
  );
  // An entity that nobody declared.
  store.create(
    prod,
    'services',
    { name: 'legacy-import', host: 'import.old.example.com', retries: 0 },
    'dan@example.com',
  );
  // In the control plane that asks: declared 50.
  edit(
    edge,
    'targets',
    ({ target }) => target === '10.20.1.22:9200',
    () => ({ weight: 0 }),
    'eve@example.com',
  );
}

/** Makes the drifts on the cluster's side, and a declaration that is ahead of Konnect. */
export async function driftCluster(kube: KubeClient): Promise<void> {
  const edit = async (
    kindName: string,
    name: string,
    namespace: string,
    change: JsonObject,
    subresource?: 'scale',
  ) => {
    const kind = await kube.kind(kindName);
    const manager = subresource ? 'horizontal-pod-autoscaler' : 'kubectl-edit';
    await kube.patch(kind, name, namespace, change, manager, subresource);
  };
  const remove = async (kindName: string, name: string, namespace: string) =>
    kube.remove(await kube.kind(kindName), name, namespace);

  // The declaration moved on (Konnect has 60000), and nobody has brought it there.
  await edit('KongService', 'storefront-web', KONG_NAMESPACE, {
    spec: { read_timeout: 30000 },
  });
  // The declaration is gone, its entity in Konnect is not.
  await remove('KongRoute', 'orders-legacy', KONG_NAMESPACE);
  // A value edited by hand: declared 4.
  await edit('ConfigMap', 'notifications-config', 'platform', {
    data: { RETRY_LIMIT: '9' },
  });
  // A value edited by hand in what kubectl once applied.
  await edit('ConfigMap', 'checkout-flags', 'shop', {
    data: { 'gift-cards': 'on' },
  });
  // An object deleted by hand.
  await remove('Service', 'identity', 'platform');
  // The autoscaler at work: declared 2, and not ours to put back.
  await edit(
    'Deployment',
    'search',
    'shop',
    { spec: { replicas: 4 } },
    'scale',
  );
}
