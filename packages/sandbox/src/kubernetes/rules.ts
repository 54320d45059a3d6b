/** Validation of built-in kinds beyond types: required fields, then the kind's own rules. */
import { Cause, required } from './errors';
import { Json, isObject } from './json';
import { RULES } from './kindRules';
import { Schema, reference, resolve } from './schema';
import { KubeObject } from './types';

/** What is wrong with an object of a built-in kind; `live` is the object before an update. */
export function builtInCauses(
  definition: string,
  object: KubeObject,
  live: KubeObject | undefined,
): Cause[] {
  const rule = RULES[object.kind];
  const causes = [
    ...requiredCauses(reference(definition), object, ''),
    ...(rule ? rule(object, live) : []),
  ];
  return causes.filter(
    (cause, index) =>
      causes.findIndex(
        other => other.field === cause.field && other.message === cause.message,
      ) === index,
  );
}

/** Parts that the server fills, or that have rules of their own. */
const UNCHECKED = ['metadata', 'status', 'apiVersion', 'kind', 'template'];

/** Fields that the published definitions require, and an API server lets be empty. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set([
  'serviceName',
  'rules',
  'tolerance',
  'type',
  'source',
  'reportingComponent',
  'reportingInstance',
  'key',
  'topologyKey',
  'value',
]);

function requiredCauses(
  schema: Schema,
  value: Json | undefined,
  path: string,
): Cause[] {
  const resolved = resolve(schema);
  if (Array.isArray(value)) {
    const items = resolved.items;
    return items
      ? value.flatMap((item, index) =>
          requiredCauses(items, item, `${path}[${index}]`),
        )
      : [];
  }
  if (!isObject(value)) {
    return [];
  }
  const causes: Cause[] = [];
  for (const key of resolved.required ?? []) {
    const item = value[key];
    const empty =
      item === undefined ||
      item === null ||
      item === '' ||
      (Array.isArray(item) && item.length === 0);
    if (empty && !UNCHECKED.includes(key) && !MAY_BE_EMPTY.has(key)) {
      causes.push(required(path ? `${path}.${key}` : key));
    }
  }
  for (const [key, declared] of Object.entries(resolved.properties ?? {})) {
    if (path !== '' || !UNCHECKED.includes(key)) {
      causes.push(
        ...requiredCauses(declared, value[key], path ? `${path}.${key}` : key),
      );
    }
  }
  return causes;
}
