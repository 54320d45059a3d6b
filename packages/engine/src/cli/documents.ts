/*
 * Reads YAML and JSON text into JSON values: every digit kept, YAML 1.2 (where `no` and `on` are strings).
 */
import { parseAllDocuments } from 'yaml';
import { Json } from '../types';

/** `bigint` where a double would lose digits, `number` everywhere else. */
function narrow(value: unknown): Json {
  if (typeof value === 'bigint') {
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
      ? Number(value)
      : value;
  }
  if (Array.isArray(value)) {
    return value.map(narrow);
  }
  if (typeof value === 'object' && value !== null) {
    if (value instanceof Date) {
      return value.toISOString();
    }
    const out: { [key: string]: Json } = {};
    for (const [key, child] of Object.entries(value)) {
      Object.defineProperty(out, key, {
        value: narrow(child),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return out;
  }
  return (value ?? null) as Json;
}

/**
 * All documents of a YAML (or JSON) text. Empty documents are left out.
 *
 * @throws Error that names the place, never quoting the text (it may hold secrets).
 */
export function parseDocuments(text: string, name: string): Json[] {
  const documents = parseAllDocuments(text, {
    intAsBigInt: true,
    prettyErrors: false,
    merge: true,
    // Aliases that blow up are refused by the library; repeated keys are an error in YAML.
    uniqueKeys: true,
  });
  if (!Array.isArray(documents)) {
    return [];
  }
  return documents.flatMap((document, index) => {
    const [error] = document.errors;
    if (error) {
      throw new Error(
        `${name}: document ${index + 1} is no valid YAML (${
          error.code
        } at offset ${error.pos[0]}).`,
      );
    }
    const value = narrow(document.toJS({ maxAliasCount: 1000 }));
    return value === null ? [] : [value];
  });
}
