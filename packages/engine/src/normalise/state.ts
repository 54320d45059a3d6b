/*
 * One normalised side of a resource, with what is only worked out when it is asked for.
 */
import { FieldOwner, Json, Pointer, Problem, State } from '../types';
import { digest } from '../json/canonical';
import { formatPointer, PointerToken } from '../pointer';

/** Most are told, in an order that does not depend on the order of keys. */
const MOST = 100;

function sorted(problems: Problem[]): Problem[] {
  return problems.length < 2
    ? problems
    : [...problems]
        .sort((a, b) => {
          const [left, right] = [a.path + a.reason, b.path + b.reason];
          if (left === right) return 0;
          return left < right ? -1 : 1;
        })
        .slice(0, MOST);
}

/** Who owns what in a document, worked out when asked. */
export interface Ownership {
  all(): Record<Pointer, FieldOwner[]> | undefined;
  /** Do the fields that our own server-side applies set reach into the place? */
  appliedAt(path: readonly PointerToken[]): boolean;
}

const ownerships = new WeakMap<State, Ownership>();

/** Who owns what in a state; a copy of a state holds its owners itself. */
export function ownershipOf(state: State): Ownership {
  return (
    ownerships.get(state) ?? {
      all: () => state.owners,
      appliedAt: tokens => {
        const path = `${formatPointer(tokens)}/`;
        return Object.entries(state.owners ?? {}).some(
          ([pointer, owners]) =>
            (`${pointer}/`.startsWith(path) ||
              path.startsWith(`${pointer}/`)) &&
            owners.some(owner => owner.ours && owner.operation === 'Apply'),
        );
      },
    }
  );
}

/** A state whose digest and owners are worked out when first read. */
export function makeState(
  value: Json,
  problems: Problem[],
  warnings: Problem[],
  ownership?: Ownership,
): State {
  let cachedDigest: string | undefined;
  const state: State = {
    value,
    get digest() {
      cachedDigest ??= digest(value);
      return cachedDigest;
    },
    problems: sorted(problems),
    warnings: sorted(warnings),
  };
  if (ownership) {
    ownerships.set(state, ownership);
    let found = false;
    let owners: Record<Pointer, FieldOwner[]> | undefined;
    Object.defineProperty(state, 'owners', {
      enumerable: true,
      configurable: true,
      get: () => {
        if (!found) {
          owners = ownership.all();
          found = true;
        }
        return owners;
      },
    });
  }
  return state;
}
