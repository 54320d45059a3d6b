/** The queue in the resources table: due times, leases with fencing tokens, and what a pass writes back. */
import type { Knex } from 'knex';
import {
  decodeIdentity,
  decodeResource,
  encodeResource,
  IDENTITY_COLUMNS,
  must,
  toBoolean,
  toText,
  type DbRow,
} from './codec';
import {
  closeConflicts,
  closeEpisodes,
  insertDecision,
  putConflict,
  putEpisode,
} from './history';
import {
  LeaseLostError,
  type DriftStore,
  type KeptField,
  type Millis,
  type PassOutcome,
  type ResourceLease,
  type ResourceRow,
} from './types';
import { applyFilter, viewQuery } from './views';
import { resourceKey } from '@plumbline/backstage-plugin-drift-common';
import type { State } from '@plumbline/drift-engine';

// SQLite allows 32,766 bound values in one statement
const BATCH = 200;

export function isPostgres(knex: Knex): boolean {
  return String(knex.client.config.client).includes('pg');
}

/** Milliseconds since the epoch by the database's clock: one clock for all replicas. */
function databaseTime(knex: Knex): Knex.Raw {
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

type QueueMethods =
  | 'addResources'
  | 'getResource'
  | 'getResourceByRef'
  | 'listIdentities'
  | 'bringForward'
  | 'bringForwardWhere'
  | 'leaseDue'
  | 'leaseOne'
  | 'renewLease'
  | 'assertLease'
  | 'releaseLease'
  | 'finishPass'
  | 'removeResource'
  | 'getStates'
  | 'getKept'
  | 'resolveLiveIds'
  | 'listRivals';

export function queueStore(knex: Knex): Pick<DriftStore, QueueMethods> {
  return {
    async addResources(rows) {
      const result: ResourceRow[] = [];
      for (const batch of batches(rows, 100)) {
        await knex('resources')
          .insert(
            batch.map(row => ({
              id: row.id,
              ...encodeResource(row),
              noted_at: databaseTime(knex),
            })),
          )
          .onConflict('ref_key')
          .ignore();
        const keys = batch.map(row => resourceKey(row.ref));
        const stored: DbRow[] = await knex('resources').whereIn(
          'ref_key',
          keys,
        );
        const byKey = new Map(stored.map(row => [row.ref_key, row]));
        for (const key of keys) {
          const row = byKey.get(key);
          if (row) result.push(decodeResource(row));
        }
      }
      return result;
    },

    async getResource(id) {
      const row: DbRow | undefined = await knex('resources')
        .where({ id })
        .first();
      return row && decodeResource(row);
    },

    async getResourceByRef(ref) {
      const row: DbRow | undefined = await knex('resources')
        .where({ ref_key: resourceKey(ref) })
        .first();
      return row && decodeResource(row);
    },

    async *listIdentities(platform, { changedWithin } = {}) {
      if (changedWithin !== undefined) {
        const since = knex.raw('? - ?', [databaseTime(knex), changedWithin]);
        const rows: DbRow[] = await knex('resources')
          .select(IDENTITY_COLUMNS)
          .where({ platform })
          .andWhere('noted_at', '>=', since);
        // an order that does not follow from when they were written
        yield* rows.map(decodeIdentity).sort((a, b) => (a.id < b.id ? -1 : 1));
        return;
      }
      let after = '';
      for (;;) {
        const rows: DbRow[] = await knex('resources')
          .select(IDENTITY_COLUMNS)
          .where({ platform })
          .andWhere('id', '>', after)
          .orderBy('id')
          .limit(1000);
        yield* rows.map(decodeIdentity);
        if (rows.length < 1000) return;
        after = String(rows[rows.length - 1].id);
      }
    },

    async bringForward(ids, { dueAt, dirty }) {
      let count = 0;
      for (const batch of batches(ids)) {
        count += await knex('resources')
          .whereIn('id', batch)
          .update({
            due_at: knex.raw('case when due_at > ? then ? else due_at end', [
              dueAt,
              dueAt,
            ]),
            touched: knex.raw('touched + 1'),
            ...(dirty ? { dirty: true, noted_at: databaseTime(knex) } : {}),
          });
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
        .whereIn('id', matching)
        .update({
          due_at: knex.raw('case when due_at > ? then ? else due_at end', [
            dueAt,
            dueAt,
          ]),
          touched: knex.raw('touched + 1'),
        });
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

    async leaseOne(id, { owner, now, leaseMs }) {
      return knex.transaction(async trx => {
        const free = trx('resources')
          .select('id')
          .where({ id })
          .andWhere(query => isFree(query, now));
        if (isPostgres(knex)) free.forUpdate().skipLocked();
        const rows: DbRow[] = await free;
        const [lease] = await takeLeases(
          trx,
          rows.map(row => String(row.id)),
          { owner, now, leaseMs },
        );
        return lease;
      });
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
      await whereHeld(knex, lease).update({
        lease_owner: null,
        lease_until: null,
      });
    },

    async finishPass(lease, outcome) {
      await knex.transaction(trx => writeOutcome(trx, lease, outcome));
    },

    async removeResource(lease, at) {
      return knex.transaction(async trx => {
        // a wish that came meanwhile may be about something new under this name
        const removed = await whereHeld(trx, lease)
          .andWhereRaw('touched = lease_touched')
          .delete();
        if (!removed) {
          if (await whereHeld(trx, lease).first('id')) return false;
          throw lost(lease);
        }
        // SQLite without foreign keys switched on does not cascade
        for (const table of [
          'states',
          'kept_fields',
          'resource_entities',
          'intents',
        ]) {
          await trx(table).where({ resource_id: lease.resourceId }).delete();
        }
        await closeEpisodes(trx, lease.resourceId, at);
        await closeConflicts(trx, lease.resourceId, at);
        return true;
      });
    },

    async getStates(resourceId) {
      const rows: DbRow[] = await knex('states').where({
        resource_id: resourceId,
      });
      return Object.fromEntries(
        rows.map(row => [row.side, must<State>(row.state)]),
      );
    },

    async getKept(resourceId) {
      const rows: DbRow[] = await knex('kept_fields')
        .where({ resource_id: resourceId })
        .orderBy('path');
      return rows.map(row => must<KeptField>(row.field));
    },

    async resolveLiveIds(refs) {
      const result = new Map<string, string>();
      for (const batch of batches(refs.map(resourceKey))) {
        const rows: DbRow[] = await knex('resources')
          .select('ref_key', 'live_id')
          .whereIn('ref_key', batch)
          .whereNotNull('live_id')
          // while it is not known what became of a create, what stands under its name may be somebody else's
          .whereNotExists(
            knex('intents as i')
              .select(knex.raw('1'))
              .whereRaw('i.resource_id = resources.id')
              .where('i.action', 'create')
              .whereNull('i.finished_at'),
          );
        for (const row of rows) {
          result.set(String(row.ref_key), String(row.live_id));
        }
      }
      return result;
    },

    async listRivals(platform, liveKey, exceptId) {
      const rows: DbRow[] = await knex('resources')
        .where({ platform, live_key: liveKey })
        .whereNotNull('source')
        .andWhereNot({ id: exceptId });
      return rows.map(decodeResource);
    },
  };
}

/** Nobody has it under lease. */
export function isFree(query: Knex.QueryBuilder, now: Millis) {
  query.whereNull('lease_until').orWhere('lease_until', '<=', now);
}

function whereHeld(knex: Knex, lease: ResourceLease) {
  return knex('resources').where({
    id: lease.resourceId,
    lease_owner: lease.owner,
    lease_token: lease.token,
  });
}

function lost(lease: ResourceLease) {
  return new LeaseLostError(
    `The lease on resource ${lease.resourceId} (token ${lease.token}) is over; another pass may hold it now`,
  );
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

async function writeOutcome(
  trx: Knex.Transaction,
  lease: ResourceLease,
  outcome: PassOutcome,
): Promise<void> {
  const held = whereHeld(trx, lease).select(
    'touched',
    'lease_touched',
    'due_at',
    'dirty',
  );
  if (isPostgres(trx)) held.forUpdate();
  const current: DbRow | undefined = await held.first();
  if (!current) throw lost(lease);
  // a wish that came while the pass was running is about something that the pass may not have seen
  const wished = Number(current.touched) !== Number(current.lease_touched);
  await trx('resources')
    .where({ id: lease.resourceId })
    .update({
      ...encodeResource(outcome.row),
      dirty: outcome.row.dirty || (wished && toBoolean(current.dirty)),
      due_at: wished
        ? Math.min(Number(current.due_at), outcome.row.dueAt)
        : outcome.row.dueAt,
      lease_owner: null,
      lease_until: null,
      noted_at: databaseTime(trx),
    });

  for (const side of ['agreed', 'declared', 'live'] as const) {
    const state = outcome.states[side];
    if (state === undefined) continue;
    await trx('states').where({ resource_id: lease.resourceId, side }).delete();
    if (state !== null) {
      await trx('states').insert({
        resource_id: lease.resourceId,
        side,
        state: toText(state),
      });
    }
  }
  if (outcome.kept) {
    await trx('kept_fields').where({ resource_id: lease.resourceId }).delete();
    for (const field of outcome.kept) {
      await trx('kept_fields').insert({
        resource_id: lease.resourceId,
        path: field.path,
        field: toText(field),
      });
    }
  }
  if (outcome.decision) await insertDecision(trx, outcome.decision);
  for (const episode of Object.values(outcome.episode ?? {})) {
    if (episode) await putEpisode(trx, episode);
  }
  for (const conflict of Object.values(outcome.conflict ?? {})) {
    if (conflict) await putConflict(trx, conflict);
  }
  for (const intent of outcome.finishedIntents ?? []) {
    await trx('intents')
      .where({ id: intent.id })
      .update({
        finished_at: outcome.row.verifiedAt ?? outcome.row.dueAt,
        outcome: intent.outcome,
      });
  }
}
