// Reads an input by a table of fields: checks it, fills defaults, and lists every problem at once.
import { ErrorDetail, entityProblem, fieldProblem } from './errors';
import { clone, isObject, JsonObject, JsonValue } from './json';

interface Common {
  /** For records: always there, so that the defaults inside apply. For others: must be given. */
  required?: boolean;
  default?: JsonValue;
  /** Kong encrypts it at rest and may hold a `{vault://…}` reference in it. */
  secret?: boolean;
}

/** One field's type and limits. */
export type FieldSpec = Common &
  (
    | {
        type: 'string';
        oneOf?: string[];
        minLength?: number;
        maxLength?: number;
        pattern?: RegExp;
        patternHint?: string;
      }
    | {
        type: 'integer' | 'number';
        min?: number;
        max?: number;
        oneOf?: number[];
      }
    | { type: 'boolean' }
    /** An object whose fields are read elsewhere. */
    | { type: 'json' }
    | {
        type: 'array';
        items: FieldSpec;
        minItems?: number;
        maxItems?: number;
      }
    | { type: 'map'; values: FieldSpec }
    | { type: 'record'; fields: FieldTable }
    | { type: 'foreign'; collection: string }
  );

/** Fields by name. */
export type FieldTable = Record<string, FieldSpec>;

/** The value as it is stored, and everything that was wrong with the input. */
export interface Reading {
  value: JsonObject;
  problems: ErrorDetail[];
}

/**
 * Reads `input` by `fields`.
 *
 * @param unset - what becomes of a field that has neither a value nor a default: left out (entities), or null
 *   (plugin configuration).
 */
export function readFields(
  fields: FieldTable,
  input: JsonObject,
  unset: 'omit' | 'null',
  path = '',
): Reading {
  const problems: ErrorDetail[] = [];
  const where = (name: string) => (path ? `${path}.${name}` : name);
  const unknown = Object.keys(input).filter(
    name => !Object.hasOwn(fields, name),
  );
  if (unknown.length > 0) {
    const names = unknown.map(name => `'${name}'`).join(', ');
    problems.push(
      path
        ? fieldProblem(path, `additional properties ${names} not allowed`)
        : entityProblem(`additional properties ${names} not allowed`),
    );
  }
  const value: JsonObject = {};
  const missing: string[] = [];
  for (const [name, spec] of Object.entries(fields)) {
    const given = input[name];
    if (given !== undefined && given !== null) {
      value[name] = readValue(spec, given, unset, where(name), problems);
    } else if (spec.default !== undefined) {
      value[name] = clone(spec.default);
    } else if (spec.type === 'record' && spec.required) {
      value[name] = readValue(spec, {}, unset, where(name), problems);
    } else if (spec.required) {
      missing.push(name);
    } else if (unset === 'null') {
      value[name] = null;
    }
  }
  if (missing.length > 0) {
    const names = missing.map(name => `'${name}'`).join(', ');
    problems.push(
      path
        ? fieldProblem(path, `missing properties: ${names}`)
        : entityProblem(`missing properties: ${names}`),
    );
  }
  return { value, problems };
}

function readValue(
  spec: FieldSpec,
  given: JsonValue,
  unset: 'omit' | 'null',
  path: string,
  problems: ErrorDetail[],
): JsonValue {
  const fail = (...messages: string[]) => {
    problems.push(fieldProblem(path, ...messages));
    return given;
  };
  switch (spec.type) {
    case 'string': {
      if (typeof given !== 'string') return fail('expected a string');
      const messages: string[] = [];
      const { oneOf, minLength, maxLength, pattern, patternHint } = spec;
      if (oneOf && !oneOf.includes(given)) {
        messages.push(`value must be one of: ${oneOf.join(', ')}`);
      }
      if (minLength !== undefined && given.length < minLength) {
        messages.push(
          `length must be >= ${minLength}, but got ${given.length}`,
        );
      }
      if (maxLength !== undefined && given.length > maxLength) {
        messages.push(
          `length must be <= ${maxLength}, but got ${given.length}`,
        );
      }
      if (pattern && !pattern.test(given)) {
        messages.push(patternHint ?? `must match pattern '${pattern.source}'`);
      }
      return messages.length > 0 ? fail(...messages) : given;
    }
    case 'integer':
    case 'number': {
      if (typeof given !== 'number') return fail(`expected a ${spec.type}`);
      if (spec.type === 'integer' && !Number.isInteger(given)) {
        return fail('expected an integer');
      }
      if (spec.oneOf && !spec.oneOf.includes(given)) {
        return fail(`value must be one of: ${spec.oneOf.join(', ')}`);
      }
      if (spec.min !== undefined && given < spec.min) {
        return fail(`must be >= ${spec.min} but found ${given}`);
      }
      if (spec.max !== undefined && given > spec.max) {
        return fail(`must be <= ${spec.max} but found ${given}`);
      }
      return given;
    }
    case 'boolean':
      return typeof given === 'boolean' ? given : fail('expected a boolean');
    case 'json':
      return isObject(given) ? given : fail('expected a record');
    case 'array': {
      if (!Array.isArray(given)) return fail('expected an array');
      if (spec.minItems !== undefined && given.length < spec.minItems) {
        return fail(`minimum ${spec.minItems} items required`);
      }
      if (spec.maxItems !== undefined && given.length > spec.maxItems) {
        return fail(
          `maximum ${spec.maxItems} items allowed, but found ${given.length} items`,
        );
      }
      return given.map((item, index) =>
        readValue(spec.items, item, unset, `${path}[${index}]`, problems),
      );
    }
    case 'map': {
      if (!isObject(given)) return fail('expected a map');
      return Object.fromEntries(
        Object.entries(given).map(([key, item]) => [
          key,
          readValue(
            spec.values,
            item ?? null,
            unset,
            `${path}.${key}`,
            problems,
          ),
        ]),
      );
    }
    case 'record': {
      if (!isObject(given)) return fail('expected a record');
      const reading = readFields(spec.fields, given, unset, path);
      problems.push(...reading.problems);
      return reading.value;
    }
    case 'foreign': {
      if (!isObject(given) || typeof given.id !== 'string' || given.id === '') {
        return fail(
          `expected an object with the id of one of the ${spec.collection}`,
        );
      }
      return { id: given.id };
    }
    default:
      throw new Error(`No such field type at ${path}: ${JSON.stringify(spec)}`);
  }
}
