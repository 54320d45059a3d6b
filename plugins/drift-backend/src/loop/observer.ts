/**
 * The observer: one process at a time sweeps and watches, for all. It holds a lease of its own; another process takes over when it
 * ends or falls silent.
 */
import type {
  DeclarationSource,
  Platform,
} from '@plumbline/backstage-plugin-drift-node';
import { traced } from '../announce/tracing';
import type { Inventory } from '../inventory/inventory';
import { backoffMs, jittered } from '../pass/backoff';
import type { PassContext } from '../pass/context';
import { Mailbox } from './mailbox';
import { Prober } from './prober';
import { Wakeup, withDeadline } from './wakeup';
import { asError } from './workers';

const NAME = 'observer';
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
/** Those that wait for it ask so often: a process that shuts down gives it up. */
const ASK_MS = 1_500;
/** A bulk read that takes longer hangs. */
const READ_DEADLINE_MS = 15 * 60_000;
/** The first sweep waits for the first listings, and no longer than this. */
const FIRST_LISTING_MS = 30_000;

export class Observer {
  private readonly sources = new Map<string, Wakeup>();
  private readonly platforms = new Map<string, Wakeup>();
  /** When the loop last went round, for health. */
  turnedAt = 0;

  constructor(
    private readonly context: PassContext,
    private readonly inventory: Inventory,
  ) {
    for (const id of context.sources.keys()) {
      this.sources.set(id, new Wakeup(context.clock));
    }
    for (const id of context.platforms.keys()) {
      this.platforms.set(id, new Wakeup(context.clock));
    }
  }

  sweepSoon(platform: string): void {
    this.platforms.get(platform)?.wake();
  }

  listSoon(source: string): void {
    this.sources.get(source)?.wake();
  }

  /** Waits for the lease, observes while it holds, and begins again, until `signal` ends. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, store, owner, logger } = this.context;
    while (!signal.aborted) {
      this.turnedAt = clock.now();
      if (await this.takeLease()) {
        const session = new AbortController();
        const within = AbortSignal.any([signal, session.signal]);
        const observing = this.observe(within);
        await this.keepLease(within);
        session.abort();
        await observing;
      } else {
        await clock.sleep(jittered(ASK_MS, random), signal);
      }
    }
    try {
      await store.dropNamedLease(NAME, owner);
    } catch (error) {
      // it runs out by itself
      logger.warn('The observer lease could not be given up', asError(error));
    }
  }

  private async takeLease(): Promise<boolean> {
    const { clock, store, owner, logger } = this.context;
    try {
      return await store.takeNamedLease(NAME, {
        owner,
        now: clock.now(),
        ms: LEASE_MS,
      });
    } catch (error) {
      logger.error('The observer lease could not be asked for', asError(error));
      return false;
    }
  }

  /** Returns when the lease is lost, or could not be renewed before it ran out. */
  private async keepLease(signal: AbortSignal): Promise<void> {
    const { clock } = this.context;
    let heldUntil = clock.now() + LEASE_MS;
    for (;;) {
      await clock.sleep(RENEW_MS, signal);
      if (signal.aborted) return;
      this.turnedAt = clock.now();
      // a process that slept through its lease must not go on as if nothing had happened
      if (clock.now() >= heldUntil) return;
      const at = clock.now();
      if (await this.takeLease()) heldUntil = at + LEASE_MS;
    }
  }

  private async observe(signal: AbortSignal): Promise<void> {
    const { sources, platforms, clock } = this.context;
    const listings = [...sources.values()].map(source => {
      let listed = () => {};
      const first = new Promise<void>(resolve => {
        listed = resolve;
      });
      return { first, done: this.listAgain(source, listed, signal) };
    });
    const ready = new AbortController();
    const first = Promise.race([
      Promise.all(listings.map(listing => listing.first)),
      clock.sleep(FIRST_LISTING_MS, AbortSignal.any([signal, ready.signal])),
    ]).then(() => ready.abort());
    await Promise.all([
      first,
      ...listings.map(listing => listing.done),
      ...[...platforms.values()].map(async platform => {
        // begins anew with every session, as the sweeps do
        const prober = new Prober(this.context, platform, () =>
          this.sweepSoon(platform.id),
        );
        const probing = prober.run(signal);
        await first;
        await this.sweepAgain(platform, prober, signal);
        await probing;
      }),
      ...[...sources.values()].map(source => this.watchSource(source, signal)),
      ...[...platforms.values()].map(platform =>
        this.watchPlatform(platform, signal),
      ),
    ]);
  }

  private async listAgain(
    source: DeclarationSource,
    listed: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    await this.again(
      source,
      this.sources.get(source.id),
      within => this.inventory.listSource(source, { signal: within }),
      listed,
      signal,
    );
    listed();
  }

  private async sweepAgain(
    platform: Platform,
    prober: Prober,
    signal: AbortSignal,
  ): Promise<void> {
    await this.again(
      platform,
      this.platforms.get(platform.id),
      within => {
        prober.sweepBegins();
        return this.inventory.sweepPlatform(platform, { signal: within });
      },
      () => {},
      signal,
    );
  }

  /** Reads every resync; sooner where it was not complete or somebody wishes so. */
  private async again(
    scope: { id: string; title: string },
    wakeup: Wakeup | undefined,
    read: (signal: AbortSignal) => Promise<boolean>,
    done: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, random, config, logger, tracing } = this.context;
    const what = `Reading ${scope.title}`;
    let failures = 0;
    while (!signal.aborted) {
      const startedAt = clock.now();
      wakeup?.heed();
      try {
        const complete = await traced(
          tracing,
          'drift.sweep',
          { 'drift.scope': scope.id },
          async annotate => {
            const wasComplete = await withDeadline(
              clock,
              { ms: READ_DEADLINE_MS, signal, what },
              read,
            );
            annotate({ 'drift.complete': wasComplete });
            return wasComplete;
          },
        );
        failures = complete ? 0 : failures + 1;
      } catch (error) {
        failures += 1;
        logger.error(`${what} failed`, asError(error));
      }
      done();
      const rest = Math.max(0, config.resyncMs - (clock.now() - startedAt));
      await (wakeup ?? new Wakeup(clock)).wait(
        failures
          ? Math.min(config.resyncMs, backoffMs(failures, random))
          : jittered(rest, random),
        signal,
      );
    }
  }

  private async watchSource(
    source: DeclarationSource,
    signal: AbortSignal,
  ): Promise<void> {
    if (!source.watch) return;
    const mail = new Mailbox(this.context);
    await this.keepWatching(
      source.title,
      () =>
        source.watch!({
          signal,
          onChange: changed =>
            mail.put(() => this.inventory.declarationsChanged(source, changed)),
          onRelist: () => this.listSoon(source.id),
        }),
      signal,
    );
    await mail.empty();
  }

  private async watchPlatform(
    platform: Platform,
    signal: AbortSignal,
  ): Promise<void> {
    if (!platform.watch) return;
    const mail = new Mailbox(this.context);
    await this.keepWatching(
      platform.title,
      () =>
        platform.watch!(
          { kinds: [...platform.kinds] },
          {
            signal,
            onChange: changed =>
              mail.put(() => this.inventory.liveChanged(platform, changed)),
            onRelist: () => this.sweepSoon(platform.id),
          },
        ),
      signal,
    );
    await mail.empty();
  }

  /** A watch only makes us faster: when it ends, it is begun again, and sweeps go on meanwhile. */
  private async keepWatching(
    what: string,
    watch: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, random, logger } = this.context;
    let failures = 0;
    while (!signal.aborted) {
      const startedAt = clock.now();
      try {
        await watch();
      } catch (error) {
        if (!signal.aborted) {
          logger.warn(`Watching ${what} ended`, asError(error));
        }
      }
      failures = clock.now() - startedAt > 60_000 ? 1 : failures + 1;
      await clock.sleep(backoffMs(failures, random), signal);
    }
  }
}
