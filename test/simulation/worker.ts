/** One backend process: the real loop on the real store, whose every I/O step can be its last. */
import type { LoggerService } from '@backstage/backend-plugin-api';
import type {
  DeclarationSource,
  Platform,
  RequestGate,
} from '@plumbline/backstage-plugin-drift-node';
import {
  createActions,
  createRequestGate,
  DriftLoop,
  keyedDigest,
  silentAnnouncer,
  type Clock,
  type DriftActions,
  type DriftStore,
  type PassContext,
} from './product';
import { laidOver } from './mutant';
import type { Simulation } from './simulation';
import { SimPlatform } from './simPlatform';
import { SimSource } from './simSource';
import { KUBERNETES } from './servers';
import { watchStore } from './storeWatch';

/** A read of one side of a resource, as this process got it. */
export interface ReadSeen {
  number: number;
  side: 'declared' | 'live';
  /** Key of the resource, where the read was about one. */
  refKey?: string;
  liveKey?: string;
  failed: boolean;
  found: boolean;
  version?: string;
  at: number;
}

/** At which of its steps a process dies, or is stopped for so long that another takes over. */
export interface CrashPlan {
  atStep: number;
  when: 'before' | 'after' | 'stopped';
  /** Counted: all steps, or those around writes. */
  only: 'any' | 'writes';
  stopMs: number;
}

const NEVER = new Promise<never>(() => {});

export class Worker {
  alive = true;
  stopping = false;
  pausedUntil = 0;
  readonly reads: ReadSeen[] = [];
  /** Writes sent and not answered yet, by resource. */
  readonly sent = new Map<string, number>();
  /** Resource → number of the last write's answer, and of the lease's beginning. */
  readonly answeredAt = new Map<string, number>();
  readonly leasedAt = new Map<string, number>();
  /** When the controller of a resource was asked, and said that it heard. */
  readonly nudgedAt = new Map<string, number>();
  /** Whether the bulk read of a scope that is under way was cut. */
  readonly cut = new Map<string, boolean>();
  steps = 0;
  private count = 0;
  readonly loop: DriftLoop;
  readonly actions: DriftActions;
  readonly store: DriftStore;

  constructor(
    readonly sim: Simulation,
    readonly owner: string,
    readonly skew: number,
    private readonly crashPlan: CrashPlan,
  ) {
    const random = sim.random.fork(owner);
    const clock: Clock = {
      now: () => this.now(),
      sleep: (ms, signal) => this.sleep(ms, signal),
    };
    const { mutant } = sim;
    this.store = watchStore(this, sim.store);
    const store = laidOver(this.store, mutant?.store?.(this.store, this));
    const logger = this.logger();
    const platforms = new Map<string, Platform>();
    const gates = new Map<string, RequestGate>();
    for (const server of sim.platforms.values()) {
      const gate = createRequestGate({
        platform: { id: server.id, budget: SimPlatform.BUDGET },
        store,
        clock,
        random: () => random.next(),
        logger,
      });
      gates.set(server.id, gate);
      const platform = new SimPlatform(this, server, gate);
      platforms.set(
        server.id,
        laidOver<Platform>(platform, mutant?.platform?.(platform, this)),
      );
    }
    const sources = new Map<string, DeclarationSource>();
    const gate = gates.get(KUBERNETES);
    if (!gate) throw new Error('There is no cluster');
    for (const server of sim.sources.values()) {
      const source = new SimSource(this, server, gate);
      sources.set(
        server.id,
        laidOver<DeclarationSource>(source, mutant?.source?.(source, this)),
      );
    }
    const context: PassContext = {
      store,
      platforms,
      sources,
      config: sim.config,
      clock,
      random: () => random.next(),
      secretDigest: keyedDigest('simulation'),
      logger,
      announcer: silentAnnouncer,
      owner,
    };
    this.loop = new DriftLoop(context, async () => undefined);
    const actions = createActions(
      context,
      {
        due: () => this.loop.wake(),
        passed: result => this.loop.passed(result),
        listSoon: source => this.loop.listSoon(source),
      },
      { signal: this.loop.signal },
    );
    this.actions = laidOver(actions, mutant?.actions?.(actions, this));
  }

  /** Its own idea of the time. */
  now(): number {
    return this.sim.now + this.skew;
  }

  say(text: string): void {
    this.sim.say(this.owner, text);
  }

  nextNumber(): number {
    this.count += 1;
    return this.count;
  }

  crash(where: string): void {
    if (!this.alive) return;
    this.alive = false;
    this.sent.clear();
    this.say(`dies ${where}`);
    this.sim.processes.died(this);
  }

  /** Whether the process dies at this very step. */
  private diesAt(when: 'before' | 'after', what: string, writes: boolean) {
    const { crashPlan } = this;
    if (crashPlan.when !== when || !this.sim.faulty) return false;
    if (this.steps !== crashPlan.atStep) return false;
    if (crashPlan.only === 'writes' && !writes) return false;
    this.crash(`${when} ${what}`);
    return true;
  }

  /** Whether the process is stopped right before this step. */
  private stopsAt(what: string, writes: boolean): boolean {
    const { when, atStep, only, stopMs } = this.crashPlan;
    if (when !== 'stopped' || !this.sim.faulty) return false;
    if (this.steps !== atStep || (only === 'writes' && !writes)) return false;
    this.pausedUntil = Math.max(this.pausedUntil, this.sim.now + stopMs);
    this.say(`is stopped before ${what} for ${stopMs} ms`);
    return true;
  }

  /** Counts a step; only those that the crash plan is about. */
  private counts(writes: boolean): void {
    if (this.crashPlan.only === 'any' || writes) this.steps += 1;
  }

  /** Runs something of this process as soon as it is not paused, if it still lives. */
  resume(run: () => void | Promise<void>): void | Promise<void> {
    if (!this.alive) return undefined;
    if (this.pausedUntil > this.sim.now) {
      this.sim.scheduler.at(this.pausedUntil, () => this.resume(run));
      return undefined;
    }
    return run();
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || ms <= 0) return Promise.resolve();
    return new Promise(resolve => {
      let isOver = false;
      const done = () => {
        isOver = true;
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.sim.scheduler.after(ms, () =>
        isOver ? undefined : this.resume(done),
      );
      signal.addEventListener('abort', done);
    });
  }

  /** A step that takes effect and answers at one moment: a call of the database. */
  atOnce<T>(
    what: string,
    writes: boolean,
    effect: () => Promise<T>,
    failure?: { error: Error; when: 'before' | 'after' },
  ): Promise<T> {
    if (!this.alive) return NEVER;
    return new Promise<T>((resolve, reject) => {
      const run = async () => {
        if (this.diesAt('before', what, writes)) return;
        if (failure?.when === 'before') {
          this.say(`${what}: ${failure.error.message}, without effect`);
          reject(failure.error);
          return;
        }
        try {
          const value = await effect();
          if (this.diesAt('after', what, writes)) return;
          if (failure) {
            this.say(`${what}: ${failure.error.message}, after it took effect`);
            reject(failure.error);
          } else resolve(value);
        } catch (error) {
          reject(error);
        }
      };
      const begin = () => {
        this.counts(writes);
        return this.stopsAt(what, writes) ? this.resume(run) : run();
      };
      this.sim.scheduler.after(this.sim.latency.int(0, 4), () =>
        this.resume(begin),
      );
    });
  }

  /** The beginning of a request: the process may die before it is sent. */
  mayStillSend(what: string, writes: boolean): boolean {
    if (!this.alive) return false;
    this.counts(writes);
    return !this.diesAt('before', what, writes);
  }

  /** An answer comes, if there is still somebody to hear it. */
  answer(ms: number, what: string, writes: boolean, settle: () => void): void {
    this.sim.scheduler.after(ms, () =>
      this.resume(() => {
        if (!this.diesAt('after', what, writes)) settle();
      }),
    );
  }

  noteRead(read: Omit<ReadSeen, 'number' | 'at'>): void {
    this.reads.push({ ...read, number: this.nextNumber(), at: this.sim.now });
  }

  lastRead(
    side: ReadSeen['side'],
    refKey: string,
    liveKey?: string,
  ): ReadSeen | undefined {
    return this.readsOf(side, refKey, liveKey).at(-1);
  }

  readsOf(side: ReadSeen['side'], refKey: string, liveKey?: string) {
    return this.reads.filter(
      read =>
        read.side === side &&
        (read.refKey === refKey ||
          (liveKey !== undefined && read.liveKey === liveKey)),
    );
  }

  private logger(): LoggerService {
    const told = (level: string) => (message: string, meta?: unknown) => {
      const error = meta instanceof Error ? `: ${meta.message}` : '';
      if (level === 'error') this.say(`logs "${message}${error}"`);
      if (meta instanceof TypeError || meta instanceof ReferenceError) {
        this.sim.violate('no-bug', undefined, `${meta.stack ?? meta.message}`);
      }
      if (level === 'error' && message === 'The loop broke down') {
        this.sim.violate('loop-stands', undefined, `${this.owner}${error}`);
      }
    };
    const logger: LoggerService = {
      error: told('error'),
      warn: told('warn'),
      info: told('info'),
      debug: told('debug'),
      child: () => logger,
    };
    return logger;
  }
}
