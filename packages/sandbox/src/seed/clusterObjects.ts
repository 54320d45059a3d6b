// What the demonstration cluster holds besides Kong's resources and the manifests.
import { JsonObject } from '../konnect/json';
import { KONG_NAMESPACE, KubeManifest } from './kongResources';

/** Who creates what is declared by custom resources. */
export const GITOPS = 'gitops';
/** Who rolls the manifests out. */
export const CI = 'ci-deploy';
/** The manager's name that a client-side `kubectl apply` leaves. */
export const KUBECTL_APPLY = 'kubectl-client-side-apply';

/** Namespaces and the Secret that Kong's API credentials would come from. */
export function clusterBasics(konnectToken: string): KubeManifest[] {
  return [
    ...['shop', 'platform'].map(name => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    })),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'konnect-token',
        namespace: KONG_NAMESPACE,
        labels: { 'konghq.com/credential': 'konnect' },
      },
      type: 'Opaque',
      data: { token: Buffer.from(konnectToken).toString('base64') },
    },
  ];
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Objects that somebody once wrote with `kubectl apply`: their declaration is in their own annotation. */
export const LAST_APPLIED_OBJECTS: KubeManifest[] = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'checkout-flags',
      namespace: 'shop',
      labels: { 'backstage.io/kubernetes-id': 'checkout' },
    },
    data: { 'express-checkout': 'on', 'gift-cards': 'off' },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: {
      name: 'catalog-reindex',
      namespace: 'shop',
      labels: { 'backstage.io/kubernetes-id': 'catalog' },
    },
    spec: {
      schedule: '15 3 * * *',
      concurrencyPolicy: 'Forbid',
      jobTemplate: {
        spec: {
          template: {
            spec: {
              restartPolicy: 'Never',
              containers: [
                {
                  name: 'reindex',
                  image: 'registry.example.com/shop/catalog:5.2.1',
                  args: ['reindex', '--all'],
                },
              ],
            },
          },
        },
      },
    },
  },
].map(withLastApplied);

/** The object as `kubectl apply` sends it: with what was applied in an annotation. */
export function withLastApplied(object: KubeManifest): KubeManifest {
  const applied: JsonObject = {
    ...object,
    metadata: { annotations: {}, ...object.metadata },
  };
  return {
    ...object,
    metadata: {
      ...object.metadata,
      annotations: { [LAST_APPLIED]: `${JSON.stringify(applied)}\n` },
    },
  };
}
