// The plain JSON values that the stand-in keeps and sends.

/** Any JSON value. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | JsonValue[]
  | JsonObject;

/** A JSON object. `undefined` members are left out when it is sent. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** Whether `value` is a JSON object (no array, no null). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A deep copy; JSON in, JSON out. */
export function clone<T extends JsonValue | undefined>(value: T): T {
  return structuredClone(value);
}

/** Text with object keys in a fixed order, for hashes and for keys of unique constraints. */
export function stableText(value: JsonValue | undefined): string {
  if (Array.isArray(value)) {
    return `[${value.map(stableText).join(',')}]`;
  }
  if (isObject(value)) {
    const members = Object.keys(value)
      .sort()
      .filter(key => value[key] !== undefined)
      .map(key => `${JSON.stringify(key)}:${stableText(value[key])}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}
