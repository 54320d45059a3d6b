/** The shared request budget of a platform, as its client sees it. */

/** @public */
export interface RequestGate {
  /**
   * Waits for a place in the platform's budget, then runs `request`. People's actions go ahead of passes, those ahead of sweeps, and
   * those ahead of probes, which are not sent again where they are throttled.
   * A request that reports throttling (`PlatformError` `throttled`) closes the gate for everybody until `retryAfterMs` is over.
   */
  run<T>(
    options: {
      signal: AbortSignal;
      priority?: 'person' | 'pass' | 'sweep' | 'probe';
    },
    request: () => Promise<T>,
  ): Promise<T>;
  /** Tells the budget what the platform's rate-limit headers said. */
  observe(headers: {
    limit?: number;
    remaining?: number;
    resetSeconds?: number;
  }): void;
}
