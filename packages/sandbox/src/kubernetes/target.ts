/** What a write is about: the object that it addresses, and what it says besides its body. */
import { Kind, ServedVersion } from './kinds';

/** What a write says about itself besides its body. */
export interface WriteOptions {
  dryRun: boolean;
  manager: string;
  /** `Strict` refuses fields that the kind does not have. */
  fieldValidation?: string;
}

/** One addressed object. */
export interface Target {
  kind: Kind;
  version: ServedVersion;
  namespace?: string;
  name: string;
  /** '' for the object itself, else `status` or `scale`. */
  subresource: string;
}

/** The name under which a kind's objects are stored. */
export const collectionOf = (kind: Kind) => `${kind.group}/${kind.plural}`;
