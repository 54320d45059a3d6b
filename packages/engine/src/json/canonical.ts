/*
 * One text for one JSON value, whatever the order of its keys, and a short digest of it.
 */
import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex } from '@noble/hashes/utils';
import { Json, JsonObject } from '../types';

function scalar(value: null | boolean | number | bigint | string): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'bigint':
      return value.toString();
    case 'number':
      // JSON has no infinity, but `JSON.parse('1e999')` makes one: write it back as a number that reads the same.
      if (value === Infinity) return '1e999';
      if (value === -Infinity) return '-1e999';
      return Object.is(value, -0) ? '0' : JSON.stringify(value);
    default:
      return String(value);
  }
}

/** A list or object that is being written, and how far. */
interface Frame {
  value: Json[] | JsonObject;
  keys: string[] | undefined;
  at: number;
}

/** Iterative, because a document may be nested deeper than the call stack. */
function write(root: Json, indent: string): string {
  if (root === null || typeof root !== 'object') {
    return scalar(root);
  }
  const parts: string[] = [];
  const stack: Frame[] = [];
  const newline = indent ? '\n' : '';
  const colon = indent ? ': ' : ':';

  const open = (value: Json[] | JsonObject) => {
    const keys = Array.isArray(value) ? undefined : Object.keys(value).sort();
    const empty = (keys ?? (value as Json[])).length === 0;
    if (empty) {
      parts.push(keys ? '{}' : '[]');
    } else {
      parts.push(keys ? '{' : '[');
      stack.push({ value, keys, at: 0 });
    }
  };

  open(root);
  while (stack.length > 0) {
    const frame = stack[stack.length - 1];
    const { keys, value } = frame;
    const length = keys ? keys.length : (value as Json[]).length;
    if (frame.at === length) {
      stack.pop();
      parts.push(newline, indent.repeat(stack.length), keys ? '}' : ']');
      continue;
    }
    parts.push(frame.at > 0 ? ',' : '', newline, indent.repeat(stack.length));
    let child: Json;
    if (keys) {
      const key = keys[frame.at];
      parts.push(JSON.stringify(key), colon);
      child = (value as JsonObject)[key];
    } else {
      child = (value as Json[])[frame.at];
    }
    frame.at += 1;
    if (child === undefined) {
      // Not JSON, but callers may hold optional properties: the same as JSON.stringify in a list.
      parts.push('null');
    } else if (child === null || typeof child !== 'object') {
      parts.push(scalar(child));
    } else {
      open(child);
    }
  }
  return parts.join('');
}

/**
 * Canonical text of a JSON value: keys sorted, no white space, every digit of an integer.
 * Two values have the same text exactly when they are equal as JSON.
 *
 * @public
 */
export function canonical(value: Json): string {
  return write(value, '');
}

/**
 * JSON text of a value that may hold `bigint`; keys sorted, so that the same value always gives the same bytes.
 *
 * @param indent - number of spaces for people to read; none by default
 * @public
 */
export function stringifyJson(value: Json, indent: number = 0): string {
  return write(value, ' '.repeat(indent));
}

/**
 * Content digest of a JSON value: the first 128 bits of the SHA-256 of its canonical text, in hexadecimal.
 * Stable across processes and versions; not keyed, so never for a secret by itself.
 *
 * @public
 */
export function digest(value: Json): string {
  return bytesToHex(sha256(canonical(value))).slice(0, 32);
}
