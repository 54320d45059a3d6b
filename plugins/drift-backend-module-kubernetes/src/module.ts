/* The module of the drift plugin: every cluster becomes a platform, and brings its declaration sources. */
import {
  coreServices,
  createBackendModule,
} from '@backstage/backend-plugin-api';
import {
  type DriftContext,
  driftDeclarationsExtensionPoint,
  driftPlatformsExtensionPoint,
} from '@plumbline/backstage-plugin-drift-node';
import type { ClusterAccess } from './cluster/access';
import { Cluster } from './cluster/cluster';
import { checkClusterNames, readKubernetesConfig } from './config';
import { kubernetesHandoverServiceRef } from './handover';
import { pluginClusters } from './pluginClusters';
import { KubernetesPlatform } from './platform/platform';
import { CustomResourceSource } from './sources/customResources';
import { LastAppliedSource } from './sources/lastApplied';
import { manifestFiles } from './sources/manifestFiles';
import { ManifestSource } from './sources/manifests';

/** Ours come first: a cluster that both name is taken from our configuration. */
function merged(
  own: ClusterAccess[],
  others: ClusterAccess[],
): ClusterAccess[] {
  const taken = new Set(own.map(({ name }) => name));
  return [...own, ...others.filter(({ name }) => !taken.has(name))];
}

/** @public */
export const driftModuleKubernetes = createBackendModule({
  pluginId: 'drift',
  moduleId: 'kubernetes',
  register(env) {
    env.registerInit({
      deps: {
        auth: coreServices.auth,
        config: coreServices.rootConfig,
        declarations: driftDeclarationsExtensionPoint,
        handover: kubernetesHandoverServiceRef,
        instance: coreServices.rootInstanceMetadata,
        logger: coreServices.logger,
        platforms: driftPlatformsExtensionPoint,
        urlReader: coreServices.urlReader,
      },
      async init({ config: root, declarations, platforms, ...services }) {
        const { logger, urlReader } = services;
        const config = readKubernetesConfig(root);
        const accesses = merged(
          config.clusters,
          config.useKubernetesPlugin ? await pluginClusters(services) : [],
        );
        checkClusterNames(
          config,
          accesses.map(({ name }) => name),
        );
        if (accesses.length === 0) {
          logger.warn(
            'No Kubernetes cluster is known: set drift.kubernetes.clusters, or configure the Kubernetes plugin',
          );
        }
        const { namespaces, kinds, kindsAreDefaults } = config;
        for (const access of accesses) {
          let cluster: Cluster | undefined;
          // One connection and one discovery for everything that this cluster brings.
          const shared = (context: DriftContext) =>
            (cluster ??= new Cluster(access, context));
          const isIn = (clusters: readonly string[] | undefined) =>
            clusters?.includes(access.name) ?? true;

          platforms.addPlatform(
            context =>
              new KubernetesPlatform(
                shared(context),
                { kinds, kindsAreDefaults, namespaces, logger },
                context,
              ),
          );
          if (isIn(config.customResources.clusters)) {
            declarations.addDeclarationSource(
              context =>
                new CustomResourceSource(shared(context), context, {
                  namespaces,
                  logger,
                }),
            );
          }
          for (const target of config.manifests) {
            if (target.cluster === access.name) {
              const files = manifestFiles(target, urlReader);
              declarations.addDeclarationSource(
                context =>
                  new ManifestSource(
                    shared(context),
                    target,
                    files,
                    namespaces,
                  ),
              );
            }
          }
          const { lastApplied } = config;
          if (lastApplied && isIn(lastApplied.clusters)) {
            declarations.addDeclarationSource(
              context =>
                new LastAppliedSource(shared(context), {
                  kinds: lastApplied.kinds ?? kinds,
                  namespaces,
                }),
            );
          }
        }
      },
    });
  },
});
