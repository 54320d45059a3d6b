/**
 * JSON as this server keeps it: plain values, with integers beyond 2^53 as bigint so that they keep all their digits
 * from the request, through the store, into the response.
 */

/** A JSON value. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | Json[]
  | JsonObject;

/** A JSON object; a key whose value is undefined counts as absent. */
export interface JsonObject {
  [key: string]: Json | undefined;
}

/** `JSON.rawJSON` and the reviver's third argument are in Node 22, but not yet in TypeScript's library. */
interface JsonWithSource {
  rawJSON(text: string): unknown;
  parse(
    text: string,
    reviver: (
      key: string,
      value: unknown,
      context: { source?: string },
    ) => unknown,
  ): unknown;
}

const json = JSON as unknown as JsonWithSource;

const LONG_INTEGER = /\d{16}/;
const INTEGER = /^-?\d+$/;

/**
 * Parses JSON text.
 *
 * @throws SyntaxError where the text is not JSON.
 */
export function parseJson(text: string): Json {
  if (!LONG_INTEGER.test(text)) {
    return JSON.parse(text) as Json;
  }
  return json.parse(text, (_key, value, context) => {
    const source = context.source;
    return typeof value === 'number' &&
      !Number.isSafeInteger(value) &&
      source !== undefined &&
      INTEGER.test(source)
      ? BigInt(source)
      : value;
  }) as Json;
}

/** Writes JSON text; a bigint is written as the number that it is. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_key, item) =>
    typeof item === 'bigint' ? json.rawJSON(item.toString()) : item,
  );
}

/** True for an object that is neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A deep copy. */
export function clone<T extends Json | undefined>(value: T): T {
  if (Array.isArray(value)) {
    return value.map(item => clone(item)) as T;
  }
  if (isObject(value)) {
    const copy: JsonObject = {};
    for (const [key, item] of Object.entries(value)) {
      if (item !== undefined) {
        copy[key] = clone(item);
      }
    }
    return copy as T;
  }
  return value;
}

/** Deep equality; the order of keys does not count, the order of items does. */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) {
    return true;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => equal(item, b[index]))
    );
  }
  if (!isObject(a) || !isObject(b)) {
    return false;
  }
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every(key => equal(a[key], b[key]));
}

/** The object's own value under `key`: never something inherited, such as `constructor`. */
export function own<T>(
  object: { [key: string]: T },
  key: string,
): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The value at a path of keys, or undefined. */
export function at(
  value: Json | undefined,
  ...path: string[]
): Json | undefined {
  let here = value;
  for (const key of path) {
    if (!isObject(here)) {
      return undefined;
    }
    here = own(here, key);
  }
  return here;
}

/** The object under `key`, created where it is absent or not an object. */
export function child(object: JsonObject, key: string): JsonObject {
  const found = own(object, key);
  if (isObject(found)) {
    return found;
  }
  const created: JsonObject = {};
  object[key] = created;
  return created;
}

/** The value as an array of objects; anything else in it is left out. */
export function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
