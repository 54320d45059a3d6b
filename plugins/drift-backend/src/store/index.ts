/** The store on the Backstage database service: one place that opens and migrates it. */
import {
  resolvePackagePath,
  type DatabaseService,
} from '@backstage/backend-plugin-api';
import type { Knex } from 'knex';
import { historyStore } from './history';
import { measureStore } from './measures';
import { outcomeStore } from './outcomes';
import { queueStore } from './queue';
import { resourceStore } from './resources';
import { scopeStore } from './scopes';
import type { DriftStore } from './driftStore';
import { countByVerdict, listResources, viewResources } from './views';

export * from './driftStore';
export * from './rows';
export type { Measures, Spread } from './measures';

/** Directory of the knex migrations. */
export const migrationsDir = resolvePackagePath(
  '@plumbline/backstage-plugin-drift-backend',
  'migrations',
);

/** Opens the plugin's database, brings its tables up to date and returns the store. */
export async function createDriftStore(options: {
  database: DatabaseService;
  /** Wall clock, milliseconds since the epoch. */
  now: () => number;
}): Promise<DriftStore> {
  const knex = await options.database.getClient();
  if (!options.database.migrations?.skip) {
    await knex.migrate.latest({ directory: migrationsDir });
  }
  return storeOn(knex, options.now);
}

/** The store on a migrated database. */
export function storeOn(knex: Knex, now: () => number): DriftStore {
  return {
    ...resourceStore(knex),
    ...queueStore(knex),
    ...outcomeStore(knex),
    ...historyStore(knex, now),
    ...scopeStore(knex),
    ...measureStore(knex),
    async viewResource(id, at) {
      return (await viewResources(knex, [id], at))[0];
    },
    listResources: (filter, page, at) => listResources(knex, filter, page, at),
    countByVerdict: (filter, at, groupBy) =>
      countByVerdict(knex, filter, at, groupBy),
  };
}
