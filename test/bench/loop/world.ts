/*
 * What is measured: the real loop's parts on SQLite in memory, the real Konnect module over HTTP against the stand-in in
 * another process, and as many declarations as there are services.
 */
import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import { ConfigReader } from '@backstage/config';
import type { LoggerService } from '@backstage/backend-plugin-api';
import { createKonnectParts } from '@plumbline/backstage-plugin-drift-backend-module-konnect';
import type {
  DeclarationSource,
  LiveObject,
} from '@plumbline/backstage-plugin-drift-node';
import createKnex, { type Knex } from 'knex';
import {
  createRequestGate,
  DriftLoop,
  Inventory,
  keyedDigest,
  migrationsDir,
  readDriftConfig,
  silentAnnouncer,
  storeOn,
  systemClock,
  type DriftStore,
  type PassContext,
  type ResourceRow,
} from './product';
import {
  CONTROL_PLANE,
  declaredService,
  numberOf,
  PLATFORM,
  SOURCE,
} from './services';

/** So many resources are looked at by real passes; the rows of the others are copies of theirs. */
const REAL = 200;
const LISTED_AT_ONCE = 500;
const TOKEN = 'kpat_bench';

/** The path of everything that a sweep asks for. */
export const CORE_ENTITIES = `/v2/control-planes/${CONTROL_PLANE}/core-entities`;

export const HEADERS = { authorization: `Bearer ${TOKEN}` };

/** What has to be done in any case to see what is on these pages. */
export async function fetchAndParse(urls: string[]): Promise<void> {
  for (const url of urls) {
    const answer = await fetch(url, { headers: HEADERS });
    JSON.parse(await answer.text());
  }
}

export interface World {
  count: number;
  knex: Knex;
  store: DriftStore;
  /** Address of the stand-in. */
  url: string;
  /** Addresses that the Konnect module has asked for since the list was last emptied. */
  asked: { method: string; url: string }[];
  list(): Promise<void>;
  sweep(): Promise<void>;
  /** Rows of the database that were inserted, updated or deleted, by table. */
  rowsWritten(run: () => Promise<void>): Promise<Map<string, number>>;
  /** Every entity is PUT again as it is, as the operator does: only `updated_at` moves. */
  putAll(): Promise<void>;
  /** The loop as the plugin starts it. */
  createLoop(): DriftLoop;
  close(): Promise<void>;
}

/** The declared side: made anew for each listing, so that it holds no memory. */
class Declarations implements DeclarationSource {
  readonly id = SOURCE;
  readonly title = 'Declarations';
  count = 0;

  async *list() {
    for (let from = 0; from < this.count; from += LISTED_AT_ONCE) {
      const length = Math.min(LISTED_AT_ONCE, this.count - from);
      yield {
        items: Array.from({ length }, (_, i) => declaredService(from + i)),
      };
    }
  }

  async get(_origin: unknown, { name }: { name: string }) {
    return { found: true as const, declared: declaredService(numberOf(name)) };
  }
}

export async function createWorld(count: number): Promise<World> {
  const { url, putAll, stop } = await startSandbox(count);
  const knex = createKnex({
    client: 'better-sqlite3',
    connection: { filename: ':memory:' },
    useNullAsDefault: true,
    pool: { min: 1, max: 1 },
  });
  await knex.migrate.latest({ directory: migrationsDir });
  const store = storeOn(knex, Date.now);
  const asked: World['asked'] = [];
  const source = new Declarations();
  const context = createContext({ store, url, asked, source });
  const [platform] = context.platforms.values();
  await store.putScope({ id: PLATFORM, kind: 'platform', title: 'Konnect' });
  await store.putScope({ id: SOURCE, kind: 'source', title: 'Declarations' });
  const inventory = new Inventory(context, {
    due: () => {},
    added: () => {},
    sweepSoon: () => {},
  });
  const { signal } = new AbortController();
  const complete = async (reading: Promise<boolean>) => {
    if (!(await reading)) throw new Error('A bulk read was not complete');
  };
  const world: World = {
    count,
    knex,
    store,
    url,
    asked,
    list: () => complete(inventory.listSource(source, { signal })),
    sweep: () => complete(inventory.sweepPlatform(platform, { signal })),
    rowsWritten: run => rowsWritten(knex, run),
    putAll,
    createLoop: () => new DriftLoop(context, async () => undefined),
    async close() {
      stop();
      await knex.destroy();
    },
  };

  source.count = Math.min(REAL, count);
  await world.list();
  await world.sweep();
  const live: LiveObject[] = [];
  for await (const page of platform.sweep(
    { kinds: ['services'] },
    { signal },
  )) {
    live.push(...page.items.map(item => ({ ...item, document: null })));
  }
  await copyRows(store, live);
  source.count = count;
  await world.list();
  await world.sweep();
  // as if they had been at rest for long
  await knex('resources').update({ noted_at: 0 });
  await expectAllInSync(world);
  return world;
}

function createContext({
  store,
  url,
  asked,
  source,
}: Pick<World, 'store' | 'url' | 'asked'> & {
  source: DeclarationSource;
}): PassContext {
  const logger = createLogger();
  const { platforms } = createKonnectParts(
    new ConfigReader({
      drift: {
        konnect: {
          controlPlanes: [
            {
              id: 'bench',
              serverUrl: url,
              controlPlaneId: CONTROL_PLANE,
              token: TOKEN,
              requestsPerMinute: 1_000_000,
            },
          ],
        },
      },
    }),
  );
  const platform = platforms[0].create({
    gate: one =>
      createRequestGate({
        platform: one,
        store,
        clock: systemClock,
        random: Math.random,
        logger,
      }),
    now: systemClock.now,
    fetch: (to, init) => {
      asked.push({ method: init?.method ?? 'GET', url: String(to) });
      return fetch(to, init);
    },
  });
  return {
    store,
    platforms: new Map([[platform.id, platform]]),
    sources: new Map([[source.id, source]]),
    config: readDriftConfig(
      new ConfigReader({ drift: { resync: '5s', maxStaleness: '10m' } }),
    ),
    clock: systemClock,
    random: Math.random,
    secretDigest: keyedDigest('bench'),
    logger,
    announcer: silentAnnouncer,
    owner: 'bench',
  };
}

/** Rows as passes would have left them, for the services that no pass has looked at. */
async function copyRows(store: DriftStore, live: LiveObject[]): Promise<void> {
  const [pattern] = (await store.listResources({}, { limit: 1 }, Date.now()))
    .items;
  const real = new Set<string>();
  for await (const { liveKey } of store.listIdentities(PLATFORM)) {
    if (liveKey) real.add(liveKey);
  }
  const row = await store.getResource(pattern.id);
  if (!row) throw new Error('The first resource is gone');
  const rows = live
    .filter(({ key }) => !real.has(key))
    .map(object => copyOf(row, object));
  for (let from = 0; from < rows.length; from += 5000) {
    await store.addResources(rows.slice(from, from + 5000));
  }
}

function copyOf(row: ResourceRow, live: LiveObject): ResourceRow {
  const i = numberOf(live.id);
  const { ref, origin, mark, version } = declaredService(i);
  return {
    ...row,
    id: randomUUID(),
    ref,
    title: `KongService shop/${ref.name}`,
    origin,
    mark,
    declaredVersion: version,
    declaredDigest: randomBytes(16).toString('hex'),
    liveKey: live.key,
    liveId: live.id,
    liveVersion: live.version,
    liveDigest: randomBytes(16).toString('hex'),
  };
}

async function expectAllInSync({ store, count }: World): Promise<void> {
  const [{ byVerdict }] = await store.countByVerdict({}, Date.now());
  if (byVerdict.InSync !== count) {
    throw new Error(
      `${count} resources should be in sync, but: ${JSON.stringify(byVerdict)}`,
    );
  }
}

async function rowsWritten(
  knex: Knex,
  run: () => Promise<void>,
): Promise<Map<string, number>> {
  const tables: { name: string }[] = await knex('sqlite_master')
    .select('name')
    .where({ type: 'table' })
    .whereNot('name', 'like', 'sqlite_%');
  await knex.raw('create temp table written (name text)');
  for (const { name } of tables) {
    for (const change of ['insert', 'update', 'delete']) {
      await knex.raw(
        `create temp trigger count_${change}_${name} after ${change} on main.${name}
         begin insert into written values ('${name}'); end`,
      );
    }
  }
  await run();
  const rows: { name: string; count: number }[] = await knex('written')
    .select('name')
    .count({ count: '*' })
    .groupBy('name');
  // its triggers go with it
  for (const { name } of tables) {
    for (const change of ['insert', 'update', 'delete']) {
      await knex.raw(`drop trigger count_${change}_${name}`);
    }
  }
  await knex.raw('drop table written');
  return new Map(rows.map(({ name, count }) => [name, Number(count)]));
}

async function startSandbox(
  count: number,
): Promise<{ url: string; putAll(): Promise<void>; stop(): void }> {
  const child = fork(path.join(__dirname, 'sandbox.ts'), [String(count)]);
  const url = await new Promise<string>((resolve, reject) => {
    child.on('message', message => {
      // the loader of sources sends messages of its own
      if (
        typeof message === 'object' &&
        'sandbox' in message &&
        typeof message.sandbox === 'string'
      ) {
        resolve(message.sandbox);
      }
    });
    child.once('error', reject);
    child.once('exit', code =>
      reject(new Error(`The stand-in ended with exit code ${code}`)),
    );
  });
  const putAll = () =>
    new Promise<void>(resolve => {
      const listener = (message: unknown) => {
        if (message !== 'put all') return;
        child.off('message', listener);
        resolve();
      };
      child.on('message', listener);
      child.send('put all');
    });
  return { url, putAll, stop: () => child.disconnect() };
}

function createLogger(): LoggerService {
  const told = (message: string, meta?: unknown) =>
    process.stderr.write(`${message} ${meta ?? ''}\n`);
  const logger: LoggerService = {
    error: told,
    warn: told,
    info: () => {},
    debug: () => {},
    child: () => logger,
  };
  return logger;
}
