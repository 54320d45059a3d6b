/** Deletes: preconditions, finalizers, propagation, and what the answer looks like. */
import {
  Cause,
  conflict,
  invalidOptions,
  notFound,
  notSupported,
} from './errors';
import { Json, JsonObject, at, clone, isObject } from './json';
import { Kind } from './kinds';
import { Query } from './path';
import { Store, keyOf } from './store';
import { KubeObject, timestamp } from './types';
import { collectionOf } from './target';

/** What a delete may say besides its name. */
export interface DeleteOptions {
  dryRun: boolean;
  propagation: 'Background' | 'Foreground' | 'Orphan';
  uid?: string;
  resourceVersion?: string;
}

const POLICIES = ['Foreground', 'Background', 'Orphan', 'nil'];

/** The cause for a `dryRun` that is not `All`. */
export const dryRunCause = (values: string[]): Cause => {
  const shown = `[]string{${values
    .map(value => JSON.stringify(value))
    .join(', ')}}`;
  return {
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${shown}: supported values: "All"`,
    field: 'dryRun',
  };
};

/**
 * Reads delete options from the query and the body; the body wins.
 *
 * @throws StatusError 422 where an option has no such value
 */
export function readDeleteOptions(
  query: Query,
  body: Json | undefined,
): DeleteOptions {
  const options = isObject(body) ? body : {};
  const causes: Cause[] = [];
  const policy =
    options.propagationPolicy ??
    query.text('propagationPolicy') ??
    'Background';
  if (!POLICIES.includes(`${policy}`)) {
    causes.push(notSupported('propagationPolicy', policy, POLICIES));
  }
  const inBody = Array.isArray(options.dryRun)
    ? options.dryRun.map(String)
    : [];
  const dryRun = [...query.all('dryRun'), ...inBody];
  if (dryRun.some(value => value !== 'All')) {
    causes.push(dryRunCause(dryRun));
  }
  if (causes.length > 0) {
    throw invalidOptions('DeleteOptions', causes);
  }
  const uid = at(options, 'preconditions', 'uid');
  const resourceVersion = at(options, 'preconditions', 'resourceVersion');
  return {
    dryRun: dryRun.length > 0,
    propagation:
      policy === 'Foreground' || policy === 'Orphan' ? policy : 'Background',
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
  };
}

/** The finalizer that holds an object until its dependents are dealt with. */
export const FINALIZERS = {
  Foreground: 'foregroundDeletion',
  Orphan: 'orphan',
} as const;

/** The finalizer that holds a definition until its custom resources are gone. */
export const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

function finalizerFor(kind: Kind, options: DeleteOptions): string | undefined {
  if (kind.kind === 'CustomResourceDefinition') {
    return CLEANUP;
  }
  return options.propagation === 'Background'
    ? undefined
    : FINALIZERS[options.propagation];
}

/** What a delete did: the object is gone, or it waits for its finalizers. */
export interface Deleted {
  gone: boolean;
  object: KubeObject;
}

/**
 * Deletes an object, or marks it as being deleted where finalizers hold it.
 *
 * @throws StatusError 404, 409 (preconditions)
 */
export function deleteObject(
  store: Store,
  kind: Kind,
  namespace: string | undefined,
  name: string,
  options: DeleteOptions,
  now: Date,
): Deleted {
  const collection = collectionOf(kind);
  const live = store.get(collection, keyOf(namespace, name));
  if (!live) {
    throw notFound(kind, name);
  }
  assertPreconditions(kind, live, options);
  const object = clone(live);
  const { metadata } = object;
  const isNamespace = kind.group === '' && kind.kind === 'Namespace';
  const finalizer = finalizerFor(kind, options);
  if (finalizer && !metadata.finalizers?.includes(finalizer)) {
    metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  }
  if (!metadata.finalizers?.length && !isNamespace) {
    return {
      gone: true,
      object: options.dryRun ? object : store.remove(collection, object),
    };
  }
  if (metadata.deletionTimestamp === undefined) {
    metadata.deletionTimestamp = timestamp(now);
    if (!isNamespace) {
      metadata.deletionGracePeriodSeconds = 0;
    }
    if (kind.generation && metadata.generation !== undefined) {
      metadata.generation += 1;
    }
  } else if (!finalizer || live.metadata.finalizers?.includes(finalizer)) {
    return { gone: false, object };
  }
  if (isNamespace) {
    object.status = {
      ...(isObject(object.status) ? object.status : {}),
      phase: 'Terminating',
    };
  }
  return {
    gone: false,
    object: options.dryRun ? object : store.put(collection, object),
  };
}

function assertPreconditions(
  kind: Kind,
  live: KubeObject,
  options: DeleteOptions,
): void {
  const { uid, resourceVersion, name = '' } = live.metadata;
  const named = { group: kind.group, plural: kind.kind, kind: kind.kind };
  if (options.uid !== undefined && options.uid !== uid) {
    throw conflict(
      named,
      name,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (
    options.resourceVersion !== undefined &&
    options.resourceVersion !== resourceVersion
  ) {
    throw conflict(
      named,
      name,
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

/** The Status that tells that an object is gone. */
export function successStatus(kind: Kind, object: KubeObject): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: object.metadata.name,
      ...(kind.group ? { group: kind.group } : {}),
      kind: kind.plural,
      uid: object.metadata.uid,
    },
  };
}
