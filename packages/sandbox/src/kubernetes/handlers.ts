/** One function per API verb: from a request to a status code and a body. */
import type { Response } from 'express';
import { authorize } from './access';
import {
  Answer,
  ApiContext,
  ApiRequest,
  Resolved,
  objectBody,
  optionalBody,
  shown,
  targetOf,
  verbOf,
  writeOptions,
} from './apiRequest';
import { deleteObject, readDeleteOptions, successStatus } from './deletion';
import { methodNotAllowed, noSuchResource } from './errors';
import { patchObject } from './patching';
import { listItem, listObjects, selected } from './reads';
import { finalizeNamespace, handleScale } from './subresources';
import { collectionOf } from './target';
import { readObject, servedVersion } from './versions';
import { serveWatch } from './watch';

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
