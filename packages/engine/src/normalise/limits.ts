/*
 * Declared values that are of the right type and that the platform refuses all the same. No message quotes the value.
 */
import { Json } from '../types';
import { canonical } from '../json/canonical';
import { SchemaNode } from '../schema/compile';
import { isBase64 } from '../values/base64';
import { parseDuration } from '../values/duration';
import { isQuantity } from '../values/quantity';

/** Why a value is refused: a reason, and what it must be. */
export interface Refusal {
  reason: string;
  /** Follows "must be". */
  wanted: string;
}

const MOST_NAMED = 12;

function oneOf(values: Json[]): string {
  const named = values.slice(0, MOST_NAMED).map(canonical).join(', ');
  return values.length > MOST_NAMED ? `${named}, …` : named;
}

function range({ minimum, maximum }: SchemaNode['schema']): string {
  if (minimum === undefined) return `at most ${maximum}`;
  return maximum === undefined
    ? `at least ${minimum}`
    : `from ${minimum} to ${maximum}`;
}

/** What a platform fills in where a secret is not kept in the document itself. */
const isReference = (value: Json) =>
  typeof value === 'string' && value.startsWith('{vault://');

/** Why the platform would refuse the value, which is of the right type; `undefined` where it would take it. */
export function refusalOf(node: SchemaNode, value: Json): Refusal | undefined {
  const { schema } = node;
  if (node.type === 'quantity' && !isQuantity(value)) {
    return { reason: 'NotAQuantity', wanted: 'a quantity such as 500m or 2Gi' };
  }
  if (node.type === 'duration' && parseDuration(value) === undefined) {
    return { reason: 'NotADuration', wanted: 'a duration such as 90s or 1h' };
  }
  if (schema.base64 && typeof value === 'string' && !isBase64(value)) {
    return {
      reason: 'NotBase64',
      wanted: node.secret ? 'base64; use stringData for plain text' : 'base64',
    };
  }
  if (typeof value === 'number' || typeof value === 'bigint') {
    const { minimum = -Infinity, maximum = Infinity } = schema;
    if (value < minimum || value > maximum) {
      return { reason: 'OutOfRange', wanted: range(schema) };
    }
  }
  return schema.enum !== undefined &&
    !schema.enum.includes(value) &&
    !isReference(value)
    ? { reason: 'NotAllowed', wanted: `one of ${oneOf(schema.enum)}` }
    : undefined;
}
