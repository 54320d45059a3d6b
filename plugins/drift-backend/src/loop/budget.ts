/** What a platform's stored budget comes to at a moment. Pure. */
import type { PlatformBudget } from '@plumbline/backstage-plugin-drift-node';
import type { BudgetRow, Millis } from '../store/types';

/** Tokens may gather for so long: a burst of ten seconds' worth. */
const BURST_MS = 10_000;

type Rate = Pick<PlatformBudget, 'requestsPerMinute'>;

/** Requests that come back in one millisecond. */
export function refillRate({ requestsPerMinute }: Rate): number {
  return requestsPerMinute / 60_000;
}

/** The most that gathers. */
export function capacityOf(budget: Rate): number {
  return Math.max(1, refillRate(budget) * BURST_MS);
}

/** The row with what has come back since it was written. */
export function refilled(row: BudgetRow, budget: Rate, now: Millis): BudgetRow {
  const elapsed = Math.max(0, now - row.refilledAt);
  return {
    ...row,
    tokens: Math.min(
      capacityOf(budget),
      row.tokens + elapsed * refillRate(budget),
    ),
    refilledAt: Math.max(now, row.refilledAt),
  };
}

/** Whole requests that may be sent at once now: none while the platform asks for silence. */
export function requestsLeft(
  row: BudgetRow | undefined,
  budget: Rate,
  now: Millis,
): number {
  if (!row) return Math.floor(capacityOf(budget));
  if (row.closedUntil !== undefined && row.closedUntil > now) return 0;
  return Math.max(0, Math.floor(refilled(row, budget, now).tokens));
}
