/*
 * What an OpenAPI schema of a custom resource says about the values that it takes. Patterns are left to the server:
 * its regular expressions are not those of this language, and not all of ours end in time.
 */
import { FieldSchema, JsonObject } from '../types';

/** The limits that a raw schema states. */
export function limitsOf(
  raw: JsonObject,
): Pick<FieldSchema, 'enum' | 'minimum' | 'maximum'> {
  const out: Pick<FieldSchema, 'enum' | 'minimum' | 'maximum'> = {};
  if (Array.isArray(raw.enum)) {
    out.enum = raw.enum;
  }
  for (const limit of ['minimum', 'maximum'] as const) {
    const value = raw[limit];
    if (typeof value === 'number') {
      out[limit] = value;
    }
  }
  return out;
}
