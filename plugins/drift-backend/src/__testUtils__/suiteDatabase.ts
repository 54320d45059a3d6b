/** One database for a whole suite: a new one for each test costs PostgreSQL seconds. */
import type {
  TestDatabaseId,
  TestDatabases,
} from '@backstage/backend-test-utils';
import type { Knex } from 'knex';
import { migrationsDir } from '../store';

const TABLES = [
  'intents',
  'kept_fields',
  'states',
  'resource_entities',
  'episodes',
  'conflicts',
  'decisions',
  'schemas',
  'resources',
  'scopes',
  'rules',
  'leases',
  'budgets',
];

export class SuiteDatabase {
  private knex?: Knex;

  constructor(
    private readonly databases: TestDatabases,
    private readonly id: TestDatabaseId,
  ) {}

  /** The suite's database, migrated and without a row. */
  async empty(): Promise<Knex> {
    if (!this.knex) {
      this.knex = await this.databases.init(this.id);
      await this.knex.migrate.latest({ directory: migrationsDir });
    }
    for (const table of TABLES) await this.knex(table).delete();
    return this.knex;
  }
}
