/** Whose requests go first: known to the gate of every platform without each platform having to pass it on. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** People's actions go ahead of passes, those ahead of sweeps, and those ahead of probes. */
export type Priority = 'person' | 'pass' | 'sweep' | 'probe';

const current = new AsyncLocalStorage<Priority>();

export function withPriority<T>(
  priority: Priority,
  run: () => Promise<T>,
): Promise<T> {
  return current.run(priority, run);
}

export function currentPriority(): Priority {
  return current.getStore() ?? 'pass';
}
