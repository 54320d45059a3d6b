/**
 * A process with both stand-ins: seeds them, keeps the journal, and edits on behalf of the driver. Orders come as messages.
 * Arguments: the journal's file, the number of replicas.
 */
import {
  createKonnectSandbox,
  createKubernetesSandbox,
  KONG_CRDS,
  KubeClient,
  type KubernetesSandboxOptions,
} from '@plumbline/drift-sandbox';
import { AsyncLocalStorage } from 'node:async_hooks';
import { closeSync, openSync, writeSync } from 'node:fs';
import {
  KONNECT_TOKEN,
  KUBERNETES_TOKEN,
  type Endpoints,
  type Order,
  type OrderAnswer,
} from './orders';
import type { ReadEntry, Side, WriteEntry } from './journal';
import {
  configMap,
  customResource,
  FIELDS,
  FIRST_VALUE,
  isNamed,
  NAMESPACE,
  PLANE,
  valueOf,
  type Thing,
} from './world';

const [journalFile, replicas] = process.argv.slice(2);
type Middleware = NonNullable<KubernetesSandboxOptions['middleware']>[number];

const DRIVER_TOKEN = 'driver';
const names = Array.from(
  { length: Number(replicas) },
  (_, n) => `replica-${n + 1}`,
);

const file = openSync(journalFile, 'w');
let seq = 0;
function note(
  entry: Omit<WriteEntry, 'seq' | 'at'> | Omit<ReadEntry, 'seq' | 'at'>,
) {
  seq += 1;
  writeSync(file, `${JSON.stringify({ seq, at: Date.now(), ...entry })}\n`);
}

/**
 * Replicas share one token, as those of one portal do; each has a port of its own on both stand-ins, by which it is known. Who asks is
 * known as long as its request is served.
 */
const replicaOf = new Map<number, string>();
const asking = new AsyncLocalStorage<string>();

const watchRequests =
  (side: Side): Middleware =>
  (request, _response, next) => {
    const by = replicaOf.get(request.socket.localPort ?? 0);
    if (!by) {
      next();
      return;
    }
    if (request.method === 'GET') {
      note({ type: 'read', side, by, path: request.url });
    }
    asking.run(by, next);
  };

// --- Konnect ---

let noted = 0;
const konnect = createKonnectSandbox({
  tokens: [{ token: KONNECT_TOKEN, principal: 'portal' }],
  onChange: () => {
    for (const entry of konnect.store.journal.entries(noted)) {
      noted = entry.sequence;
      const { action, collection, id, before, after } = entry;
      note({
        type: 'write',
        side: 'konnect',
        by: asking.getStore() ?? entry.by,
        action,
        collection,
        name: markedName(after ?? before) ?? id,
        id,
        before,
        after,
      });
    }
  },
  middleware: [watchRequests('konnect')],
});

function markedName(entity: unknown): string | undefined {
  const { tags } = (entity ?? {}) as { tags?: unknown };
  const tag =
    Array.isArray(tags) &&
    tags.find(item => String(item).startsWith('k8s-name:'));
  return tag ? String(tag).slice('k8s-name:'.length) : undefined;
}

// --- Kubernetes ---

const kubernetes = createKubernetesSandbox({
  tokens: {
    [KUBERNETES_TOKEN]: { user: 'portal', access: 'admin' },
    [DRIVER_TOKEN]: { user: 'driver', access: 'admin' },
  },
  middleware: [watchRequests('kubernetes')],
});
const ACTIONS = {
  ADDED: 'create',
  MODIFIED: 'update',
  DELETED: 'delete',
} as const;

kubernetes.store.subscribe(event => {
  const { collection, type, object, previous } = event;
  note({
    type: 'write',
    side: 'kubernetes',
    by: asking.getStore() ?? 'editor',
    action: ACTIONS[type],
    collection: collection.split('/')[1],
    name: object.metadata.name ?? '',
    id: object.metadata.uid ?? '',
    before: previous && withoutManagers(previous),
    after: type === 'DELETED' ? undefined : withoutManagers(object),
  });
});

function withoutManagers(object: { metadata: object }) {
  return { ...object, metadata: { ...object.metadata, managedFields: [] } };
}

// --- orders ---

let kube: KubeClient;
let planeId = '';

function ownershipTags(thing: Thing, uid: string): string[] {
  return [
    `k8s-uid:${uid}`,
    `k8s-kind:${thing.kind === 'service' ? 'KongService' : 'KongRoute'}`,
    `k8s-namespace:${NAMESPACE}`,
    `k8s-name:${thing.name}`,
    'k8s-group:configuration.konghq.com',
    'k8s-version:v1alpha1',
  ];
}

async function seed(things: Thing[]): Promise<void> {
  const plane = konnect.store.createControlPlane({ name: PLANE }, 'seed');
  if (!plane) throw new Error('The control plane is there already');
  planeId = plane.id;
  for (const crd of KONG_CRDS) await kube.create(crd, 'seed');
  await kube.create(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    'seed',
  );
  await kube.create(
    {
      apiVersion: 'konnect.konghq.com/v1alpha2',
      kind: 'KonnectGatewayControlPlane',
      metadata: { name: PLANE, namespace: NAMESPACE },
      spec: {
        createControlPlaneRequest: { name: PLANE },
        konnect: { authRef: { name: 'konnect' } },
      },
    },
    'seed',
  );
  for (const thing of things) {
    if (thing.kind === 'configMap') {
      await kube.apply(configMap(thing.name, FIRST_VALUE), 'seed');
      continue;
    }
    const stored = await kube.create(
      customResource(thing, FIRST_VALUE),
      'seed',
    );
    const { uid } = stored.metadata as { uid: string };
    const { name, service } = thing;
    const tags = ownershipTags(thing, uid);
    const [field] = FIELDS[thing.kind].declared;
    if (thing.kind === 'service') {
      konnect.store.create(
        planeId,
        'services',
        {
          ...{ id: uid, name, host: `${name}.${NAMESPACE}.svc`, port: 8080 },
          ...{ protocol: 'http', [field]: FIRST_VALUE, tags },
        },
        'seed',
      );
    } else {
      const parent = konnect.store.get(planeId, 'services', service ?? '');
      konnect.store.create(
        planeId,
        'routes',
        {
          ...{ id: uid, ...(isNamed(name) ? { name } : {}) },
          ...{ paths: [`/${name}`], service: { id: parent.id } },
          ...{ [field]: FIRST_VALUE, tags },
        },
        'seed',
      );
    }
  }
}

function entityOf({ kind, name }: Thing) {
  const collection = kind === 'service' ? 'services' : 'routes';
  const found = konnect.store
    .list(planeId, collection)
    .find(entity => markedName(entity) === name);
  return { collection, found } as const;
}

/** An edit on the live side, in one step: nothing else that was there changes. */
async function editLive(
  thing: Thing,
  path: string[],
  value: number | string | boolean,
): Promise<boolean> {
  if (thing.kind === 'configMap') {
    try {
      await kube.patch(
        await kube.kind('ConfigMap'),
        thing.name,
        NAMESPACE,
        { [path[0]]: { [path[1]]: value } },
        'kubectl-edit',
      );
    } catch (error) {
      if ((error as { status?: number }).status === 404) return false;
      throw error;
    }
    return true;
  }
  const { collection, found } = entityOf(thing);
  if (!found) return false;
  const { id, created_at: _c, updated_at: _u, ...rest } = found;
  konnect.store.upsert(
    planeId,
    collection,
    id,
    { ...rest, [path[0]]: value },
    'editor',
  );
  return true;
}

async function deleteLive(thing: Thing): Promise<boolean> {
  if (thing.kind === 'configMap') {
    try {
      await kube.remove(await kube.kind('ConfigMap'), thing.name, NAMESPACE);
    } catch (error) {
      if ((error as { status?: number }).status === 404) return false;
      throw error;
    }
    return true;
  }
  const { collection, found } = entityOf(thing);
  if (!found) return false;
  konnect.store.delete(planeId, collection, found.id, 'editor');
  return true;
}

const kindName = (thing: Thing) =>
  thing.kind === 'service' ? 'KongService' : 'KongRoute';

async function carryOut(order: Order): Promise<unknown> {
  switch (order.do) {
    case 'seed':
      return seed(order.things);
    case 'editLive':
      return editLive(order.thing, order.path, order.value);
    case 'deleteLive':
      return deleteLive(order.thing);
    case 'declare': {
      const { thing, value } = order;
      await kube.patch(
        await kube.kind(kindName(thing)),
        thing.name,
        NAMESPACE,
        {
          spec: {
            [FIELDS[thing.kind].declared[0]]: valueOf(thing.kind, value),
          },
        },
        'gitops',
      );
      return undefined;
    }
    case 'declareNew':
      await kube.create(customResource(order.thing, order.value), 'gitops');
      return undefined;
    case 'undeclare':
      await kube.remove(
        await kube.kind(kindName(order.thing)),
        order.thing.name,
        NAMESPACE,
      );
      return undefined;
    case 'look':
      return {
        service: konnect.store.list(planeId, 'services'),
        route: konnect.store.list(planeId, 'routes'),
        configMap: kubernetes.store.list('/configmaps'),
      };
    default:
      throw new Error(`Nobody knows how to ${JSON.stringify(order)}`);
  }
}

async function main() {
  const endpoints: Endpoints = {};
  for (const name of names) {
    const [konnectUrl, kubernetesUrl] = await Promise.all(
      [konnect, kubernetes].map(async server => {
        const { url } = await server.listen(0);
        replicaOf.set(Number(new URL(url).port), name);
        return url;
      }),
    );
    endpoints[name] = { konnect: konnectUrl, kubernetes: kubernetesUrl };
  }
  const { url } = await kubernetes.listen(0);
  kube = new KubeClient({ url, token: DRIVER_TOKEN });
  process.on('message', (message: { id: number; order: Order }) => {
    carryOut(message.order).then(
      value => answer({ id: message.id, value }),
      error => answer({ id: message.id, error: String(error) }),
    );
  });
  // whoever started it is gone
  process.on('disconnect', () => {
    closeSync(file);
    process.exit(0);
  });
  answer({ id: 0, value: endpoints });
}

function answer(message: OrderAnswer) {
  process.send?.(message);
}

main().catch(error => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
