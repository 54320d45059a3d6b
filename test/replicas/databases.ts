/** The databases that the replicas' plugins make for themselves. */
import createKnex from 'knex';
import { randomBytes } from 'node:crypto';

export class Databases {
  readonly prefix = `replicas_${randomBytes(4).toString('hex')}_`;

  constructor(private readonly admin: string) {}

  get drift(): string {
    return `${this.prefix}drift`;
  }

  url(database: string): string {
    const url = new URL(this.admin);
    url.pathname = `/${database}`;
    return url.toString();
  }

  async drop(): Promise<void> {
    const knex = createKnex({ client: 'pg', connection: this.admin });
    try {
      const names: string[] = await knex('pg_database')
        .where('datname', 'like', `${this.prefix}%`)
        .pluck('datname');
      for (const name of names) {
        await knex.raw('drop database ?? with (force)', [name]);
      }
    } finally {
      await knex.destroy();
    }
  }
}
