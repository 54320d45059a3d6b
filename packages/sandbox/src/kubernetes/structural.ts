/** Custom resources by their structural schema: unknown fields are pruned, then defaults are filled in. */
import { Json, JsonObject, clone, isObject, own } from './json';
import { Schema } from './schema';

const KEPT_AT_ROOT = ['apiVersion', 'kind', 'metadata'];

const isResource = (schema: Schema, root: boolean) =>
  root || schema['x-kubernetes-embedded-resource'] === true;

/**
 * Removes, in place, the fields that the schema does not declare.
 *
 * @returns the paths of what was removed
 */
export function prune(
  schema: Schema,
  value: Json | undefined,
  root = true,
  path = '',
): string[] {
  if (Array.isArray(value)) {
    const items = schema.items;
    return items
      ? value.flatMap((item, index) =>
          prune(items, item, false, `${path}[${index}]`),
        )
      : [];
  }
  if (!isObject(value)) {
    return [];
  }
  const removed: string[] = [];
  const element = schema.additionalProperties;
  const keepsUnknown =
    schema['x-kubernetes-preserve-unknown-fields'] === true || element === true;
  for (const key of Object.keys(value)) {
    if (isResource(schema, root) && KEPT_AT_ROOT.includes(key)) {
      continue;
    }
    const below = path ? `${path}.${key}` : key;
    const declared = schema.properties && own(schema.properties, key);
    if (declared) {
      removed.push(...prune(declared, value[key], false, below));
    } else if (typeof element === 'object') {
      removed.push(...prune(element, value[key], false, below));
    } else if (!keepsUnknown) {
      delete value[key];
      removed.push(below);
    }
  }
  return removed;
}

/** Fills in the schema's defaults, in place. A null where null is not allowed and a default exists counts as absent. */
export function fillStructuralDefaults(
  schema: Schema,
  value: Json | undefined,
): void {
  if (Array.isArray(value)) {
    const items = schema.items;
    if (items) {
      value.forEach(item => fillStructuralDefaults(items, item));
    }
    return;
  }
  if (!isObject(value)) {
    return;
  }
  for (const [key, declared] of Object.entries(schema.properties ?? {})) {
    const absent =
      value[key] === undefined || (value[key] === null && !declared.nullable);
    if (absent && declared.default !== undefined) {
      value[key] = clone(declared.default);
    }
    fillStructuralDefaults(declared, value[key]);
  }
  const element = schema.additionalProperties;
  if (typeof element === 'object') {
    for (const key of Object.keys(value)) {
      if (!schema.properties || own(schema.properties, key) === undefined) {
        fillStructuralDefaults(element, value[key]);
      }
    }
  }
}

/** A copy of the object as a custom resource's schema lets it be stored. */
export function normaliseCustom(
  schema: Schema,
  object: JsonObject,
): { object: JsonObject; unknown: string[] } {
  const copy = clone(object);
  const unknown = prune(schema, copy);
  fillStructuralDefaults(schema, copy);
  return { object: copy, unknown };
}
