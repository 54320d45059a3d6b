/** The queue in the resources table: due times, wishes, and leases with fencing tokens. */
import type { Knex } from 'knex';
import type { DbRow } from './codec';
import { batches, isPostgres, databaseTime } from './database';
import { resourceKey } from '@plumbline/backstage-plugin-drift-common';
import {
  LeaseLostError,
  type DriftStore,
  type ResourceLease,
} from './driftStore';
import type { Millis } from './rows';
import { applyFilter, viewQuery } from './views';

type QueueMethods =
  | 'bringForward'
  | 'bringDependentsForward'
  | 'bringForwardWhere'
  | 'leaseDue'
  | 'leaseOne'
  | 'leaseMany'
  | 'renewLease'
  | 'assertLease'
  | 'releaseLease'
  | 'releaseMany';

const FREE = { lease_owner: null, lease_until: null };

export function queueStore(knex: Knex): Pick<DriftStore, QueueMethods> {
  const bringForward: DriftStore['bringForward'] = async (
    ids,
    { dueAt, dirty, shown },
  ) => {
    let count = 0;
    for (const batch of batches(ids)) {
      count += await knex('resources')
        .whereIn(
          'id',
          inOneOrder(knex, q => q.whereIn('id', batch)),
        )
        .update({
          ...dueBy(knex, dueAt),
          ...(dirty ? { dirty: true, noted_at: databaseTime(knex) } : {}),
          ...(shown ? { orphan_sightings: 0, absence: null } : {}),
        });
    }
    return count;
  };

  return {
    bringForward,

    async bringDependentsForward({ refs, dueAt }) {
      let count = 0;
      for (const batch of refs ? batches(refs.map(resourceKey)) : [undefined]) {
        const found: string[] = await knex('dependencies as d')
          .leftJoin('resources as r', 'r.ref_key', 'd.ref_key')
          .whereRaw("coalesce(d.live_id, '') <> coalesce(r.live_id, '')")
          .modify(query => {
            if (batch) query.whereIn('d.ref_key', batch);
          })
          .distinct()
          .pluck('d.resource_id');
        count += await bringForward(found, { dueAt, dirty: true });
      }
      return count;
    },

    async bringForwardWhere(filter, dueAt) {
      const matching = applyFilter(
        knex.from(viewQuery(knex, dueAt).as('x')),
        knex,
        filter,
      ).select('x.id');
      return knex('resources')
        .whereIn(
          'id',
          inOneOrder(knex, q => q.whereIn('id', matching)),
        )
        .update(dueBy(knex, dueAt));
    },

    async leaseDue({ owner, limit, now, leaseMs, platforms }) {
      return knex.transaction(async trx => {
        const due = trx('resources')
          .select('id')
          .where('due_at', '<=', now)
          .andWhere(free => isFree(free, now))
          .orderBy('due_at')
          .limit(limit);
        if (platforms) due.whereIn('platform', platforms);
        // as the catalog's own processing does: replicas pass over each other's rows instead of waiting
        if (isPostgres(knex)) due.forUpdate().skipLocked();
        const rows: DbRow[] = await due;
        return takeLeases(
          trx,
          rows.map(row => String(row.id)),
          { owner, now, leaseMs },
        );
      });
    },

    async leaseOne(id, options) {
      const [lease] = await leaseFree(knex, [id], options);
      return lease;
    },

    async leaseMany(ids, options) {
      const leases: ResourceLease[] = [];
      for (const batch of batches(ids)) {
        leases.push(...(await leaseFree(knex, batch, options)));
      }
      return leases;
    },

    async renewLease(lease, { now, leaseMs }) {
      const until = now + leaseMs;
      const held = await whereHeld(knex, lease).update({ lease_until: until });
      if (!held) throw lost(lease);
      return { ...lease, until };
    },

    async assertLease(lease, now) {
      const row: DbRow | undefined = await whereHeld(knex, lease)
        .andWhere('lease_until', '>', now)
        .first('id');
      if (!row) throw lost(lease);
    },

    async releaseLease(lease) {
      await whereHeld(knex, lease).update(FREE);
    },

    async releaseMany(leases) {
      for (const batch of batches(leases)) {
        await knex('resources')
          .whereIn(
            'id',
            inOneOrder(knex, query => {
              for (const { resourceId, owner, token } of batch) {
                query.orWhere({
                  ...{ id: resourceId, lease_owner: owner, lease_token: token },
                });
              }
            }),
          )
          .update(FREE);
      }
    },
  };
}

/** Never later than it is due already. */
function dueBy(knex: Knex, dueAt: Millis) {
  return {
    due_at: knex.raw('case when due_at > ? then ? else due_at end', [
      dueAt,
      dueAt,
    ]),
    touched: knex.raw('touched + 1'),
  };
}

/** IDs of rows that one statement changes: locked in the same order by all, or two of them might wait for each other for ever. */
function inOneOrder(
  knex: Knex,
  which: (query: Knex.QueryBuilder) => void,
): Knex.QueryBuilder {
  const rows = knex('resources').select('id').where(which);
  return isPostgres(knex) ? rows.orderBy('id').forUpdate() : rows;
}

/** Nobody has it under lease. */
export function isFree(query: Knex.QueryBuilder, now: Millis) {
  query.whereNull('lease_until').orWhere('lease_until', '<=', now);
}

/** The row, as long as this lease is the last one on it. */
export function whereHeld(knex: Knex, lease: ResourceLease) {
  return knex('resources').where({
    id: lease.resourceId,
    lease_owner: lease.owner,
    lease_token: lease.token,
  });
}

export function lost(lease: ResourceLease) {
  return new LeaseLostError(
    `The lease on resource ${lease.resourceId} (token ${lease.token}) is over; another pass may hold it now`,
  );
}

/** Leases on those of these that nobody holds; what is just being changed is passed over. */
async function leaseFree(
  knex: Knex,
  ids: string[],
  options: { owner: string; now: Millis; leaseMs: number },
): Promise<ResourceLease[]> {
  return knex.transaction(async trx => {
    const free = trx('resources')
      .select('id')
      .whereIn('id', ids)
      .andWhere(query => isFree(query, options.now));
    if (isPostgres(knex)) free.forUpdate().skipLocked();
    const rows: DbRow[] = await free;
    return takeLeases(
      trx,
      rows.map(row => String(row.id)),
      options,
    );
  });
}

async function takeLeases(
  trx: Knex.Transaction,
  ids: string[],
  options: { owner: string; now: Millis; leaseMs: number },
): Promise<ResourceLease[]> {
  if (!ids.length) return [];
  const until = options.now + options.leaseMs;
  await trx('resources')
    .whereIn('id', ids)
    .update({
      lease_owner: options.owner,
      lease_until: until,
      lease_token: trx.raw('lease_token + 1'),
      lease_touched: trx.raw('touched'),
    });
  const rows: DbRow[] = await trx('resources')
    .select('id', 'lease_token')
    .whereIn('id', ids)
    .orderBy('due_at');
  return rows.map(row => ({
    resourceId: String(row.id),
    owner: options.owner,
    token: Number(row.lease_token),
    until,
  }));
}
