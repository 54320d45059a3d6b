/** What the two databases say in their own ways, and how much one statement takes. */
import type { Knex } from 'knex';

// SQLite allows 32,766 bound values in one statement
const BATCH = 200;
/** Rows of many columns that are inserted by one statement. */
export const ROWS = 100;

export function isPostgres(knex: Knex): boolean {
  return String(knex.client.config.client).includes('pg');
}

/** Milliseconds since the epoch by the database's clock: one clock for all replicas. */
export function databaseTime(knex: Knex): Knex.Raw {
  return knex.raw(
    isPostgres(knex)
      ? 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)'
      : "cast((julianday('now') - 2440587.5) * 86400000 as integer)",
  );
}

export function batches<T>(items: T[], size = BATCH): T[][] {
  const result: T[][] = [];
  for (let i = 0; i < items.length; i += size) {
    result.push(items.slice(i, i + size));
  }
  return result;
}
