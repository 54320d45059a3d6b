/*
 * Documents for tests: random ones that a schema allows, and plain ways to make states.
 */
import fc from 'fast-check';
import { normalise } from '../normalise/normalise';
import { FREE, SchemaNode, compile } from '../schema/compile';
import { digest } from '../json/canonical';
import {
  EvaluateInput,
  Json,
  JsonObject,
  ResourceSchema,
  State,
} from '../types';

/** A digest for tests: not keyed, so that runs can be compared. */
export const testDigest = (value: string) => digest(value);

export function state(
  document: Json,
  schema: ResourceSchema,
  side: 'declared' | 'live' = 'declared',
  ourManager?: string,
): State {
  return normalise(document, {
    schema,
    side,
    secretDigest: testDigest,
    ...(ourManager ? { ourManager } : {}),
  });
}

/** The input of an evaluation of two plain documents. */
export function input(
  schema: ResourceSchema,
  declared: Json | null,
  live: Json | null,
  more: Partial<EvaluateInput> & { agreed?: Json } = {},
): EvaluateInput {
  const { agreed, ...rest } = more;
  return {
    schema,
    declared: declared === null ? null : state(declared, schema, 'declared'),
    live: live === null ? null : state(live, schema, 'live'),
    ...(agreed === undefined
      ? {}
      : { lastAgreed: state(agreed, schema, 'live') }),
    ...rest,
  };
}

const WORDS = ['a', 'b', 'web', 'x/y', 'app=1', 'k[0]', '1', '80', 'true', ''];

const LEAVES: Record<string, fc.Arbitrary<Json>> = {
  string: fc.constantFrom(...WORDS),
  integer: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(80, 8080)),
  number: fc.constantFrom(0, 1, 1.5, -2),
  boolean: fc.boolean(),
  intOrString: fc.constantFrom<Json>(80, '80', 'http', '25%'),
  quantity: fc.constantFrom<Json>(
    '1',
    '1000m',
    1,
    '1Gi',
    '1024Mi',
    '500m',
    0.5,
  ),
  duration: fc.constantFrom('60s', '1m', '1h', '3600s'),
};

function anyValue(depth: number): fc.Arbitrary<Json> {
  return fc.jsonValue({ maxDepth: Math.max(0, depth) }) as fc.Arbitrary<Json>;
}

function uniqueBy(node: SchemaNode, items: Json[]): Json[] {
  if (node.list === 'atomic') {
    return items;
  }
  const seen = new Set<string>();
  return items.filter(item => {
    const id =
      node.list === 'set'
        ? JSON.stringify(item)
        : node.keys
            .map(
              key =>
                (item as JsonObject)[key] ??
                node.items.property(key)?.default ??
                '',
            )
            .join('\u0000');
    const fresh = !seen.has(id);
    seen.add(id);
    return fresh;
  });
}

/** Values that a node allows. */
export function valueFor(node: SchemaNode, depth: number): fc.Arbitrary<Json> {
  switch (node.type) {
    case 'any':
      return anyValue(Math.min(depth, 2));
    case 'map':
      return fc.dictionary(
        fc.constantFrom('a', 'b', 'c', 'x/y', '__proto__', 'constructor'),
        valueFor(node.values ?? FREE, depth - 1),
        { maxKeys: 3, noNullPrototype: true },
      ) as fc.Arbitrary<Json>;
    case 'list':
      return fc
        .array(valueFor(node.items, depth - 1), {
          maxLength: depth > 0 ? 3 : 1,
        })
        .map(items => uniqueBy(node, items));
    case 'object': {
      const names = [...node.propertyNames()].filter(name => {
        const child = node.property(name)!;
        return (
          !child.serverOwned &&
          (depth > 0 || !['object', 'list', 'map'].includes(child.type))
        );
      });
      if (names.length === 0) {
        return fc.constant({});
      }
      return fc
        .subarray(names, { maxLength: Math.min(names.length, 6) })
        .chain(chosen =>
          fc.record(
            Object.fromEntries(
              chosen.map(name => [
                name,
                valueFor(node.property(name)!, depth - 1),
              ]),
            ),
            { noNullPrototype: true },
          ),
        ) as fc.Arbitrary<Json>;
    }
    default:
      return LEAVES[node.type];
  }
}

/** List items need their keys. */
function withItemKeys(node: SchemaNode, value: Json): Json {
  if (Array.isArray(value)) {
    return uniqueBy(
      node,
      value.map(item => {
        const full = withItemKeys(node.items, item);
        if (node.list !== 'map' || typeof full !== 'object' || full === null) {
          return full;
        }
        const keyed: JsonObject = { ...(full as JsonObject) };
        for (const key of node.keys) {
          const type = node.items.property(key)?.type;
          if (keyed[key] === undefined || keyed[key] === null) {
            keyed[key] = type === 'integer' ? 80 : 'key';
          }
        }
        return keyed;
      }),
    );
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [
        key,
        withItemKeys(node.child(key), child),
      ]),
    );
  }
  return value;
}

/** Documents that a schema allows. */
export function documentFor(
  schema: ResourceSchema,
  depth: number = 5,
): fc.Arbitrary<JsonObject> {
  const root = compile(schema);
  return valueFor(root, depth).map(
    value => withItemKeys(root, value) as JsonObject,
  );
}

/** The same value with the keys of every object in another order. */
export function reordered(value: Json): Json {
  if (Array.isArray(value)) {
    return value.map(reordered);
  }
  if (typeof value === 'object' && value !== null) {
    const out: JsonObject = {};
    for (const [key, child] of Object.entries(value).reverse()) {
      Object.defineProperty(out, key, {
        value: reordered(child),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return out;
  }
  return value;
}
