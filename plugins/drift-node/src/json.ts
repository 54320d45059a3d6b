/** Small, total readers of JSON values: what a platform sends is checked, never trusted, and they do not throw. */
import type { Json, JsonObject } from '@plumbline/drift-engine';

/** Whether it is an object: neither a list nor null. @public */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of property names, if every step is there. @public */
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

/** The text at a path, if there is one and it is not empty. @public */
export function textAt(
  value: Json | undefined,
  ...path: string[]
): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** The list at a path; what is no list is an empty one. @public */
export function listAt(value: Json | undefined, ...path: string[]): Json[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The texts of the list at a path; anything else in it is left out. @public */
export function textsAt(value: Json | undefined, ...path: string[]): string[] {
  const list = listAt(value, ...path);
  const isText = (item: Json): item is string => typeof item === 'string';
  // Nearly always there are only texts: then no copy is needed.
  return list.every(isText) ? list : list.filter(isText);
}

/** The texts of the map at a path (labels, annotations); anything else in it is left out. @public */
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

/** A copy of the object without some of its own properties. @public */
export function without(
  object: JsonObject,
  names: readonly string[],
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([name]) => !names.includes(name)),
  );
}
