// Jest over all packages, with a real PostgreSQL and a real Chromium where this machine can run them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { paths } from '../project.mjs';
import { bin, runCommand } from '../tasks/command.mjs';
import { startPostgres } from './postgres.mjs';

// The variable by which @backstage/backend-test-utils is told about a server that runs already.
const POSTGRES_VARIABLE =
  'BACKSTAGE_TEST_DATABASE_POSTGRES18_CONNECTION_STRING';

/** The server of the environment, else one of our own; without either the tests run on SQLite alone, and that is said. */
async function providePostgres(report) {
  const given = process.env[POSTGRES_VARIABLE];
  if (given) return { connectionString: given, stop: async () => {} };
  let server;
  const { ok } = await report.step(
    'Start PostgreSQL for the tests',
    async () => {
      server = await startPostgres();
      return { ok: true };
    },
  );
  if (!ok) report.note('every test on PostgreSQL: the server did not start');
  return server;
}

function provideChromium(report) {
  const { status, stderr } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL('./chromium.mjs', import.meta.url))],
    { encoding: 'utf8' },
  );
  if (status !== 0) report.note(`the browser tests: ${stderr.trim()}`);
}

function titleOf(file, test) {
  return `${path.relative(paths.root, file)}: ${test.fullName}`;
}

function count(report, results) {
  for (const { name, status, assertionResults } of results.testResults) {
    for (const test of assertionResults) {
      if (test.status === 'passed') report.passed += 1;
      else if (test.status === 'failed') report.fail(titleOf(name, test));
      else report.skip(titleOf(name, test));
    }
    const broken = status === 'failed' && assertionResults.length === 0;
    if (broken) report.fail(`${path.relative(paths.root, name)}: did not run`);
  }
}

/**
 * Runs Jest and counts every test.
 *
 * @param options.args - handed on to Jest
 * @param options.scratch - folder for the results
 * @param options.stopped - aborted when the run was interrupted
 */
export async function runJest(report, { args, scratch, stopped }) {
  const postgres = await providePostgres(report);
  try {
    provideChromium(report);
    if (stopped.aborted) return;
    const resultsFile = path.join(scratch, 'jest.json');
    await report.step(
      'Unit, integration, contract and browser tests (Jest)',
      async () => {
        const code = await runCommand(
          bin('backstage-cli'),
          [
            ...['repo', 'test', '--watchAll=false', '--maxWorkers=2'],
            ...['--json', `--outputFile=${resultsFile}`],
            ...args,
          ],
          {
            env: {
              ...process.env,
              BACKSTAGE_TEST_DISABLE_DOCKER: '1',
              ...(postgres && {
                [POSTGRES_VARIABLE]: postgres.connectionString,
              }),
            },
          },
        );
        return { ok: code === 0 };
      },
    );
    if (existsSync(resultsFile)) {
      count(report, JSON.parse(readFileSync(resultsFile, 'utf8')));
    }
  } finally {
    await postgres?.stop();
  }
}
