/*
 * The CLI's digest for secrets: keyed with random bytes of this run, so that equality shows and nothing else does.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { SecretDigest } from '../types';

const key = randomBytes(32);

/** HMAC-SHA-256 under a key that dies with the process. */
export const secretDigest: SecretDigest = value =>
  createHmac('sha256', key).update(value).digest('hex').slice(0, 32);
