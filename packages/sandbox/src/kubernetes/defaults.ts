/** The well-known defaults of built-in kinds, by definition, as an API server fills them in on every write. */
import { Json, JsonObject, at, child, isObject, objects, own } from './json';
import { Schema, reference, referenced, resolve } from './schema';

type Default = (object: JsonObject) => void;

/** Sets a field that is absent. */
function set(object: JsonObject, field: string, value: Json): void {
  if (
    object[field] === undefined ||
    object[field] === null ||
    object[field] === ''
  ) {
    object[field] = value;
  }
}

const fields =
  (values: { [field: string]: Json }): Default =>
  object =>
    Object.entries(values).forEach(([field, value]) =>
      set(object, field, structuredClone(value)),
    );

const fileMode = fields({ defaultMode: 420 });
const RBAC = 'rbac.authorization.k8s.io';

function container(object: JsonObject): void {
  const image = typeof object.image === 'string' ? object.image : '';
  const tag = /@|:([^/:]+)$/.exec(image);
  set(
    object,
    'imagePullPolicy',
    !tag || tag[1] === 'latest' ? 'Always' : 'IfNotPresent',
  );
  set(object, 'terminationMessagePath', '/dev/termination-log');
  set(object, 'terminationMessagePolicy', 'File');
}

function podSpec(object: JsonObject): void {
  fields({
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  })(object);
  if (typeof object.serviceAccountName === 'string') {
    set(object, 'serviceAccount', object.serviceAccountName);
  } else if (typeof object.serviceAccount === 'string') {
    set(object, 'serviceAccountName', object.serviceAccount);
  }
  if (object.hostNetwork === true) {
    for (const item of objects(object.containers)) {
      objects(item.ports).forEach(port => {
        if (port.containerPort !== undefined) {
          set(port, 'hostPort', port.containerPort);
        }
      });
    }
  }
}

function pod(object: JsonObject): void {
  const spec = child(object, 'spec');
  set(spec, 'enableServiceLinks', true);
  for (const item of [
    ...objects(spec.containers),
    ...objects(spec.initContainers),
  ]) {
    const limits = at(item, 'resources', 'limits');
    if (isObject(limits)) {
      const requests = child(child(item, 'resources'), 'requests');
      Object.entries(limits).forEach(([name, value]) =>
        set(requests, name, value ?? null),
      );
    }
  }
}

function namespace(object: JsonObject): void {
  const name = at(object, 'metadata', 'name');
  if (typeof name === 'string') {
    set(
      child(child(object, 'metadata'), 'labels'),
      'kubernetes.io/metadata.name',
      name,
    );
  }
}

function volume(object: JsonObject): void {
  if (Object.keys(object).every(key => key === 'name')) {
    object.emptyDir = {};
  }
}

function rollingUpdate(
  field: string,
  values: { [field: string]: Json },
): Default {
  return object => {
    const strategy = child(object, field);
    set(strategy, 'type', 'RollingUpdate');
    if (strategy.type === 'RollingUpdate') {
      fields(values)(child(strategy, 'rollingUpdate'));
    }
  };
}

function service(object: JsonObject): void {
  fields({ sessionAffinity: 'None', type: 'ClusterIP' })(object);
  if (object.sessionAffinity === 'ClientIP') {
    set(
      child(child(object, 'sessionAffinityConfig'), 'clientIP'),
      'timeoutSeconds',
      10800,
    );
  }
  if (object.type === 'NodePort' || object.type === 'LoadBalancer') {
    set(object, 'externalTrafficPolicy', 'Cluster');
  }
}

function servicePort(object: JsonObject): void {
  set(object, 'protocol', 'TCP');
  if (
    object.targetPort === undefined ||
    object.targetPort === 0 ||
    object.targetPort === ''
  ) {
    object.targetPort = object.port;
  }
}

function networkPolicy(object: JsonObject): void {
  const egress = Array.isArray(object.egress) && object.egress.length > 0;
  set(object, 'policyTypes', egress ? ['Ingress', 'Egress'] : ['Ingress']);
}

function job(object: JsonObject): void {
  if (object.completions === undefined && object.parallelism === undefined) {
    object.completions = 1;
  }
  fields({ parallelism: 1, backoffLimit: 6 })(object);
}

function roleRef(object: JsonObject): void {
  set(object, 'apiGroup', RBAC);
}

function subject(object: JsonObject): void {
  if (object.kind === 'User' || object.kind === 'Group') {
    set(object, 'apiGroup', RBAC);
  }
}

function autoscalerV2(object: JsonObject): void {
  set(object, 'minReplicas', 1);
  const target = { type: 'Utilization', averageUtilization: 80 };
  set(object, 'metrics', [
    { type: 'Resource', resource: { name: 'cpu', target } },
  ]);
}

const rules = (
  policies: Json[],
  stabilization: Json,
): { [field: string]: Json } => ({
  selectPolicy: 'Max',
  policies,
  ...(stabilization === null
    ? {}
    : { stabilizationWindowSeconds: stabilization }),
});

function autoscalerBehavior(object: JsonObject): void {
  const percent = { type: 'Percent', value: 100, periodSeconds: 15 };
  fields(rules([{ type: 'Pods', value: 4, periodSeconds: 15 }, percent], 0))(
    child(object, 'scaleUp'),
  );
  fields(rules([percent], null))(child(object, 'scaleDown'));
}

const replicaCount = fields({ replicas: 1 });
const history = fields({ revisionHistoryLimit: 10 });
const all =
  (...defaults: Default[]): Default =>
  object =>
    defaults.forEach(apply => apply(object));

const core = (name: string) => `io.k8s.api.core.v1.${name}`;
const apps = (name: string) => `io.k8s.api.apps.v1.${name}`;

const DEFAULTS: { [definition: string]: Default } = {
  [core('Container')]: container,
  [core('EphemeralContainer')]: container,
  [core('ContainerPort')]: fields({ protocol: 'TCP' }),
  [core('EndpointPort')]: fields({ protocol: 'TCP' }),
  [core('Probe')]: fields({
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  }),
  [core('HTTPGetAction')]: fields({ path: '/', scheme: 'HTTP' }),
  [core('ObjectFieldSelector')]: fields({ apiVersion: 'v1' }),
  [core('Volume')]: volume,
  [core('SecretVolumeSource')]: fileMode,
  [core('ConfigMapVolumeSource')]: fileMode,
  [core('DownwardAPIVolumeSource')]: fileMode,
  [core('ProjectedVolumeSource')]: fileMode,
  [core('HostPathVolumeSource')]: object => {
    object.type ??= '';
  },
  [core('ServiceAccountTokenProjection')]: fields({ expirationSeconds: 3600 }),
  [core('PodSpec')]: podSpec,
  [core('Pod')]: pod,
  [core('Secret')]: fields({ type: 'Opaque' }),
  [core('ServiceSpec')]: service,
  [core('ServicePort')]: servicePort,
  [core('Namespace')]: namespace,
  [core('NamespaceStatus')]: fields({ phase: 'Active' }),
  [core('PersistentVolumeClaimSpec')]: fields({ volumeMode: 'Filesystem' }),
  [core('PersistentVolumeClaimStatus')]: fields({ phase: 'Pending' }),
  [apps('DeploymentSpec')]: all(
    replicaCount,
    history,
    fields({ progressDeadlineSeconds: 600 }),
    rollingUpdate('strategy', { maxUnavailable: '25%', maxSurge: '25%' }),
  ),
  [apps('StatefulSetSpec')]: all(
    replicaCount,
    history,
    fields({ podManagementPolicy: 'OrderedReady' }),
    rollingUpdate('updateStrategy', { partition: 0 }),
  ),
  [apps('DaemonSetSpec')]: all(
    history,
    rollingUpdate('updateStrategy', { maxUnavailable: 1 }),
  ),
  [apps('ReplicaSetSpec')]: replicaCount,
  'io.k8s.api.batch.v1.JobSpec': job,
  'io.k8s.api.batch.v1.CronJobSpec': fields({
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  }),
  'io.k8s.api.networking.v1.NetworkPolicySpec': networkPolicy,
  'io.k8s.api.networking.v1.NetworkPolicyPort': fields({ protocol: 'TCP' }),
  'io.k8s.api.rbac.v1.RoleRef': roleRef,
  'io.k8s.api.rbac.v1.Subject': subject,
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec': fields({
    minReplicas: 1,
    targetCPUUtilizationPercentage: 80,
  }),
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec': autoscalerV2,
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior':
    autoscalerBehavior,
  'io.k8s.api.storage.v1.StorageClass': fields({
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  }),
  'io.k8s.api.scheduling.v1.PriorityClass': fields({
    preemptionPolicy: 'PreemptLowerPriority',
  }),
};

/** Fills in the defaults of an object of a built-in kind, in place; inner structures before outer ones. */
export function fillDefaults(definition: string, object: JsonObject): void {
  fill(reference(definition), object);
}

function fill(schema: Schema, value: Json | undefined): void {
  const resolved = resolve(schema);
  if (Array.isArray(value)) {
    const items = resolved.items;
    if (items) {
      value.forEach(item => fill(items, item));
    }
    return;
  }
  if (!isObject(value)) {
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    const declared = resolved.properties && own(resolved.properties, key);
    if (declared) {
      fill(declared, item);
    } else if (typeof resolved.additionalProperties === 'object') {
      fill(resolved.additionalProperties, item);
    }
  }
  const definition = referenced(schema);
  if (definition !== undefined) {
    own(DEFAULTS, definition)?.(value);
  }
}
