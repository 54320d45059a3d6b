/** Scopes, rules, entity links, named leases and budgets: the small tables. */
import type { Knex } from 'knex';
import {
  decodeResource,
  must,
  optional,
  toMillis,
  toText,
  type DbRow,
} from './codec';
import { batches } from './queue';
import type { DriftStore, PolicyRuleRow, ScopeRow } from './types';

type ScopeMethods =
  | 'putScope'
  | 'recordRead'
  | 'listScopes'
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

    async recordRead(id, { complete, at, status, message, ...result }) {
      await knex('scopes')
        .where({ id })
        .update({
          status,
          message: message ?? null,
          last_tried_at: result.lastTriedAt ?? at,
          sweep_ms: result.sweepMilliseconds ?? null,
          failures: complete ? 0 : knex.raw('failures + 1'),
          ...(complete ? { last_complete_at: at } : {}),
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
      }));
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
        await knex.transaction(async trx => {
          const ids = batch.map(link => link.resourceId);
          const known: DbRow[] = await trx('resources')
            .select('id')
            .whereIn('id', ids);
          const there = new Set(known.map(row => row.id));
          await trx('resource_entities').whereIn('resource_id', ids).delete();
          for (const { resourceId, entities } of batch) {
            // removed since it was listed
            if (!there.has(resourceId)) continue;
            const sorted = [...entities].sort((a, b) =>
              a.ref < b.ref ? -1 : 1,
            );
            if (sorted.length) {
              await trx('resource_entities').insert(
                sorted.map(entity => ({
                  resource_id: resourceId,
                  entity_ref: entity.ref,
                  owner: entity.owner ?? null,
                })),
              );
            }
            await trx('resources')
              .where({ id: resourceId })
              .update({
                owner: sorted.find(entity => entity.owner)?.owner ?? null,
              });
          }
        });
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
      await knex('leases')
        .insert({ name, owner, until: 0 })
        .onConflict('name')
        .ignore();
      const taken = await knex('leases')
        .where({ name })
        .andWhere(query => query.where({ owner }).orWhere('until', '<=', now))
        .update({ owner, until });
      return taken > 0;
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
        }
      );
    },

    async writeBudget(row, expectedRevision) {
      const columns = {
        tokens: row.tokens,
        refilled_at: row.refilledAt,
        closed_until: row.closedUntil ?? null,
      };
      if (expectedRevision === undefined) {
        const inserted = await knex('budgets')
          .insert({ platform: row.platform, revision: row.revision, ...columns })
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
