/** The real store on SQLite in memory: migrated once for each process, emptied between seeds. */
import createKnex, { type Knex } from 'knex';
import { migrationsDir } from './product';

interface Statement {
  readonly reader: boolean;
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
  run(...values: unknown[]): unknown;
}

/** What is used of the driver's own connection: it answers at once. */
interface RawConnection {
  prepare(sql: string): Statement;
  pragma(text: string): unknown;
}

export interface SimDatabase {
  knex: Knex;
  /** The same connection, for looks at the tables that cost no turn. Used only while no transaction is open. */
  raw: RawConnection;
  empty(): void;
  close(): Promise<void>;
}

const LIMIT = ' limit ?';

/** Preparing a statement costs more than running it, and all seeds run the same ones. */
function rememberStatements(raw: RawConnection): void {
  const prepare = raw.prepare.bind(raw);
  const prepared = new Map<string, Statement>();
  raw.prepare = sql => {
    const known = prepared.get(sql);
    if (known) return known;
    const made = sql.endsWith(LIMIT)
      ? limited(sql.slice(0, -1), raw)
      : prepare(sql);
    prepared.set(sql, made);
    return made;
  };
}

/** SQLite prepares a statement anew whenever its limit is bound, because that may change its plan; one for each limit stays as it is. */
function limited(sql: string, raw: RawConnection): Statement {
  const withLimit = (values: unknown[]) => {
    const bound = values.flat();
    return { statement: raw.prepare(`${sql}${bound.pop()}`), bound };
  };
  return {
    reader: true,
    get(...values) {
      const { statement, bound } = withLimit(values);
      return statement.get(...bound);
    },
    all(...values) {
      const { statement, bound } = withLimit(values);
      return statement.all(...bound);
    },
    run(...values) {
      const { statement, bound } = withLimit(values);
      return statement.run(...bound);
    },
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
  // once, so that rows can be deleted in any order: it makes SQLite prepare every statement anew
  raw.pragma('foreign_keys = off');
  const tables = raw
    .prepare(
      `select name from sqlite_master where type = 'table' and name not like 'knex_%' and name not like 'sqlite_%'`,
    )
    .all() as { name: string }[];
  return {
    knex,
    raw,
    empty() {
      for (const { name } of tables) raw.prepare(`delete from ${name}`).run();
    },
    close: () => knex.destroy(),
  };
}
