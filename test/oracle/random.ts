/*
 * Randomness that can be repeated: a seed gives the same numbers on every machine.
 */

/** A source of random choices. */
export interface Random {
  /** From 0 up to, and without, 1. */
  next(): number;
  /** A whole number from 0 up to, and without, `below`. */
  below(below: number): number;
  /** True in this share of cases. */
  chance(share: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** Mulberry32: small, and good enough to choose edits. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: share => next() < share,
    pick: items => items[below(items.length)],
  };
}
