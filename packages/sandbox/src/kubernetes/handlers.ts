/** One function per API verb: from a request to a status code and a body. */
import type { Response } from 'express';
import { TokenHolder, allows, authorize } from './access';
import {
  deleteObject,
  dryRunCause,
  readDeleteOptions,
  successStatus,
} from './deletion';
import {
  badRequest,
  forbiddenField,
  internal,
  invalid,
  invalidOptions,
  methodNotAllowed,
  noSuchResource,
  notFound,
  required,
  unsupportedMediaType,
} from './errors';
import { Json, JsonObject, at, isObject } from './json';
import { Kind, KindRegistry, ServedVersion } from './kinds';
import { readJson, readYaml } from './negotiate';
import { jsonPatch, mergePatch } from './patch';
import { Query, ResourcePath } from './path';
import { listItem, listObjects, selected } from './reads';
import { scaleOf, withScale } from './scale';
import { Store } from './store';
import { strategicMerge } from './strategic';
import { KubeObject } from './types';
import {
  ReadObject,
  inVersion,
  ordered,
  readObject,
  servedVersion,
} from './versions';
import { serveWatch } from './watch';
import { ObjectWriter, Target, WriteOptions, collectionOf } from './writes';

/** A request, as far as the API is concerned. */
export interface ApiRequest {
  method: string;
  path: ResourcePath;
  query: Query;
  mediaType: string;
  body: string;
  userAgent: string;
  holder: TokenHolder;
}

/** An answer; `undefined` where a stream has already begun. */
export type Answer = { code: number; body: JsonObject } | undefined;

/** What the handlers work on. */
export interface ApiContext {
  store: Store;
  kinds: KindRegistry;
  writer: ObjectWriter;
  now: () => Date;
  watch: {
    bookmarkInterval: number;
    defaultTimeout: number;
    present: (object: JsonObject) => JsonObject;
  };
}

interface Resolved {
  kind: Kind;
  version: ServedVersion;
  verb: string;
}

const PATCHES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** The API verb of a request. */
export function verbOf(
  request: Pick<ApiRequest, 'method' | 'path' | 'query' | 'mediaType'>,
): string {
  const { method, path, query, mediaType } = request;
  const single = path.name !== undefined;
  switch (method) {
    case 'GET':
      if (single) {
        return 'get';
      }
      return query.flag('watch') ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return mediaType === PATCHES.apply ? 'apply' : 'patch';
    case 'DELETE':
      return single ? 'delete' : 'deletecollection';
    default:
      return method.toLowerCase();
  }
}

/**
 * Answers a request for a resource.
 *
 * @throws StatusError for everything that is wrong with it
 */
export function handle(
  context: ApiContext,
  request: ApiRequest,
  response: Response,
): Answer {
  const { path, holder } = request;
  const verb = verbOf(request);
  authorize(holder, {
    // An apply is a patch to the one who grants rights.
    verb: verb === 'apply' ? 'patch' : verb,
    group: path.group,
    resource: path.subresource
      ? `${path.plural}/${path.subresource}`
      : path.plural,
    ...(path.namespace === undefined ? {} : { namespace: path.namespace }),
    ...(path.name === undefined ? {} : { name: path.name }),
  });
  const kind = context.kinds.find(path.group, path.plural);
  const version = kind && servedVersion(kind, path.version);
  if (!kind || !version || (path.namespace !== undefined && !kind.namespaced)) {
    throw noSuchResource();
  }
  const across = kind.namespaced && path.namespace === undefined;
  if (
    across &&
    (path.name !== undefined || !['list', 'watch'].includes(verb))
  ) {
    throw path.name === undefined ? methodNotAllowed() : noSuchResource();
  }
  const resolved = { kind, version, verb };
  if (path.name === undefined) {
    return handleCollection(context, request, resolved, response);
  }
  return path.subresource
    ? handleSubresource(context, request, resolved)
    : handleObject(context, request, resolved);
}

function handleCollection(
  context: ApiContext,
  request: ApiRequest,
  { kind, version, verb }: Resolved,
  response: Response,
): Answer {
  const { path, query } = request;
  const selection = {
    kind,
    version: version.version,
    ...(path.namespace === undefined ? {} : { namespace: path.namespace }),
  };
  switch (verb) {
    case 'list':
      return { code: 200, body: listObjects(context.store, selection, query) };
    case 'watch':
      serveWatch(context.store, selection, query, response, context.watch);
      return undefined;
    case 'create': {
      const options = writeOptions(request, 'CreateOptions');
      const body = readObject(kind, version, objectBody(request, kind));
      const target = {
        kind,
        version,
        namespace: path.namespace,
        subresource: '',
      };
      return { code: 201, body: context.writer.create(target, body, options) };
    }
    case 'deletecollection':
      return deleteCollection(context, request, { kind, version, verb });
    default:
      throw methodNotAllowed();
  }
}

function handleObject(
  context: ApiContext,
  request: ApiRequest,
  resolved: Resolved,
): Answer {
  const { kind, version, verb } = resolved;
  const target = targetOf(request, resolved);
  switch (verb) {
    case 'get':
      return { code: 200, body: shown(target, context.writer.live(target)) };
    case 'update': {
      const options = writeOptions(request, 'UpdateOptions');
      const body = readObject(kind, version, objectBody(request, kind));
      return {
        code: 200,
        body: context.writer.update(target, options, () => body),
      };
    }
    case 'patch':
    case 'apply':
      return patchObject(context, request, target);
    case 'delete': {
      const options = readDeleteOptions(request.query, optionalBody(request));
      const { gone, object } = deleteObject(
        context.store,
        kind,
        target.namespace,
        target.name,
        options,
        context.now(),
      );
      return {
        code: 200,
        body: gone ? successStatus(kind, object) : shown(target, object),
      };
    }
    default:
      throw methodNotAllowed();
  }
}

function handleSubresource(
  context: ApiContext,
  request: ApiRequest,
  resolved: Resolved,
): Answer {
  const { kind, version, verb } = resolved;
  const target = targetOf(request, resolved);
  if (target.subresource === 'scale' && kind.scale) {
    return handleScale(context, request, target, kind.scale);
  }
  if (
    target.subresource === 'finalize' &&
    kind.kind === 'Namespace' &&
    verb === 'update'
  ) {
    return finalizeNamespace(context, request, target);
  }
  if (target.subresource !== 'status' || !kind.status) {
    throw noSuchResource();
  }
  switch (verb) {
    case 'get':
      return { code: 200, body: shown(target, context.writer.live(target)) };
    case 'update': {
      const options = writeOptions(request, 'UpdateOptions');
      const body = readObject(kind, version, objectBody(request, kind));
      return {
        code: 200,
        body: context.writer.update(target, options, () => body),
      };
    }
    case 'patch':
    case 'apply':
      return patchObject(context, request, target);
    default:
      throw methodNotAllowed();
  }
}

function handleScale(
  context: ApiContext,
  request: ApiRequest,
  target: Target,
  scale: NonNullable<Kind['scale']>,
): Answer {
  const { writer } = context;
  const verb = verbOf(request);
  if (verb === 'get') {
    return { code: 200, body: scaleOf(scale, writer.live(target)) };
  }
  if (verb !== 'update' && verb !== 'patch') {
    throw verb === 'apply'
      ? unsupportedMediaType([PATCHES.json, PATCHES.merge])
      : methodNotAllowed();
  }
  const options = writeOptions(
    request,
    verb === 'update' ? 'UpdateOptions' : 'PatchOptions',
  );
  const object = writer.update(target, options, live => {
    const before = scaleOf(scale, live);
    const body =
      verb === 'update'
        ? objectBody(request, target.kind)
        : patched(request, {}, before);
    return { object: withScale(scale, live, body), unknown: [] };
  });
  return { code: 200, body: scaleOf(scale, object) };
}

/** Lets go of a namespace's finalizers, which in a cluster its controller does. */
function finalizeNamespace(
  context: ApiContext,
  request: ApiRequest,
  target: Target,
): Answer {
  const live = context.writer.live(target);
  const body = objectBody(request, target.kind);
  const finalizers = at(body, 'spec', 'finalizers');
  const spec = {
    ...(isObject(live.spec) ? live.spec : {}),
    finalizers: finalizers ?? [],
  };
  const next = { ...live, spec };
  const gone =
    live.metadata.deletionTimestamp &&
    !(Array.isArray(finalizers) && finalizers.length > 0);
  const collection = collectionOf(target.kind);
  return {
    code: 200,
    body: shown(
      target,
      gone
        ? context.store.remove(collection, next)
        : context.store.put(collection, next),
    ),
  };
}

function deleteCollection(
  context: ApiContext,
  request: ApiRequest,
  { kind, version }: Resolved,
): Answer {
  const { path, query } = request;
  const options = readDeleteOptions(query, optionalBody(request));
  const selection = {
    kind,
    version: version.version,
    ...(path.namespace === undefined ? {} : { namespace: path.namespace }),
  };
  const matches = selected(selection, query);
  const items = context.store
    .list(collectionOf(kind))
    .filter(matches)
    .map(object => {
      const { namespace, name = '' } = object.metadata;
      deleteObject(
        context.store,
        kind,
        namespace,
        name,
        options,
        context.now(),
      );
      return listItem(kind, version.version, object);
    });
  return {
    code: 200,
    body: {
      kind: kind.listKind,
      apiVersion: path.group ? `${path.group}/${path.version}` : path.version,
      metadata: { resourceVersion: `${context.store.version}` },
      items,
    },
  };
}

function patchObject(
  context: ApiContext,
  request: ApiRequest,
  target: Target,
): Answer {
  const { kind, version } = target;
  const options = writeOptions(request, 'PatchOptions');
  if (request.mediaType === PATCHES.apply) {
    const config = applyBody(request, target);
    const force = request.query.flag('force');
    const { object, created } = context.writer.apply(
      target,
      config,
      force,
      options,
    );
    return { code: created ? 201 : 200, body: object };
  }
  const allowed: string[] = [
    PATCHES.json,
    PATCHES.merge,
    ...(kind.definedBy ? [] : [PATCHES.strategic]),
  ];
  if (!allowed.includes(request.mediaType)) {
    throw unsupportedMediaType([...allowed, PATCHES.apply]);
  }
  const object = context.writer.update(target, options, live => {
    const body = patched(request, version.schema, live);
    try {
      return readObject(kind, version, body);
    } catch (error) {
      // A patched object that cannot be read is the patch's fault.
      throw invalid('', '', '', [
        {
          reason: 'FieldValueInvalid',
          message: `Invalid value: ${(error as Error).message}`,
          field: 'patch',
        },
      ]);
    }
  });
  return { code: 200, body: object };
}

function patched(
  request: ApiRequest,
  schema: ServedVersion['schema'],
  live: KubeObject,
): JsonObject {
  let patch: Json;
  try {
    patch = readJson(request.body, 'patch');
  } catch {
    // A real API server answers this one with 500 and these words.
    throw internal('Invalid JSON Patch');
  }
  if (request.mediaType === PATCHES.json) {
    return jsonPatch(live, patch);
  }
  if (!isObject(patch)) {
    throw badRequest('a patch must be an object');
  }
  if (request.mediaType === PATCHES.strategic) {
    return strategicMerge(schema, live, patch);
  }
  const merged = mergePatch(live, patch);
  return isObject(merged) ? merged : {};
}

function applyBody(request: ApiRequest, target: Target): KubeObject {
  const body = readYaml(request.body);
  if (!isObject(body)) {
    throw badRequest('an applied configuration must be an object');
  }
  const { group, version } = request.path;
  const expected = group ? `${group}/${version}` : version;
  if (body.apiVersion !== expected) {
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${
        body.apiVersion ?? ''
      }, expected: ${expected}`,
    );
  }
  if (body.kind !== target.kind.kind) {
    throw badRequest(
      `Incorrect kind specified in apply patch. Specified: ${
        body.kind ?? ''
      }, expected: ${target.kind.kind}`,
    );
  }
  const metadata = isObject(body.metadata) ? body.metadata : {};
  if (metadata.name !== undefined && metadata.name !== target.name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${target.name})`,
    );
  }
  if (
    target.namespace &&
    metadata.namespace !== undefined &&
    metadata.namespace !== target.namespace
  ) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  return {
    ...body,
    apiVersion: expected,
    kind: target.kind.kind,
    metadata: {
      ...metadata,
      name: target.name,
      ...(target.namespace ? { namespace: target.namespace } : {}),
    },
  };
}

function writeOptions(request: ApiRequest, kind: string): WriteOptions {
  const { query, mediaType, userAgent } = request;
  const isApply = mediaType === PATCHES.apply && request.method === 'PATCH';
  const manager = query.text('fieldManager');
  const dryRun = query.all('dryRun');
  const causes = [];
  if (dryRun.some(value => value !== 'All')) {
    causes.push(dryRunCause(dryRun));
  }
  if (isApply && !manager) {
    causes.push(required('fieldManager', 'is required for apply patch'));
  }
  if (
    !isApply &&
    query.text('force') !== undefined &&
    request.method === 'PATCH'
  ) {
    causes.push(
      forbiddenField('force', 'may not be specified for non-apply patch'),
    );
  }
  if (causes.length > 0) {
    throw invalidOptions(kind, causes);
  }
  const fieldValidation = query.text('fieldValidation');
  return {
    dryRun: dryRun.length > 0,
    manager: manager ?? (userAgent.split('/')[0].slice(0, 128) || 'unknown'),
    ...(fieldValidation ? { fieldValidation } : {}),
  };
}

function objectBody(request: ApiRequest, kind: Kind): JsonObject {
  if (request.mediaType === 'application/vnd.kubernetes.protobuf') {
    throw unsupportedMediaType(['application/json', 'application/yaml']);
  }
  const body =
    request.mediaType === 'application/yaml'
      ? readYaml(request.body)
      : readJson(request.body, kind.kind);
  if (!isObject(body)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind})`,
    );
  }
  return body;
}

function optionalBody(request: ApiRequest): Json | undefined {
  return request.body.trim() === ''
    ? undefined
    : readJson(request.body, 'DeleteOptions');
}

function targetOf({ path }: ApiRequest, { kind, version }: Resolved): Target {
  return {
    kind,
    version,
    ...(path.namespace === undefined ? {} : { namespace: path.namespace }),
    name: path.name ?? '',
    subresource: path.subresource ?? '',
  };
}

const shown = ({ kind, version }: Target, object: KubeObject) =>
  ordered(inVersion(kind, object, version.version));

/** A review of what the asking person may do. */
export function reviewAccess(request: ApiRequest): Answer {
  const body = objectBodyOfReview(request);
  const spec = isObject(body.spec) ? body.spec : {};
  const wanted = isObject(spec.resourceAttributes)
    ? spec.resourceAttributes
    : undefined;
  const text = (value: Json | undefined) =>
    typeof value === 'string' ? value : '';
  const subresource = text(wanted?.subresource);
  const allowed = allows(request.holder.access, {
    verb: text(wanted?.verb) || text(at(spec, 'nonResourceAttributes', 'verb')),
    group: text(wanted?.group),
    resource: subresource
      ? `${text(wanted?.resource)}/${subresource}`
      : text(wanted?.resource),
    namespace: text(wanted?.namespace),
  });
  return {
    code: 201,
    body: {
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: { creationTimestamp: null },
      spec,
      status: allowed
        ? { allowed }
        : { allowed, reason: 'no rule of the sandbox allows it' },
    },
  };
}

function objectBodyOfReview(request: ApiRequest): JsonObject {
  const body = readJson(request.body, 'SelfSubjectAccessReview');
  if (!isObject(body)) {
    throw badRequest(
      'the object provided is unrecognized (must be of type SelfSubjectAccessReview)',
    );
  }
  return body;
}

/** The 404 for an object, for callers that read the store themselves. */
export const missing = (kind: Kind, name: string) => notFound(kind, name);

/** Re-exported for callers that build bodies themselves. */
export type { ReadObject };
