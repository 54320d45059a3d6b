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
import { makeChecks, type Checks } from './checks';
import type { SimDatabase } from './database';
import type { Invariant } from './invariants';
import type { Mutant } from './mutant';
import { Operator } from './operator';
import { Oracle } from './oracle';
import { Processes } from './processes';
import {
  LeaseLostError,
  readDriftConfig,
  storeOn,
  type DriftConfig,
  type DriftStore,
} from './product';
import { Random } from './random';
import { Rules } from './rules';
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
import { Story } from './story';
import { Tables } from './tables';

/** Once faults have stopped, everything is settled within this time… */
const QUIET_MS = 10 * 60_000;
/** …and within so many passes of each resource. */
const QUIET_PASSES = 60;
/** An idle controller surfaces after this. */
const IDLE_MS = 12 * 60_000;
const IDLE_PASSES = 60;
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
  /** Times that another controller was asked to look again. */
  nudges: number;
  /** Pages of sweeps that were known by their digest. */
  knownPages: number;
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
  readonly tables: Tables;
  readonly processes: Processes;
  readonly operator: Operator;
  readonly rules: Rules;
  /** What each person saw when deciding. */
  readonly answers = new Map<string, { declared: string; live: string }>();
  phase: 'faults' | 'quiet' | 'rest' = 'faults';
  window = 0;
  /** Pages of sweeps that were not looked into, because they were known. */
  knownPages = 0;
  violation?: Violation;
  private readonly story: Story;
  private readonly rowRefs = new Map<string, ResourceRef>();
  private faultsAreOver = false;

  constructor(
    readonly seed: number,
    readonly database: SimDatabase,
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
    this.story = new Story(this.scheduler);
    this.tables = new Tables(database.raw);
    this.checks = makeChecks(this);
    this.processes = new Processes(this);
    this.operator = new Operator(this);
    this.rules = new Rules(this);
    this.actors = new Actors(this);
  }

  get now(): number {
    return this.scheduler.now;
  }

  /** Milliseconds since the beginning. */
  get elapsed(): number {
    return this.now - START;
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
    this.story.say(who, text);
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

  /** A replica that is behind the others answers for one page. */
  pageIsStale(): boolean {
    return this.faulty && this.fates.chance(0.06);
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

  private rememberRows(): void {
    for (const row of this.tables.all<{ id: string; ref_key: string }>(
      'select id, ref_key from resources',
    )) {
      const ref = this.refs.find(one => resourceKey(one) === row.ref_key);
      if (ref) this.rowRefs.set(row.id, ref);
    }
  }

  // --- the run ---

  async run(): Promise<Outcome> {
    const { scenario } = this;
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
      this.operator.begin();
      this.processes.begin();
      this.actors.schedule();
      this.look();
      await this.runFor(scenario.faultMs);
      this.faultsAreOver = true;
      this.phase = 'quiet';
      this.say('WORLD', 'faults are over');
      this.rules.endPauses();
      await this.settle();
      await this.answerAll();
      if (!this.violation) {
        this.phase = 'rest';
        this.say('WORLD', 'everything is at rest');
        await this.runFor(REST_MS);
      }
      if (!this.violation) await this.checks.final.atTheEnd();
    } finally {
      this.processes.end();
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
      await this.checks.final.shown();
      this.look();
    });
  }

  private async settle(): Promise<void> {
    // a controller that ended is waited for before a person is told
    const isIdle = this.scenario.operatorEndsMs !== undefined;
    const end = this.now + QUIET_MS + (isIdle ? IDLE_MS : 0);
    const most = QUIET_PASSES + (isIdle ? IDLE_PASSES : 0);
    const { passes } = this.checks.records;
    passes.clear();
    for (let calm = 0; calm < 3 && !this.violation; ) {
      await this.runFor(LOOK_MS);
      const unsettled = this.refs.flatMap(ref => isSettled(this, ref) ?? []);
      calm = unsettled.length ? 0 : calm + 1;
      for (const { ref, why } of unsettled) {
        const count = passes.get(resourceKey(ref)) ?? 0;
        if (count > most) {
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
      for (const { ref, conflict, idleController } of waiting) {
        const seen = this.actors.seenOf(ref);
        if (idleController) this.rules.takeOver(ref);
        else if (conflict) {
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
    return {
      seed: this.seed,
      ...(this.violation ? { violation: this.violation } : {}),
      window: this.window,
      knownPages: this.knownPages,
      nudges: this.story.count(text => text.startsWith('asks the controller')),
      writes: this.story.count(text => text.startsWith('sends ')),
      passes: this.checks.records.recorded,
      deaths: this.processes.deaths,
      trace: this.story.digest(),
      story: this.violation ? this.tell() : [],
    };
  }

  /** A short story, or all of it. */
  tell(all = false): string[] {
    return all ? this.story.all() : this.story.about(this.culprit?.name);
  }

  private get culprit(): ResourceRef | undefined {
    return this.refs.find(ref => resourceKey(ref) === this.violation?.refKey);
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
