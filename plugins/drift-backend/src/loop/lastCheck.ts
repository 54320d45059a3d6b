/** What must still hold when a write's turn comes: asked after the wait for the budget, right before the request is sent. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Gets how often this request has been tried, from 1. */
type Check = (tries: number) => Promise<void>;

const current = new AsyncLocalStorage<Check>();

/** Runs a write whose every request is preceded by `check`; what it throws, the request's caller gets, and nothing is sent. */
export function withLastCheck<T>(
  check: Check,
  run: () => Promise<T>,
): Promise<T> {
  return current.run(check, run);
}

export async function lastCheck(tries: number): Promise<void> {
  await current.getStore()?.(tries);
}
