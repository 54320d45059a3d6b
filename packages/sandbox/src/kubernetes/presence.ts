/**
 * Which optional-looking fields of built-in kinds are always there, and which vanish when they are empty. Both come
 * from how an API server's own types are written to JSON, which the published definitions do not tell.
 */
import { Json } from './json';

const core = (name: string) => `io.k8s.api.core.v1.${name}`;
const apps = (name: string) => `io.k8s.api.apps.v1.${name}`;

/** Fields that are given back even where nobody set them, by definition. */
export const ALWAYS_PRESENT: {
  [definition: string]: { [field: string]: Json };
} = {
  [core('Container')]: { resources: {} },
  [core('PodTemplateSpec')]: { metadata: {}, spec: {} },
  [core('PodSpec')]: { containers: null },
  [core('Pod')]: { spec: {}, status: {} },
  [core('Service')]: { spec: {}, status: {} },
  [core('ServiceStatus')]: { loadBalancer: {} },
  [core('Namespace')]: { spec: {}, status: {} },
  [core('Node')]: { spec: {}, status: {} },
  [core('PersistentVolumeClaim')]: { spec: {}, status: {} },
  [core('PersistentVolumeClaimSpec')]: { resources: {} },
  [core('Event')]: {
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
  },
  [apps('Deployment')]: { spec: {}, status: {} },
  [apps('DeploymentSpec')]: { selector: null, template: {}, strategy: {} },
  [apps('StatefulSet')]: { spec: {}, status: {} },
  [apps('StatefulSetSpec')]: {
    selector: null,
    template: {},
    updateStrategy: {},
    serviceName: '',
  },
  [apps('StatefulSetStatus')]: { replicas: 0 },
  [apps('DaemonSet')]: { spec: {}, status: {} },
  [apps('DaemonSetSpec')]: { selector: null, template: {}, updateStrategy: {} },
  [apps('DaemonSetStatus')]: {
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  },
  [apps('ReplicaSet')]: { spec: {}, status: {} },
  [apps('ReplicaSetSpec')]: { selector: null, template: {} },
  [apps('ReplicaSetStatus')]: { replicas: 0 },
  'io.k8s.api.batch.v1.Job': { spec: {}, status: {} },
  'io.k8s.api.batch.v1.JobSpec': { template: {} },
  'io.k8s.api.batch.v1.JobTemplateSpec': { metadata: {}, spec: {} },
  'io.k8s.api.batch.v1.CronJob': { spec: {}, status: {} },
  'io.k8s.api.batch.v1.CronJobSpec': { jobTemplate: {} },
  'io.k8s.api.networking.v1.Ingress': { spec: {}, status: {} },
  'io.k8s.api.networking.v1.IngressStatus': { loadBalancer: {} },
  'io.k8s.api.networking.v1.IngressClass': { spec: {} },
  'io.k8s.api.networking.v1.NetworkPolicy': { spec: {} },
  'io.k8s.api.networking.v1.NetworkPolicySpec': { podSelector: {} },
  'io.k8s.api.rbac.v1.Role': { rules: null },
  'io.k8s.api.rbac.v1.ClusterRole': { rules: null },
  'io.k8s.api.rbac.v1.RoleBinding': { roleRef: {} },
  'io.k8s.api.rbac.v1.ClusterRoleBinding': { roleRef: {} },
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler': { spec: {}, status: {} },
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec': {
    scaleTargetRef: {},
  },
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerStatus': {
    currentReplicas: 0,
    desiredReplicas: 0,
  },
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler': { spec: {}, status: {} },
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec': {
    scaleTargetRef: {},
  },
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus': {
    currentReplicas: 0,
    desiredReplicas: 0,
    currentMetrics: null,
    conditions: null,
  },
  'io.k8s.api.policy.v1.PodDisruptionBudget': { spec: {}, status: {} },
  'io.k8s.api.policy.v1.PodDisruptionBudgetStatus': {
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
  },
  'io.k8s.api.policy.v1beta1.PodDisruptionBudget': { spec: {}, status: {} },
  'io.k8s.api.policy.v1beta1.PodDisruptionBudgetStatus': {
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
  },
  'io.k8s.api.coordination.v1.Lease': { spec: {} },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition':
    {
      spec: {},
      status: {},
    },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus':
    {
      conditions: null,
      acceptedNames: {},
      storedVersions: null,
    },
};

/** Optional booleans and numbers for which false or 0 means absent; all others keep their false or 0. */
export const ABSENT_WHEN_ZERO: ReadonlySet<string> = new Set([
  'hostIPC',
  'hostNetwork',
  'hostPID',
  'hostPort',
  'initialDelaySeconds',
  'minReadySeconds',
  'nodePort',
  'observedGeneration',
  'paused',
  'publishNotReadyAddresses',
  'readOnly',
  'stdin',
  'stdinOnce',
  'tty',
]);

/** Optional strings that keep an empty value, because it says something else than absence. */
export const KEPT_WHEN_EMPTY: ReadonlySet<string> = new Set([
  'storageClassName',
  'ingressClassName',
  'hostPathType',
  'type',
  'volumeName',
]);
