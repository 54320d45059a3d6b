/* The clusters that the Kubernetes plugin knows, as far as a backend can use them by itself. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AuthService,
  LoggerService,
  RootInstanceMetadataService,
} from '@backstage/backend-plugin-api';
import {
  ANNOTATION_KUBERNETES_AUTH_PROVIDER,
  SERVICEACCOUNT_CA_PATH,
} from '@backstage/plugin-kubernetes-common';
import type { ClusterDetails } from '@backstage/plugin-kubernetes-node';
import {
  type ClusterAccess,
  inClusterConfig,
  pluginAccess,
} from './cluster/access';
import { DEFAULT_REQUESTS_PER_MINUTE } from './config';
import type { HandedOver, KubernetesHandover } from './handover';

/** These need the credentials of the person who looks, which a loop does not have. */
const CLIENT_SIDE = ['oidc', 'google', 'aks'];

export interface PluginClustersOptions {
  handover: KubernetesHandover;
  instance: RootInstanceMetadataService;
  auth: AuthService;
  logger: LoggerService;
  /** Milliseconds to wait for the plugin to start. */
  patience?: number;
}

const PATIENCE = 60_000;
const ATTEMPTS = 5;

/** Waits for the hand-over. Where it does not come, says so once and returns none. */
export async function pluginClusters(
  options: PluginClustersOptions,
): Promise<ClusterAccess[]> {
  const handedOver = await receive(options);
  if ('declined' in handedOver) {
    options.logger.info(
      `Only the clusters of drift.kubernetes.clusters are used: ${handedOver.declined}`,
    );
    return [];
  }
  const { authStrategy } = handedOver;
  const usable = (await details(handedOver, options)).filter(cluster => {
    const provider = cluster.authMetadata[ANNOTATION_KUBERNETES_AUTH_PROVIDER];
    if (!CLIENT_SIDE.includes(provider)) {
      return true;
    }
    options.logger.warn(
      `Cluster ${cluster.name} is left out: its authentication provider ${provider} needs the person who looks; name the cluster with a service account in drift.kubernetes.clusters`,
    );
    return false;
  });
  return usable.map(cluster => {
    const own = isOwnCluster(cluster) ? inClusterConfig() : undefined;
    return pluginAccess(
      cluster,
      DEFAULT_REQUESTS_PER_MINUTE,
      authStrategy,
      () => own,
    );
  });
}

/** A service account without a token means the cluster that the portal itself runs in, as the plugin understands it. */
function isOwnCluster(cluster: ClusterDetails): boolean {
  return (
    cluster.authMetadata[ANNOTATION_KUBERNETES_AUTH_PROVIDER] ===
      'serviceAccount' &&
    !cluster.authMetadata.serviceAccountToken &&
    existsSync(SERVICEACCOUNT_CA_PATH)
  );
}

async function receive(options: PluginClustersOptions): Promise<HandedOver> {
  const installed = await options.instance.getInstalledPlugins();
  const plugin = installed.find(({ pluginId }) => pluginId === 'kubernetes');
  if (!plugin) {
    return {
      declined: 'the Kubernetes plugin is not installed in this backend',
    };
  }
  if (!plugin.modules.some(({ moduleId }) => moduleId === 'drift-handover')) {
    return {
      declined: 'the module that hands its clusters over is not installed',
    };
  }
  const patience = options.patience ?? PATIENCE;
  const late = new AbortController();
  try {
    return await Promise.race([
      options.handover.received(),
      sleep(
        patience,
        {
          declined: `the Kubernetes plugin did not start within ${
            patience / 1000
          } s`,
        },
        { signal: late.signal },
      ),
    ]);
  } finally {
    late.abort();
  }
}

/** The supplier may ask the catalog, which may still be starting. */
async function details(
  handedOver: Exclude<HandedOver, { declined: string }>,
  options: PluginClustersOptions,
): Promise<ClusterDetails[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const credentials = await options.auth.getOwnServiceCredentials();
      return await handedOver.clusterSupplier.getClusters({ credentials });
    } catch (error) {
      if (attempt === ATTEMPTS) {
        options.logger.error(
          'The Kubernetes plugin cannot list its clusters; only those of drift.kubernetes.clusters are used until the next start',
          error instanceof Error ? error : undefined,
        );
        return [];
      }
      await sleep(1000 * 2 ** (attempt - 1));
    }
  }
}
