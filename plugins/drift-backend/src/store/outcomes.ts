/** What passes found, written under the leases that they hold: many at once, or one. */
import { resourceKey } from '@plumbline/backstage-plugin-drift-common';
import type { Knex } from 'knex';
import { encodeResource, toBoolean, toText, type DbRow } from './codec';
import { batches, databaseTime, isPostgres, ROWS } from './database';
import {
  closeConflicts,
  closeEpisodes,
  insertDecisions,
  putConflicts,
  putEpisodes,
} from './history';
import { lost, whereHeld } from './queue';
import type { DriftStore, Finished, PassOutcome } from './driftStore';
import type { Dependency } from './rows';

type OutcomeMethods = 'finishPass' | 'finishMany' | 'removeResource';

export function outcomeStore(knex: Knex): Pick<DriftStore, OutcomeMethods> {
  return {
    async finishPass(lease, outcome) {
      await knex.transaction(async trx => {
        const one = { lease, outcome };
        const held = await lockHeld(trx, [one], 'wait');
        if (!held.has(one)) throw lost(lease);
        await writeOutcomes(trx, held);
      });
    },

    async finishMany(finished) {
      const written: Finished[] = [];
      for (const batch of batches(finished, ROWS)) {
        written.push(
          ...(await knex.transaction(async trx => {
            const held = await lockHeld(trx, batch, 'skip');
            await writeOutcomes(trx, held);
            return [...held.keys()];
          })),
        );
      }
      return written;
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
          'dependencies',
          'intents',
        ]) {
          await trx(table).where({ resource_id: lease.resourceId }).delete();
        }
        await closeEpisodes(trx, lease.resourceId, at);
        await closeConflicts(trx, lease.resourceId, at);
        return true;
      });
    },
  };
}

/** How a row was when it was locked: what came while the pass was running. */
interface Current {
  /** A wish that came then is about something that the pass may not have seen. */
  wished: boolean;
  dirty: boolean;
  dueAt: number;
}

/**
 * Locks the rows whose leases still hold (rule 7).
 *
 * @param others - of a row that somebody else has locked: whoever waits for several rows, and other processes do too, ends in
 * deadlocks
 */
async function lockHeld(
  trx: Knex.Transaction,
  finished: Finished[],
  others: 'wait' | 'skip',
): Promise<Map<Finished, Current>> {
  const query = trx('resources')
    .select(
      ...['id', 'lease_owner', 'lease_token'],
      ...['touched', 'lease_touched', 'due_at', 'dirty'],
    )
    .whereIn(
      'id',
      finished.map(({ lease }) => lease.resourceId),
    );
  if (isPostgres(trx)) {
    query.forUpdate();
    if (others === 'skip') query.skipLocked();
  }
  const rows: DbRow[] = await query;
  const byId = new Map(rows.map(row => [row.id, row]));
  const held = new Map<Finished, Current>();
  for (const one of finished) {
    const row = byId.get(one.lease.resourceId);
    if (
      row?.lease_owner === one.lease.owner &&
      Number(row.lease_token) === one.lease.token
    ) {
      held.set(one, {
        wished: Number(row.touched) !== Number(row.lease_touched),
        dirty: toBoolean(row.dirty),
        dueAt: Number(row.due_at),
      });
    }
  }
  return held;
}

async function writeOutcomes(
  trx: Knex.Transaction,
  held: Map<Finished, Current>,
): Promise<void> {
  if (!held.size) return;
  const outcomes = [...held.keys()].map(({ lease, outcome }) => ({
    id: lease.resourceId,
    ...outcome,
  }));
  await putRows(trx, held);
  await putStates(trx, outcomes);
  for (const { id, kept } of outcomes) {
    if (kept) await putKept(trx, id, kept);
  }
  await putDependencies(trx, outcomes);
  await insertDecisions(
    trx,
    outcomes.flatMap(({ decision }) => decision ?? []),
  );
  await putEpisodes(
    trx,
    outcomes.flatMap(({ episode }) => present(episode)),
  );
  await putConflicts(
    trx,
    outcomes.flatMap(({ conflict }) => present(conflict)),
  );
  for (const { row, finishedIntents } of outcomes) {
    for (const intent of finishedIntents ?? []) {
      await trx('intents')
        .where({ id: intent.id })
        .update({
          finished_at: row.verifiedAt ?? row.dueAt,
          outcome: intent.outcome,
        });
    }
  }
}

function present<T>(parts: { [part: string]: T | undefined } = {}): T[] {
  return Object.values(parts).flatMap(part => part ?? []);
}

async function putRows(
  trx: Knex.Transaction,
  held: Map<Finished, Current>,
): Promise<void> {
  const rows = [...held].map(([{ lease, outcome }, current]) => ({
    id: lease.resourceId,
    ...encodeResource(outcome.row),
    dirty: outcome.row.dirty || (current.wished && current.dirty),
    // a listing may have shown the declaration meanwhile
    ...(current.wished ? { orphan_sightings: 0, absence: null } : {}),
    due_at: current.wished
      ? Math.min(current.dueAt, outcome.row.dueAt)
      : outcome.row.dueAt,
    lease_owner: null,
    lease_until: null,
    noted_at: databaseTime(trx),
  }));
  if (rows.length === 1) {
    const [{ id, ...columns }] = rows;
    await trx('resources').where({ id }).update(columns);
    return;
  }
  // all of them are there, and locked: one statement that changes each to its own values
  await trx('resources').insert(rows).onConflict('id').merge();
}

async function putStates(
  trx: Knex.Transaction,
  outcomes: (Pick<PassOutcome, 'states'> & { id: string })[],
): Promise<void> {
  for (const side of ['agreed', 'declared', 'live'] as const) {
    const changed = outcomes.filter(({ states }) => states[side] !== undefined);
    if (!changed.length) continue;
    await trx('states')
      .where({ side })
      .whereIn(
        'resource_id',
        changed.map(({ id }) => id),
      )
      .delete();
    const rows = changed.flatMap(({ id, states }) =>
      states[side]
        ? { resource_id: id, side, state: toText(states[side]) }
        : [],
    );
    if (rows.length) await trx('states').insert(rows);
  }
}

async function putKept(
  trx: Knex.Transaction,
  resourceId: string,
  kept: NonNullable<PassOutcome['kept']>,
): Promise<void> {
  await trx('kept_fields').where({ resource_id: resourceId }).delete();
  for (const field of kept) {
    await trx('kept_fields').insert({
      resource_id: resourceId,
      path: field.path,
      field: toText(field),
    });
  }
}

/** Writes only what is not as it is stored: it changes seldom. */
async function putDependencies(
  trx: Knex.Transaction,
  outcomes: (Pick<PassOutcome, 'dependencies'> & { id: string })[],
): Promise<void> {
  const told = outcomes.flatMap(({ id, dependencies }) =>
    dependencies ? { id, rows: dependencyRows(id, dependencies) } : [],
  );
  if (!told.length) return;
  const stored: DbRow[] = await trx('dependencies').whereIn(
    'resource_id',
    told.map(({ id }) => id),
  );
  const byId = new Map<unknown, DbRow[]>();
  for (const row of stored) {
    byId.set(row.resource_id, [...(byId.get(row.resource_id) ?? []), row]);
  }
  const changed = told.filter(({ id, rows }) => {
    const before = byId.get(id) ?? [];
    return (
      before.length !== rows.length ||
      rows.some(
        row =>
          !before.some(
            other =>
              other.ref_key === row.ref_key && other.live_id === row.live_id,
          ),
      )
    );
  });
  if (!changed.length) return;
  await trx('dependencies')
    .whereIn(
      'resource_id',
      changed.map(({ id }) => id),
    )
    .delete();
  for (const rows of batches(
    changed.flatMap(one => one.rows),
    ROWS,
  )) {
    await trx('dependencies').insert(rows);
  }
}

function dependencyRows(id: string, dependencies: Dependency[]) {
  // one may be referred to in several places
  const byRef = new Map(
    dependencies.map(({ ref, liveId }) => [resourceKey(ref), liveId]),
  );
  return [...byRef].map(([refKey, liveId]) => ({
    resource_id: id,
    ref_key: refKey,
    live_id: liveId ?? null,
  }));
}
