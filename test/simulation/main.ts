/**
 * `yarn simulate --seeds N [--from S]`: runs N seeds and ends with `N passed, N failed`.
 * `yarn simulate --mutants [--seeds N]`: every deliberate break must be caught within N seeds (1,000).
 * `yarn simulate --seed S [--mutant NAME]`: one seed, with all that happened in it.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { INVARIANTS } from './invariants';
import { MUTANTS } from './mutants';
import { beChild, Crew, findMutant, SeedRunner, type Job } from './runner';
import type { Outcome } from './simulation';

const OPTIONS = {
  seeds: { type: 'string' },
  from: { type: 'string' },
  seed: { type: 'string' },
  mutant: { type: 'string' },
  mutants: { type: 'boolean' },
  processes: { type: 'string' },
  child: { type: 'boolean' },
} as const;

const say = (text: string) => process.stdout.write(`${text}\n`);

function wholeNumber(
  name: string,
  text: string | undefined,
  otherwise: number,
): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new Error(`--${name} is "${text}"; give a whole number from 1`);
  }
  return value;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.child) {
    await beChild();
    return 0;
  }
  if (values.seed !== undefined) {
    return oneSeed(wholeNumber('seed', values.seed, 1), values.mutant);
  }
  const from = wholeNumber('from', values.from, 1);
  const processes = wholeNumber(
    'processes',
    values.processes,
    Math.min(8, availableParallelism()),
  );
  const crew = new Crew(processes);
  try {
    if (values.mutants) {
      const most = wholeNumber('seeds', values.seeds, 1_000);
      return await allMutants(crew, from, most);
    }
    const count = wholeNumber('seeds', values.seeds, 100);
    return await manySeeds(crew, from, count, values.mutant);
  } finally {
    crew.close();
  }
}

function* seeds(from: number, count: number, mutant?: string): Iterator<Job> {
  for (let seed = from; seed < from + count; seed++) {
    yield { seed, ...(mutant ? { mutant } : {}) };
  }
}

async function oneSeed(seed: number, mutant?: string): Promise<number> {
  const runner = await SeedRunner.open();
  try {
    const outcome = await runner.run({ seed, mutant, whole: true });
    say(outcome.story.join('\n'));
    say(summary(outcome));
    return outcome.violation ? 1 : 0;
  } finally {
    await runner.close();
  }
}

function summary({ seed, violation, trace }: Outcome): string {
  return violation
    ? `seed ${seed}: ${violation.invariant} (${
        INVARIANTS[violation.invariant]
      }): ${violation.text}`
    : `seed ${seed}: passed, trace ${trace}`;
}

async function manySeeds(
  crew: Crew,
  from: number,
  count: number,
  mutant: string | undefined,
): Promise<number> {
  findMutant(mutant);
  const startedAt = Date.now();
  const failed: Outcome[] = [];
  const sums = {
    ...{ passed: 0, writes: 0, nudges: 0, window: 0 },
    ...{ deaths: 0, passes: 0, knownPages: 0 },
  };
  await crew.run(seeds(from, count, mutant), (_, outcome) => {
    sums.writes += outcome.writes;
    sums.nudges += outcome.nudges;
    sums.knownPages += outcome.knownPages;
    sums.window += outcome.window;
    sums.deaths += outcome.deaths;
    sums.passes += outcome.passes;
    if (!outcome.violation) sums.passed += 1;
    else {
      failed.push(outcome);
      say(`\n${summary(outcome)}\n${outcome.story.join('\n')}\n`);
    }
    const done = sums.passed + failed.length;
    if (done % 100 === 0 && done < count) say(`${done} of ${count} seeds`);
    return 'goOn';
  });
  if (failed.length) {
    say(
      `Replay one with: yarn simulate --seed ${Math.min(
        ...failed.map(one => one.seed),
      )}${mutant ? ` --mutant ${mutant}` : ''}`,
    );
  }
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  say(
    `${sums.passes} passes, ${sums.writes} writes, ${sums.nudges} wishes to another controller, ${sums.knownPages} known pages and ${sums.deaths} deaths of processes in ${count} seeds, in ${seconds} s`,
  );
  say(
    `${sums.window} edits fell into the window that a platform without preconditions leaves open between the last fresh read and the write`,
  );
  say(`${sums.passed} passed, ${failed.length} failed`);
  return failed.length ? 1 : 0;
}

async function allMutants(
  crew: Crew,
  from: number,
  most: number,
): Promise<number> {
  let caught = 0;
  for (const { name, breaks, caughtBy } of MUTANTS) {
    let by: Outcome | undefined;
    await crew.run(seeds(from, most, name), (_, outcome) => {
      const { violation, seed } = outcome;
      if (
        violation &&
        caughtBy.includes(violation.invariant) &&
        (!by || seed < by.seed)
      ) {
        by = outcome;
      }
      return by ? 'enough' : 'goOn';
    });
    if (by?.violation) {
      caught += 1;
      say(
        `caught   ${name.padEnd(40)} seed ${String(by.seed).padEnd(5)} ${
          by.violation.invariant
        }: ${by.violation.text}`,
      );
    } else say(`NOT CAUGHT within ${most} seeds: ${name} (${breaks})`);
  }
  say(`${caught} passed, ${MUTANTS.length - caught} failed`);
  return caught === MUTANTS.length ? 0 : 1;
}

main().then(
  code => {
    process.exitCode = code;
  },
  error => {
    process.stderr.write(
      `${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exitCode = 2;
  },
);
