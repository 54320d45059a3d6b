/** Runs seeds, in this process or in several: the same seed gives the same result in each. */
import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { openDatabase, type SimDatabase } from './database';
import type { Mutant } from './mutant';
import { MUTANTS } from './mutants';
import { Simulation, type Outcome } from './simulation';

/** What a child is asked to run. */
export interface Job {
  seed: number;
  mutant?: string;
  /** The whole story, also where nothing failed. */
  whole?: boolean;
}

/** Fails the seed that is running where a promise of the product is rejected and nobody hears it. */
class Unheard {
  current?: Simulation;
  private readonly hear = (error: unknown) => {
    this.current?.violate(
      'no-bug',
      undefined,
      `nobody heard: ${error instanceof Error ? error.stack : String(error)}`,
    );
  };

  listen(): void {
    process.on('unhandledRejection', this.hear);
  }

  end(): void {
    process.off('unhandledRejection', this.hear);
  }
}

/** Runs seeds one after the other on one database. */
export class SeedRunner {
  private readonly unheard = new Unheard();

  private constructor(private readonly database: SimDatabase) {}

  static async open(): Promise<SeedRunner> {
    const runner = new SeedRunner(await openDatabase());
    runner.unheard.listen();
    return runner;
  }

  /** @throws Error where the simulation itself is broken */
  async run({ seed, mutant, whole }: Job): Promise<Outcome> {
    const simulation = new Simulation(seed, this.database, findMutant(mutant));
    this.unheard.current = simulation;
    try {
      const outcome = await simulation.run();
      return whole ? { ...outcome, story: simulation.tell(true) } : outcome;
    } finally {
      this.unheard.current = undefined;
    }
  }

  async close(): Promise<void> {
    this.unheard.end();
    await this.database.close();
  }
}

export function findMutant(name: string | undefined): Mutant | undefined {
  if (name === undefined) return undefined;
  const mutant = MUTANTS.find(one => one.name === name);
  if (!mutant) {
    throw new Error(
      `There is no mutant "${name}"; there are ${MUTANTS.map(
        one => one.name,
      ).join(', ')}`,
    );
  }
  return mutant;
}

/** Several processes, each with a database of its own, that take one job after the other. */
export class Crew {
  private readonly children: ChildProcess[] = [];

  constructor(size: number) {
    for (let i = 0; i < size; i++) {
      const child = fork(path.join(__dirname, 'main.ts'), ['--child'], {
        // most of what a seed makes is soon rubbish: the less often it is collected, the less of it is still alive
        execArgv: [...process.execArgv, '--max-semi-space-size=32'],
      });
      this.children.push(child);
    }
  }

  /**
   * Runs jobs as they come, until there are none or `each` says that it is enough.
   *
   * @param each - gets outcomes in the order in which they are done
   */
  async run(
    jobs: Iterator<Job>,
    each: (job: Job, outcome: Outcome) => 'goOn' | 'enough',
  ): Promise<void> {
    let over = false;
    const work = async (child: ChildProcess) => {
      for (;;) {
        const next = over ? undefined : jobs.next();
        if (!next || next.done) return;
        const outcome = await ask(child, next.value);
        if (each(next.value, outcome) === 'enough') over = true;
      }
    };
    await Promise.all(this.children.map(work));
  }

  close(): void {
    for (const child of this.children) child.disconnect();
  }
}

function ask(child: ChildProcess, job: Job): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const listeners = new AbortController();
    const died = (code: number | null) => {
      listeners.abort();
      reject(
        new Error(`Seed ${job.seed}: its process ended with code ${code}`),
      );
    };
    const heard = (message: { outcome?: Outcome; error?: string }) => {
      // the loader of TypeScript sends messages of its own
      if (!message.outcome && !message.error) return;
      listeners.abort();
      if (message.outcome) resolve(message.outcome);
      else reject(new Error(`Seed ${job.seed}: ${message.error}`));
    };
    listeners.signal.addEventListener('abort', () => {
      child.off('exit', died);
      child.off('message', heard);
    });
    child.on('exit', died);
    child.on('message', heard);
    child.send(job);
  });
}

/** What a child does: one job after the other, until nobody asks any more. */
export async function beChild(): Promise<void> {
  const runner = await SeedRunner.open();
  process.on('message', (job: Job) => {
    runner
      .run(job)
      .then(outcome => process.send?.({ outcome }))
      .catch((error: unknown) =>
        process.send?.({
          error: error instanceof Error ? error.stack : String(error),
        }),
      );
  });
  process.once('disconnect', () => {
    runner.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}
