/** The short form of `yarn replicas`: two backend processes on one PostgreSQL, struck while both sides are edited. */
import createKnex from 'knex';
import { describeWhere } from '../src/leftOut';
import { runReplicas, type RunResult } from './run';

const POSTGRES =
  process.env.BACKSTAGE_TEST_DATABASE_POSTGRES18_CONNECTION_STRING;

jest.setTimeout(600_000);

/** All sessions end at once, as in a restart; this server is not ours to restart. */
async function cutSessions(database: string): Promise<void> {
  const knex = createKnex({ client: 'pg', connection: POSTGRES });
  try {
    await knex.raw(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = ?',
      [database],
    );
  } finally {
    await knex.destroy();
  }
}

describeWhere(
  POSTGRES !== undefined,
  'PostgreSQL',
  'replicas that are killed and stopped at random',
  () => {
    let result: RunResult;
    const story: string[] = [];

    beforeAll(async () => {
      result = await runReplicas({
        ...{ resources: 200, replicas: 2, seed: 1 },
        ...{ chaosSeconds: 20, editsPerSecond: 5, strikeEverySeconds: 5 },
        ...{ settleSeconds: 120, resyncSeconds: 5 },
        postgres: POSTGRES ?? '',
        outages: [{ title: 'All sessions cut', run: cutSessions }],
        say: line => story.push(line),
      });
    });

    it('strike at replicas and edit both sides', () => {
      expect(story.filter(line => line.startsWith('SIG'))).not.toEqual([]);
      expect(result.figures).toContainEqual(
        expect.stringMatching(/^writes of the replicas: .*update on konnect/),
      );
    });

    it('break no invariant, lose nothing and converge', () => {
      expect(result.checks.filter(({ problems }) => problems.length)).toEqual(
        [],
      );
    });
  },
);
