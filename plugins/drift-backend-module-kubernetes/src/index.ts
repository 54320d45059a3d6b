/**
 * Kubernetes clusters as platforms and as declaration sources of the drift backend. The default export brings the module
 * of the drift plugin and the one of the Kubernetes plugin that hands its clusters over.
 *
 * @packageDocumentation
 */
import { createBackendFeatureLoader } from '@backstage/backend-plugin-api';
import { kubernetesPluginHandover } from './kubernetesPluginHandover';
import { driftModuleKubernetes } from './module';

export { driftModuleKubernetes, kubernetesPluginHandover };
export { kubernetesHandoverServiceRef } from './handover';
export type { HandedOver, KubernetesHandover } from './handover';

/** @public */
export default createBackendFeatureLoader({
  loader: () => [driftModuleKubernetes, kubernetesPluginHandover],
});
