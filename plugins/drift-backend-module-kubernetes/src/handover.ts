/*
 * Where the Kubernetes plugin's clusters and authentication wait for the drift plugin. The two plugins of one backend share
 * nothing but root services, so this one carries them across.
 */
import {
  createServiceFactory,
  createServiceRef,
} from '@backstage/backend-plugin-api';
import type {
  AuthenticationStrategy,
  KubernetesClustersSupplier,
} from '@backstage/plugin-kubernetes-node';

/** What the Kubernetes plugin hands over, or why it does not. */
export type HandedOver =
  | {
      clusterSupplier: KubernetesClustersSupplier;
      authStrategy: AuthenticationStrategy;
    }
  | { declined: string };

/** The first answer counts. */
export interface KubernetesHandover {
  publish(handedOver: HandedOver): void;
  received(): Promise<HandedOver>;
}

export function createHandover(): KubernetesHandover {
  const { promise, resolve } = Promise.withResolvers<HandedOver>();
  return { publish: resolve, received: () => promise };
}

/** @public */
export const kubernetesHandoverServiceRef =
  createServiceRef<KubernetesHandover>({
    id: 'drift.kubernetes.handover',
    scope: 'root',
    defaultFactory: async service =>
      createServiceFactory({
        service,
        deps: {},
        factory: () => createHandover(),
      }),
  });
