/** Looks at the tables of the real store that cost no turn: used only while no transaction is open. */
import type { SimDatabase } from './database';
import type { ConflictRow } from './product';

export interface RawRow {
  id: string;
  kind: string;
  verdict: string;
  reason: string;
  dirty: number;
  source: string | null;
  mark: string | null;
  live_key: string | null;
  due_at: number;
  attempts: number;
  policy: string;
  lease_owner: string | null;
  lease_until: number | null;
  lease_token: number;
}

export class Tables {
  constructor(private readonly raw: SimDatabase['raw']) {}

  get<T>(sql: string, ...values: unknown[]): T | undefined {
    return this.raw.prepare(sql).get(...values) as T | undefined;
  }

  all<T>(sql: string, ...values: unknown[]): T[] {
    return this.raw.prepare(sql).all(...values) as T[];
  }

  row(refKey: string): RawRow | undefined {
    return this.get<RawRow>(
      'select * from resources where ref_key = ?',
      refKey,
    );
  }

  openConflicts(resourceId: string): ConflictRow[] {
    return this.all<{ conflict: string }>(
      `select conflict from conflicts where resource_id = ? and status = 'open'`,
      resourceId,
    ).map(({ conflict }) => JSON.parse(conflict) as ConflictRow);
  }

  /** How many resources of a platform are not declared any more, of how many. */
  orphans(platform: string): { orphaned: number; total: number } {
    const counts = this.get<{ orphaned: number | null; total: number }>(
      'select count(*) as total, sum(source is null) as orphaned from resources where platform = ?',
      platform,
    );
    return { orphaned: counts?.orphaned ?? 0, total: counts?.total ?? 0 };
  }

  /** Whether a call for leases comes back with nothing: most do, and that is seen without a transaction. */
  leasesNothing(method: string, args: unknown[]): boolean {
    if (method === 'leaseDue') {
      const { now } = args[0] as { now: number };
      return !this.get(
        'select 1 from resources where due_at <= ? and (lease_until is null or lease_until <= ?)',
        now,
        now,
      );
    }
    if (method !== 'leaseOne') return false;
    const [id, { now }] = args as [string, { now: number }];
    return !this.get(
      'select 1 from resources where id = ? and (lease_until is null or lease_until <= ?)',
      id,
      now,
    );
  }
}
