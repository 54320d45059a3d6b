/*
 * Whether a value is of the type that a schema wants, and the words for both.
 */
import { Json } from '../types';
import { SchemaNode } from '../schema/compile';

/** What a type is called in a sentence. */
export const TYPE_WORDS: Record<string, string> = {
  object: 'an object',
  map: 'an object',
  list: 'a list',
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  intOrString: 'a whole number or a string',
  quantity: 'a quantity',
  duration: 'a duration',
};

/** What a value is, in a sentence. */
export function nameOf(value: Json): string {
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a string';
    case 'number':
    case 'bigint':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    default:
      return 'an object';
  }
}

/** Is the value of the type that the schema wants? */
export function fits(node: SchemaNode, value: Json): boolean {
  switch (node.type) {
    case 'any':
      return true;
    case 'object':
    case 'map':
      return typeof value === 'object' && !Array.isArray(value);
    case 'list':
      return Array.isArray(value);
    case 'string':
    case 'duration':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'integer':
      return (
        typeof value === 'bigint' ||
        (typeof value === 'number' && Number.isInteger(value))
      );
    case 'intOrString':
      return (
        typeof value === 'string' ||
        typeof value === 'bigint' ||
        (typeof value === 'number' && Number.isInteger(value))
      );
    default:
      return (
        typeof value === 'string' ||
        typeof value === 'number' ||
        typeof value === 'bigint'
      );
  }
}
