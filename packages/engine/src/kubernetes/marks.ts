/*
 * Marks that servers and controllers put on objects for themselves: annotations, finalizers, labels.
 */

/** Annotations that servers and controllers keep for themselves, or that repeat the document. */
export const SERVER_ANNOTATIONS: readonly string[] = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'deployment.kubernetes.io/revision',
  'deprecated.daemonset.template.generation',
  'control-plane.alpha.kubernetes.io/leader',
  'pv.kubernetes.io/bind-completed',
  'pv.kubernetes.io/bound-by-controller',
  'pv.kubernetes.io/provisioned-by',
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/selected-node',
  'endpoints.kubernetes.io/last-change-trigger-time',
  'batch.kubernetes.io/job-tracking',
  'batch.kubernetes.io/cronjob-scheduled-timestamp',
  'autoscaling.alpha.kubernetes.io/conditions',
  'autoscaling.alpha.kubernetes.io/current-metrics',
];

/** Finalizers that the server and its controllers put on objects for themselves. */
export const SERVER_FINALIZERS: readonly string[] = [
  'kubernetes.io/pvc-protection',
  'kubernetes.io/pv-protection',
  'service.kubernetes.io/load-balancer-cleanup',
  'customresourcecleanup.apiextensions.k8s.io',
  'batch.kubernetes.io/job-tracking',
  'foregroundDeletion',
  'orphan',
];

/** Labels that the server and its controllers put on objects and pod templates. */
export const ALLOCATED_LABELS: readonly string[] = [
  'kubernetes.io/metadata.name',
  'controller-uid',
  'job-name',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
  'pod-template-hash',
  'controller-revision-hash',
  'pod-template-generation',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
];
