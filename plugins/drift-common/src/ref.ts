/** How a resource is named: platform, kind, namespace and name. */

/**
 * One thing with a declared side and a live side.
 *
 * @public
 */
export interface ResourceRef {
  /** Id of the platform of record: `konnect/prod`, `kubernetes/prod`. */
  platform: string;
  /** Kind on the live side: `services` (a Konnect collection), `apps/v1/Deployment`. */
  kind: string;
  /** Namespace of the declaration; absent for cluster-wide ones. */
  namespace?: string;
  /** Name of the declaration. */
  name: string;
}

/**
 * A resource as one string, for logs and for people: `konnect/prod services shop/orders`.
 *
 * @public
 */
export function formatResourceRef(ref: ResourceRef): string {
  const name = ref.namespace ? `${ref.namespace}/${ref.name}` : ref.name;
  return `${ref.platform} ${ref.kind} ${name}`;
}

/**
 * The stable key of a resource: equal for equal refs, different for different ones.
 *
 * @public
 */
export function resourceKey(ref: ResourceRef): string {
  return [ref.platform, ref.kind, ref.namespace ?? '', ref.name]
    .map(encodeURIComponent)
    .join('|');
}
