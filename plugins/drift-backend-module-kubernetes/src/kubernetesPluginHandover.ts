/*
 * A module of the Kubernetes plugin that hands its clusters and authentication to the drift plugin. It uses the plugin's
 * slot for an objects provider, because that is the only one that is given both, and leaves the plugin's own provider in
 * place. The slot takes one module only.
 */
import {
  coreServices,
  createBackendModule,
} from '@backstage/backend-plugin-api';
import { kubernetesObjectsProviderExtensionPoint } from '@backstage/plugin-kubernetes-node';
import { kubernetesHandoverServiceRef } from './handover';
import { reasonOf } from './reason';

/** @public */
export const kubernetesPluginHandover = createBackendModule({
  pluginId: 'kubernetes',
  moduleId: 'drift-handover',
  register(env) {
    env.registerInit({
      deps: {
        config: coreServices.rootConfig,
        handover: kubernetesHandoverServiceRef,
        objects: kubernetesObjectsProviderExtensionPoint,
      },
      async init({ config, handover, objects }) {
        const wanted =
          config.getOptionalBoolean('drift.kubernetes.useKubernetesPlugin') ??
          true;
        if (!wanted) {
          handover.publish({
            declined: 'drift.kubernetes.useKubernetesPlugin is false',
          });
          return;
        }
        if (!config.has('kubernetes')) {
          handover.publish({
            declined: 'the Kubernetes plugin has no configuration',
          });
          return;
        }
        try {
          objects.addObjectsProvider(
            async ({ getDefault, clusterSupplier, authStrategy }) => {
              handover.publish({ clusterSupplier, authStrategy });
              return getDefault();
            },
          );
        } catch (error) {
          // Somebody else's provider is there first; theirs stays, and the portal must start all the same.
          handover.publish({
            declined: `another module provides the objects of the Kubernetes plugin (${reasonOf(
              error,
            )})`,
          });
        }
      },
    });
  },
});
