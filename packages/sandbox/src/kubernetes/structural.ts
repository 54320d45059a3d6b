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

/** True for a null where the schema allows none: it counts as absent. */
const isAbsentNull = (value: Json | undefined, schema: Schema) =>
  value === null && schema.nullable !== true;

/** Removes, in place, the nulls that the schema does not allow. */
function dropNulls(schema: Schema, value: Json | undefined): void {
  if (Array.isArray(value)) {
    const items = schema.items;
    if (items) {
      value.forEach(item => dropNulls(items, item));
    }
    return;
  }
  if (!isObject(value)) {
    return;
  }
  const element = schema.additionalProperties;
  for (const key of Object.keys(value)) {
    const declared = schema.properties && own(schema.properties, key);
    const field =
      declared ?? (typeof element === 'object' ? element : undefined);
    if (field && isAbsentNull(value[key], field)) {
      delete value[key];
    } else if (field) {
      dropNulls(field, value[key]);
    }
  }
}

/** Fills in the schema's defaults, in place. */
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
    if (value[key] === undefined && declared.default !== undefined) {
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
  dropNulls(schema, copy);
  fillStructuralDefaults(schema, copy);
  return { object: copy, unknown };
}
