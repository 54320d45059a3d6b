/** Stored decisions are made again from what is stored, and what comes out otherwise is shown. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { Knex } from 'knex';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import createKnex from 'knex';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import { createWorld, type World } from '../__testUtils__/world';
import { migrationsDir } from '../store';
import { main } from './cli';
import { openForReading } from './database';
import type { Replay } from './replay';
import { replayStored } from './replayStored';

const orders = { kind: 'services', namespace: 'shop', name: 'orders' };
const SECRET = 'hunter2-hunter2';

/** Both sides agree, then live moves and is put back. */
async function drifted(world: World) {
  world.source.declare(orders, { host: 'h', retries: 3 });
  const consumer = { ...orders, kind: 'consumers', name: 'ann' };
  world.source.declare(consumer, { username: 'ann', password: SECRET });
  const live = world.platform.put(
    'services',
    { name: 'orders', host: 'h', retries: 3 },
    { uid: 'uid-orders' },
  );
  await world.turn();
  world.platform.edit(live.key, { retries: 9 });
  await world.turn();
}

async function all(knex: Knex, filter = {}): Promise<Replay[]> {
  const replays: Replay[] = [];
  for await (const replay of replayStored(knex, filter)) replays.push(replay);
  return replays;
}

async function tamper(
  knex: Knex,
  column: 'decision' | 'inputs',
  from: string,
  to: string,
) {
  const rows = await knex('decisions').where(column, 'like', `%${from}%`);
  expect(rows).not.toEqual([]);
  for (const row of rows) {
    await knex('decisions')
      .where({ id: row.id })
      .update({ [column]: row[column].replaceAll(from, to) });
  }
}

const databases = TestDatabases.create();

describe.each(databases.eachSupportedId())('replay on %s', databaseId => {
  const suite = new SuiteDatabase(databases, databaseId);
  let knex: Knex;
  let world: World;

  beforeEach(async () => {
    knex = await suite.empty();
    world = await createWorld(knex, {
      drift: { defaults: { mode: 'enforce' } },
    });
    await drifted(world);
  });

  it('comes to the same answers, and stores each schema once', async () => {
    const replays = await all(knex);
    expect(replays.length).toBeGreaterThan(2);
    expect(new Set(replays.map(replay => replay.outcome))).toEqual(
      new Set(['same']),
    );
    expect(await knex('schemas')).toHaveLength(2);
    const text = JSON.stringify(await knex('decisions'));
    expect(text).not.toContain(SECRET);
  });

  it('replays one resource, and from a time on', async () => {
    const { id } = await world.row('orders');
    const ofOne = await all(knex, { resourceId: id });
    expect(new Set(ofOne.map(replay => replay.resourceId))).toEqual(
      new Set([id]),
    );
    const { at } = ofOne[ofOne.length - 1];
    const late = await all(knex, { resourceId: id, since: at });
    expect(late.map(replay => replay.at)).toEqual([at]);
  });

  it('shows what another engine decided otherwise, with both versions', async () => {
    await tamper(
      knex,
      'decision',
      '"engineVersion":"0.1.0"',
      '"engineVersion":"0.0.9"',
    );
    await tamper(knex, 'decision', 'set /retries', 'set /other');
    const others = (await all(knex)).filter(one => one.outcome !== 'same');
    expect(others).toEqual([
      expect.objectContaining({
        outcome: 'different',
        engineVersion: { stored: '0.0.9', replayed: '0.1.0' },
        differences: [
          { what: 'plan', stored: 'set /other', replayed: 'set /retries' },
        ],
      }),
    ]);
  });

  it('does not call a decision the same whose inputs were changed or are not there', async () => {
    await tamper(knex, 'inputs', '"retries":9', '"retries":8');
    const changed = (await all(knex)).filter(one => one.outcome !== 'same');
    expect(changed).toContainEqual(
      expect.objectContaining({
        outcome: 'notReplayable',
        why: expect.stringContaining('live state'),
      }),
    );
    await knex('schemas').delete();
    expect(new Set((await all(knex)).map(one => one.outcome))).toEqual(
      new Set(['notReplayable']),
    );
  });
});

/** The command, and what it writes. */
async function command(...args: string[]) {
  const lines: string[] = [];
  const output = {
    out: (text: string) => lines.push(text),
    err: (text: string) => lines.push(text),
  };
  return { code: await main(args, output), text: lines.join('\n') };
}

describe('drift replay', () => {
  let folder: string;
  let filename: string;
  let knex: Knex;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'replay-'));
    filename = path.join(folder, 'drift.sqlite');
    knex = createKnex({
      client: 'better-sqlite3',
      connection: { filename },
      useNullAsDefault: true,
    });
    await knex.migrate.latest({ directory: migrationsDir });
    await drifted(
      await createWorld(knex, { drift: { defaults: { mode: 'enforce' } } }),
    );
  });

  afterAll(async () => {
    await knex.destroy();
    await rm(folder, { recursive: true });
  });

  it('ends with counts and 0 where all is the same, and 1 where it is not', async () => {
    const good = await command('--database', filename, '--all');
    expect(good).toMatchObject({ code: 0 });
    expect(good.text).toMatch(
      /[1-9]\d* the same, 0 different, 0 not replayable$/,
    );
    await tamper(knex, 'decision', 'set /retries', 'set /other');
    const bad = await command('--database', filename);
    expect(bad.code).toBe(1);
    expect(bad.text).toContain('engine 0.1.0 (stored): set /other');
    expect(bad.text).toContain('1 different');
    const none = await command('--database', filename, '--resource', 'x');
    expect(none).toMatchObject({
      code: 0,
      text: '0 the same, 0 different, 0 not replayable',
    });
  });

  it('says what is wrong with its options, and how to put it right', async () => {
    expect(await command()).toMatchObject({
      code: 2,
      text: expect.stringContaining('--database is missing'),
    });
    expect(await command('--database', '/none.sqlite')).toMatchObject({
      code: 2,
      text: expect.stringContaining('no such file'),
    });
    expect(
      await command('--database', filename, '--since', 'lunch'),
    ).toMatchObject({ code: 2, text: expect.stringContaining('--since is') });
    const empty = path.join(folder, 'empty.sqlite');
    const other = createKnex({
      client: 'better-sqlite3',
      connection: { filename: empty },
      useNullAsDefault: true,
    });
    await other.raw('create table a (b int)');
    await other.destroy();
    expect(await command('--database', empty)).toMatchObject({
      code: 2,
      text: expect.stringContaining('no table "decisions"'),
    });
    expect((await command('--help')).code).toBe(0);
  });
});

const servers = databases
  .eachSupportedId()
  .filter(([databaseId]) => databaseId !== 'SQLITE_3');

// jest refuses an empty table
(servers.length ? describe.each(servers) : describe.skip.each([['no server']]))(
  'drift replay on %s',
  databaseId => {
    it('reads by URL, and cannot write', async () => {
      const knex = await databases.init(databaseId as (typeof servers)[0][0]);
      await knex.migrate.latest({ directory: migrationsDir });
      await drifted(
        await createWorld(knex, { drift: { defaults: { mode: 'enforce' } } }),
      );
      const { host, port, user, password, database } =
        knex.client.config.connection;
      const url = new URL(`postgres://${host}:${port}/${database}`);
      url.username = user;
      url.password = password;
      expect(await command('--database', url.href)).toEqual({
        code: 0,
        text: expect.stringMatching(/^[1-9]\d* the same, 0 different/),
      });
      const reading = openForReading(url.href);
      await expect(reading('decisions').delete()).rejects.toThrow('read-only');
      await reading.destroy();
      url.password = 'wrong';
      const refused = await command('--database', url.href);
      expect(refused.code).toBe(2);
      expect(refused.text).not.toContain('wrong');
      const elsewhere = new URL(url.href);
      elsewhere.password = password;
      expect(
        await command('--database', elsewhere.href, '--schema', 'nowhere'),
      ).toMatchObject({
        code: 2,
        text: expect.stringContaining('no table "decisions"'),
      });
    });
  },
);
