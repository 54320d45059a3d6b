/** Reads bodies into objects, and gives objects out in the version that was asked for. */
import { badRequest } from './errors';
import { defaultCrd } from './crds';
import { decode } from './decode';
import { fillDefaults } from './defaults';
import { JsonObject, clone, isObject } from './json';
import { Kind, ServedVersion, apiVersionOf } from './kinds';
import { OBJECT_META } from './schema';
import { foldStringData } from './specials';
import { normaliseCustom } from './structural';
import { KubeObject } from './types';

/** An object as it was read, and the paths that its kind does not have. */
export interface ReadObject {
  object: KubeObject;
  unknown: string[];
}

/** The version of a kind that a request asks for. */
export function servedVersion(
  kind: Kind,
  version: string,
): ServedVersion | undefined {
  return kind.versions.find(served => served.version === version);
}

/** The one place where a read object is told to be one: its three parts are given. */
const withMetadata = (object: JsonObject): KubeObject => ({
  ...object,
  apiVersion: `${object.apiVersion}`,
  kind: `${object.kind}`,
  metadata: isObject(object.metadata) ? object.metadata : {},
});

/**
 * Reads a body as an object of a kind: decoded, pruned, with its defaults.
 *
 * @throws StatusError 400 where the body is something else, or a value has a wrong type
 */
export function readObject(
  kind: Kind,
  served: ServedVersion,
  body: JsonObject,
): ReadObject {
  const apiVersion = apiVersionOf(kind.group, served.version);
  if (kind.definedBy && (!body.apiVersion || !body.kind)) {
    const missing = body.kind ? 'apiVersion' : 'Kind';
    throw badRequest(
      `Object '${missing}' is missing in '${JSON.stringify(body)}'`,
    );
  }
  if (body.kind !== undefined && body.kind !== kind.kind && body.kind !== '') {
    throw badRequest(
      `${body.kind} in version "${served.version}" cannot be handled as a ${kind.kind}: no kind "${body.kind}" is registered for this path`,
    );
  }
  if (
    body.apiVersion !== undefined &&
    body.apiVersion !== '' &&
    body.apiVersion !== apiVersion
  ) {
    throw badRequest(
      `the API version in the data (${body.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  const typed: JsonObject = { ...clone(body), apiVersion, kind: kind.kind };
  if (
    typed.metadata !== undefined &&
    typed.metadata !== null &&
    !isObject(typed.metadata)
  ) {
    throw badRequest(`${kind.kind}: metadata must be an object`);
  }
  return served.definition
    ? readBuiltIn(served.definition, typed)
    : readCustom(served, typed);
}

function readBuiltIn(definition: string, body: JsonObject): ReadObject {
  const { object, unknown } = decode(definition, body);
  if (object.kind === 'Secret') {
    foldStringData(object);
  }
  fillDefaults(definition, object);
  const typed = withMetadata(object);
  if (typed.kind === 'CustomResourceDefinition') {
    defaultCrd(typed);
  }
  return { object: typed, unknown };
}

function readCustom(served: ServedVersion, body: JsonObject): ReadObject {
  const { object, unknown } = normaliseCustom(served.schema, body);
  const metadata = decode(OBJECT_META, {
    ...(isObject(object.metadata) ? object.metadata : {}),
  });
  delete metadata.object.creationTimestamp;
  const given = isObject(object.metadata)
    ? object.metadata.creationTimestamp
    : undefined;
  if (typeof given === 'string') {
    metadata.object.creationTimestamp = given;
  }
  return {
    object: withMetadata({ ...object, metadata: metadata.object }),
    unknown: [...unknown, ...metadata.unknown.map(path => `metadata.${path}`)],
  };
}

/** The object of a kind with nothing set, which the first write of an object is compared to. */
export function emptyObject(kind: Kind, served: ServedVersion): KubeObject {
  const bare: KubeObject = {
    apiVersion: apiVersionOf(kind.group, served.version),
    kind: kind.kind,
    metadata: {},
  };
  return served.definition
    ? withMetadata(decode(served.definition, bare).object)
    : bare;
}

/** The object in another version of its kind. */
export function inVersion(
  kind: Kind,
  object: KubeObject,
  version: string,
): KubeObject {
  const apiVersion = apiVersionOf(kind.group, version);
  if (object.apiVersion === apiVersion) {
    return object;
  }
  const converted = kind.convert ? kind.convert(object, version) : object;
  return withMetadata({ ...converted, apiVersion });
}

/** The order in which an API server writes an object's first fields, so that people find them where they expect them. */
export function ordered(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  const {
    name,
    generateName,
    namespace,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    labels,
    annotations,
    ...others
  } = metadata;
  const first = {
    name,
    generateName,
    namespace,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    labels,
    annotations,
  };
  const known = Object.fromEntries(
    Object.entries(first).filter(([, value]) => value !== undefined),
  );
  return { kind, apiVersion, metadata: { ...known, ...others }, ...rest };
}
