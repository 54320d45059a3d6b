/** The subresources that are no part of the object: its scale, and a namespace's finalizers. */
import {
  Answer,
  ApiContext,
  ApiRequest,
  PATCHES,
  objectBody,
  shown,
  verbOf,
  writeOptions,
} from './apiRequest';
import { methodNotAllowed, unsupportedMediaType } from './errors';
import { at, isObject } from './json';
import { Kind } from './kinds';
import { patched } from './patching';
import { scaleOf, withScale } from './scale';
import { Target, collectionOf } from './target';

/** Answers a request for an object's scale. */
export function handleScale(
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
export function finalizeNamespace(
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
