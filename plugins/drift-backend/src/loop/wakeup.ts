/** Waiting that can be cut short: until a time, a wish, or the end. */
import type { Clock } from '../clock';

export class Wakeup {
  private wished = false;
  private current?: AbortController;

  constructor(private readonly clock: Clock) {}

  /** Ends the present wait, or the next one if nobody waits now. */
  wake(): void {
    this.wished = true;
    this.current?.abort();
  }

  /** What was wished for so far begins now: it ends no wait any more. */
  heed(): void {
    this.wished = false;
  }

  /** Waits for `ms`, a wish, or the end of `signal`. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.wished) {
      const current = new AbortController();
      this.current = current;
      await this.clock.sleep(ms, AbortSignal.any([signal, current.signal]));
      this.current = undefined;
    }
    this.wished = false;
  }
}

/**
 * Runs something that must not last longer than `ms`.
 *
 * @param run - gets a signal that ends with `signal` or at the deadline
 */
export async function withDeadline<T>(
  clock: Clock,
  options: { ms: number; signal: AbortSignal; what: string },
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const done = new AbortController();
  const timer = clock.sleep(options.ms, done.signal).then(() => {
    if (!done.signal.aborted) {
      late.abort(
        new Error(`${options.what} took longer than ${options.ms / 1000} s`),
      );
    }
  });
  try {
    return await run(AbortSignal.any([options.signal, late.signal]));
  } finally {
    done.abort();
    await timer;
  }
}
