/** The keyed digest that stands for a secret value wherever it would leave memory (rule 9). */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { SecretDigest } from '@plumbline/drift-engine';

const NAME = 'secretDigestKey';

/**
 * The key that this installation made for itself, once, kept in the database: every replica and every restart must come to the
 * same digest, or equality with the last agreed state would be lost.
 */
export async function installationKey(knex: Knex): Promise<string> {
  await knex('installation')
    .insert({ name: NAME, value: randomBytes(32).toString('hex') })
    .onConflict('name')
    .ignore();
  const row = await knex('installation').where({ name: NAME }).first('value');
  return String(row.value);
}

/** A key of its own for each purpose, from which nobody can tell the others. */
export function keyFor(key: string, purpose: string): string {
  // no HMAC under the key itself: digests of secrets are such, and are stored
  return Buffer.from(hkdfSync('sha256', key, '', purpose, 32)).toString('hex');
}

/** HMAC-SHA-256, cut to 128 bits. */
export function keyedDigest(key: string): SecretDigest {
  return value =>
    createHmac('sha256', key).update(value).digest('hex').slice(0, 32);
}
