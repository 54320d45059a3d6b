/** Reviews of what the asking bearer may do. */
import { allows } from './access';
import { Answer, ApiRequest } from './apiRequest';
import { badRequest } from './errors';
import { Json, JsonObject, at, isObject } from './json';
import { readJson } from './negotiate';

/** Answers a SelfSubjectAccessReview. */
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
