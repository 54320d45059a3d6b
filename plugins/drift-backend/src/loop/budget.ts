/** How a platform's budget is divided, and what its stored part comes to at a moment. Pure. */
import type { PlatformBudget } from '@plumbline/backstage-plugin-drift-node';
import type { BudgetRow, Millis } from '../store/rows';

/** Tokens may gather for so long: a burst of ten seconds' worth. */
const BURST_MS = 10_000;
/** Of the rate, for whoever sweeps. */
const SWEEPS_RATE = 0.1;
/** Of the burst, for whoever sweeps: it gathers between sweeps. */
const SWEEPS_BURST = 0.3;

type Rate = Pick<PlatformBudget, 'requestsPerMinute'>;

/** A token bucket. */
export interface Bucket {
  /** Requests that come back in one millisecond. */
  perMs: number;
  /** The most that gathers. */
  capacity: number;
}

/**
 * Both together are the budget. `shared` is stored and counted by all replicas together; `sweeps` belongs to the one replica that the row
 * names as sweeper, which counts it in memory: so an unchanged sweep does not write the row.
 */
export function divided({ requestsPerMinute }: Rate): {
  shared: Bucket;
  sweeps: Bucket;
} {
  const perMs = requestsPerMinute / 60_000;
  const capacity = Math.max(1, perMs * BURST_MS);
  const most = Math.floor(capacity * SWEEPS_BURST);
  const sweeps = { perMs: most ? perMs * SWEEPS_RATE : 0, capacity: most };
  return {
    shared: { perMs: perMs - sweeps.perMs, capacity: capacity - most },
    sweeps,
  };
}

/** With what has come back since. */
export function refilled<T extends { tokens: number; refilledAt: Millis }>(
  before: T,
  bucket: Bucket,
  now: Millis,
): T {
  const elapsed = Math.max(0, now - before.refilledAt);
  return {
    ...before,
    tokens: Math.min(bucket.capacity, before.tokens + elapsed * bucket.perMs),
    refilledAt: Math.max(now, before.refilledAt),
  };
}

/** Whole requests that may be sent at once now: none while the platform asks for silence. */
export function requestsLeft(
  row: BudgetRow | undefined,
  budget: Rate,
  now: Millis,
): number {
  const { shared } = divided(budget);
  if (!row) return Math.floor(shared.capacity);
  if (row.closedUntil !== undefined && row.closedUntil > now) return 0;
  return Math.max(0, Math.floor(refilled(row, shared, now).tokens));
}
