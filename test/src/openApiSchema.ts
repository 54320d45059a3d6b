// Turns the schemas of an OpenAPI document, with the habits of Kong's documents, into JSON Schema.

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json | undefined;
}

/** Whether `value` is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const LEFT_OUT = [
  'description',
  'example',
  'examples',
  'nullable',
  'title',
  'discriminator',
  'readOnly',
  'writeOnly',
];

/**
 * A copy of a schema (or of anything that holds schemas) that a JSON Schema validator understands:
 *
 * - `nullable: true` also allows null, in enumerations too; the documents use it although they say OpenAPI 3.1;
 * - `oneOf` becomes `anyOf`: a route with nothing but common fields fits both of its alternatives;
 * - `next` of a list may be null, as its description says while its type does not;
 * - a write-only property must not be answered;
 * - references point into the document named `base`; examples and descriptions are left out.
 */
export function toJsonSchema(
  value: Json | undefined,
  side: 'request' | 'response',
  base: string,
): Json {
  if (Array.isArray(value)) {
    return value.map(item => toJsonSchema(item, side, base));
  }
  if (!isObject(value)) return value ?? null;
  if (typeof value.$ref === 'string') {
    const reference = { $ref: `${base}${value.$ref}` };
    const mayBeNull = value.$ref.endsWith('/PaginationNextResponse');
    return mayBeNull ? { anyOf: [reference, { type: 'null' }] } : reference;
  }
  const schema: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (LEFT_OUT.includes(key)) continue;
    if (key === 'properties' && isObject(member)) {
      schema.properties = properties(member, side, base);
    } else {
      schema[key === 'oneOf' ? 'anyOf' : key] = toJsonSchema(
        member,
        side,
        base,
      );
    }
  }
  if (value.nullable !== true) return schema;
  return typeof schema.type === 'string' && !schema.enum
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

/** The schemas of a document's components, at the places where references look for them. */
export function toComponents(
  document: JsonObject,
  side: 'request' | 'response',
  base: string,
): JsonObject {
  const { schemas } = document.components as { schemas: JsonObject };
  return { components: { schemas: properties(schemas, side, base) } };
}

function properties(
  members: JsonObject,
  side: 'request' | 'response',
  base: string,
): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [
      name,
      side === 'response' && isObject(schema) && schema.writeOnly === true
        ? false
        : toJsonSchema(schema, side, base),
    ]),
  );
}
