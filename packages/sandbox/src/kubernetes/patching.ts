/** Patches of every type, server-side apply included. */
import {
  Answer,
  ApiContext,
  ApiRequest,
  PATCHES,
  writeOptions,
} from './apiRequest';
import { badRequest, internal, invalid, unsupportedMediaType } from './errors';
import { Json, JsonObject, isObject } from './json';
import { ServedVersion } from './kinds';
import { readJson, readYaml } from './negotiate';
import { jsonPatch, mergePatch } from './patch';
import { strategicMerge } from './strategic';
import { Target } from './target';
import { KubeObject } from './types';
import { readObject } from './versions';

/**
 * Answers a patch of an object or of its status.
 *
 * @throws StatusError 400, 404, 409, 415, 422, 500
 */
export function patchObject(
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

/** The object as a patch makes it. */
export function patched(
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
