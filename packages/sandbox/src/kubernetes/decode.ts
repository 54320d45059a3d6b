/**
 * Reads an object of a built-in kind as an API server's typed decoder would: unknown fields are dropped, quantities
 * become canonical, values of a wrong type are refused, empty optional fields vanish, structures are always there.
 */
import { badRequest } from './errors';
import { Json, JsonObject, isObject, own } from './json';
import { ABSENT_WHEN_ZERO, ALWAYS_PRESENT, KEPT_WHEN_EMPTY } from './presence';
import { canonicalQuantity } from './quantity';
import {
  OBJECT_META,
  QUANTITY,
  Schema,
  TIME,
  reference,
  referenced,
  resolve,
} from './schema';

/** What the decoder found besides the object. */
export interface Decoded {
  object: JsonObject;
  /** Paths of fields that the kind does not have, for strict field validation. */
  unknown: string[];
}

const isInteger = (value: Json) =>
  typeof value === 'bigint' ||
  (typeof value === 'number' && Number.isInteger(value));

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const jsonType = (value: Json) => {
  if (Array.isArray(value)) {
    return 'array';
  }
  return typeof value === 'bigint' ? 'number' : typeof value;
};

class Decoder {
  readonly unknown: string[] = [];

  constructor(
    private readonly kind: string,
    private readonly apiVersion: string,
  ) {}

  read(
    schema: Schema,
    value: Json,
    path: string,
    field: string,
  ): Json | undefined {
    const definition = referenced(schema);
    if (value === null) {
      return undefined;
    }
    if (definition === QUANTITY) {
      return this.quantity(value, path);
    }
    const resolved = resolve(schema);
    if (resolved.format === 'int-or-string') {
      return typeof value === 'string' || isInteger(value)
        ? value
        : this.fail(value, path, 'intstr.IntOrString');
    }
    switch (resolved.type) {
      case 'object':
        return isObject(value)
          ? this.object(resolved, definition, value, path)
          : this.fail(value, path, 'map');
      case 'array':
        return Array.isArray(value)
          ? this.array(resolved, value, path)
          : this.fail(value, path, 'slice');
      case 'string':
        return this.string(resolved, value, path, field);
      case 'boolean':
        return typeof value === 'boolean'
          ? value
          : this.fail(value, path, 'bool');
      case 'integer':
        return isInteger(value)
          ? value
          : this.fail(value, path, resolved.format ?? 'int');
      case 'number':
        return typeof value === 'number'
          ? value
          : this.fail(value, path, 'float64');
      default:
        return value;
    }
  }

  private object(
    schema: Schema,
    definition: string | undefined,
    value: JsonObject,
    path: string,
  ): JsonObject {
    const out: JsonObject = {};
    const element = schema.additionalProperties;
    const present = (definition && own(ALWAYS_PRESENT, definition)) || {};
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) {
        continue;
      }
      const declared = schema.properties && own(schema.properties, key);
      const below = path ? `${path}.${key}` : key;
      if (declared) {
        const read = this.read(declared, item, below, key);
        const kept =
          schema.required?.includes(key) || own(present, key) !== undefined;
        if (read !== undefined && (kept || !vanishes(declared, read, key))) {
          out[key] = read;
        }
      } else if (typeof element === 'object') {
        const read = this.read(element, item, below, key);
        // A null among the values of a map is an empty value, not an absent key.
        out[key] = read ?? (resolve(element).type === 'string' ? '' : null);
      } else if (!schema.properties) {
        out[key] = item;
      } else {
        this.unknown.push(below);
      }
    }
    for (const [key, item] of Object.entries(present)) {
      if (out[key] === undefined) {
        const declared = schema.properties?.[key];
        out[key] =
          isObject(item) && declared
            ? this.read(declared, item, path ? `${path}.${key}` : key, key)
            : item;
      }
    }
    if (
      definition === OBJECT_META &&
      path !== 'metadata' &&
      out.creationTimestamp === undefined
    ) {
      out.creationTimestamp = null;
    }
    return out;
  }

  private array(schema: Schema, value: Json[], path: string): Json[] {
    const items = schema.items ?? {};
    return value.map(
      (item, index) => this.read(items, item, `${path}[${index}]`, '') ?? null,
    );
  }

  private string(
    schema: Schema,
    value: Json,
    path: string,
    field: string,
  ): Json {
    if (typeof value !== 'string') {
      return this.fail(
        value,
        path,
        field === 'creationTimestamp' ? TIME : 'string',
      );
    }
    if (schema.format === 'byte') {
      const bare = value.replace(/[\r\n]/g, '');
      if (!BASE64.test(bare) || bare.length % 4 !== 0) {
        throw badRequest(
          `${this.kind} in version "${this.version()}" cannot be handled as a ${
            this.kind
          }: ${path}: illegal base64 data`,
        );
      }
      return bare;
    }
    return value;
  }

  private quantity(value: Json, path: string): Json {
    if (
      typeof value !== 'string' &&
      typeof value !== 'number' &&
      typeof value !== 'bigint'
    ) {
      return this.fail(value, path, 'resource.Quantity');
    }
    const canonical = canonicalQuantity(String(value));
    if (canonical === undefined) {
      throw badRequest(
        `${this.kind} in version "${this.version()}" cannot be handled as a ${
          this.kind
        }: ${path}: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
      );
    }
    return canonical;
  }

  private version(): string {
    return this.apiVersion.split('/').pop() ?? '';
  }

  private fail(value: Json, path: string, wanted: string): never {
    throw badRequest(
      `${this.kind} in version "${this.version()}" cannot be handled as a ${
        this.kind
      }: json: cannot unmarshal ${jsonType(value)} into Go struct field ${
        this.kind
      }.${path} of type ${wanted}`,
    );
  }
}

/** True for an empty value of an optional field that an API server does not write. */
function vanishes(declared: Schema, value: Json, field: string): boolean {
  const schema = resolve(declared);
  if (Array.isArray(value)) {
    return value.length === 0;
  }
  if (isObject(value)) {
    return (
      Boolean(schema.additionalProperties) && Object.keys(value).length === 0
    );
  }
  if (value === '') {
    return !KEPT_WHEN_EMPTY.has(field);
  }
  return (value === 0 || value === false) && ABSENT_WHEN_ZERO.has(field);
}

/**
 * Decodes an object.
 *
 * @param definition - the name of the kind's definition
 * @throws StatusError 400 where a value has the wrong type
 */
export function decode(definition: string, body: JsonObject): Decoded {
  const decoder = new Decoder(`${body.kind}`, `${body.apiVersion}`);
  const value = decoder.read(reference(definition), body, '', '');
  return { object: isObject(value) ? value : {}, unknown: decoder.unknown };
}
