/** One request budget for each platform, shared by all replicas through the store (rule 10). */
import { randomUUID } from 'node:crypto';
import type { LoggerService } from '@backstage/backend-plugin-api';
import {
  isPlatformError,
  type PlatformBudget,
  type RequestGate,
} from '@plumbline/backstage-plugin-drift-node';
import type { RequestResult } from '../announce/metrics';
import type { Clock, Random } from '../clock';
import type { DriftStore } from '../store/driftStore';
import type { BudgetRow } from '../store/rows';
import { divided, refilled } from './budget';
import { lastCheck } from './lastCheck';
import { currentPriority, type Priority } from './priority';

/** Where the platform asks for silence and does not say how long. */
const SILENCE_MS = 5_000;
/** A throttled request did not take effect: it may be sent again after the silence, so often. */
const MAX_TRIES = 3;
const LONGEST_WAIT_MS = 30_000;

/** Sweeps take so many tokens at once where their share is used up, so that not every page writes the shared row. */
const TAKEN_AT_ONCE = 20;

const ORDER: Record<Priority, number> = {
  person: 0,
  pass: 1,
  sweep: 2,
  probe: 3,
};

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
 * A token bucket in the store, refilled by the budget's rate, but for a share that belongs to whoever sweeps. In one process
 * requests queue by priority, then by age, and one waiter at a time asks the store; between processes compare-and-set decides.
 */
export function createRequestGate(options: GateOptions): RequestGate {
  const { platform, store, clock, random, logger } = options;
  const requested = options.requested ?? (() => {});
  const { shared, sweeps } = divided(platform.budget);
  const reserve = Math.min(
    shared.capacity / 2,
    shared.capacity * platform.budget.reserve,
  );
  // where no more than one request gathers, nothing can be left
  const keep = (tokens: number) => Math.min(tokens, shared.capacity - 1);
  // what is left for those who are more urgent
  const floors: Record<Priority, number> = {
    person: 0,
    pass: keep(reserve / 2),
    sweep: keep(reserve),
    probe: keep((reserve + shared.capacity) / 2),
  };
  const self = randomUUID();
  const queue: Waiting[] = [];
  let serving = false;
  let arrivals = 0;
  const none = (now: number) => ({ tokens: 0, refilledAt: now });
  /** What is left for the sweeps of this process: the share of sweeps, as long as the row names it, and what it took in advance. */
  let own = none(clock.now());

  const full = (): BudgetRow => ({
    platform: platform.id,
    revision: 0,
    tokens: shared.capacity,
    refilledAt: clock.now(),
  });

  /** Changes the shared row; tries again when another replica was first. */
  const change = async (
    make: (row: BudgetRow) => BudgetRow | undefined,
  ): Promise<void> => {
    for (;;) {
      const stored = await store.readBudget(platform.id);
      const made = make(
        stored ? refilled(stored, shared, clock.now()) : full(),
      );
      if (!made) return;
      const next = { ...made, revision: (stored?.revision ?? 0) + 1 };
      if (await store.writeBudget(next, stored?.revision)) return;
    }
  };

  /** Takes one token, or says how long to wait for it. */
  const take = async (priority: Priority): Promise<number> => {
    let wait = 0;
    let left = own;
    await change(row => {
      const now = clock.now();
      wait = 0;
      const isSweeper =
        (priority === 'sweep' || priority === 'probe') && row.sweeper === self;
      left = isSweeper ? refilled(own, sweeps, now) : own;
      if (row.closedUntil !== undefined && row.closedUntil > now) {
        // not all at once when it opens
        wait = row.closedUntil - now + Math.round(random() * 250);
        left = none(row.closedUntil);
        return undefined;
      }
      // a probe leaves half of it to the sweep that it may bring about
      const least = 1 + (priority === 'probe' ? sweeps.capacity / 2 : 0);
      if (isSweeper && left.tokens >= least) {
        left = { ...left, tokens: left.tokens - 1 };
        return undefined;
      }
      const floor = floors[priority];
      if (row.tokens - 1 < floor) {
        wait = (floor + 1 - row.tokens) / shared.perMs;
        if (isSweeper && sweeps.perMs) {
          wait = Math.min(wait, (least - left.tokens) / sweeps.perMs);
        }
        wait = Math.max(1, Math.ceil(wait));
        return undefined;
      }
      if (priority !== 'sweep') {
        return { ...row, tokens: row.tokens - 1, closedUntil: undefined };
      }
      const half = Math.floor((row.tokens - floor) / 2);
      const count = Math.max(
        1,
        Math.min(TAKEN_AT_ONCE, half, Math.floor(sweeps.capacity)),
      );
      // whoever swept before had the share until now
      left = isSweeper ? left : none(now);
      left = { ...left, tokens: left.tokens + count - 1 };
      return {
        ...row,
        ...{ tokens: row.tokens - count, closedUntil: undefined },
        sweeper: self,
      };
    });
    own = left;
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
            priority === 'probe' ||
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
