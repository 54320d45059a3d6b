/*
 * What the OpenAPI documents of Kubernetes do not say: defaults that the server fills in, what it allocates, what it
 * owns, and what is secret. By definition (see `shortName`) and property.
 *
 * Read from the defaulting functions of k8s.io/kubernetes and checked against a running server (test/oracle).
 */
import { FieldSchema, Json } from '../types';
import { behaviour } from './scaling';

type Hints = Record<string, Record<string, Partial<FieldSchema>>>;

const is = (value: Json): Partial<FieldSchema> => ({ default: value });
const TCP = is('TCP');
const ALLOCATED: Partial<FieldSchema> = { allocated: true };
const SERVER: Partial<FieldSchema> = { serverOwned: true };
const SECRET: Partial<FieldSchema> = { secret: true };
const TIME: Partial<FieldSchema> = { lenient: 'time' };
const BYTES: FieldSchema = { type: 'string', base64: true };
const BUNDLE: Partial<FieldSchema> = {
  ...ALLOCATED,
  base64: true,
  emptyIsAbsent: true,
};

const PROBE = {
  timeoutSeconds: is(1),
  periodSeconds: is(10),
  successThreshold: is(1),
  failureThreshold: is(3),
};

const CONTAINER: Hints[string] = {
  env: { showOrder: true },
  imagePullPolicy: { allocated: true },
  resizePolicy: { allocated: true },
  resources: is({}),
  terminationMessagePath: is('/dev/termination-log'),
  terminationMessagePolicy: is('File'),
};

/** Dropped where empty: strings, numbers and booleans that are no pointers in Go. */
const OMITTED: Partial<FieldSchema> = {
  emptyIsAbsent: true,
  zeroIsAbsent: true,
};

const omitted = (...names: string[]) =>
  Object.fromEntries(names.map(name => [name, OMITTED]));

const TEMPLATED_CLAIM = {
  // A source that names nothing is dropped.
  dataSource: { emptyIsAbsent: true },
  volumeMode: is('Filesystem'),
  // A claim is bound, and given its class, by controllers.
  volumeName: ALLOCATED,
  storageClassName: ALLOCATED,
  // Copied from the older of the two fields.
  dataSourceRef: ALLOCATED,
};

const CPU_METRIC: Json = [
  {
    type: 'Resource',
    resource: {
      name: 'cpu',
      target: { type: 'Utilization', averageUtilization: 80 },
    },
  },
];

const OLD_CPU_METRIC: Json = [
  {
    type: 'Resource',
    resource: { name: 'cpu', targetAverageUtilization: 80 },
  },
];

const OLD_WEBHOOK = {
  failurePolicy: is('Ignore'),
  matchPolicy: is('Exact'),
  sideEffects: is('Unknown'),
  timeoutSeconds: is(30),
  reinvocationPolicy: is('Never'),
  admissionReviewVersions: is(['v1beta1']),
  namespaceSelector: is({}),
  objectSelector: is({}),
};

const STATED: Hints = {
  'meta.v1.ObjectMeta': {
    creationTimestamp: SERVER,
    deletionGracePeriodSeconds: SERVER,
    deletionTimestamp: SERVER,
    generation: SERVER,
    managedFields: SERVER,
    namespace: SERVER,
    resourceVersion: SERVER,
    selfLink: SERVER,
    uid: SERVER,
    clusterName: SERVER,
  },
  'core.v1.Container': CONTAINER,
  'core.v1.EphemeralContainer': CONTAINER,
  'core.v1.ContainerPort': { protocol: TCP },
  'core.v1.Probe': PROBE,
  'core.v1.HTTPGetAction': { path: is('/'), scheme: is('HTTP') },
  'core.v1.GRPCAction': { service: is('') },
  'core.v1.ObjectFieldSelector': { apiVersion: is('v1') },
  'core.v1.ResourceFieldSelector': { divisor: is('0') },
  'core.v1.PodSpec': {
    dnsPolicy: is('ClusterFirst'),
    restartPolicy: is('Always'),
    schedulerName: is('default-scheduler'),
    securityContext: is({}),
    terminationGracePeriodSeconds: is(30),
    enableServiceLinks: is(true),
    initContainers: { showOrder: true },
    nodeName: ALLOCATED,
    priority: ALLOCATED,
    preemptionPolicy: is('PreemptLowerPriority'),
    // Admission copies the name to its older spelling and fills both in.
    serviceAccount: ALLOCATED,
    serviceAccountName: ALLOCATED,
  },
  'core.v1.ConfigMapVolumeSource': { defaultMode: is(420) },
  'core.v1.SecretVolumeSource': { defaultMode: is(420) },
  'core.v1.ProjectedVolumeSource': { defaultMode: is(420) },
  'core.v1.DownwardAPIVolumeSource': { defaultMode: is(420) },
  'core.v1.ServiceAccountTokenProjection': { expirationSeconds: is(3600) },
  'core.v1.HostPathVolumeSource': { type: is('') },
  'core.v1.RBDVolumeSource': {
    pool: is('rbd'),
    user: is('admin'),
    keyring: is('/etc/ceph/keyring'),
  },
  'core.v1.RBDPersistentVolumeSource': {
    pool: is('rbd'),
    user: is('admin'),
    keyring: is('/etc/ceph/keyring'),
  },
  'core.v1.ISCSIVolumeSource': { iscsiInterface: is('default') },
  'core.v1.ISCSIPersistentVolumeSource': { iscsiInterface: is('default') },
  'core.v1.AzureDiskVolumeSource': {
    cachingMode: is('ReadWrite'),
    fsType: is('ext4'),
    kind: is('Shared'),
    readOnly: is(false),
  },
  'core.v1.ScaleIOVolumeSource': {
    storageMode: is('ThinProvisioned'),
    fsType: is('xfs'),
  },
  'core.v1.ScaleIOPersistentVolumeSource': {
    storageMode: is('ThinProvisioned'),
    fsType: is('xfs'),
  },
  'core.v1.TopologySpreadConstraint': {
    nodeAffinityPolicy: ALLOCATED,
    nodeTaintsPolicy: ALLOCATED,
  },
  'core.v1.ServiceSpec': {
    type: is('ClusterIP'),
    sessionAffinity: is('None'),
    clusterIP: ALLOCATED,
    clusterIPs: ALLOCATED,
    ipFamilies: ALLOCATED,
    ipFamily: ALLOCATED,
    ipFamilyPolicy: { allocated: true, emptyIsAbsent: true },
    healthCheckNodePort: ALLOCATED,
    externalTrafficPolicy: is('Cluster'),
    internalTrafficPolicy: is('Cluster'),
    allocateLoadBalancerNodePorts: is(true),
    sessionAffinityConfig: is({ clientIP: { timeoutSeconds: 10800 } }),
  },
  'core.v1.ClientIPConfig': { timeoutSeconds: is(10800) },
  'core.v1.ServicePort': {
    protocol: TCP,
    targetPort: ALLOCATED,
    nodePort: ALLOCATED,
  },
  'core.v1.EndpointPort': { protocol: TCP },
  'discovery.v1.EndpointPort': { name: is(''), protocol: TCP },
  'discovery.v1beta1.EndpointPort': { name: is(''), protocol: TCP },
  'coordination.v1.LeaseSpec': { acquireTime: TIME, renewTime: TIME },
  'coordination.v1beta1.LeaseSpec': { acquireTime: TIME, renewTime: TIME },
  'core.v1.Taint': { timeAdded: TIME },
  'certificates.v1.CertificateSigningRequestSpec': {
    request: { base64: true },
    // Who asks is what the server saw.
    username: ALLOCATED,
    uid: ALLOCATED,
    groups: ALLOCATED,
    extra: ALLOCATED,
  },
  'core.v1.NodeSpec': {
    podCIDR: ALLOCATED,
    podCIDRs: ALLOCATED,
    providerID: ALLOCATED,
  },
  ...Object.fromEntries(
    [
      'v1.ExactDeviceRequest',
      'v1.DeviceSubRequest',
      'v1beta1.DeviceRequest',
      'v1beta1.DeviceSubRequest',
      'v1beta2.ExactDeviceRequest',
      'v1beta2.DeviceSubRequest',
    ].map(name => [
      `resource.${name}`,
      { allocationMode: is('ExactCount'), count: is(1) },
    ]),
  ),
  'core.v1.ConfigMap': {
    binaryData: { type: 'map', values: BYTES, emptyIsAbsent: true },
  },
  'core.v1.Secret': {
    data: {
      type: 'map',
      values: { ...BYTES, secret: true },
      emptyIsAbsent: true,
    },
    stringData: {
      type: 'map',
      values: { ...BYTES, secret: true },
      emptyIsAbsent: true,
    },
    type: is('Opaque'),
  },
  'core.v1.ServiceAccount': { secrets: { allocated: true } },
  'core.v1.Namespace': {},
  'core.v1.NamespaceSpec': {
    finalizers: { ...ALLOCATED, list: 'set', open: true },
  },
  'core.v1.PersistentVolumeClaimSpec': TEMPLATED_CLAIM,
  'core.v1.PersistentVolumeSpec': {
    persistentVolumeReclaimPolicy: is('Retain'),
    volumeMode: is('Filesystem'),
    claimRef: ALLOCATED,
  },
  // Without a selector, the labels of the template are taken.
  'core.v1.ReplicationControllerSpec': { replicas: is(1), selector: ALLOCATED },
  'core.v1.LimitRangeItem': {
    // Each limit that is not given is taken from the other ones.
    default: { allocated: true, values: { type: 'quantity', allocated: true } },
    defaultRequest: {
      allocated: true,
      values: { type: 'quantity', allocated: true },
    },
  },
  'apps.v1.DeploymentSpec': {
    replicas: is(1),
    revisionHistoryLimit: is(10),
    progressDeadlineSeconds: is(600),
    strategy: is({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' },
    }),
  },
  'apps.v1.DeploymentStrategy': { type: is('RollingUpdate') },
  'apps.v1.RollingUpdateDeployment': {
    maxSurge: is('25%'),
    maxUnavailable: is('25%'),
  },
  'apps.v1.DaemonSetSpec': {
    revisionHistoryLimit: is(10),
    updateStrategy: is({
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 1 },
    }),
  },
  'apps.v1.DaemonSetUpdateStrategy': { type: is('RollingUpdate') },
  'apps.v1.RollingUpdateDaemonSet': {
    maxUnavailable: is(1),
    maxSurge: is(0),
  },
  'apps.v1.StatefulSetSpec': {
    replicas: is(1),
    revisionHistoryLimit: is(10),
    podManagementPolicy: is('OrderedReady'),
    persistentVolumeClaimRetentionPolicy: is({
      whenDeleted: 'Retain',
      whenScaled: 'Retain',
    }),
    updateStrategy: is({
      type: 'RollingUpdate',
      rollingUpdate: { partition: 0 },
    }),
  },
  'apps.v1.StatefulSetUpdateStrategy': { type: is('RollingUpdate') },
  'apps.v1.RollingUpdateStatefulSetStrategy': { partition: is(0) },
  'apps.v1.ReplicaSetSpec': { replicas: is(1) },
  'batch.v1.JobSpec': {
    completions: is(1),
    parallelism: is(1),
    backoffLimit: is(6),
    completionMode: is('NonIndexed'),
    podReplacementPolicy: ALLOCATED,
    manualSelector: is(false),
    suspend: is(false),
    selector: ALLOCATED,
  },
  'batch.v1.PodFailurePolicyOnPodConditionsPattern': { status: is('True') },
  'batch.v1.CronJobSpec': {
    concurrencyPolicy: is('Allow'),
    suspend: is(false),
    successfulJobsHistoryLimit: is(3),
    failedJobsHistoryLimit: is(1),
  },
  'batch.v1beta1.CronJobSpec': {
    concurrencyPolicy: is('Allow'),
    suspend: is(false),
    successfulJobsHistoryLimit: is(3),
    failedJobsHistoryLimit: is(1),
  },
  'autoscaling.v1.HorizontalPodAutoscalerSpec': {
    minReplicas: is(1),
    targetCPUUtilizationPercentage: is(80),
  },
  'autoscaling.v2.HorizontalPodAutoscalerSpec': {
    minReplicas: is(1),
    // The order is lost on the way through the stored version.
    metrics: { default: CPU_METRIC, list: 'set' },
  },
  'autoscaling.v2beta1.HorizontalPodAutoscalerSpec': {
    minReplicas: is(1),
    metrics: { default: OLD_CPU_METRIC, list: 'set' },
  },
  'autoscaling.v2beta2.HorizontalPodAutoscalerSpec': {
    minReplicas: is(1),
    // The order is lost on the way through the stored version.
    metrics: { default: CPU_METRIC, list: 'set' },
  },
  'autoscaling.v2.HorizontalPodAutoscalerBehavior': behaviour('v2'),
  'autoscaling.v2beta2.HorizontalPodAutoscalerBehavior': behaviour('v2beta2'),
  'networking.v1.NetworkPolicySpec': {
    podSelector: is({}),
    policyTypes: ALLOCATED,
  },
  'networking.v1.IngressClassParametersReference': { scope: is('Cluster') },
  'networking.v1.NetworkPolicyPort': { protocol: TCP },
  'networking.v1beta1.HTTPIngressPath': {
    pathType: is('ImplementationSpecific'),
  },
  'extensions.v1beta1.HTTPIngressPath': {
    pathType: is('ImplementationSpecific'),
  },
  'policy.v1beta1.PodSecurityPolicySpec': {
    allowPrivilegeEscalation: is(true),
    ...omitted(
      'privileged',
      'hostIPC',
      'hostNetwork',
      'hostPID',
      'readOnlyRootFilesystem',
    ),
  },
  'policy.v1beta1.AllowedHostPath': omitted('pathPrefix', 'readOnly'),
  'rbac.v1.RoleRef': { apiGroup: is('rbac.authorization.k8s.io') },
  'rbac.v1.Subject': { apiGroup: ALLOCATED },
  'rbac.v1.Role': { rules: { emptyIsAbsent: true } },
  'rbac.v1.ClusterRole': { rules: { emptyIsAbsent: true } },
  'admissionregistration.v1.WebhookClientConfig': {
    caBundle: BUNDLE,
  },
  'admissionregistration.v1.ServiceReference': { port: is(443) },
  'admissionregistration.v1.ValidatingWebhook': {
    failurePolicy: is('Fail'),
    matchPolicy: is('Equivalent'),
    timeoutSeconds: is(10),
    namespaceSelector: is({}),
    objectSelector: is({}),
  },
  'admissionregistration.v1.MutatingWebhook': {
    failurePolicy: is('Fail'),
    matchPolicy: is('Equivalent'),
    timeoutSeconds: is(10),
    reinvocationPolicy: is('Never'),
    namespaceSelector: is({}),
    objectSelector: is({}),
  },
  'admissionregistration.v1.RuleWithOperations': { scope: is('*') },
  'admissionregistration.v1.NamedRuleWithOperations': { scope: is('*') },
  'admissionregistration.v1.MatchResources': {
    matchPolicy: is('Equivalent'),
    namespaceSelector: is({}),
    objectSelector: is({}),
  },
  'admissionregistration.v1.ValidatingAdmissionPolicySpec': {
    failurePolicy: is('Fail'),
  },
  'admissionregistration.v1.MutatingAdmissionPolicySpec': {
    failurePolicy: is('Fail'),
  },
  'admissionregistration.v1beta1.ValidatingWebhook': OLD_WEBHOOK,
  'admissionregistration.v1beta1.MutatingWebhook': OLD_WEBHOOK,
  'apiextensions.v1.CustomResourceDefinitionSpec': {
    conversion: is({ strategy: 'None' }),
    preserveUnknownFields: { default: false, ...OMITTED },
  },
  'apiextensions.v1beta1.CustomResourceDefinitionSpec': {
    conversion: is({ strategy: 'None' }),
    preserveUnknownFields: is(true),
    scope: is('Namespaced'),
    // The one version and the list of versions are filled in from each other.
    version: ALLOCATED,
    versions: ALLOCATED,
  },
  'apiextensions.v1.CustomResourceDefinitionNames': {
    listKind: { ...ALLOCATED, ...OMITTED },
    singular: { ...ALLOCATED, ...OMITTED },
  },
  'apiextensions.v1.CustomResourceColumnDefinition': omitted(
    'description',
    'format',
    'priority',
  ),
  'apiextensions.v1.CustomResourceDefinitionVersion': omitted('deprecated'),
  'apiextensions.v1.JSONSchemaProps': omitted(
    '$schema',
    'description',
    'exclusiveMaximum',
    'exclusiveMinimum',
    'format',
    'id',
    'nullable',
    'pattern',
    'title',
    'type',
    'uniqueItems',
    'x-kubernetes-embedded-resource',
    'x-kubernetes-int-or-string',
  ),
  'apiextensions.v1.WebhookClientConfig': {
    caBundle: BUNDLE,
  },
  'apiextensions.v1.ServiceReference': { port: is(443) },
  'apiregistration.v1.APIServiceSpec': {
    caBundle: BUNDLE,
  },
  'apiregistration.v1.ServiceReference': { port: is(443) },
  'storage.v1.StorageClass': {
    reclaimPolicy: is('Delete'),
    volumeBindingMode: is('Immediate'),
  },
  'storage.v1.CSIDriverSpec': {
    attachRequired: is(true),
    podInfoOnMount: is(false),
    storageCapacity: is(false),
    fsGroupPolicy: ALLOCATED,
    volumeLifecycleModes: ALLOCATED,
    requiresRepublish: is(false),
    seLinuxMount: is(false),
  },
  'scheduling.v1.PriorityClass': {
    preemptionPolicy: is('PreemptLowerPriority'),
  },
};

/** Groups whose older version has the defaults of the newer one, but for what is stated of it. */
const SAME_DEFAULTS: Record<string, string> = {
  'admissionregistration.v1beta1.': 'admissionregistration.v1.',
  'apiextensions.v1beta1.': 'apiextensions.v1.',
  'apiregistration.v1beta1.': 'apiregistration.v1.',
  'rbac.v1beta1.': 'rbac.v1.',
  'scheduling.v1beta1.': 'scheduling.v1.',
  'storage.v1beta1.': 'storage.v1.',
};

function ofOlderVersions(stated: Hints): Hints {
  const out: Hints = {};
  for (const [older, newer] of Object.entries(SAME_DEFAULTS)) {
    for (const [name, hints] of Object.entries(stated)) {
      if (name.startsWith(newer)) {
        out[older + name.slice(newer.length)] = hints;
      }
    }
  }
  return out;
}

/** The same in each of its versions, but for the name of the shares. */
const FLOW_CONTROL: Hints = Object.fromEntries(
  ['v1', 'v1beta1', 'v1beta2', 'v1beta3'].flatMap(version => [
    [`flowcontrol.${version}.FlowSchemaSpec`, { matchingPrecedence: is(1000) }],
    [
      `flowcontrol.${version}.LimitedPriorityLevelConfiguration`,
      {
        assuredConcurrencyShares: is(30),
        nominalConcurrencyShares: is(30),
        lendablePercent: is(0),
      },
    ],
    [
      `flowcontrol.${version}.QueuingConfiguration`,
      { queues: is(64), queueLengthLimit: is(50), handSize: is(8) },
    ],
  ]),
);

/** By definition and property. */
export const HINTS: Hints = {
  ...ofOlderVersions(STATED),
  ...FLOW_CONTROL,
  ...STATED,
};

/** Properties of a kind's root that belong to the server, whatever the kind. */
export const SERVER_ROOT: Record<string, Partial<FieldSchema>> = {
  apiVersion: SERVER,
  kind: SERVER,
  status: SERVER,
};

export { SECRET };
