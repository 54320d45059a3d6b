/* Sets of pointers, compared by meaning: `[port=80,protocol=TCP]` and `[protocol=TCP,port=80]` are the same item. */
import {
  parsePointer,
  type Pointer,
  type PointerToken,
} from '@plumbline/drift-engine';

function canonicalToken(token: PointerToken): string {
  if (typeof token === 'string') {
    return `.${token}`;
  }
  if ('member' in token) {
    return `=${token.member}`;
  }
  const pairs = [...token.keys].sort(([a], [b]) => (a < b ? -1 : 1));
  return `#${JSON.stringify(pairs)}`;
}

const key = (tokens: readonly string[]) => tokens.join('\u0000');

/** A place in a document, built up while walking it. */
export class Place {
  static readonly root = new Place([]);

  private constructor(readonly tokens: readonly string[]) {}

  child(token: PointerToken): Place {
    return new Place([...this.tokens, canonicalToken(token)]);
  }
}

/** A set of pointers that answers whether a place is one of them or lies below one. */
export class PointerSet {
  private readonly members: Set<string>;

  constructor(pointers: readonly Pointer[]) {
    this.members = new Set(
      pointers.map(pointer => key(parsePointer(pointer).map(canonicalToken))),
    );
  }

  /** The place itself, or something above it, is in the set. */
  covers(place: Place): boolean {
    for (let length = 0; length <= place.tokens.length; length++) {
      if (this.members.has(key(place.tokens.slice(0, length)))) {
        return true;
      }
    }
    return false;
  }
}
