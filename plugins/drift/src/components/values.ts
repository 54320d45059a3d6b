/** Turns field values into text for people. Secrets come as `{"$secret": "<keyed digest>"}`. */
import { stringify } from 'yaml';

const DIGEST_CHARACTERS = 8;

/** The digest, if `value` stands for a secret. */
export function secretDigestOf(value: unknown): string | undefined {
  if (
    typeof value === 'object' &&
    value !== null &&
    '$secret' in value &&
    typeof value.$secret === 'string'
  ) {
    return value.$secret;
  }
  return undefined;
}

/** `secret (digest 3fa9c01b)`: enough to see whether two are equal. */
export function describeSecret(digest: string): string {
  const bare = digest.replace(/^[a-z0-9]+:/, '');
  return `secret (digest ${bare.slice(0, DIGEST_CHARACTERS)})`;
}

/** Scalars as JSON says them, so that "1" and 1 differ; everything else as YAML. `undefined` is not a value: ask first. */
export function formatValue(value: unknown): string {
  const digest = secretDigestOf(value);
  if (digest !== undefined) return describeSecret(digest);
  if (typeof value === 'string') {
    return looksLikeOther(value) ? JSON.stringify(value) : value;
  }
  if (typeof value !== 'object' || value === null) return String(value);
  return stringify(withoutSecrets(value)).trimEnd();
}

/** A whole state as YAML, secrets described. */
export function formatState(state: unknown): string {
  return state === undefined || state === null
    ? ''
    : stringify(withoutSecrets(state), { lineWidth: 0 });
}

// Without quotes these strings would look like a number, a boolean, null, or nothing at all.
function looksLikeOther(text: string): boolean {
  return (
    text.trim() !== text ||
    text === '' ||
    /^(true|false|null|[-+]?[0-9.]+(e[-+]?[0-9]+)?)$/i.test(text)
  );
}

function withoutSecrets(value: unknown): unknown {
  const digest = secretDigestOf(value);
  if (digest !== undefined) return describeSecret(digest);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, withoutSecrets(item)]),
    );
  }
  return value;
}

/** "1 field", "3 fields". */
export function countFields(count: number): string {
  return count === 1 ? '1 field' : `${count} fields`;
}
