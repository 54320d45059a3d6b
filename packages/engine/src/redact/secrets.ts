/*
 * What stands in a state where a secret stood, and how secrets are told by the name of their field.
 */
import { Json } from '../types';

/** The key that marks a redacted value. */
const MARK = '$secret';

/** A secret value that was replaced by its keyed digest. @public */
export interface Redacted {
  $secret: string;
}

/**
 * Is it the stand-in for a secret? A user's own object of this shape never passes for one: `normalise` writes a
 * user's key `$secret` as `$$secret`.
 *
 * @public
 */
export function isRedacted(value: unknown): value is Redacted {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return false;
  }
  const keys = Object.keys(value);
  return (
    keys.length === 1 &&
    keys[0] === MARK &&
    typeof (value as Record<string, unknown>)[MARK] === 'string'
  );
}

export function redactedValue(digest: string): Json {
  return { [MARK]: digest };
}

const CLASHING_KEY = /^\$+secret$/;

/** Moves a user's key out of the way of the mark: `$secret` → `$$secret`, `$$secret` → `$$$secret`. */
export function escapeKey(key: string): string {
  return key.charCodeAt(0) === 36 && CLASHING_KEY.test(key) ? `$${key}` : key;
}

/** Words that say, wherever a name ends in them, that the value is a secret: `dbpassword`, but not `passwordRef`. */
export const LONG_WORDS =
  'password|passwd|passphrase|passcode|secrets?|secret[-_. ]?id|token|credentials?|authorization|api[-_. ]?key|(?:access|secret|private|signing|encryption|shared|account|auth|client|master|hmac)[-_. ]?key|(?:connection|conn)[-_. ]?str(?:ing)?';

/** Words that say so only where they are a word of their own: `db_pass`, but not `bypass`. */
export const SHORT_WORDS = 'pass|pwd|dsn|jwk';

/** What Kong keeps encrypted under names that say nothing by themselves. */
const ENCRYPTED =
  'aws_access_key_id|aws_assume_role_arn|aws_role_session_name|azure_client_id|azure_tenant_id|gcp_service_account_json|header_value|param_value';

const SECRET_NAME = new RegExp(
  `(?:${LONG_WORDS}|(?:^|[-_./ ])(?:${SHORT_WORDS})|^(?:${ENCRYPTED}))$`,
  'i',
);

/** `adminPass` → `admin_Pass`, so that one expression serves every style of names. */
const spread = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2');

const known = new Map<string, boolean>();
const MAX_KNOWN = 10_000;

/** Does the name of a field say that its value is a secret? */
export function isSecretName(name: string): boolean {
  let answer = known.get(name);
  if (answer === undefined) {
    answer = name.length < 200 && SECRET_NAME.test(spread(name));
    if (known.size >= MAX_KNOWN) {
      known.clear();
    }
    known.set(name, answer);
  }
  return answer;
}
