/** What an API server does to single kinds on their way into the store: allocations, derived fields, first states. */
import { JsonObject, at, child, equal, isObject, objects } from './json';
import { KubeObject } from './types';

/** What these steps need from outside. */
export interface SpecialContext {
  /** True where another service has this cluster address. */
  addressTaken: (address: string) => boolean;
  /** True where another service has this node port. */
  portTaken: (port: number) => boolean;
  random: () => number;
}

/** Folds `stringData` into `data`, base64 encoded; it wins over what `data` says. */
export function foldStringData(secret: JsonObject): void {
  const plain = secret.stringData;
  if (!isObject(plain)) {
    return;
  }
  delete secret.stringData;
  for (const [key, value] of Object.entries(plain)) {
    child(secret, 'data')[key] = Buffer.from(`${value ?? ''}`, 'utf8').toString(
      'base64',
    );
  }
}

/** Completes a new object of a built-in kind, in place. */
export function completeNew(object: KubeObject, context: SpecialContext): void {
  switch (object.kind) {
    case 'Namespace':
      completeNamespace(object);
      break;
    case 'Service':
      completeService(object, undefined, context);
      break;
    case 'Pod':
      completePod(object);
      break;
    case 'Job':
      completeJob(object);
      break;
    default:
  }
}

/** Completes an updated object of a built-in kind, in place. */
export function completeUpdate(
  object: KubeObject,
  live: KubeObject,
  context: SpecialContext,
): void {
  if (object.kind === 'Service') {
    completeService(object, live, context);
  } else if (object.kind === 'Namespace') {
    const finalizers = at(live, 'spec', 'finalizers');
    if (finalizers !== undefined) {
      child(object, 'spec').finalizers = finalizers;
    }
  }
}

function completeNamespace(object: KubeObject): void {
  child(object, 'spec').finalizers = ['kubernetes'];
  object.metadata.labels = {
    ...object.metadata.labels,
    'kubernetes.io/metadata.name': object.metadata.name ?? '',
  };
}

function completePod(object: KubeObject): void {
  const spec = child(object, 'spec');
  spec.priority ??= 0;
  spec.preemptionPolicy ??= 'PreemptLowerPriority';
  const tolerations = objects(spec.tolerations);
  for (const key of [
    'node.kubernetes.io/not-ready',
    'node.kubernetes.io/unreachable',
  ]) {
    if (!tolerations.some(toleration => toleration.key === key)) {
      tolerations.push({
        key,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      });
    }
  }
  spec.tolerations = tolerations;
  object.status = { phase: 'Pending', qosClass: qualityOfService(spec) };
}

function qualityOfService(spec: JsonObject): string {
  const containers = objects(spec.containers);
  const amounts = (kind: string) =>
    containers.map(item => at(item, 'resources', kind));
  const [limits, requests] = [amounts('limits'), amounts('requests')];
  if ([...limits, ...requests].every(item => item === undefined)) {
    return 'BestEffort';
  }
  const guaranteed = limits.every(
    (limit, index) =>
      isObject(limit) &&
      limit.cpu !== undefined &&
      limit.memory !== undefined &&
      equal(limit, requests[index]),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

function completeJob(object: KubeObject): void {
  const spec = child(object, 'spec');
  if (spec.manualSelector === true || !object.metadata.uid) {
    return;
  }
  const uid = object.metadata.uid;
  spec.selector = { matchLabels: { 'controller-uid': uid } };
  const labels = child(child(child(spec, 'template'), 'metadata'), 'labels');
  labels['controller-uid'] = uid;
  labels['job-name'] = object.metadata.name;
}

const NODE_PORTS = { from: 30000, count: 2768 };

function completeService(
  object: KubeObject,
  live: KubeObject | undefined,
  context: SpecialContext,
): void {
  const spec = child(object, 'spec');
  if (spec.type === 'ExternalName') {
    return;
  }
  const before = at(live, 'spec', 'clusterIP');
  if (spec.clusterIP === undefined || spec.clusterIP === '') {
    spec.clusterIP = before ?? freeAddress(context);
  }
  spec.clusterIPs ??= [spec.clusterIP];
  if (spec.type === 'ClusterIP') {
    return;
  }
  const oldPorts = objects(at(live, 'spec', 'ports'));
  for (const port of objects(spec.ports)) {
    if (!port.nodePort) {
      const old = oldPorts.find(
        item => item.port === port.port && item.protocol === port.protocol,
      );
      port.nodePort = old?.nodePort ?? freePort(context);
    }
  }
}

function freeAddress(context: SpecialContext): string {
  for (;;) {
    const part = () => Math.floor(context.random() * 254) + 1;
    const address = `10.96.${part()}.${part()}`;
    if (!context.addressTaken(address)) {
      return address;
    }
  }
}

function freePort(context: SpecialContext): number {
  for (;;) {
    const port =
      NODE_PORTS.from + Math.floor(context.random() * NODE_PORTS.count);
    if (!context.portTaken(port)) {
      return port;
    }
  }
}
