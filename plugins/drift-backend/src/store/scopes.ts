/** Scopes, rules, entity links, named leases and budgets: the small tables. */
import type { Knex } from 'knex';
import {
  decodeResource,
  must,
  optional,
  toMillis,
  toNumber,
  toText,
  type DbRow,
} from './codec';
import { batches } from './database';
import type { DriftStore } from './driftStore';
import type { PolicyRuleRow, ScopeRow } from './rows';

type ScopeMethods =
  | 'putScope'
  | 'recordRead'
  | 'listScopes'
  | 'countAbsence'
  | 'listRules'
  | 'addRule'
  | 'removeRule'
  | 'setEntities'
  | 'listForMatching'
  | 'takeNamedLease'
  | 'dropNamedLease'
  | 'releaseAll'
  | 'readBudget'
  | 'writeBudget';

export function scopeStore(knex: Knex): Pick<DriftStore, ScopeMethods> {
  return {
    async putScope(scope) {
      await knex('scopes')
        .insert({
          id: scope.id,
          kind: scope.kind,
          title: scope.title,
          status: 'unknown',
        })
        .onConflict('id')
        .merge(['kind', 'title']);
    },

    async recordRead(
      id,
      { complete, at, through, status, message, ...result },
    ) {
      await knex('scopes')
        .where({ id })
        .update({
          status,
          message: message ?? null,
          last_tried_at: result.lastTriedAt ?? at,
          sweep_ms: result.sweepMilliseconds ?? null,
          failures: complete ? 0 : knex.raw('failures + 1'),
          ...(complete
            ? { last_complete_at: at, complete_through: through ?? null }
            : {}),
        });
    },

    async listScopes() {
      const rows: DbRow[] = await knex('scopes').orderBy(['kind', 'id']);
      return rows.map(row => ({
        id: String(row.id),
        kind: row.kind as ScopeRow['kind'],
        title: String(row.title),
        status: row.status as ScopeRow['status'],
        message: optional(row.message),
        lastCompleteAt: toMillis(row.last_complete_at),
        lastTriedAt: toMillis(row.last_tried_at),
        sweepMilliseconds: toMillis(row.sweep_ms),
        failures: Number(row.failures),
        absences: Number(row.absences),
        completeThrough: toNumber(row.complete_through),
      }));
    },

    async countAbsence(source) {
      const [row]: (DbRow | undefined)[] = await knex('scopes')
        .where({ id: source })
        .update({ absences: knex.raw('absences + 1') })
        .returning('absences');
      return row && Number(row.absences);
    },

    async listRules(now) {
      const rows: DbRow[] = await knex('rules')
        .whereNull('until')
        .orWhere('until', '>', now)
        .orderBy(['created_at', 'id']);
      return rows.map(row => must<PolicyRuleRow>(row.rule));
    },

    async addRule(rule) {
      await knex('rules').insert({
        id: rule.id,
        rule: toText(rule),
        created_at: rule.createdAt,
        until: rule.until ?? null,
      });
    },

    async removeRule(id) {
      const row: DbRow | undefined = await knex('rules').where({ id }).first();
      if (!row) return undefined;
      await knex('rules').where({ id }).delete();
      return must<PolicyRuleRow>(row.rule);
    },

    async setEntities(links) {
      for (const batch of batches(links)) {
        const stored = await storedLinks(
          knex,
          batch.map(link => link.resourceId),
        );
        for (const { resourceId, entities } of batch) {
          const sorted = [...entities].sort((a, b) => (a.ref < b.ref ? -1 : 1));
          // every process matches when it starts: what is right already is left alone
          if (sameLinks(stored.get(resourceId) ?? [], sorted)) continue;
          // one resource at a time: whoever locks several rows, and other processes do too, ends in deadlocks
          await knex.transaction(async trx => {
            const there = await trx('resources')
              .where({ id: resourceId })
              .update({
                owner: sorted.find(entity => entity.owner)?.owner ?? null,
              });
            // removed since it was listed
            if (!there) return;
            await trx('resource_entities')
              .where({ resource_id: resourceId })
              .delete();
            if (sorted.length) {
              await trx('resource_entities').insert(
                sorted.map(entity => ({
                  resource_id: resourceId,
                  entity_ref: entity.ref,
                  owner: entity.owner ?? null,
                })),
              );
            }
          });
        }
      }
    },

    async *listForMatching() {
      let after = '';
      for (;;) {
        const rows: DbRow[] = await knex('resources')
          .where('id', '>', after)
          .orderBy('id')
          .limit(1000);
        yield* rows.map(decodeResource);
        if (rows.length < 1000) return;
        after = String(rows[rows.length - 1].id);
      }
    },

    async takeNamedLease(name, { owner, now, ms }) {
      const until = now + ms;
      const taken = await knex('leases')
        .where({ name })
        .andWhere(query => query.where({ owner }).orWhere('until', '<=', now))
        .update({ owner, until });
      if (taken) return true;
      const added = await knex('leases')
        .insert({ name, owner, until })
        .onConflict('name')
        .ignore()
        .returning('name');
      return added.length > 0;
    },

    async dropNamedLease(name, owner) {
      await knex('leases').where({ name, owner }).delete();
    },

    async releaseAll(owner) {
      await knex('leases').where({ owner }).delete();
      await knex('resources')
        .where({ lease_owner: owner })
        .update({ lease_owner: null, lease_until: null });
    },

    async readBudget(platform) {
      const row: DbRow | undefined = await knex('budgets')
        .where({ platform })
        .first();
      return (
        row && {
          platform,
          revision: Number(row.revision),
          tokens: Number(row.tokens),
          refilledAt: Number(row.refilled_at),
          closedUntil: toMillis(row.closed_until),
          sweeper: optional(row.sweeper),
        }
      );
    },

    async writeBudget(row, expectedRevision) {
      const columns = {
        tokens: row.tokens,
        refilled_at: row.refilledAt,
        closed_until: row.closedUntil ?? null,
        sweeper: row.sweeper ?? null,
      };
      if (expectedRevision === undefined) {
        const inserted = await knex('budgets')
          .insert({
            platform: row.platform,
            revision: row.revision,
            ...columns,
          })
          .onConflict('platform')
          .ignore()
          .returning('platform');
        return inserted.length > 0;
      }
      const updated = await knex('budgets')
        .where({ platform: row.platform, revision: expectedRevision })
        .update({ revision: row.revision, ...columns });
      return updated > 0;
    },
  };
}

type Link = { ref: string; owner?: string };

/** By resource. */
async function storedLinks(
  knex: Knex,
  ids: string[],
): Promise<Map<string, Link[]>> {
  const rows: DbRow[] = await knex('resource_entities').whereIn(
    'resource_id',
    ids,
  );
  const links = new Map<string, Link[]>();
  for (const row of rows) {
    const id = String(row.resource_id);
    links.set(id, [
      ...(links.get(id) ?? []),
      { ref: String(row.entity_ref), owner: optional(row.owner) },
    ]);
  }
  return links;
}

function sameLinks(stored: Link[], wanted: Link[]): boolean {
  return (
    stored.length === wanted.length &&
    wanted.every(({ ref, owner }) =>
      stored.some(link => link.ref === ref && link.owner === owner),
    )
  );
}
