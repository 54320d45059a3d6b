/** The version of a document: a keyed digest of its content, fast enough for every entity of every sweep. */
import { createHmac, hash } from 'node:crypto';
import type { Json } from '@plumbline/drift-engine';

/**
 * The operator's PUT moves `updated_at` every minute also where it changes nothing: a version that followed it would
 * make every sweep look at everything again.
 */
const TIMESTAMPS = new Set(['created_at', 'updated_at']);

/** A key for {@link versionOf}, for tools that have no other: every process with the same token makes the same one. */
export function keyFromToken(token: string): string {
  return createHmac('sha256', 'plumbline version key')
    .update(token)
    .digest('hex');
}

/** The version of a document, without regard to the order of keys and to its timestamps. */
export function versionOf(document: Json, key: string): string {
  return hash('sha256', `${key}${encode(document, 0)}`, 'base64url').slice(
    0,
    22,
  );
}

/** A digest of a text. Not keyed: it is never stored. */
export function textDigest(text: string): string {
  return hash('sha256', text, 'base64url');
}

/**
 * A text that two values share only if they are equal. Lengths stand in front of strings, which is cheaper than to
 * escape them.
 */
function encode(value: Json, depth: number): string {
  switch (typeof value) {
    case 'string':
      return `${value.length}"${value}`;
    case 'object': {
      if (value === null) {
        return 'n';
      }
      if (Array.isArray(value)) {
        let list = '[';
        for (const item of value) {
          list += encode(item, depth + 1);
        }
        return `${list}]`;
      }
      let object = '{';
      for (const name of sortedKeys(value)) {
        if (depth > 0 || !TIMESTAMPS.has(name)) {
          object += `${name.length}"${name}${encode(value[name], depth + 1)}`;
        }
      }
      return `${object}}`;
    }
    default:
      // Numbers, long integers and booleans: `;` ends them, so that 1 and 2 are not 12.
      return `${value};`;
  }
}

/** The keys of the last object with so many keys: entities of one list have the same keys, and sorting is dear. */
const lastKeys = new Map<number, { keys: string[]; sorted: string[] }>();
const MOST_KEYS = 64;

function sortedKeys(object: object): string[] {
  const keys = Object.keys(object);
  const last = lastKeys.get(keys.length);
  if (last && keys.every((key, index) => key === last.keys[index])) {
    return last.sorted;
  }
  const sorted = [...keys].sort();
  if (keys.length <= MOST_KEYS) {
    lastKeys.set(keys.length, { keys, sorted });
  }
  return sorted;
}
