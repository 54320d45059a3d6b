/* Small readers of untyped JSON: what an API server sends is checked, never trusted. */
import type { Json, JsonObject } from '@plumbline/drift-engine';

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of property names, or `undefined`. */
export function at(
  value: Json | undefined,
  ...path: string[]
): Json | undefined {
  let current = value;
  for (const name of path) {
    if (!isObject(current) || !Object.hasOwn(current, name)) {
      return undefined;
    }
    current = current[name];
  }
  return current;
}

export function textAt(
  value: Json | undefined,
  ...path: string[]
): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

export function listAt(value: Json | undefined, ...path: string[]): Json[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** A map of strings (labels, annotations); anything else in it is left out. */
export function stringMapAt(
  value: Json | undefined,
  ...path: string[]
): Record<string, string> {
  const found = at(value, ...path);
  const entries = isObject(found) ? Object.entries(found) : [];
  return Object.fromEntries(
    entries.filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

/** The object without some of its own properties. */
export function without(object: JsonObject, ...names: string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([name]) => !names.includes(name)),
  );
}
