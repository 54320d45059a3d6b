/** Everybody else: people who declare, edit and answer, programs that write against us, and what befalls the processes. */
import {
  resourceKey,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import type { ConflictRow } from './product';
import { KONNECT, SOMEBODY, type LiveState } from './servers';
import type { Simulation } from './simulation';
import type { Random } from './random';

const FIELDS = ['host', 'retries', 'path'] as const;
/** Nobody ever declares these. */
const EXTRAS = ['read_timeout', 'connect_timeout'] as const;

const CONTROLLER = {
  name: 'sim-operator',
  evidence: 'It has set a condition of the custom resource.',
};

const WEIGHTS = {
  liveEdit: 24,
  liveExtra: 12,
  liveRestore: 6,
  liveDelete: 5,
  liveCreate: 4,
  declare: 20,
  undeclareField: 5,
  undeclare: 6,
  declareAgain: 8,
  answer: 18,
  choose: 6,
  check: 4,
  pause: 4,
  unpause: 4,
  rival: 2,
  takeOver: 1,
  stopProcess: 4,
  shutDown: 2,
};

type Deed = keyof typeof WEIGHTS;

export class Actors {
  private readonly random: Random;
  private answers = 0;

  constructor(private readonly sim: Simulation) {
    this.random = sim.random.fork('actors');
  }

  /** What is there before the first process starts. */
  begin(): void {
    const { sim, random } = this;
    for (const ref of sim.refs) {
      if (random.chance(0.85)) this.declare(ref);
      const chance = random.next();
      if (chance < 0.15) this.createByHand(ref, undefined);
      else if (chance < 0.2) this.createByHand(ref, SOMEBODY);
    }
  }

  /** Spreads the deeds over the time in which faults happen. */
  schedule(): void {
    const { sim, random } = this;
    const { events, faultMs } = sim.scenario;
    for (let i = 0; i < events; i++) {
      const deed = random.weighted(WEIGHTS);
      sim.scheduler.after(random.int(0, faultMs - 2_000), () => {
        if (sim.faulty) this.act(deed);
      });
    }
  }

  private act(deed: Deed): void {
    const { sim, random } = this;
    const ref = random.pick(sim.refs);
    switch (deed) {
      case 'liveEdit':
        this.edit(ref, { [random.pick(FIELDS)]: undefined }, 'ben');
        break;
      case 'liveExtra':
        this.edit(ref, { [random.pick(EXTRAS)]: undefined }, 'tuner');
        break;
      case 'liveRestore':
        this.restore(ref);
        break;
      case 'liveDelete': {
        const live = sim.oracle.liveNow(ref);
        if (!live) return;
        sim.say('ben', `deletes ${live.key}`);
        this.server(ref).delete(live.key);
        break;
      }
      case 'liveCreate':
        if (!sim.oracle.liveNow(ref)) this.createByHand(ref, undefined);
        break;
      case 'declare':
        this.declare(ref);
        break;
      case 'undeclareField':
        this.undeclareField(ref);
        break;
      case 'undeclare':
        if (!sim.oracle.declaredNow(ref)) return;
        sim.say('ann', `undeclares ${ref.name}`);
        sim.source(ref).undeclare(ref);
        break;
      case 'declareAgain': {
        const missing = sim.refs.filter(one => !sim.oracle.declaredNow(one));
        if (missing.length) this.declare(random.pick(missing));
        break;
      }
      case 'answer':
        this.answer();
        break;
      case 'choose':
        this.choose(ref);
        break;
      case 'check':
        this.check(ref);
        break;
      case 'pause':
        this.pause(ref);
        break;
      case 'unpause':
        sim.rules.endPauses();
        break;
      case 'rival':
        this.rival(ref);
        break;
      case 'takeOver':
        sim.rules.takeOver(ref);
        break;
      case 'stopProcess':
        sim.processes.stopOne(1_000 * random.int(2, 50));
        break;
      default:
        sim.processes.shutDownOne();
    }
  }

  private server(ref: ResourceRef) {
    const server = this.sim.platforms.get(ref.platform);
    if (!server) throw new Error(`There is no platform ${ref.platform}`);
    return server;
  }

  private value(field: string): string | number {
    const { random } = this;
    if (field === 'retries') return random.int(0, 6);
    if (field === 'host') return `${random.pick(['a', 'b', 'c'])}.svc`;
    if (field === 'path') return `/${random.pick(['x', 'y', 'z'])}`;
    return 1_000 * random.int(1, 9);
  }

  private edit(
    ref: ResourceRef,
    fields: Record<string, string | number | undefined>,
    by: string,
  ): LiveState | undefined {
    const live = this.sim.oracle.liveNow(ref);
    if (!live) return undefined;
    const values = Object.fromEntries(
      Object.entries(fields).map(([field, value]) => [
        field,
        value ?? this.value(field),
      ]),
    );
    this.sim.say(
      by,
      `edits ${live.key} (${ref.name}): ${JSON.stringify(values)}`,
    );
    return this.server(ref).edit(live.key, values, by);
  }

  /** Puts live to what is declared now, by hand. */
  private restore(ref: ResourceRef): void {
    const declared = this.sim.oracle.declaredNow(ref);
    if (!declared || !this.sim.oracle.liveNow(ref)) return;
    this.edit(
      ref,
      { ...(declared.document as Record<string, string>) },
      'cleo',
    );
  }

  private createByHand(ref: ResourceRef, mark: string | undefined): void {
    const { sim, random } = this;
    const id = sim.serverIds.uuid();
    sim.say('ben', `makes ${ref.name} by hand (${id})`);
    this.server(ref).put(
      ref.kind,
      id,
      {
        name: ref.name,
        host: 'a.svc',
        retries: random.int(2, 4),
        read_timeout: 4_000,
      },
      { mark, by: 'ben' },
    );
  }

  private declare(ref: ResourceRef): void {
    const { sim, random } = this;
    const before = sim.oracle.declaredNow(ref);
    const document = {
      host: 'a.svc',
      retries: 3,
      ...(before?.document as Record<string, string> | undefined),
    };
    const field = random.pick(FIELDS);
    Object.assign(document, { [field]: this.value(field) });
    const declared = sim.source(ref).declare(ref, document, this.about(ref));
    sim.say(
      'ann',
      `declares ${ref.name}: ${JSON.stringify(declared.document)}`,
    );
  }

  /** What comes with each declaration of it. */
  private about(ref: ResourceRef) {
    const { parents, operated } = this.sim.scenario;
    return {
      parent: parents.get(ref),
      controller: operated.has(ref) ? CONTROLLER : undefined,
      // Konnect's routes are made by POST here: what is made twice is there twice
      repeatable: ref.platform === KONNECT && ref.kind !== 'routes',
    };
  }

  private undeclareField(ref: ResourceRef): void {
    const { sim } = this;
    const before = sim.oracle.declaredNow(ref);
    if (!before) return;
    const { path, ...document } = before.document as Record<string, string>;
    if (path === undefined) return;
    sim.source(ref).declare(ref, document, this.about(ref));
    sim.say('ann', `no longer declares path of ${ref.name}`);
  }

  /** Somebody looks at a question now, and answers a while later. */
  private answer(): void {
    const { sim, random } = this;
    const open = sim.tables
      .all<{ conflict: string }>(
        `select conflict from conflicts where status = 'open' order by opened_at, id`,
      )
      .map(({ conflict }) => JSON.parse(conflict) as ConflictRow);
    if (!open.length) return;
    const conflict = random.pick(open);
    const { choice } = random.pick(conflict.answers);
    sim.scheduler.after(random.int(0, 15_000), () =>
      this.resolve(conflict, choice),
    );
  }

  /** Answers a question as it was seen. */
  async resolve(
    conflict: ConflictRow,
    choice: 'declared' | 'live',
  ): Promise<void> {
    const { sim } = this;
    const worker = sim.processes.pick();
    if (!worker) return;
    const by = this.person(conflict.seen);
    sim.say(by, `answers "${conflict.question}" with ${choice}`);
    sim.act(
      by,
      worker.actions.resolve(
        conflict.id,
        { choice, seen: conflict.seen },
        { ref: by },
      ),
    );
  }

  private choose(ref: ResourceRef): void {
    const { sim, random } = this;
    const side = random.pick(['reconcile', 'keepLive'] as const);
    const seen = this.seenOf(ref);
    if (!seen) return;
    sim.scheduler.after(random.int(0, 8_000), () => this.take(ref, side, seen));
  }

  seenOf(ref: ResourceRef): { declared: string; live: string } | undefined {
    const row = this.sim.tables.get<{
      declared_digest: string | null;
      live_digest: string | null;
    }>(
      'select declared_digest, live_digest from resources where ref_key = ?',
      resourceKey(ref),
    );
    return (
      row && {
        declared: row.declared_digest ?? 'none',
        live: row.live_digest ?? 'none',
      }
    );
  }

  take(
    ref: ResourceRef,
    side: 'reconcile' | 'keepLive',
    seen: { declared: string; live: string },
  ): void {
    const { sim } = this;
    const worker = sim.processes.pick();
    const id = sim.tables.row(resourceKey(ref))?.id;
    if (!worker || !id) return;
    const by = this.person(seen);
    sim.say(by, `asks to ${side} ${ref.name}`);
    sim.act(by, worker.actions[side](id, { seen }, { ref: by }));
  }

  private check(ref: ResourceRef): void {
    const { sim } = this;
    const worker = sim.processes.pick();
    const id = sim.tables.row(resourceKey(ref))?.id;
    if (!worker || !id) return;
    sim.act('dora', worker.actions.check(id, { ref: 'user:default/dora' }));
  }

  /** A name of its own for each decision, so that it can be told which state it was about. */
  private person(seen: { declared: string; live: string }): string {
    this.answers += 1;
    const by = `user:default/ann-${this.answers}`;
    this.sim.answers.set(by, seen);
    return by;
  }

  private pause(ref: ResourceRef): void {
    const { sim, random } = this;
    sim.rules.pause(ref, 1_000 * random.int(5, 40));
  }

  /** Another controller keeps a field at a value of its own. */
  private rival(ref: ResourceRef): void {
    const { sim, random } = this;
    const until = sim.now + 1_000 * random.int(10, 60);
    const field = random.pick(FIELDS);
    const value = this.value(field);
    const turn = () => {
      if (sim.now > until || !sim.faulty) return;
      const live = sim.oracle.liveNow(ref);
      if (live && live.document[field] !== value) {
        this.edit(ref, { [field]: value }, 'rival-controller');
      }
      sim.scheduler.after(random.int(1_500, 6_000), turn);
    };
    turn();
  }
}
