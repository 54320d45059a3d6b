/**
 * `yarn replicas [--resources N] [--replicas N] [--seconds N] [--seed N]`: real backend processes on a real PostgreSQL against the stand-ins,
 * killed and stopped at random while both sides are edited. Ends with `N passed, N failed`.
 */
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runReplicas } from './run';

/** A server of our own: of the toolchain, which also runs the tests on it. */
interface PostgresServer {
  connectionString: string;
  /** `fast` ends all sessions in order, `crash` as a failure would. */
  restart(how: 'fast' | 'crash', downMs: number): Promise<void>;
  stop(): Promise<void>;
}

const OPTIONS = {
  resources: { type: 'string', default: '2000' },
  replicas: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '120' },
  rate: { type: 'string', default: '8' },
  'strike-every': { type: 'string', default: '9' },
  resync: { type: 'string', default: '20' },
  settle: { type: 'string', default: '300' },
  seed: { type: 'string', default: '1' },
} as const;

const DOWN_MS = 4_000;

const startedAt = Date.now();
function say(line: string) {
  const time = ((Date.now() - startedAt) / 1000).toFixed(0).padStart(4);
  process.stdout.write(`${time} s  ${line}\n`);
}

async function startPostgres(): Promise<PostgresServer> {
  // an ES module of the toolchain, which has no types
  const file = join(
    resolve(__dirname, '../..'),
    'packages/toolchain/src/test/postgres.mjs',
  );
  const toolchain = (await import(file)) as {
    startPostgres(options: { durable: boolean }): Promise<PostgresServer>;
  };
  return toolchain.startPostgres({ durable: true });
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS });
  const number = (name: keyof typeof OPTIONS): number => {
    const value = Number(values[name]);
    if (!Number.isFinite(value) || value <= 0) {
      throw new Error(
        `--${name} is "${values[name]}"; give a number greater than 0`,
      );
    }
    return value;
  };
  const settings = {
    resources: number('resources'),
    replicas: number('replicas'),
    seed: number('seed'),
    chaosSeconds: number('seconds'),
    editsPerSecond: number('rate'),
    strikeEverySeconds: number('strike-every'),
    settleSeconds: number('settle'),
    resyncSeconds: number('resync'),
  };
  const postgres = await startPostgres();
  say(`PostgreSQL runs; seed ${settings.seed}`);
  try {
    const { checks, figures, folder } = await runReplicas({
      ...settings,
      postgres: postgres.connectionString,
      outages: [
        {
          title: 'PostgreSQL restarted',
          run: () => restart(postgres, 'fast'),
        },
        {
          title: 'PostgreSQL crashed and restarted',
          run: () => restart(postgres, 'crash'),
        },
      ],
      say,
    });
    process.stdout.write(`\n${figures.join('\n')}\n\n`);
    for (const { title, problems } of checks) {
      process.stdout.write(
        `${problems.length ? 'FAILED' : 'ok    '} ${title}\n`,
      );
      for (const problem of problems.slice(0, 10)) {
        process.stdout.write(`         ${problem}\n`);
      }
      if (problems.length > 10) {
        process.stdout.write(`         and ${problems.length - 10} more\n`);
      }
    }
    const failed = checks.filter(({ problems }) => problems.length).length;
    if (failed) process.stdout.write(`\nWhat was noted is in ${folder}.\n`);
    process.stdout.write(
      `\n${checks.length - failed} passed, ${failed} failed\n`,
    );
    return failed ? 1 : 0;
  } finally {
    await postgres.stop();
  }
}

async function restart(
  postgres: PostgresServer,
  how: 'fast' | 'crash',
): Promise<void> {
  // some edits before and after, too
  await pause(2_000);
  await postgres.restart(how, DOWN_MS);
  await pause(2_000);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // what it started ends with it
  process.once(signal, () => process.exit(130));
}

main().then(
  code => process.exit(code),
  error => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exit(1);
  },
);
