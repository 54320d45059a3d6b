/** The rows of resources and what belongs to them, as they are read and added. */
import { resourceKey } from '@plumbline/backstage-plugin-drift-common';
import type { State } from '@plumbline/drift-engine';
import type { Knex } from 'knex';
import {
  decodeIdentity,
  decodeResource,
  encodeResource,
  IDENTITY_COLUMNS,
  must,
  type DbRow,
} from './codec';
import { batches, databaseTime, ROWS } from './database';
import { decodeIntent } from './history';
import type { DriftStore, StoredBefore } from './driftStore';
import type { ConflictRow, EpisodeRow, KeptField, ResourceRow } from './rows';

type ResourceMethods =
  | 'addResources'
  | 'getResource'
  | 'getResourceByRef'
  | 'listIdentities'
  | 'getStates'
  | 'getKept'
  | 'readBefore'
  | 'resolveLiveIds'
  | 'listRivals';

export function resourceStore(knex: Knex): Pick<DriftStore, ResourceMethods> {
  return {
    async addResources(rows) {
      const result: ResourceRow[] = [];
      for (const batch of batches(rows, ROWS)) {
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

    async readBefore(ids) {
      const result = new Map<string, StoredBefore>();
      for (const batch of batches(ids)) {
        const rows: DbRow[] = await knex('resources').whereIn('id', batch);
        for (const row of rows) {
          result.set(String(row.id), {
            ...{ row: decodeResource(row), kept: [], intents: [] },
          });
        }
        await addWhatBelongs(knex, batch, result);
      }
      return result;
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

    async listRivals(platform, liveKeys) {
      const result: Awaited<ReturnType<DriftStore['listRivals']>> = [];
      for (const batch of batches(liveKeys)) {
        const rows: DbRow[] = await knex('resources')
          .select('id', 'title', 'live_key')
          .where({ platform })
          .whereIn('live_key', batch)
          .whereNotNull('source')
          .orderBy('id');
        for (const row of rows) {
          result.push({
            id: String(row.id),
            title: String(row.title),
            liveKey: String(row.live_key),
          });
        }
      }
      return result;
    },
  };
}

/** Adds what is stored about each of these resources beside its row. */
async function addWhatBelongs(
  knex: Knex,
  ids: string[],
  all: Map<string, StoredBefore>,
): Promise<void> {
  const of = (row: DbRow) => all.get(String(row.resource_id));
  const states: DbRow[] = await knex('states')
    .whereIn('resource_id', ids)
    .andWhere({ side: 'agreed' });
  for (const row of states) {
    const before = of(row);
    if (before) before.agreed = must<State>(row.state);
  }
  const kept: DbRow[] = await knex('kept_fields')
    .whereIn('resource_id', ids)
    .orderBy('path');
  for (const row of kept) of(row)?.kept.push(must<KeptField>(row.field));
  const episodes: DbRow[] = await knex('episodes')
    .whereIn('resource_id', ids)
    .whereNull('ended_at');
  for (const row of episodes) {
    const before = of(row);
    if (before) before.episode ??= must<EpisodeRow>(row.episode);
  }
  const conflicts: DbRow[] = await knex('conflicts')
    .whereIn('resource_id', ids)
    .andWhere({ status: 'open' });
  for (const row of conflicts) {
    const before = of(row);
    if (before) before.conflict ??= must<ConflictRow>(row.conflict);
  }
  const intents: DbRow[] = await knex('intents')
    .whereIn('resource_id', ids)
    .whereNull('finished_at')
    .orderBy('created_at');
  for (const row of intents) of(row)?.intents.push(decodeIntent(row));
}
