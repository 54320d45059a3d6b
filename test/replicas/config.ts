/** The configuration of one replica: that of a portal, with nothing but what drift needs. */
import { KONNECT_TOKEN, KUBERNETES_TOKEN, type Endpoints } from './orders';
import { CLUSTER, PLANE } from './world';

/** @returns the whole configuration */
export function replicaConfig(options: {
  endpoints: Endpoints[string];
  postgres: string;
  /** Of the databases' names. */
  prefix: string;
  resyncSeconds: number;
  /** The folder with the manifests. */
  manifests: string;
}) {
  const { endpoints, postgres, prefix, resyncSeconds, manifests } = options;
  const requestsPerMinute = 100_000;
  return {
    backend: {
      baseUrl: 'http://127.0.0.1:7007',
      listen: { host: '127.0.0.1', port: 0 },
      database: {
        client: 'pg',
        connection: postgres,
        prefix,
      },
    },
    // nobody else listens to what the replicas tell
    events: { useEventBus: 'never' },
    drift: {
      resync: `${resyncSeconds}s`,
      maxStaleness: `${6 * resyncSeconds}s`,
      prune: { maxItems: 1000, maxPercent: 50 },
      konnect: {
        controlPlanes: [
          {
            id: PLANE,
            serverUrl: endpoints.konnect,
            controlPlaneName: PLANE,
            token: KONNECT_TOKEN,
            requestsPerMinute,
          },
        ],
      },
      kubernetes: {
        useKubernetesPlugin: false,
        clusters: [
          {
            name: CLUSTER,
            url: endpoints.kubernetes,
            serviceAccountToken: KUBERNETES_TOKEN,
            requestsPerMinute,
          },
        ],
        kinds: ['v1/ConfigMap'],
        manifests: [{ cluster: CLUSTER, type: 'file', target: manifests }],
      },
      defaults: {
        mode: 'enforce',
        actuator: 'direct',
        onFirstSight: 'declared',
        prune: true,
      },
    },
  };
}
