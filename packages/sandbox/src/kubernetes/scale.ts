/** The scale subresource: an object's replicas seen through autoscaling/v1 Scale. */
import { badRequest, invalid, invalidValue } from './errors';
import { JsonObject, Json, at, child, clone, isObject, objects } from './json';
import { Kind } from './kinds';
import { KubeObject } from './types';

type ScaleOf = NonNullable<Kind['scale']>;

/** The Scale of an object. */
export function scaleOf(scale: ScaleOf, object: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } =
    object.metadata;
  const replicas = at(object, ...scale.specPath);
  const selector =
    scale.selectorPath && selectorText(at(object, ...scale.selectorPath));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(
      Object.entries({
        name,
        namespace,
        uid,
        resourceVersion,
        creationTimestamp,
      }).filter(([, value]) => value !== undefined),
    ),
    spec: typeof replicas === 'number' ? { replicas } : {},
    status: {
      replicas: at(object, ...scale.statusPath) ?? 0,
      ...(selector ? { selector } : {}),
    },
  };
}

function selectorText(selector: Json | undefined): string {
  if (typeof selector === 'string') {
    return selector;
  }
  const labels = at(selector, 'matchLabels');
  const equalities = Object.entries(isObject(labels) ? labels : {}).map(
    ([key, value]) => `${key}=${value}`,
  );
  const expressions = objects(at(selector, 'matchExpressions')).map(
    ({ key, operator, values }) => {
      const list = Array.isArray(values) ? `(${values.join(',')})` : '';
      switch (operator) {
        case 'In':
          return `${key} in ${list}`;
        case 'NotIn':
          return `${key} notin ${list}`;
        case 'DoesNotExist':
          return `!${key}`;
        default:
          return `${key}`;
      }
    },
  );
  return [...equalities, ...expressions].join(',');
}

/**
 * The object with a Scale's replicas.
 *
 * @throws StatusError 400 where it is no Scale, 422 where the number is negative
 */
export function withScale(
  scale: ScaleOf,
  object: KubeObject,
  body: JsonObject,
): KubeObject {
  if (body.kind !== undefined && body.kind !== 'Scale') {
    throw badRequest(`${body.kind} cannot be handled as a Scale`);
  }
  const replicas = at(body, 'spec', 'replicas') ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) {
    throw badRequest(
      'Scale in version "v1" cannot be handled as a Scale: spec.replicas must be an integer',
    );
  }
  if (replicas < 0) {
    throw invalid('autoscaling', 'Scale', object.metadata.name ?? '', [
      invalidValue(
        'spec.replicas',
        replicas,
        'must be greater than or equal to 0',
      ),
    ]);
  }
  const next = clone(object);
  let here: JsonObject = next;
  for (const key of scale.specPath.slice(0, -1)) {
    here = child(here, key);
  }
  here[scale.specPath[scale.specPath.length - 1]] = replicas;
  const version = at(body, 'metadata', 'resourceVersion');
  if (typeof version === 'string' && version !== '') {
    next.metadata.resourceVersion = version;
  }
  return next;
}
