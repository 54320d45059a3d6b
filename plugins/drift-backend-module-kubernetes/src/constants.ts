/* Names that end up on clusters: never change them once released. */

/** Our field manager: what we set is recorded under this name in managedFields. */
export const FIELD_MANAGER = 'plumbline';

/** Annotation that says which source declares an object that we wrote; it is our ownership mark. */
export const DECLARED_BY = 'drift.plumbline/declared-by';

/** Annotation that asks a controller to look at its custom resource again. */
export const REQUESTED_AT = 'drift.plumbline/requested-at';

/** Where `kubectl apply` without `--server-side` keeps what was applied; it may hold secrets. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Id of a cluster's platform. */
export function platformId(cluster: string): string {
  return `kubernetes/${cluster}`;
}
