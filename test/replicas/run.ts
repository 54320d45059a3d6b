/** The whole story: begin, strike and edit, let settle, take the database away and give it back, judge. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../simulation/random';
import { Audit, type Kept } from './audit';
import { INVARIANTS, judge, type Invariant } from './checks';
import { replicaConfig } from './config';
import { Crew } from './crew';
import { Databases } from './databases';
import { Editor, strike } from './driver';
import { figuresOf, seconds, takeoverFigures } from './figures';
import { readJournal } from './journal';
import { LeaseBook } from './leaseBook';
import { Orders, type Endpoints } from './orders';
import { Processes } from './processes';
import { lookWhetherSettled } from './settled';
import { makeWorld } from './world';

export interface RunOptions {
  resources: number;
  replicas: number;
  seed: number;
  /** How long both sides are edited and replicas are struck. */
  chaosSeconds: number;
  editsPerSecond: number;
  /** Between two blows, on average. */
  strikeEverySeconds: number;
  /** How long everything may take to be right again. */
  settleSeconds: number;
  resyncSeconds: number;
  /** Of an administrator. */
  postgres: string;
  /** Each takes the database away from under the replicas in its own way, and gives it back. */
  outages: {
    title: string;
    /** @param database - the drift plugin's */
    run(database: string): Promise<void>;
  }[];
  say(line: string): void;
}

export interface Check {
  title: string;
  /** Empty: it holds. */
  problems: string[];
}

export interface RunResult {
  checks: Check[];
  figures: string[];
  /** The replicas' output and the journal; removed where everything holds. */
  folder: string;
}

function missing(before: Kept, after: Kept): string[] {
  return Object.entries(before).flatMap(([table, ids]) => {
    const there = new Set(after[table]);
    return ids.filter(id => !there.has(id)).map(id => `${table} ${id}`);
  });
}

class Story {
  readonly audit: Audit;
  private readonly crew: Crew;
  private readonly random: Random;
  private readonly manifests: string;
  private readonly journalFile: string;
  private endpoints: Endpoints = {};
  private readonly checks: Check[] = [];
  private readonly figures: string[] = [];
  private readonly outages: { from: number; to: number }[] = [];

  constructor(
    private readonly options: RunOptions,
    private readonly folder: string,
    private readonly processes: Processes,
    private readonly databases: Databases,
  ) {
    this.random = new Random(options.seed);
    this.manifests = join(folder, 'manifests');
    this.journalFile = join(folder, 'journal.jsonl');
    mkdirSync(this.manifests);
    this.audit = new Audit(databases.url(databases.drift));
    this.crew = new Crew(processes, {
      folder,
      config: replica =>
        replicaConfig({
          endpoints: this.endpoints[replica],
          postgres: options.postgres,
          prefix: databases.prefix,
          resyncSeconds: options.resyncSeconds,
          manifests: this.manifests,
        }),
    });
  }

  async run(): Promise<RunResult> {
    const { options, crew, audit } = this;
    const { say } = options;
    const things = makeWorld(options.resources);
    const child = this.processes.start(
      'sandbox.ts',
      [this.journalFile, String(options.replicas)],
      join(this.folder, 'sandbox.log'),
    );
    const { orders, endpoints } = await Orders.to(child);
    this.endpoints = endpoints;
    await orders.send({ do: 'seed', things });
    const editor = new Editor(orders, this.random, this.manifests, things);
    say(`${things.length} resources are declared and live`);

    const [first, ...others] = Array.from(
      { length: options.replicas },
      (_, n) => `replica-${n + 1}`,
    );
    const startedAt = Date.now();
    await crew.start(first);
    await audit.install();
    await Promise.all(others.map(name => crew.start(name)));
    say(
      `${options.replicas} replicas run after ${seconds(
        Date.now() - startedAt,
      )}`,
    );
    await this.settle('At first all is in sync', orders, editor);

    await this.chaos(editor);
    await this.settle('After the chaos all converges', orders, editor);
    await this.shutDowns(editor);
    await this.settle('After clean shutdowns all converges', orders, editor);
    for (const { title, run } of options.outages) {
      await this.outage(title, run, orders, editor);
    }
    await this.judge(editor);
    return { checks: this.checks, figures: this.figures, folder: this.folder };
  }

  private async chaos(editor: Editor): Promise<void> {
    const { options, crew, audit } = this;
    const { chaosSeconds, editsPerSecond, say } = options;
    const signal = AbortSignal.timeout(chaosSeconds * 1000);
    const editing = editor.edit(editsPerSecond, signal);
    await strike(
      {
        crew,
        audit,
        say,
        random: new Random(options.seed + 1),
        everyMs: options.strikeEverySeconds * 1000,
      },
      signal,
    );
    await editing;
    this.figure(
      'edits',
      Object.entries(editor.counts)
        .map(([what, count]) => `${what} ${count}`)
        .join(', '),
    );
    const struck = (what: string) =>
      crew.blows.filter(blow => blow.what === what).length;
    this.figure(
      'blows',
      `SIGKILL ${struck('killed')}, SIGSTOP ${struck(
        'stopped',
      )}, SIGTERM ${struck('handedOver')}`,
    );
  }

  /** Whoever sweeps is shut down in order while there is work, again and again. */
  private async shutDowns(editor: Editor): Promise<void> {
    const { options, crew, audit } = this;
    const stop = new AbortController();
    const editing = editor.edit(options.editsPerSecond, stop.signal);
    const took: number[] = [];
    for (let n = 0; n < options.replicas; n += 1) {
      const victim = await this.sweeper();
      options.say(`SIGTERM ${victim}`);
      const at = Date.now();
      await crew.shutDown(victim);
      took.push(Date.now() - at);
      await crew.start(victim);
    }
    stop.abort();
    await editing;
    this.figure(
      'from SIGTERM to the end of the process',
      took.map(seconds).join(', '),
    );
    const book = new LeaseBook(await audit.leases());
    this.checks.push({
      title:
        'a replica that is shut down waits for no lease of its own to run out',
      problems: crew.blows
        .filter(({ what }) => what === 'handedOver')
        .flatMap(blow => book.handovers(blow).late),
    });
  }

  /** The replica that sweeps and watches, once there is one and it holds resources, too. */
  private async sweeper(): Promise<string> {
    const { crew, audit, options } = this;
    const until = Date.now() + options.settleSeconds * 1000;
    while (Date.now() < until) {
      const owner = await audit.observer();
      const name = crew.nameOf(owner);
      if (name && crew.awake().includes(name) && (await audit.holds(owner))) {
        return name;
      }
      await pause(20);
    }
    throw new Error('Nobody sweeps and works at the same time');
  }

  private async settle(
    title: string,
    orders: Orders,
    editor: Editor,
  ): Promise<void> {
    const { audit, options } = this;
    const from = Date.now();
    let saidAt = from;
    for (;;) {
      const { inSync, waiting, leftAlone, wrong } = await lookWhetherSettled(
        orders,
        audit,
        editor,
      );
      const took = Date.now() - from;
      const late = took > options.settleSeconds * 1000;
      if (!wrong.length || late) {
        this.checks.push({ title, problems: wrong });
        this.figure(
          title.toLowerCase(),
          `${inSync} in sync; for a person: ${
            [...waiting].map(([what, n]) => `${n} ${what}`).join(', ') || 'none'
          }; not ours and left alone: ${leftAlone}; wrong: ${
            wrong.length
          }; after ${seconds(took)}`,
        );
        return;
      }
      if (Date.now() - saidAt > 10_000) {
        saidAt = Date.now();
        options.say(`${wrong.length} are not right yet, such as ${wrong[0]}`);
      }
      await pause(500);
    }
  }

  private async outage(
    title: string,
    run: (database: string) => Promise<void>,
    orders: Orders,
    editor: Editor,
  ): Promise<void> {
    const { audit, options } = this;
    const before = await audit.kept();
    options.say(title);
    const stop = new AbortController();
    const editing = this.editLightly(editor, stop.signal);
    const from = Date.now();
    try {
      await run(this.databases.drift);
    } finally {
      this.outages.push({ from, to: Date.now() });
      stop.abort();
      await editing;
    }
    const after = await audit.kept();
    this.checks.push({
      title: `${title}: nothing is lost`,
      problems: missing(before, after),
    });
    await this.settle(`${title}: all goes on`, orders, editor);
  }

  private async editLightly(
    editor: Editor,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      await editor.editOnce(this.random.chance(0.5) ? 'live' : 'declared');
      await pause(200);
    }
  }

  private async judge(editor: Editor): Promise<void> {
    const { audit, crew, checks } = this;
    const [leases, intents, known, episodes] = await Promise.all([
      audit.leases(),
      audit.intents(),
      audit.known(),
      audit.episodes(),
    ]);
    const judgement = judge({
      journal: readJournal(this.journalFile),
      ...{ leases, intents, known, episodes },
      decisions: await audit.decisions(intents.map(one => one.decisionId)),
      incarnations: crew.incarnations,
      manifests: editor.manifests,
      outages: this.outages,
    });
    for (const name of Object.keys(INVARIANTS) as Invariant[]) {
      checks.push({
        title: INVARIANTS[name],
        problems: judgement.violations[name],
      });
    }
    checks.push({
      title: 'no intent stays open',
      problems: await this.neverSettled(),
    });
    checks.push({
      title: 'no replica ends by itself',
      problems: [...crew.deaths],
    });
    for (const [what, text] of [
      ...figuresOf(judgement),
      ...takeoverFigures(crew.blows, new LeaseBook(leases)),
    ]) {
      this.figure(what, text);
    }
  }

  /** A write that may still be on its way keeps its intent open for as long as it may land. */
  private async neverSettled(): Promise<string[]> {
    const { audit, options } = this;
    const until = Date.now() + options.settleSeconds * 1000;
    for (;;) {
      const open = await audit.openIntents();
      if (!open.length || Date.now() > until) return open;
      await pause(500);
    }
  }

  private figure(what: string, text: string) {
    const line = `${what}: ${text}`;
    this.figures.push(line);
    this.options.say(line);
  }
}

export async function runReplicas(options: RunOptions): Promise<RunResult> {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-replicas-'));
  const processes = new Processes();
  const databases = new Databases(options.postgres);
  let audit: Audit | undefined;
  try {
    const story = new Story(options, folder, processes, databases);
    audit = story.audit;
    const result = await story.run();
    if (result.checks.every(({ problems }) => !problems.length)) {
      rmSync(folder, { recursive: true });
    }
    return result;
  } finally {
    await audit?.close();
    await processes.end();
    await databases.drop();
  }
}
