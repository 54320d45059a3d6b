/*
 * The version of a declaration that has none of its own: a digest of its content. Versions are stored and shown, and a
 * plain digest of a secret could be guessed back, so a Secret's is made with a slow, salted function.
 */
import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { digest, type Json } from '@plumbline/drift-engine';
import { isSensitive } from '../cluster/objects';
import { formatKey, type ObjectName } from '../gvk';

const derive = promisify<string, string, number, Buffer>(scrypt);

export class ContentVersions {
  /** Slow digests by fast ones, in memory only. */
  private readonly known = new Map<string, string>();

  async of(object: ObjectName, content: Json): Promise<string> {
    const fast = digest(content);
    if (!isSensitive(object.gvk)) {
      return fast;
    }
    const key = `${formatKey(object)} ${fast}`;
    let version = this.known.get(key);
    if (version === undefined) {
      version = (await derive(fast, formatKey(object), 16)).toString('hex');
      this.known.set(key, version);
    }
    return version;
  }
}
