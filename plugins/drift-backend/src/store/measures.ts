/** What is counted for metrics and for the fleet, all in SQL. */
import type { ResourceSchema, Verdict } from '@plumbline/drift-engine';
import type { ApiQuestionKind } from '@plumbline/backstage-plugin-drift-common';
import type { Knex } from 'knex';
import { fromText, toMillis, type DbRow } from './codec';
import { isFree } from './queue';
import type { ResourceFilter } from './driftStore';
import type { Millis } from './rows';
import { applyFilter, viewQuery } from './views';

/** A moment of the whole store. */
export interface Measures {
  /** By the verdict that is shown: what is stale counts as Unknown. */
  resources: {
    platform: string;
    kind: string;
    verdict: Verdict;
    count: number;
  }[];
  openConflicts: {
    platform: string;
    kindOfQuestion: ApiQuestionKind;
    count: number;
  }[];
  /** Resources that are due and that nobody works on. */
  queue: { due: number; oldestDueAt?: Millis };
}

/** Half of all values are no greater than `median`, 95 of 100 no greater than `p95`. */
export interface Spread {
  median: Millis;
  p95: Millis;
}

/** The part of the store that measures and looks back. */
export interface MeasureStore {
  measure(now: Millis): Promise<Measures>;
  /** Times of the episodes that began (detect) or were put right (correct) since then; absent where there were none. */
  episodeTimes(
    filter: ResourceFilter,
    options: { since: Millis; now: Millis },
  ): Promise<{ detect?: Spread; correct?: Spread }>;
  /** A schema by the digest that decisions name it by. */
  getSchema(digest: string): Promise<ResourceSchema | undefined>;
}

export function measureStore(knex: Knex): MeasureStore {
  return {
    async measure(now) {
      const [resources, conflicts, queue]: [DbRow[], DbRow[], DbRow[]] =
        await Promise.all([
          knex
            .from(viewQuery(knex, now).as('x'))
            .select('x.platform', 'x.kind', 'x.shown_verdict')
            .count({ count: '*' })
            .groupBy('x.platform', 'x.kind', 'x.shown_verdict'),
          knex('conflicts as c')
            .join('resources as r', 'r.id', 'c.resource_id')
            .where('c.status', 'open')
            .select('r.platform', 'c.kind_of_question')
            .count({ count: '*' })
            .groupBy('r.platform', 'c.kind_of_question'),
          knex('resources')
            .where('due_at', '<=', now)
            .andWhere(free => isFree(free, now))
            .count({ count: '*' })
            .min({ oldest: 'due_at' }),
        ]);
      const [{ count, oldest }] = queue;
      return {
        resources: resources.map(row => ({
          platform: String(row.platform),
          kind: String(row.kind),
          verdict: row.shown_verdict as Verdict,
          count: Number(row.count),
        })),
        openConflicts: conflicts.map(row => ({
          platform: String(row.platform),
          kindOfQuestion: row.kind_of_question as ApiQuestionKind,
          count: Number(row.count),
        })),
        queue: { due: Number(count), oldestDueAt: toMillis(oldest) },
      };
    },

    async episodeTimes(filter, { since, now }) {
      const episodes = (column: string, from: string) =>
        applyFilter(
          knex
            .from('episodes as ep')
            .join(viewQuery(knex, now).as('x'), 'x.id', 'ep.resource_id'),
          knex,
          filter,
        )
          .where(`ep.${from}`, '>=', since)
          .whereNotNull(`ep.${column}`);
      const [detect, correct] = await Promise.all([
        spread(() => episodes('detect_ms', 'started_at'), 'ep.detect_ms'),
        spread(() => episodes('correct_ms', 'ended_at'), 'ep.correct_ms'),
      ]);
      return { ...(detect && { detect }), ...(correct && { correct }) };
    },

    async getSchema(digest) {
      const row: DbRow | undefined = await knex('schemas')
        .where({ digest })
        .first('schema');
      return row && fromText<ResourceSchema>(row.schema);
    },
  };
}

// counting and skipping: SQLite has no percentile functions
async function spread(
  query: () => Knex.QueryBuilder,
  column: string,
): Promise<Spread | undefined> {
  const [{ count }]: DbRow[] = await query().count({ count: '*' });
  const total = Number(count);
  if (!total) return undefined;
  const at = async (share: number) => {
    const [row]: DbRow[] = await query()
      .select({ value: column })
      .orderBy(column)
      .limit(1)
      .offset(Math.ceil(total * share) - 1);
    // ended in between
    return Number(row?.value ?? 0);
  };
  const [median, p95] = await Promise.all([at(0.5), at(0.95)]);
  return { median, p95 };
}
