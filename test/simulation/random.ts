/** Seeded chance: the only source of randomness in a simulation, so that a seed replays exactly. */

/** mulberry32: 32 bits of state, good enough to choose faults by; the same on every machine. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)];
  }

  /** One of the keys, each as often as its weight says. */
  weighted<K extends string>(weights: Record<K, number>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left =
      this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    return entries[entries.length - 1][0];
  }

  /** A stream of its own: what one actor draws does not shift what another draws. */
  fork(name: string): Random {
    let hash = this.state ^ 0x9e3779b9;
    for (const char of name) {
      hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0;
    }
    return new Random(hash);
  }

  /** Looks like a UUID; not unique beyond this stream. */
  uuid(): `${string}-${string}-${string}-${string}-${string}` {
    const hex = Array.from({ length: 8 }, () =>
      this.int(0, 0xffff).toString(16).padStart(4, '0'),
    ).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(
      13,
      16,
    )}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }
}
