/** Episodes, conflicts, decisions and intents: what happened and what waits. */
import type { ResourceSchema } from '@plumbline/drift-engine';
import type { Knex } from 'knex';
import {
  decodeCursor,
  encodeCursor,
  fromText,
  must,
  optional,
  toMillis,
  toText,
  type DbRow,
} from './codec';
import { batches, ROWS } from './database';
import { timeToCorrect, timeToDetect } from './episodeTimes';
import { LeaseLostError, type DriftStore, type Page } from './driftStore';
import type {
  ConflictRow,
  DecisionInputs,
  DecisionRow,
  EpisodeRow,
  IntentRow,
  Millis,
} from './rows';
import { applyFilter, viewQuery, viewResources } from './views';

type HistoryMethods =
  | 'addIntent'
  | 'listOpenIntents'
  | 'getOpenEpisode'
  | 'listEpisodes'
  | 'getOpenConflict'
  | 'getConflict'
  | 'listConflicts'
  | 'listDecisions'
  | 'getDecision'
  | 'addDecision'
  | 'deleteDecisionsBefore';

/** The use of a schema is noted so often at most: nearly no decision writes it. */
const USE_NOTED_MS = 24 * 60 * 60_000;

export function historyStore(
  knex: Knex,
  now: () => number,
): Pick<DriftStore, HistoryMethods> {
  return {
    async addIntent(lease, intent, decision, at) {
      await knex.transaction(async trx => {
        const held = trx('resources')
          .where({
            id: lease.resourceId,
            lease_owner: lease.owner,
            lease_token: lease.token,
          })
          .andWhere('lease_until', '>', at);
        if (!(await held.update({ mark: toText(intent.mark) }))) {
          throw new LeaseLostError(
            `The lease on resource ${lease.resourceId} (token ${lease.token}) is over; nothing may be written under it`,
          );
        }
        await insertDecisions(trx, [decision]);
        await trx('intents').insert({
          id: intent.id,
          resource_id: intent.resourceId,
          decision_id: intent.decisionId,
          action: intent.action,
          created_at: intent.createdAt,
          lease_token: intent.leaseToken,
          live_digest: intent.liveDigest,
          locators: toText(intent.locators),
        });
      });
    },

    async listOpenIntents(resourceId) {
      const rows: DbRow[] = await knex('intents')
        .where({ resource_id: resourceId })
        .whereNull('finished_at')
        .orderBy('created_at');
      return rows.map(decodeIntent);
    },

    async getOpenEpisode(resourceId) {
      const row: DbRow | undefined = await knex('episodes')
        .where({ resource_id: resourceId })
        .whereNull('ended_at')
        .first();
      return row && must<EpisodeRow>(row.episode);
    },

    async listEpisodes(resourceId, page) {
      return newestFirst<EpisodeRow>(
        knex('episodes').where({ resource_id: resourceId }),
        'started_at',
        page,
        row => must<EpisodeRow>(row.episode),
      );
    },

    async getOpenConflict(resourceId) {
      const row: DbRow | undefined = await knex('conflicts')
        .where({ resource_id: resourceId, status: 'open' })
        .first();
      return row && must<ConflictRow>(row.conflict);
    },

    async getConflict(id) {
      const row: DbRow | undefined = await knex('conflicts')
        .where({ id })
        .first();
      return row && must<ConflictRow>(row.conflict);
    },

    async listConflicts(filter, page) {
      const at = now();
      const filtered = () => {
        const query = applyFilter(
          knex
            .from('conflicts as c')
            .join(viewQuery(knex, at).as('x'), 'x.id', 'c.resource_id'),
          knex,
          filter,
        );
        if (filter.status) query.where('c.status', filter.status);
        if (filter.kindOfQuestion) {
          query.where('c.kind_of_question', filter.kindOfQuestion);
        }
        return query;
      };
      const rows: DbRow[] = await filtered()
        .select('c.id', 'c.opened_at', 'c.conflict')
        .modify(query => {
          if (page.cursor) {
            query.whereRaw(
              '(c.opened_at, c.id) > (?, ?)',
              decodeCursor(page.cursor, ['number', 'string']),
            );
          }
        })
        .orderBy(['c.opened_at', 'c.id'])
        .limit(page.limit + 1);
      const [{ count }] = await filtered().count({ count: '*' });
      const shown = rows.slice(0, page.limit);
      const conflicts = shown.map(row => must<ConflictRow>(row.conflict));
      const views = new Map(
        (
          await viewResources(
            knex,
            [...new Set(conflicts.map(conflict => conflict.resourceId))],
            at,
          )
        ).map(view => [view.id, view]),
      );
      const last = shown.at(-1);
      return {
        items: conflicts.flatMap(conflict => {
          const resource = views.get(conflict.resourceId);
          // removed between the two reads
          return resource ? [{ ...conflict, resource }] : [];
        }),
        total: Number(count),
        ...(rows.length > page.limit && last
          ? {
              nextCursor: encodeCursor([
                Number(last.opened_at),
                String(last.id),
              ]),
            }
          : {}),
      };
    },

    async listDecisions(resourceId, page) {
      return newestFirst<DecisionRow>(
        knex('decisions').where({ resource_id: resourceId }),
        'at',
        page,
        decodeDecision,
      );
    },

    async getDecision(id) {
      const row: DbRow | undefined = await knex('decisions')
        .where({ id })
        .first();
      return row && decodeDecision(row);
    },

    async addDecision(decision) {
      await insertDecisions(knex, [decision]);
    },

    async deleteDecisionsBefore(at) {
      const deleted = await knex('decisions').where('at', '<', at).delete();
      await knex('intents').where('finished_at', '<', at).delete();
      await knex('schemas')
        .where('used_at', '<', at - USE_NOTED_MS)
        .delete();
      return deleted;
    },
  };
}

async function newestFirst<T>(
  query: Knex.QueryBuilder,
  column: string,
  page: { limit: number; cursor?: string },
  decode: (row: DbRow) => T,
): Promise<Page<T>> {
  if (page.cursor) {
    query.whereRaw(
      `(${column}, id) < (?, ?)`,
      decodeCursor(page.cursor, ['number', 'string']),
    );
  }
  const rows: DbRow[] = await query
    .orderBy([
      { column, order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(page.limit + 1);
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    items: shown.map(decode),
    ...(rows.length > page.limit && last
      ? { nextCursor: encodeCursor([Number(last[column]), String(last.id)]) }
      : {}),
  };
}

export function decodeIntent(row: DbRow): IntentRow {
  return {
    id: String(row.id),
    resourceId: String(row.resource_id),
    decisionId: String(row.decision_id),
    action: row.action as IntentRow['action'],
    createdAt: Number(row.created_at),
    leaseToken: Number(row.lease_token),
    liveDigest: String(row.live_digest),
    locators: fromText<string[]>(row.locators) ?? [],
    finishedAt: toMillis(row.finished_at),
    outcome: optional(row.outcome),
  };
}

export function decodeDecision(row: DbRow): DecisionRow {
  return {
    ...must<Omit<DecisionRow, 'inputs'>>(row.decision),
    result: optional(row.result),
    inputs: must<DecisionInputs>(row.inputs),
  };
}

/** Adds decisions; one whose intent was stored before gets its result. */
export async function insertDecisions(
  knex: Knex,
  decisions: DecisionRow[],
): Promise<void> {
  const schemas = new Map<string, { schema: ResourceSchema; at: Millis }>();
  for (const { inputs, schema, at } of decisions) {
    if (schema) schemas.set(inputs.schemaDigest, { schema, at });
  }
  // in one order: another process may be storing the same ones
  const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [digest, { schema, at }] of sorted) {
    await keepSchema(knex, digest, schema, at);
  }
  for (const batch of batches(decisions, ROWS)) {
    await knex('decisions')
      .insert(
        batch.map(({ inputs, result, schema: _, ...rest }) => ({
          id: rest.id,
          resource_id: rest.resourceId,
          at: rest.at,
          result: result ?? null,
          decision: toText(rest),
          inputs: toText(inputs),
        })),
      )
      .onConflict('id')
      .merge(['result', 'decision']);
  }
}

async function keepSchema(
  knex: Knex,
  digest: string,
  schema: ResourceSchema,
  at: Millis,
): Promise<void> {
  // it is there nearly always, and may be large
  const isNoted = await knex('schemas')
    .where({ digest })
    .andWhere('used_at', '>', at - USE_NOTED_MS)
    .first('digest');
  if (isNoted) return;
  await knex('schemas')
    .insert({ digest, schema: toText(schema), used_at: at })
    .onConflict('digest')
    .merge(['used_at']);
}

export async function putEpisodes(knex: Knex, episodes: EpisodeRow[]) {
  for (const batch of batches(episodes, ROWS)) {
    await knex('episodes')
      .insert(
        batch.map(episode => ({
          id: episode.id,
          resource_id: episode.resourceId,
          started_at: episode.startedAt,
          ended_at: episode.endedAt ?? null,
          ending: episode.ending ?? null,
          episode: toText(episode),
          // as it was first seen: it may be changed again while it lasts
          detect_ms: timeToDetect(episode) ?? null,
          correct_ms: timeToCorrect(episode) ?? null,
        })),
      )
      .onConflict('id')
      .merge(['ended_at', 'ending', 'episode', 'correct_ms']);
  }
}

export async function putConflicts(knex: Knex, conflicts: ConflictRow[]) {
  for (const batch of batches(conflicts, ROWS)) {
    await knex('conflicts')
      .insert(
        batch.map(conflict => ({
          id: conflict.id,
          resource_id: conflict.resourceId,
          status: conflict.status,
          kind_of_question: conflict.kindOfQuestion,
          opened_at: conflict.openedAt,
          conflict: toText(conflict),
        })),
      )
      .onConflict('id')
      .merge(['status', 'kind_of_question', 'conflict']);
  }
}

/** Ends what is open of a resource that is gone on both sides. */
export async function closeEpisodes(
  knex: Knex,
  resourceId: string,
  at: number,
) {
  const rows: DbRow[] = await knex('episodes')
    .where({ resource_id: resourceId })
    .whereNull('ended_at');
  await putEpisodes(
    knex,
    rows.map(row => ({
      ...must<EpisodeRow>(row.episode),
      endedAt: at,
      ending: 'resourceGone',
      endMessage: 'Neither side has it any more.',
    })),
  );
}

export async function closeConflicts(
  knex: Knex,
  resourceId: string,
  at: number,
) {
  const rows: DbRow[] = await knex('conflicts').where({
    resource_id: resourceId,
    status: 'open',
  });
  await putConflicts(
    knex,
    rows.map(row => ({
      ...must<ConflictRow>(row.conflict),
      status: 'withdrawn',
      resolvedAt: at,
      outcome: 'Neither side has it any more.',
    })),
  );
}
