/** One seed from its beginning to its end: a world, some processes, faults, quiet, and what was found. */
import crypto from 'node:crypto';
import { ConfigReader } from '@backstage/config';
import {
  ConflictError,
  InputError,
  isError,
  NotFoundError,
  ServiceUnavailableError,
} from '@backstage/errors';
import {
  resourceKey,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import { Actors } from './actors';
import { Checks, type Invariant } from './checks';
import type { SimDatabase } from './database';
import type { Mutant } from './mutants';
import { Oracle } from './oracle';
import {
  LeaseLostError,
  readDriftConfig,
  storeOn,
  type DriftConfig,
  type DriftStore,
} from './product';
import { Random } from './random';
import { makeScenario, type Scenario } from './scenario';
import { Scheduler, START } from './scheduler';
import {
  DeclarationServer,
  KONNECT,
  KUBERNETES,
  LiveServer,
  MANIFESTS,
  RESOURCES,
} from './servers';
import { isSettled, waitsFor } from './settled';
import { Worker } from './worker';

/** Once faults have stopped, everything is settled within this time… */
const QUIET_MS = 10 * 60_000;
/** …and within so many passes of each resource. */
const QUIET_PASSES = 60;
const REST_MS = 35_000;
const LOOK_MS = 5_000;
const ROUNDS = 6;

export interface Violation {
  invariant: Invariant;
  at: number;
  refKey?: string;
  text: string;
}

export interface Outcome {
  seed: number;
  violation?: Violation;
  /** Edits that were overwritten in the window that a platform without preconditions leaves open. */
  window: number;
  writes: number;
  passes: number;
  /** Processes that died in the middle of something. */
  deaths: number;
  /** Digest of all that happened: equal for equal seeds. */
  trace: string;
  story: string[];
}

export class Simulation {
  readonly scheduler = new Scheduler();
  readonly random: Random;
  readonly fates: Random;
  readonly latency: Random;
  readonly serverIds: Random;
  readonly scenario: Scenario;
  readonly refs: readonly ResourceRef[];
  readonly config: DriftConfig;
  readonly store: DriftStore;
  readonly platforms: Map<string, LiveServer>;
  readonly sources: Map<string, DeclarationServer>;
  readonly watchedSources = new Set([RESOURCES]);
  readonly oracle: Oracle;
  readonly checks: Checks;
  readonly actors: Actors;
  readonly workers: Worker[] = [];
  /** What each person saw when deciding. */
  readonly answers = new Map<string, { declared: string; live: string }>();
  phase: 'faults' | 'quiet' | 'rest' = 'faults';
  window = 0;
  violation?: Violation;
  private readonly story: { at: number; who: string; text: string }[] = [];
  private readonly statements = new Map<
    string,
    ReturnType<SimDatabase['raw']['prepare']>
  >();
  private pauses: {
    id: string;
    ref: ResourceRef;
    from: number;
    until: number;
  }[] = [];
  private crashes = 0;
  private generation = 0;
  private faultsAreOver = false;

  constructor(
    readonly seed: number,
    private readonly database: SimDatabase,
    readonly mutant?: Mutant,
  ) {
    this.random = new Random(seed);
    this.fates = this.random.fork('fates');
    this.latency = this.random.fork('latency');
    this.serverIds = this.random.fork('ids');
    this.scenario = makeScenario(this.random.fork('scenario'));
    this.refs = this.scenario.refs;
    this.config = readDriftConfig(
      new ConfigReader({ drift: this.scenario.drift as never }),
    );
    this.store = storeOn(database.knex, () => this.now);
    this.platforms = new Map([
      [KONNECT, new LiveServer(this, KONNECT, ['services', 'routes'], false)],
      [KUBERNETES, new LiveServer(this, KUBERNETES, ['widgets'], true)],
    ]);
    this.sources = new Map(
      [RESOURCES, MANIFESTS].map(id => [id, new DeclarationServer(this, id)]),
    );
    this.oracle = new Oracle(this.refs, this.platforms, this.sources);
    this.checks = new Checks(this);
    this.actors = new Actors(this);
  }

  get now(): number {
    return this.scheduler.now;
  }

  /** Faults may happen. */
  get faulty(): boolean {
    return !this.faultsAreOver;
  }

  get maxSkew(): number {
    return this.scenario.maxSkewMs;
  }

  // --- what happens to whom ---

  say(who: string, text: string): void {
    this.story.push({ at: this.now, who, text });
  }

  violate(
    invariant: Invariant,
    ref: ResourceRef | undefined,
    text: string,
  ): void {
    if (this.violation) return;
    this.violation = {
      invariant,
      at: this.now,
      text: ref ? `${ref.name}: ${text}` : text,
      ...(ref ? { refKey: resourceKey(ref) } : {}),
    };
    this.say('CHECK', `${invariant}: ${this.violation.text}`);
  }

  bulkFate(): 'plain' | 'empty' | 'behind' {
    return this.faulty
      ? this.fates.weighted({ plain: 86, empty: 4, behind: 10 })
      : 'plain';
  }

  storeFailure(): { error: Error; when: 'before' | 'after' } | undefined {
    if (!this.faulty || !this.fates.chance(0.0015)) return undefined;
    return {
      error: new Error('the database was restarted'),
      when: this.fates.chance(0.5) ? 'before' : 'after',
    };
  }

  /** A person's action goes on by itself; only what a person may expect comes back. */
  act(by: string, action: Promise<unknown>): void {
    action.then(
      () => this.say(by, 'it was done'),
      error => {
        // an abort is an error of another realm where Jest runs this
        const message = isError(error) ? error.message : String(error);
        this.say(by, `was told: ${message}`);
        const expected =
          error instanceof ConflictError ||
          error instanceof InputError ||
          error instanceof NotFoundError ||
          error instanceof ServiceUnavailableError ||
          error instanceof LeaseLostError ||
          /database was restarted|aborted/.test(message);
        if (!expected)
          this.violate(
            'no-bug',
            undefined,
            String(error instanceof Error ? error.stack : error),
          );
      },
    );
  }

  sourceOf(ref: ResourceRef): string {
    return this.scenario.sources.get(ref) ?? RESOURCES;
  }

  source(ref: ResourceRef): DeclarationServer {
    const source = this.sources.get(this.sourceOf(ref));
    if (!source) throw new Error(`There is no source for ${ref.name}`);
    return source;
  }

  refOfRow(id: string): ResourceRef | undefined {
    return this.rowRefs.get(id);
  }

  private readonly rowRefs = new Map<string, ResourceRef>();

  private rememberRows(): void {
    for (const row of this.checks.all<{ id: string; ref_key: string }>(
      'select id, ref_key from resources',
    )) {
      const ref = this.refs.find(one => resourceKey(one) === row.ref_key);
      if (ref) this.rowRefs.set(row.id, ref);
    }
  }

  prepared(sql: string) {
    const known = this.statements.get(sql);
    if (known) return known;
    const made = this.database.raw.prepare(sql);
    this.statements.set(sql, made);
    return made;
  }

  // --- pauses ---

  pause(ref: ResourceRef, ms: number): void {
    const id = this.random.uuid();
    const { platform, kind, namespace, name } = ref;
    const scope = { platform, kind, namespace: namespace ?? '', name };
    this.scheduler.after(0, async () => {
      await this.store.addRule({
        id,
        scope,
        settings: { paused: true },
        reason: 'work in progress',
        by: 'user:default/dora',
        createdAt: this.now,
        until: this.now + ms,
      });
      this.say('dora', `pauses ${name} for ${ms} ms`);
      this.pauses.push({ id, ref, from: this.now, until: this.now + ms });
      const worker = this.someWorker();
      if (worker) this.act('dora', worker.actions.policyChanged(scope));
    });
  }

  endPauses(): void {
    const ended = this.pauses;
    this.pauses = [];
    for (const { id, ref } of ended) {
      this.scheduler.after(0, async () => {
        await this.store.removeRule(id);
        this.say('dora', `ends the pause of ${ref.name}`);
        const { platform, kind, namespace, name } = ref;
        const worker = this.someWorker();
        if (worker) {
          this.act(
            'dora',
            worker.actions.policyChanged({ platform, kind, namespace, name }),
          );
        }
      });
    }
  }

  /** How long a pause has been in force that every clock still sees. */
  pausedFor(ref: ResourceRef): number | undefined {
    const inForce = this.pauses.filter(
      pause =>
        pause.ref === this.same(ref) && pause.until - this.maxSkew > this.now,
    );
    return inForce.length
      ? Math.max(...inForce.map(pause => this.now - pause.from))
      : undefined;
  }

  private same(ref: ResourceRef): ResourceRef | undefined {
    const key = resourceKey(ref);
    return this.refs.find(one => resourceKey(one) === key);
  }

  // --- processes ---

  someWorker(): Worker | undefined {
    const living = this.workers.filter(
      worker => worker.alive && !worker.stopping,
    );
    return living.length ? this.random.pick(living) : undefined;
  }

  workerDied(worker: Worker): void {
    this.crashes += 1;
    this.replace(worker, this.latency.int(500, 20_000));
  }

  /** A process is stopped by the system and goes on later, as if nothing had happened. */
  stopForAWhile(ms: number): void {
    const worker = this.someWorker();
    if (!worker) return;
    worker.pausedUntil = Math.max(worker.pausedUntil, this.now + ms);
    worker.say(`is stopped for ${ms} ms`);
  }

  /** A process is shut down in good order. */
  shutDown(): void {
    const worker = this.someWorker();
    if (!worker) return;
    worker.stopping = true;
    worker.say('is shut down');
    worker.loop.stop().then(
      () => {
        if (!worker.alive) return;
        worker.say('has handed over');
        worker.alive = false;
        this.replace(worker, 1_000);
      },
      error => {
        worker.say(`could not be shut down: ${String(error)}`);
        worker.crash('at shutdown');
      },
    );
  }

  private replace(worker: Worker, ms: number): void {
    this.workers.splice(this.workers.indexOf(worker), 1);
    this.scheduler.after(ms, () => this.startWorker());
  }

  private startWorker(): void {
    this.generation += 1;
    const { random } = this;
    const crashes =
      this.faulty && this.crashes < this.scenario.crashes && random.chance(0.8);
    const only = random.chance(0.6) ? 'writes' : 'any';
    const worker = new Worker(
      this,
      `p${this.generation}`,
      random.int(-this.maxSkew, this.maxSkew),
      {
        atStep: crashes
          ? random.int(1, only === 'writes' ? 25 : 700)
          : Infinity,
        when: random.pick(['before', 'after', 'stopped']),
        only,
        stopMs: 1_000 * random.int(25, 60),
      },
    );
    this.workers.push(worker);
    worker.say('starts');
    worker.loop.start();
  }

  // --- the run ---

  async run(): Promise<Outcome> {
    const { scheduler, scenario } = this;
    const restore = seedIds(this.random.fork('uuid'));
    this.database.empty();
    try {
      for (const { id } of this.platforms.values()) {
        await this.store.putScope({ id, kind: 'platform', title: id });
      }
      for (const { id } of this.sources.values()) {
        await this.store.putScope({ id, kind: 'source', title: id });
      }
      this.actors.begin();
      for (let i = 0; i < scenario.workers; i++) {
        scheduler.after(this.latency.int(0, 3_000), () => this.startWorker());
      }
      this.actors.schedule();
      this.look();
      await this.runFor(scenario.faultMs);
      this.faultsAreOver = true;
      this.phase = 'quiet';
      this.say('WORLD', 'faults are over');
      this.endPauses();
      await this.settle();
      await this.answerAll();
      if (!this.violation) {
        this.phase = 'rest';
        this.say('WORLD', 'everything is at rest');
        await this.runFor(REST_MS);
      }
      if (!this.violation) this.checks.atTheEnd();
    } finally {
      for (const worker of this.workers) worker.alive = false;
      restore();
    }
    return this.outcome();
  }

  private async runFor(ms: number): Promise<void> {
    await this.scheduler.run(this.now + ms, () => this.violation !== undefined);
  }

  private look(): void {
    this.scheduler.after(2 * LOOK_MS, async () => {
      this.rememberRows();
      await this.checks.shown();
      this.look();
    });
  }

  private async settle(): Promise<void> {
    const end = this.now + QUIET_MS;
    const { passes } = this.checks;
    passes.clear();
    for (let calm = 0; calm < 3 && !this.violation; ) {
      await this.runFor(LOOK_MS);
      const unsettled = this.refs.flatMap(ref => isSettled(this, ref) ?? []);
      calm = unsettled.length ? 0 : calm + 1;
      for (const { ref, why } of unsettled) {
        const count = passes.get(resourceKey(ref)) ?? 0;
        if (count > QUIET_PASSES) {
          this.violate('converges', ref, `${count} passes in quiet: ${why}`);
        }
      }
      if (this.now > end && unsettled.length) {
        this.violate(
          'converges',
          unsettled[0].ref,
          `after ${QUIET_MS / 60_000} min of quiet: ${unsettled[0].why}`,
        );
      }
    }
  }

  /** People answer everything that waits for them, seeing what is there. */
  private async answerAll(): Promise<void> {
    for (let round = 1; round <= ROUNDS && !this.violation; round++) {
      const waiting = this.refs.flatMap(ref => waitsFor(this, ref) ?? []);
      if (!waiting.length) return;
      for (const { ref, conflict } of waiting) {
        const seen = this.actors.seenOf(ref);
        if (conflict) {
          const { choice } =
            conflict.answers[round % 3 === 0 ? conflict.answers.length - 1 : 0];
          await this.actors.resolve(conflict, choice);
        } else if (seen) this.actors.take(ref, 'reconcile', seen);
      }
      await this.runFor(30_000);
      await this.settle();
    }
    const left = this.refs.flatMap(ref => waitsFor(this, ref) ?? []);
    if (left.length) {
      const { ref, conflict } = left[0];
      this.violate(
        'person-decides',
        ref,
        conflict ? `still asked: ${conflict.question}` : 'still stands',
      );
    }
  }

  private outcome(): Outcome {
    const hash = crypto.createHash('sha1');
    let writes = 0;
    for (const { at, who, text } of this.story) {
      hash.update(`${at} ${who} ${text}\n`);
      if (text.startsWith('sends ')) writes += 1;
    }
    return {
      seed: this.seed,
      ...(this.violation ? { violation: this.violation } : {}),
      window: this.window,
      writes,
      passes: this.checks.recorded,
      deaths: this.crashes,
      trace: hash.digest('hex'),
      story: this.violation ? this.tell() : [],
    };
  }

  /** A short story: what concerns the resource, and what befell the processes. */
  tell(all = false): string[] {
    const { violation } = this;
    const name = this.refs.find(
      ref => resourceKey(ref) === violation?.refKey,
    )?.name;
    const key = this.story
      .find(({ text }) => name && text.includes(`(${name})`))
      ?.text.match(/\S+\/\S+/)?.[0];
    const told = this.story.filter(
      ({ who, text }) =>
        all ||
        !name ||
        who === 'CHECK' ||
        who === 'WORLD' ||
        new RegExp(`\\b${name}\\b`).test(text) ||
        (key && text.includes(key)) ||
        /^(dies|starts|is stopped|is shut down|logs)/.test(text),
    );
    return told
      .slice(all ? 0 : -70)
      .map(
        ({ at, who, text }) =>
          `${((at - START) / 1000).toFixed(3).padStart(9)} s  ${who.padEnd(
            18,
          )} ${text}`,
      );
  }
}

/** Ids that the product draws come from the seed as well, because rows are read in their order. Returns what undoes it. */
function seedIds(random: Random): () => void {
  const { randomUUID } = crypto;
  crypto.randomUUID = () => random.uuid();
  return () => {
    crypto.randomUUID = randomUUID;
  };
}
