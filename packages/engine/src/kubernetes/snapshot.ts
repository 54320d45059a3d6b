/*
 * The snapshot of built-in Kubernetes kinds, packed small. Made by scripts/kubernetes-snapshot.ts.
 */
import { FieldSchema, JsonObject } from '../types';
import { isObject } from '../pointer';
import type { Definitions } from './openapi';
import packed from './built-in-kinds.json';

/** One letter per plain type; `>name` is a reference. */
const TYPES: Record<string, NonNullable<FieldSchema['type']>> = {
  s: 'string',
  i: 'integer',
  n: 'number',
  b: 'boolean',
  a: 'any',
  q: 'quantity',
  x: 'intOrString',
  d: 'duration',
};

const LETTERS: Record<string, string> = Object.fromEntries(
  Object.entries(TYPES).map(([letter, type]) => [type, letter]),
);

/** A packed schema: a letter, a reference, or an object whose children are packed. */
type Packed = string | JsonObject;

/** Packs one schema; undone by {@link unpack}. */
export function pack(schema: FieldSchema): Packed {
  const keys = Object.keys(schema);
  if (keys.length === 1 && schema.type && LETTERS[schema.type]) {
    return LETTERS[schema.type];
  }
  if (keys.length === 1 && schema.ref !== undefined) {
    return `>${schema.ref}`;
  }
  const { items, values, properties, ...rest } = schema;
  const out: JsonObject = { ...(rest as JsonObject) };
  if (items) out.items = pack(items);
  if (values) out.values = pack(values);
  if (properties) {
    out.properties = Object.fromEntries(
      Object.entries(properties).map(([name, child]) => [name, pack(child)]),
    );
  }
  return out;
}

function unpack(value: Packed): FieldSchema {
  if (typeof value === 'string') {
    return value.startsWith('>')
      ? { ref: value.slice(1) }
      : { type: TYPES[value] };
  }
  const { items, values, properties, ...rest } = value;
  const out: FieldSchema = { ...(rest as FieldSchema) };
  if (items !== undefined) out.items = unpack(items as Packed);
  if (values !== undefined) out.values = unpack(values as Packed);
  if (isObject(properties)) {
    out.properties = Object.fromEntries(
      Object.entries(properties).map(([name, child]) => [
        name,
        unpack(child as Packed),
      ]),
    );
  }
  return out;
}

/** The snapshot, unpacked. */
export function snapshot(): Definitions {
  const { definitions, kinds } = packed as unknown as {
    definitions: Record<string, Packed>;
    kinds: Record<string, string>;
  };
  return {
    kinds,
    definitions: Object.fromEntries(
      Object.entries(definitions).map(([name, value]) => [name, unpack(value)]),
    ),
  };
}
