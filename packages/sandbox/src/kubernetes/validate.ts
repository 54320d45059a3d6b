/**
 * Validates custom resources against their structural schema, with an API server's causes and wording. Left out:
 * CEL rules (`x-kubernetes-validations`) and rare string formats, which are accepted as they are.
 */
import {
  Cause,
  duplicate,
  invalidValue,
  notSupported,
  required,
} from './errors';
import { Json, JsonObject, equal, isObject, own } from './json';
import { Schema } from './schema';

const inBody = (path: string, text: string) =>
  `${path ? `${path} ` : ''}in body ${text}`;
const isUntyped = (schema: Schema) =>
  schema.type === undefined || schema.type === '';
const isIntegral = (value: Json) =>
  typeof value === 'bigint' ||
  (typeof value === 'number' && Number.isInteger(value));

function typeName(value: Json): string {
  if (value === null) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return 'array';
  }
  if (isIntegral(value)) {
    return 'integer';
  }
  return typeof value;
}

function hasType(schema: Schema, value: Json): boolean {
  const actual = typeName(value);
  return (
    actual === schema.type || (schema.type === 'number' && actual === 'integer')
  );
}

const typeCause = (schema: Schema, value: Json, path: string) =>
  invalidValue(
    path,
    typeName(value),
    inBody(path, `must be of type ${schema.type}: "${typeName(value)}"`),
  );

/** Everything that is wrong with a value by its schema. */
export function validate(schema: Schema, value: Json, path = ''): Cause[] {
  if (value === null) {
    return schema.nullable || isUntyped(schema)
      ? []
      : [typeCause(schema, value, path)];
  }
  if (schema['x-kubernetes-int-or-string']) {
    const fits = typeof value === 'string' || isIntegral(value);
    return fits
      ? []
      : [
          invalidValue(
            path,
            typeName(value),
            inBody(
              path,
              `must be of type integer,string: "${typeName(value)}"`,
            ),
          ),
        ];
  }
  if (!isUntyped(schema) && !hasType(schema, value)) {
    return [typeCause(schema, value, path)];
  }
  return [
    ...validateEnum(schema, value, path),
    ...validateString(schema, value, path),
    ...validateNumber(schema, value, path),
    ...validateArray(schema, value, path),
    ...validateObject(schema, value, path),
    ...validateJunctors(schema, value, path),
  ];
}

function validateEnum(schema: Schema, value: Json, path: string): Cause[] {
  return schema.enum && !schema.enum.some(allowed => equal(allowed, value))
    ? [notSupported(path, value, schema.enum)]
    : [];
}

const FORMATS: { [format: string]: RegExp } = {
  'date-time':
    /^\d{4}-\d\d-\d\d[tT ]\d\d:\d\d:\d\d(\.\d+)?([zZ]|[+-]\d\d:?\d\d)$/,
  date: /^\d{4}-\d\d-\d\d$/,
  ipv4: /^(\d{1,3}\.){3}\d{1,3}$/,
  uuid: /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i,
  byte: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  email: /^[^@\s]+@[^@\s]+$/,
};

function validateString(schema: Schema, value: Json, path: string): Cause[] {
  if (typeof value !== 'string') {
    return [];
  }
  const causes: Cause[] = [];
  const length = [...value].length;
  const wrong = (text: string) =>
    causes.push(invalidValue(path, value, inBody(path, text)));
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    wrong(`should be at most ${schema.maxLength} chars long`);
  }
  if (schema.minLength !== undefined && length < schema.minLength) {
    wrong(`should be at least ${schema.minLength} chars long`);
  }
  if (schema.pattern !== undefined && !matches(schema.pattern, value)) {
    wrong(`should match '${schema.pattern}'`);
  }
  const format = schema.format && own(FORMATS, schema.format);
  if (format && !format.test(value)) {
    wrong(`must be of type ${schema.format}: ${JSON.stringify(value)}`);
  }
  return causes;
}

const patterns = new Map<string, RegExp>();

/** Patterns are written for Go; where this platform cannot read one, the value is let pass rather than refused. */
function matches(pattern: string, value: string): boolean {
  let compiled = patterns.get(pattern);
  if (!compiled) {
    try {
      compiled = new RegExp(
        pattern.replace(/^\(\?s\)/, '').replace(/\(\?P</g, '(?<'),
        'u',
      );
    } catch (error) {
      if (!(error instanceof SyntaxError)) {
        throw error;
      }
      compiled = /^/;
    }
    patterns.set(pattern, compiled);
  }
  return compiled.test(value);
}

function validateNumber(schema: Schema, value: Json, path: string): Cause[] {
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    return [];
  }
  const causes: Cause[] = [];
  const wrong = (text: string) =>
    causes.push(invalidValue(path, value, inBody(path, text)));
  const { minimum, maximum, multipleOf } = schema;
  if (
    maximum !== undefined &&
    (schema.exclusiveMaximum ? value >= maximum : value > maximum)
  ) {
    wrong(
      `should be less than ${
        schema.exclusiveMaximum ? '' : 'or equal to '
      }${maximum}`,
    );
  }
  if (
    minimum !== undefined &&
    (schema.exclusiveMinimum ? value <= minimum : value < minimum)
  ) {
    wrong(
      `should be greater than ${
        schema.exclusiveMinimum ? '' : 'or equal to '
      }${minimum}`,
    );
  }
  if (multipleOf !== undefined && Number(value) % multipleOf !== 0) {
    wrong(`should be a multiple of ${multipleOf}`);
  }
  return causes;
}

function validateArray(schema: Schema, value: Json, path: string): Cause[] {
  if (!Array.isArray(value)) {
    return [];
  }
  const causes: Cause[] = [];
  const wrong = (text: string) =>
    causes.push(invalidValue(path, value.length, inBody(path, text)));
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    wrong(`should have at most ${schema.maxItems} items`);
  }
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    wrong(`should have at least ${schema.minItems} items`);
  }
  if (
    schema.uniqueItems &&
    value.some((item, index) =>
      value.slice(0, index).some(other => equal(item, other)),
    )
  ) {
    wrong("shouldn't contain duplicates");
  }
  const items = schema.items;
  if (items) {
    value.forEach((item, index) =>
      causes.push(...validate(items, item, `${path}[${index}]`)),
    );
  }
  return [...causes, ...validateListType(schema, value, path)];
}

function validateListType(
  schema: Schema,
  value: Json[],
  path: string,
): Cause[] {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') {
    return [];
  }
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const identity = (item: Json): Json => {
    if (type === 'set' || !isObject(item)) {
      return item;
    }
    const out: JsonObject = {};
    keys.forEach(key => {
      out[key] = item[key];
    });
    return out;
  };
  return value.flatMap((item, index) =>
    value.slice(0, index).some(other => equal(identity(other), identity(item)))
      ? [duplicate(`${path}[${index}]`, identity(item))]
      : [],
  );
}

function validateObject(schema: Schema, value: Json, path: string): Cause[] {
  if (!isObject(value)) {
    return [];
  }
  const causes: Cause[] = [];
  const below = (key: string) => (path ? `${path}.${key}` : key);
  const size = Object.keys(value).length;
  if (schema.maxProperties !== undefined && size > schema.maxProperties) {
    causes.push(
      invalidValue(
        path,
        size,
        inBody(path, `should have at most ${schema.maxProperties} properties`),
      ),
    );
  }
  if (schema.minProperties !== undefined && size < schema.minProperties) {
    causes.push(
      invalidValue(
        path,
        size,
        inBody(path, `should have at least ${schema.minProperties} properties`),
      ),
    );
  }
  for (const key of schema.required ?? []) {
    if (value[key] === undefined) {
      causes.push(required(below(key)));
    }
  }
  for (const [key, item] of Object.entries(value)) {
    const declared = schema.properties && own(schema.properties, key);
    const element =
      typeof schema.additionalProperties === 'object'
        ? schema.additionalProperties
        : undefined;
    const field = declared ?? element;
    if (field && item !== undefined) {
      causes.push(...validate(field, item, below(key)));
    }
  }
  return causes;
}

function validateJunctors(schema: Schema, value: Json, path: string): Cause[] {
  const causes: Cause[] = [];
  const fits = (part: Schema) => validate(part, value, path).length === 0;
  const wrong = (text: string) =>
    causes.push(invalidValue(path, '', inBody(path, text)));
  for (const part of schema.allOf ?? []) {
    causes.push(...validate(part, value, path));
  }
  if (schema.anyOf && !schema.anyOf.some(fits)) {
    wrong('must validate at least one schema (anyOf)');
  }
  if (schema.oneOf) {
    const count = schema.oneOf.filter(fits).length;
    if (count !== 1) {
      wrong(
        `must validate one and only one schema (oneOf). Found ${
          count === 0 ? 'none' : `${count}`
        } valid`,
      );
    }
  }
  if (schema.not && fits(schema.not)) {
    wrong('must not validate the schema (not)');
  }
  return causes;
}
