/** One request budget for each platform, shared by all replicas through the store (rule 10). */
import type { LoggerService } from '@backstage/backend-plugin-api';
import {
  isPlatformError,
  type PlatformBudget,
  type RequestGate,
} from '@plumbline/backstage-plugin-drift-node';
import type { RequestResult } from '../announce/metrics';
import type { Clock, Random } from '../clock';
import type { BudgetRow, DriftStore } from '../store/types';
import { capacityOf, refilled, refillRate } from './budget';
import { lastCheck } from './lastCheck';
import { currentPriority, type Priority } from './priority';

/** Where the platform asks for silence and does not say how long. */
const SILENCE_MS = 5_000;
/** A throttled request did not take effect: it may be sent again after the silence, so often. */
const MAX_TRIES = 3;
const LONGEST_WAIT_MS = 30_000;

/** Sweeps take so many tokens at once, so that not every page writes the shared row. */
const TAKEN_AT_ONCE = 20;
/** What a sweep has taken and not used by then is lost: less than the budget is sent now and then, never more. */
const TAKEN_FOR_MS = 5_000;

const ORDER: Record<Priority, number> = { person: 0, pass: 1, sweep: 2 };

interface Waiting {
  priority: Priority;
  number: number;
  signal: AbortSignal;
  resolve(): void;
  reject(error: unknown): void;
}

export interface GateOptions {
  platform: { id: string; budget: PlatformBudget };
  store: Pick<DriftStore, 'readBudget' | 'writeBudget'>;
  clock: Clock;
  random: Random;
  logger: LoggerService;
  /** Told of every request that was sent, and what became of it. */
  requested?: (result: RequestResult) => void;
}

/**
 * A token bucket in the store, refilled by the budget's rate. In one process requests queue by priority, then by age, and one
 * waiter at a time asks the store; between processes compare-and-set decides.
 */
export function createRequestGate(options: GateOptions): RequestGate {
  const { platform, store, clock, random, logger } = options;
  const requested = options.requested ?? (() => {});
  const perMs = refillRate(platform.budget);
  const capacity = capacityOf(platform.budget);
  const reserve = Math.min(capacity / 2, capacity * platform.budget.reserve);
  // what is left for those who are more urgent
  const floors: Record<Priority, number> = {
    person: 0,
    pass: reserve / 2,
    sweep: reserve,
  };
  const queue: Waiting[] = [];
  let serving = false;
  let arrivals = 0;
  /** Tokens that a sweep has taken in advance. */
  let taken = { count: 0, until: 0 };

  const full = (): BudgetRow => ({
    platform: platform.id,
    revision: 0,
    tokens: capacity,
    refilledAt: clock.now(),
  });

  /** Changes the shared row; tries again when another replica was first. */
  const change = async (
    make: (row: BudgetRow) => BudgetRow | undefined,
  ): Promise<void> => {
    for (;;) {
      const stored = await store.readBudget(platform.id);
      const made = make(
        stored ? refilled(stored, platform.budget, clock.now()) : full(),
      );
      if (!made) return;
      const next = { ...made, revision: (stored?.revision ?? 0) + 1 };
      if (await store.writeBudget(next, stored?.revision)) return;
    }
  };

  /** Takes one token, or says how long to wait for it. */
  const take = async (priority: Priority): Promise<number> => {
    let wait = 0;
    let left = taken;
    await change(row => {
      const now = clock.now();
      wait = 0;
      left = taken;
      if (row.closedUntil !== undefined && row.closedUntil > now) {
        // not all at once when it opens
        wait = row.closedUntil - now + Math.round(random() * 250);
        return undefined;
      }
      if (priority === 'sweep' && taken.count > 0 && now < taken.until) {
        left = { ...taken, count: taken.count - 1 };
        return undefined;
      }
      const floor = floors[priority];
      if (row.tokens - 1 < floor) {
        wait = Math.max(1, Math.ceil((floor + 1 - row.tokens) / perMs));
        return undefined;
      }
      let count = 1;
      if (priority === 'sweep') {
        const half = Math.floor((row.tokens - floor) / 2);
        count = Math.max(1, Math.min(TAKEN_AT_ONCE, half));
        left = { count: count - 1, until: now + TAKEN_FOR_MS };
      }
      return { ...row, tokens: row.tokens - count, closedUntil: undefined };
    });
    taken = left;
    return wait;
  };

  const serve = async (): Promise<void> => {
    if (serving) return;
    serving = true;
    try {
      while (queue.length) {
        queue.sort(
          (a, b) =>
            ORDER[a.priority] - ORDER[b.priority] || a.number - b.number,
        );
        const [first] = queue;
        if (first.signal.aborted) {
          queue.shift();
          first.reject(first.signal.reason);
          continue;
        }
        try {
          const wait = await take(first.priority);
          if (wait > 0) {
            // short naps: whoever comes in the meantime and is more urgent goes first
            await clock.sleep(Math.min(wait, 250), first.signal);
            continue;
          }
          queue.splice(queue.indexOf(first), 1);
          first.resolve();
        } catch (error) {
          queue.splice(queue.indexOf(first), 1);
          first.reject(error);
        }
      }
    } finally {
      serving = false;
    }
  };

  const enter = (signal: AbortSignal, priority: Priority): Promise<void> =>
    new Promise((resolve, reject) => {
      arrivals += 1;
      queue.push({ priority, number: arrivals, signal, resolve, reject });
      // `serve` hands every error to a waiter and cannot fail itself
      serve().catch(reject);
    });

  const close = (ms: number): Promise<void> =>
    change(row => {
      const until = clock.now() + ms;
      if (row.closedUntil !== undefined && row.closedUntil >= until)
        return undefined;
      return { ...row, closedUntil: until };
    });

  return {
    async run({ signal, priority: asked }, request) {
      // a module does not know for whom it reads: a person's action stays one, whatever it says
      const current = currentPriority();
      const priority = current === 'person' ? current : asked ?? current;
      for (let tries = 1; ; tries++) {
        await enter(signal, priority);
        // the wait may have been long
        await lastCheck(tries);
        try {
          const answer = await request();
          requested('ok');
          return answer;
        } catch (error) {
          requested(resultOf(error, signal));
          if (!isPlatformError(error) || error.classification !== 'throttled') {
            throw error;
          }
          const silence = error.retryAfterMs ?? SILENCE_MS;
          await close(silence);
          if (
            tries >= MAX_TRIES ||
            silence > LONGEST_WAIT_MS ||
            signal.aborted
          ) {
            throw error;
          }
        }
      }
    },
    observe({ remaining, resetSeconds }) {
      if (remaining === undefined || remaining > 0 || !resetSeconds) return;
      // best effort: the next answer would be a 429, which closes the gate in any case
      close(resetSeconds * 1000).catch(error =>
        logger.warn(`The budget of ${platform.id} could not be closed`, {
          error: String(error),
        }),
      );
    },
  };
}

function resultOf(error: unknown, signal: AbortSignal): RequestResult {
  if (isPlatformError(error)) return error.classification;
  return signal.aborted ? 'aborted' : 'error';
}
