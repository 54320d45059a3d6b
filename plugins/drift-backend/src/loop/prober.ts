/**
 * Asks a platform's probe now and then, and wishes for a sweep where it answers another thing than before the last one. It never
 * says that nothing changed: sweeps come when they are due, whatever is answered.
 */
import {
  isPlatformError,
  type Platform,
} from '@plumbline/backstage-plugin-drift-node';
import { jittered } from '../pass/backoff';
import type { PassContext } from '../pass/context';
import { withPriority } from './priority';
import { withDeadline } from './wakeup';
import { asError } from './workers';

/** Whoever waits longer for a place in the budget asks later. */
const DEADLINE_MS = 60_000;
/** A probe that goes on failing is asked this seldom. */
const LONGEST_MS = 15 * 60_000;

export class Prober {
  private answer?: string;
  /** What was answered last before the last sweep began: behind that the sweep has looked. */
  private swept?: string;
  private wishedAt = -Infinity;

  constructor(
    private readonly context: Pick<
      PassContext,
      'clock' | 'random' | 'config' | 'logger'
    >,
    private readonly platform: Pick<Platform, 'title' | 'probe'>,
    private readonly sweepSoon: () => void,
  ) {}

  sweepBegins(): void {
    this.swept = this.answer;
  }

  /** Asks until `signal` ends; never where sweeps come as often as it would ask. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, config } = this.context;
    const { probe } = this.platform;
    if (!probe || probe.everyMs >= config.resyncMs) return;
    let failures = 0;
    while (!signal.aborted) {
      let waitMs = probe.everyMs;
      try {
        this.heard(await this.ask(probe, signal));
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        waitMs = Math.max(
          waitMs,
          Math.min(LONGEST_MS, waitMs * 2 ** Math.min(failures, 20)),
          (isPlatformError(error) && error.retryAfterMs) || 0,
        );
        // what is wrong with the platform, its sweeps tell
        this.context.logger.debug(
          `The probe of ${this.platform.title} failed; it is asked again later`,
          asError(error),
        );
      }
      await clock.sleep(jittered(waitMs, random), signal);
    }
  }

  private ask(
    probe: NonNullable<Platform['probe']>,
    signal: AbortSignal,
  ): Promise<string> {
    const what = `The probe of ${this.platform.title}`;
    return withDeadline(
      this.context.clock,
      { ms: DEADLINE_MS, signal, what },
      within => withPriority('probe', () => probe.ask({ signal: within })),
    );
  }

  /**
   * What we write ourselves changes the answer too, and so may a controller that writes without changing anything: so there is
   * no more than one wish in a resync. What changes in the meantime is seen by the next answer or by the next sweep.
   */
  private heard(answer: string): void {
    const { clock, config, logger } = this.context;
    this.answer = answer;
    if (this.swept === undefined || this.swept === answer) return;
    if (clock.now() - this.wishedAt < config.resyncMs) return;
    this.wishedAt = clock.now();
    logger.debug(
      `Something may have changed on ${this.platform.title}: it is swept now`,
    );
    this.sweepSoon();
  }
}
