/** Replays the decisions that a database holds, oldest first, a page at a time. */
import type { ResourceSchema } from '@plumbline/drift-engine';
import type { Knex } from 'knex';
import { decodeDecision } from '../store/history';
import type { DbRow } from '../store/codec';
import { measureStore } from '../store/measures';
import { replayDecision, type Replay } from './replay';

const PAGE = 200;

/**
 * @param filter - only decisions about one resource, and only those made at or after `since` (milliseconds since the epoch)
 */
export async function* replayStored(
  knex: Knex,
  filter: { resourceId?: string; since?: number } = {},
): AsyncIterable<Replay> {
  const { getSchema } = measureStore(knex);
  const schemas = new Map<string, ResourceSchema | undefined>();
  let after: [number, string] = [filter.since ?? 0, ''];
  for (;;) {
    const rows: DbRow[] = await knex('decisions')
      .whereRaw('(at, id) > (?, ?)', after)
      .modify(query => {
        if (filter.resourceId) query.where('resource_id', filter.resourceId);
      })
      .orderBy(['at', 'id'])
      .limit(PAGE);
    for (const row of rows) {
      const decision = decodeDecision(row);
      const { schemaDigest } = decision.inputs;
      if (!schemas.has(schemaDigest)) {
        schemas.set(schemaDigest, await getSchema(schemaDigest));
      }
      yield replayDecision(decision, schemas.get(schemaDigest));
    }
    const last = rows.at(-1);
    if (rows.length < PAGE || !last) return;
    after = [Number(last.at), String(last.id)];
  }
}
