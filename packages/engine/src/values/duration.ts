/*
 * Go durations as Kubernetes APIs write them: `2160h` is `2160h0m0s` is `7776000s`.
 */
import { Json } from '../types';

const DURATION =
  /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/;

const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/** Nanoseconds. */
const UNITS: Record<string, bigint> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Nanoseconds, fractions of one cut off as Go does; `undefined` where the text is no Go duration. */
export function parseDuration(value: Json): bigint | undefined {
  if (typeof value !== 'string' || value.length > 100) {
    return undefined;
  }
  const match = DURATION.exec(value);
  if (!match) {
    return undefined;
  }
  let total = 0n;
  for (const [, number, unit] of match[2].matchAll(PART)) {
    const [whole, fraction = ''] = number.split('.');
    const scale = 10n ** BigInt(fraction.length);
    total += (BigInt(`${whole}${fraction}` || '0') * UNITS[unit]) / scale;
  }
  return match[1] === '-' ? -total : total;
}

/** Do two durations last equally long? Texts that are no durations are equal only as texts. */
export function sameDuration(a: Json, b: Json): boolean {
  const left = parseDuration(a);
  const right = parseDuration(b);
  return left === undefined || right === undefined ? a === b : left === right;
}
