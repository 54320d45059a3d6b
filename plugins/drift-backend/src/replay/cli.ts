/** The command `drift replay`: options, words and exit codes. */
import { parseArgs } from 'node:util';
import { InputError } from '@backstage/errors';
import { redactText } from '@plumbline/drift-engine';
import type { Knex } from 'knex';
import { DateTime, Duration } from 'luxon';
import { assertDriftDatabase, openForReading } from './database';
import type { Replay } from './replay';
import { replayStored } from './replayStored';

const HELP = `drift replay: decides again what was decided, from the stored inputs, and compares

  drift replay --database WHERE [--schema NAME] [--resource ID] [--since WHEN] [--all]

  --database WHERE  the drift plugin's own database: path of an SQLite file, or postgres://user@host/backstage_plugin_drift
                    (PGPASSWORD holds the password). It is only read
  --schema NAME     PostgreSQL schema of the tables, where plugins are divided by schema
  --resource ID     only decisions about this resource
  --since WHEN      only decisions since then: 2026-03-01T12:00:00Z, or PT24H for the last 24 hours
  --all             also list decisions that came out the same

Exit codes: 0 the same answers, 1 at least one is another, 2 error or not replayable.
`;

/** Where the command writes. */
export interface ReplayOutput {
  out(text: string): void;
  err(text: string): void;
}

const terminal: ReplayOutput = {
  out: text => process.stdout.write(`${text}\n`),
  err: text => process.stderr.write(`${text}\n`),
};

/**
 * Runs the command.
 *
 * @returns the exit code
 * @public
 */
export async function main(
  args: string[],
  output: ReplayOutput = terminal,
  now: number = Date.now(),
): Promise<number> {
  let knex: Knex | undefined;
  try {
    const options = readOptions(args, now);
    if (!options) {
      output.out(HELP);
      return 0;
    }
    knex = openForReading(options.database, options.schema);
    await assertDriftDatabase(knex);
    return await run(knex, options, output);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    output.err(redactText(`drift replay: ${message}`));
    return 2;
  } finally {
    await knex?.destroy();
  }
}

interface Options {
  database: string;
  schema?: string;
  resourceId?: string;
  since?: number;
  all: boolean;
}

function readOptions(args: string[], now: number): Options | undefined {
  const { values } = parseArgs({
    args,
    options: {
      database: { type: 'string' },
      schema: { type: 'string' },
      resource: { type: 'string' },
      since: { type: 'string' },
      all: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return undefined;
  if (!values.database) {
    throw new InputError('--database is missing; see drift replay --help');
  }
  return {
    database: values.database,
    schema: values.schema,
    resourceId: values.resource,
    since: values.since === undefined ? undefined : moment(values.since, now),
    all: values.all ?? false,
  };
}

function moment(text: string, now: number): number {
  const duration = Duration.fromISO(text);
  if (duration.isValid) return now - duration.toMillis();
  const time = DateTime.fromISO(text);
  if (time.isValid) return time.toMillis();
  throw new InputError(
    `--since is "${text}"; use an ISO 8601 time such as 2026-03-01T12:00:00Z, or a duration such as PT24H`,
  );
}

async function run(
  knex: Knex,
  options: Options,
  output: ReplayOutput,
): Promise<number> {
  const counts = { same: 0, different: 0, notReplayable: 0 };
  for await (const replay of replayStored(knex, options)) {
    counts[replay.outcome] += 1;
    if (options.all || replay.outcome !== 'same') output.out(say(replay));
  }
  output.out(
    `${counts.same} the same, ${counts.different} different, ${counts.notReplayable} not replayable`,
  );
  if (counts.different) return 1;
  return counts.notReplayable ? 2 : 0;
}

function say(replay: Replay): string {
  const { stored, replayed } = replay.engineVersion;
  const head = `${new Date(replay.at).toISOString()} decision ${
    replay.id
  } of resource ${replay.resourceId}`;
  switch (replay.outcome) {
    case 'same':
      return `${head}: the same`;
    case 'notReplayable':
      return `${head}: not replayable. ${replay.why}.`;
    default:
      return [
        `${head}: different`,
        ...replay.differences.flatMap(({ what, ...answers }) => [
          `  ${what}`,
          `    engine ${stored} (stored): ${answers.stored}`,
          `    engine ${replayed} (now):    ${answers.replayed}`,
        ]),
      ].join('\n');
  }
}
