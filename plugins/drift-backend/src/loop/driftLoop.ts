/** The loop: workers, observer and chores of one process, started and stopped together. */
import { ResponseError } from '@backstage/errors';
import { Inventory } from '../inventory/inventory';
import type { PassContext } from '../pass/context';
import type { PassResult } from '../pass/steps';
import { Observer } from './observer';
import { Wakeup } from './wakeup';
import { asError, Workers } from './workers';

const ANNOUNCE_MS = 1_000;
const MATCH_MS = 60_000;
const MATCH_SOON_MS = 2_000;
/** Without a turn for so long, the loop stands still. */
const STANDSTILL_MS = 60_000;

export interface LoopHealth {
  healthy: boolean;
  /** Why it is not; names nothing that only some people may see. */
  message?: string;
  /** It was told to end: not healthy, and no fault. */
  stopped?: boolean;
}

export class DriftLoop {
  readonly inventory: Inventory;
  private readonly workers: Workers;
  private readonly observer: Observer;
  private readonly matching: Wakeup;
  private readonly end = new AbortController();
  private running?: Promise<void>;
  private startedAt = 0;
  private stopping = false;

  /**
   * @param matchEntities - links resources to catalog entities; called now and then, and after resources were added
   */
  constructor(
    private readonly context: PassContext,
    private readonly matchEntities: (signal: AbortSignal) => Promise<unknown>,
  ) {
    this.matching = new Wakeup(context.clock);
    this.inventory = new Inventory(context, {
      due: () => this.wake(),
      added: () => this.matching.wake(),
      sweepSoon: platform => this.observer.sweepSoon(platform),
    });
    this.observer = new Observer(context, this.inventory);
    this.workers = new Workers(context, result => this.passed(result));
  }

  /** Ends with the loop: for passes that people ask for. */
  get signal(): AbortSignal {
    return this.end.signal;
  }

  /** Something is due. */
  wake(): void {
    this.workers.wake();
  }

  listSoon(source: string): void {
    this.observer.listSoon(source);
  }

  /** What a pass of this process found is known to the sweeps and watches of this process. */
  passed(result: PassResult): void {
    if (result.row) this.inventory.note(result.row);
  }

  start(): void {
    if (this.running) return;
    const { signal } = this.end;
    this.startedAt = this.context.clock.now();
    this.running = Promise.all([
      this.workers.run(signal),
      this.observer.run(signal),
      this.announce(signal),
      this.match(signal),
    ]).then(() => undefined);
    // each part ends by itself only when told to; anything else is a fault of ours, and health must show it
    this.running.catch(error => {
      this.context.logger.error('The loop broke down', asError(error));
      this.end.abort();
    });
  }

  /** Ends every part, waits for them, and hands all leases over. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.end.abort();
    try {
      await this.running;
    } finally {
      await this.context.store.releaseAll(this.context.owner);
    }
  }

  health(): LoopHealth {
    const now = this.context.clock.now();
    if (this.stopping) {
      return { healthy: false, stopped: true, message: 'The loop was stopped' };
    }
    // the backend starts it when everything else is there
    if (!this.running) return { healthy: true };
    if (this.end.signal.aborted) {
      return {
        healthy: false,
        message: 'The loop broke down; the backend must be restarted',
      };
    }
    const queueAt = Math.max(this.workers.askedAt, this.startedAt);
    const observerAt = Math.max(this.observer.turnedAt, this.startedAt);
    if (now - queueAt > STANDSTILL_MS) {
      return {
        healthy: false,
        message: `The queue was last asked ${Math.round(
          (now - queueAt) / 1000,
        )} s ago`,
      };
    }
    if (now - observerAt > STANDSTILL_MS) {
      return {
        healthy: false,
        message: `The observer last turned ${Math.round(
          (now - observerAt) / 1000,
        )} s ago`,
      };
    }
    return { healthy: true };
  }

  private async announce(signal: AbortSignal): Promise<void> {
    const { clock, announcer } = this.context;
    while (!signal.aborted) {
      await clock.sleep(ANNOUNCE_MS, signal);
      await announcer.flush();
    }
  }

  private async match(signal: AbortSignal): Promise<void> {
    const { logger } = this.context;
    let everDone = false;
    while (!signal.aborted) {
      let wait = MATCH_MS;
      try {
        await this.matchEntities(signal);
        everDone = true;
      } catch (error) {
        if (isStarting(error) && !everDone) {
          // plugins of one backend start in no order
          logger.info('Entities are matched once the catalog has started');
          wait = MATCH_SOON_MS;
        } else if (!signal.aborted) {
          logger.warn(
            'Resources could not be matched to entities; it is tried again',
            asError(error),
          );
        }
      }
      await this.matching.wait(wait, signal);
    }
  }
}

/** The catalog answers 503 until it has started. */
function isStarting(error: unknown): boolean {
  return error instanceof ResponseError && error.statusCode === 503;
}
