/** When to look again: every pass sets a next time, whatever happened (rule 10). */
import type { Random } from '../clock';
import type { Millis } from '../store/rows';

const FIRST_MS = 2_000;
export const LONGEST_MS = 5 * 60_000;
/** A write that keeps failing surfaces as `Blocked` after this long. */
export const FAILING_DEADLINE_MS = 10 * 60_000;
/** Rows that sweeps vouch for are looked at one by one no more often than this. */
export const REST_MS = 30 * 60_000;

/**
 * Exponential, with full jitter in its upper half: 1 to 2 s, 2 to 4 s, … up to 5 min.
 *
 * @param attempts - failed passes in a row, from 1
 */
export function backoffMs(attempts: number, random: Random): number {
  const ceiling = ceilingMs(attempts);
  return Math.round(ceiling / 2 + (ceiling / 2) * random());
}

function ceilingMs(attempts: number): number {
  return Math.min(
    LONGEST_MS,
    FIRST_MS * 2 ** Math.min(Math.max(attempts, 1) - 1, 20),
  );
}

/**
 * So long a controller that was asked gets to act before it is asked again: a resync, and longer each time that it has not.
 *
 * @param attempts - times that it was asked in vain, from 0
 */
export function trialMs(attempts: number, resyncMs: number): number {
  return Math.max(resyncMs, ceilingMs(attempts));
}

/** ±10 %, so that what was due together does not stay together. */
export function jittered(ms: number, random: Random): number {
  return Math.round(ms * (0.9 + 0.2 * random()));
}

export function hasFailedForLong(
  failingSince: Millis | undefined,
  now: Millis,
): boolean {
  return (
    failingSince !== undefined && now - failingSince >= FAILING_DEADLINE_MS
  );
}
