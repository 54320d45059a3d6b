/** The real store on SQLite in memory: migrated once for each process, emptied between seeds. */
import createKnex, { type Knex } from 'knex';
import { migrationsDir } from './product';

/** What is used of the driver's own connection: it answers at once. */
interface RawConnection {
  prepare(sql: string): {
    get(...values: unknown[]): unknown;
    all(...values: unknown[]): unknown[];
    run(...values: unknown[]): unknown;
  };
  pragma(text: string): unknown;
}

export interface SimDatabase {
  knex: Knex;
  /** The same connection, for looks at the tables that cost no turn. Used only while no transaction is open. */
  raw: RawConnection;
  empty(): void;
  close(): Promise<void>;
}

/** Preparing a statement costs more than running it, and all seeds run the same ones. */
function rememberStatements(raw: RawConnection): void {
  const prepare = raw.prepare.bind(raw);
  const prepared = new Map<string, ReturnType<RawConnection['prepare']>>();
  raw.prepare = sql => {
    const known = prepared.get(sql);
    if (known) return known;
    const made = prepare(sql);
    prepared.set(sql, made);
    return made;
  };
}

export async function openDatabase(): Promise<SimDatabase> {
  const knex = createKnex({
    client: 'better-sqlite3',
    connection: { filename: ':memory:' },
    useNullAsDefault: true,
    pool: { min: 1, max: 1 },
  });
  await knex.migrate.latest({ directory: migrationsDir });
  const raw: RawConnection = await knex.client.acquireConnection();
  await knex.client.releaseConnection(raw);
  rememberStatements(raw);
  const tables = raw
    .prepare(
      `select name from sqlite_master where type = 'table' and name not like 'knex_%' and name not like 'sqlite_%'`,
    )
    .all() as { name: string }[];
  return {
    knex,
    raw,
    empty() {
      raw.pragma('foreign_keys = off');
      for (const { name } of tables) raw.prepare(`delete from ${name}`).run();
    },
    close: () => knex.destroy(),
  };
}
