/** Opens the drift backend's database for reading only: replaying must not change what it looks at. */
import { InputError } from '@backstage/errors';
import createKnex, { type Knex } from 'knex';
import { existsSync } from 'node:fs';

// what goes wrong is thrown, and said once by the command
const SILENT = {
  warn: () => {},
  error: () => {},
  deprecate: () => {},
  debug: () => {},
};

/**
 * @param where - a PostgreSQL URL, or the path of an SQLite file
 * @param schema - PostgreSQL schema of the tables, where Backstage divides plugins by schema
 * @throws InputError where there is no such file
 */
export function openForReading(where: string, schema?: string): Knex {
  if (/^postgres(ql)?:\/\//.test(where)) {
    return createKnex({
      client: 'pg',
      connection: {
        connectionString: where,
        options: '-c default_transaction_read_only=on',
        application_name: 'drift replay',
      },
      ...(schema ? { searchPath: [schema] } : {}),
      pool: { min: 0, max: 1 },
      log: SILENT,
    });
  }
  if (!existsSync(where)) {
    throw new InputError(
      `--database is "${where}", and there is no such file; give the path of the drift backend's SQLite file (…/drift.sqlite) or a postgres:// URL`,
    );
  }
  return createKnex({
    client: 'better-sqlite3',
    connection: { filename: where, options: { readonly: true } },
    useNullAsDefault: true,
    pool: { min: 1, max: 1 },
    log: SILENT,
  });
}

/** @throws InputError where the database holds no decisions and schemas of a drift backend of this version */
export async function assertDriftDatabase(knex: Knex): Promise<void> {
  for (const table of ['decisions', 'schemas']) {
    if (!(await knex.schema.hasTable(table))) {
      throw new InputError(
        `The database has no table "${table}". It must be the drift plugin's own (by default backstage_plugin_drift, or --schema drift), brought up to date by a backend of this version`,
      );
    }
  }
}
