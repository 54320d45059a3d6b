// Fills two empty stand-ins with the demonstration shop: what is declared, what is live, and where they differ.
import { KubeClient } from '../clients/kubeClient';
import { JsonObject } from '../konnect/json';
import { KonnectStore } from '../konnect/store';
import {
  CI,
  clusterBasics,
  GITOPS,
  KUBECTL_APPLY,
  LAST_APPLIED_OBJECTS,
} from './clusterObjects';
import { KONG_CRDS } from './crds';
import { driftCluster, driftKonnect } from './drifts';
import { KONG_RESOURCES, KubeManifest, ORPHAN } from './kongResources';
import { OPERATOR, StoredResource, syncToKonnect } from './operator';

/** Where to put the data. */
export interface SeedOptions {
  konnect: KonnectStore;
  /** With the right to do everything. */
  kube: KubeClient;
  /** What should run in the cluster: the content of the manifest files. */
  manifests: JsonObject[];
  /** The token that the cluster's Secret holds. */
  konnectToken: string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Without the drifts: everything is in sync. @defaultValue false */
  clean?: boolean;
}

/** Seeds both stand-ins. They must be empty. */
export async function seedSandbox(options: SeedOptions): Promise<void> {
  const { konnect, kube, manifests, konnectToken, now, clean } = options;
  for (const crd of KONG_CRDS) await kube.create(crd, GITOPS);
  for (const object of clusterBasics(konnectToken)) {
    await kube.create(object, GITOPS);
  }
  const resources: KubeManifest[] = clean
    ? KONG_RESOURCES
    : [...KONG_RESOURCES, ORPHAN];
  const stored: StoredResource[] = [];
  for (const resource of resources) {
    stored.push((await kube.apply(resource, GITOPS)) as StoredResource);
  }
  await syncToKonnect(
    konnect,
    stored,
    new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z'),
    async ({ kind, metadata }, status) => {
      await kube.patch(
        await kube.kind(kind),
        metadata.name,
        metadata.namespace,
        { status },
        OPERATOR,
        'status',
      );
    },
  );
  for (const manifest of manifests) await kube.apply(manifest, CI);
  for (const object of LAST_APPLIED_OBJECTS) {
    await kube.create(object, KUBECTL_APPLY);
  }
  if (!clean) {
    driftKonnect(konnect);
    await driftCluster(kube);
  }
}
