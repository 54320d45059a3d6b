/** Time and chance, handed in everywhere so that tests decide both. */

/** A clock that can be waited on. Milliseconds since the epoch. */
export interface Clock {
  now(): number;
  /** Resolves after `ms`, or as soon as `signal` aborts: whoever waits looks at the signal afterwards. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** A number in [0, 1). */
export type Random = () => number;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise(resolve => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const ended = new AbortController();
      const done = () => {
        ended.abort();
        resolve();
      };
      const timer = setTimeout(done, ms);
      ended.signal.addEventListener('abort', () => clearTimeout(timer));
      signal.addEventListener('abort', done, { signal: ended.signal });
    }),
};
