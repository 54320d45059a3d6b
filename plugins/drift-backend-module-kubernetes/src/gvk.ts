/*
 * Names of kinds and objects as strings: `apps/v1/Deployment`, `apps/v1/Deployment/shop/web`, and the request paths
 * that they have on an API server.
 */

/** A kind at one version of its group. */
export interface Gvk {
  /** Empty for the core group. */
  group: string;
  version: string;
  kind: string;
  /** `apps/v1`, or `v1` in the core group. */
  apiVersion: string;
}

/** One object of a kind. */
export interface ObjectName {
  gvk: Gvk;
  /** Absent for cluster-scoped objects. */
  namespace?: string;
  name: string;
}

/** Versions look like this and groups never do, which tells `v1/Service` from `apps/v1/Deployment`. */
const VERSION = /^v\d+((alpha|beta)\d+)?$/;
const KIND = /^[A-Z][A-Za-z0-9]*$/;
const GROUP = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

export function makeGvk(group: string, version: string, kind: string): Gvk {
  const apiVersion = group ? `${group}/${version}` : version;
  return { group, version, kind, apiVersion };
}

/** Takes `apiVersion` and `kind` of a document; `undefined` where they are not well formed. */
export function gvkOf(apiVersion: unknown, kind: unknown): Gvk | undefined {
  return typeof apiVersion === 'string' && typeof kind === 'string'
    ? parseKind(`${apiVersion}/${kind}`)
    : undefined;
}

/** Parses `apps/v1/Deployment` or `v1/Service`; `undefined` where it is neither. */
export function parseKind(text: string): Gvk | undefined {
  const parts = text.split('/');
  const [group, version, kind] =
    parts.length === 2 ? ['', parts[0], parts[1]] : parts;
  const wellFormed =
    (parts.length === 2 || (parts.length === 3 && GROUP.test(group))) &&
    VERSION.test(version) &&
    KIND.test(kind);
  return wellFormed ? makeGvk(group, version, kind) : undefined;
}

/** `apps/v1/Deployment`: the kind of a resource on the live side. */
export function formatKind(gvk: Gvk): string {
  return `${gvk.apiVersion}/${gvk.kind}`;
}

/** `apps/v1/Deployment/shop/web`, `v1/Namespace/shop`: the key of a live object. */
export function formatKey(object: ObjectName): string {
  const { gvk, namespace, name } = object;
  return [formatKind(gvk), ...(namespace ? [namespace] : []), name].join('/');
}

/** The reverse of `formatKey`; `undefined` for anything that it never makes. */
export function parseKey(key: string): ObjectName | undefined {
  const parts = key.split('/');
  const kindParts = VERSION.test(parts[0]) ? 2 : 3;
  const gvk = parseKind(parts.slice(0, kindParts).join('/'));
  const rest = parts.slice(kindParts);
  if (!gvk || rest.some(part => !part)) {
    return undefined;
  }
  if (rest.length === 1) {
    return { gvk, name: rest[0] };
  }
  return rest.length === 2
    ? { gvk, namespace: rest[0], name: rest[1] }
    : undefined;
}

/** `/api/v1` or `/apis/apps/v1`. */
export function groupVersionPath(gvk: { apiVersion: string }): string {
  return `/${gvk.apiVersion.includes('/') ? 'apis' : 'api'}/${gvk.apiVersion}`;
}

/** Path of a collection, or of one object in it. */
export function resourcePath(
  gvk: { apiVersion: string },
  plural: string,
  namespace?: string,
  name?: string,
): string {
  return [
    groupVersionPath(gvk),
    ...(namespace ? ['namespaces', encodeURIComponent(namespace)] : []),
    plural,
    ...(name ? [encodeURIComponent(name)] : []),
  ].join('/');
}

/** For people: `Deployment shop/web`. */
export function describeObject(object: ObjectName): string {
  const { gvk, namespace, name } = object;
  return `${gvk.kind} ${namespace ? `${namespace}/${name}` : name}`;
}
