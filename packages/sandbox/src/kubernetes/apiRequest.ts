/** A request as the handlers see it, and what can be read from it: the verb, the options, the body. */
import { TokenHolder } from './access';
import { dryRunCause } from './deletion';
import {
  badRequest,
  forbiddenField,
  invalidOptions,
  required,
  unsupportedMediaType,
} from './errors';
import { Json, JsonObject, isObject } from './json';
import { Kind, KindRegistry, ServedVersion } from './kinds';
import { readJson, readYaml } from './negotiate';
import { Query, ResourcePath } from './path';
import { Store } from './store';
import { Target, WriteOptions } from './target';
import { KubeObject } from './types';
import { inVersion, ordered } from './versions';
import { ObjectWriter } from './writes';

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

/** A request whose kind, version and verb are known. */
export interface Resolved {
  kind: Kind;
  version: ServedVersion;
  verb: string;
}

/** Content types of patches. */
export const PATCHES = {
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
 * What a write says in its query.
 *
 * @throws StatusError 422 where an option is wrong or missing
 */
export function writeOptions(request: ApiRequest, kind: string): WriteOptions {
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

/**
 * The object in a body.
 *
 * @throws StatusError 400 where there is none, 415 where it is written in protobuf
 */
export function objectBody(request: ApiRequest, kind: Kind): JsonObject {
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

/** The body, where there is one. */
export function optionalBody(request: ApiRequest): Json | undefined {
  return request.body.trim() === ''
    ? undefined
    : readJson(request.body, 'DeleteOptions');
}

/** What a request for a single object addresses. */
export function targetOf(
  { path }: ApiRequest,
  { kind, version }: Resolved,
): Target {
  return {
    kind,
    version,
    ...(path.namespace === undefined ? {} : { namespace: path.namespace }),
    name: path.name ?? '',
    subresource: path.subresource ?? '',
  };
}

/** A stored object in the version that was asked for. */
export const shown = ({ kind, version }: Target, object: KubeObject) =>
  ordered(inVersion(kind, object, version.version));
