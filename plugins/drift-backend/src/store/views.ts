/** Resources as they are shown: staleness, filters, order and counts, all in SQL. */
import { VERDICTS, type Verdict } from '@plumbline/drift-engine';
import type { Knex } from 'knex';
import {
  decodeCursor,
  decodeResource,
  encodeCursor,
  optional,
  toBoolean,
  toMillis,
  VERDICT_RANK,
  type DbRow,
} from './codec';
import type {
  Page,
  ResourceFilter,
  ResourceView,
  VisibilityFilter,
} from './driftStore';
import type { Millis } from './rows';

/** Verdicts that say that live is not what was declared. */
const OFF_VERDICTS: Verdict[] = [
  'Conflicted',
  'Drifted',
  'Missing',
  'NonConvergent',
  'Contested',
  'Orphaned',
];

const RANK_SQL = `case shown_verdict ${VERDICTS.map(
  verdict => `when '${verdict}' then ${VERDICT_RANK[verdict]}`,
).join(' ')} end`;

// A complete read of the platform and of the source verifies every row that is not known to have changed: that is
// why an unchanged sweep needs to write one row only.
const SCOPE_SQL = `case when r.source is null then coalesce(p.last_complete_at, 0)
  when coalesce(p.last_complete_at, 0) < coalesce(s.last_complete_at, 0) then coalesce(p.last_complete_at, 0)
  else coalesce(s.last_complete_at, 0) end`;
const VERIFIED_SQL = `case when r.dirty then coalesce(r.verified_at, 0)
  when (${SCOPE_SQL}) > coalesce(r.verified_at, 0) then (${SCOPE_SQL})
  else coalesce(r.verified_at, 0) end`;

/** The view that every list and count reads from. */
export function viewQuery(knex: Knex, now: Millis): Knex.QueryBuilder {
  const verified = knex('resources as r')
    .leftJoin('scopes as p', 'p.id', 'r.platform')
    .leftJoin('scopes as s', 's.id', 'r.source')
    .select('r.*', knex.raw(`(${VERIFIED_SQL}) as effective_verified_at`));
  const shown = knex
    .from(verified.as('v'))
    .select(
      'v.*',
      knex.raw('(? - v.effective_verified_at > v.max_staleness_ms) as stale', [
        now,
      ]),
      knex.raw(
        `case when ? - v.effective_verified_at > v.max_staleness_ms then 'Unknown' else v.verdict end as shown_verdict`,
        [now],
      ),
    );
  return knex
    .from(shown.as('w'))
    .select('w.*', knex.raw(`(${RANK_SQL}) as rank`));
}

/** The view, as a table expression `x` that can be filtered and ordered. */
function viewTable(knex: Knex, now: Millis): Knex.QueryBuilder {
  return knex.from(viewQuery(knex, now).as('x'));
}

export function applyFilter(
  query: Knex.QueryBuilder,
  knex: Knex,
  filter: ResourceFilter,
): Knex.QueryBuilder {
  const linked = (column: 'entity_ref' | 'owner', values: string[]) =>
    knex('resource_entities as e')
      .select(knex.raw('1'))
      .whereRaw('e.resource_id = x.id')
      .whereIn(`e.${column}`, values);
  if (filter.ids) query.whereIn('x.id', filter.ids);
  if (filter.entity) query.whereExists(linked('entity_ref', [filter.entity]));
  if (filter.owner) query.whereExists(linked('owner', [filter.owner]));
  if (filter.owners) query.whereExists(linked('owner', filter.owners));
  if (filter.platform) query.where('x.platform', filter.platform);
  if (filter.kinds?.length) query.whereIn('x.kind', filter.kinds);
  if (filter.namespace !== undefined) {
    query.where('x.namespace', filter.namespace);
  }
  if (filter.verdicts?.length)
    query.whereIn('x.shown_verdict', filter.verdicts);
  if (filter.unassigned) {
    query.whereNotExists(
      knex('resource_entities as e')
        .select(knex.raw('1'))
        .whereRaw('e.resource_id = x.id'),
    );
  }
  if (filter.q) {
    const like = `%${filter.q
      .toLocaleLowerCase('en-US')
      .replace(/[\\%_]/g, '\\$&')}%`;
    query.whereRaw(`lower(x.title) like ? escape '\\'`, [like]);
  }
  if (filter.visible) {
    const { visible } = filter;
    query.where(inner => applyVisibility(inner, knex, visible));
  }
  return query;
}

function applyVisibility(
  query: Knex.QueryBuilder,
  knex: Knex,
  filter: VisibilityFilter,
): void {
  if ('anyOf' in filter) {
    // nothing in the list: nothing is visible
    if (!filter.anyOf.length) query.whereRaw('1 = 0');
    for (const part of filter.anyOf) {
      query.orWhere(inner => applyVisibility(inner, knex, part));
    }
  } else if ('allOf' in filter) {
    query.whereRaw('1 = 1');
    for (const part of filter.allOf) {
      query.andWhere(inner => applyVisibility(inner, knex, part));
    }
  } else if ('not' in filter) {
    query.whereNot(inner => applyVisibility(inner, knex, filter.not));
  } else if (filter.property === 'owner' || filter.property === 'entity') {
    query.whereExists(
      knex('resource_entities as e')
        .select(knex.raw('1'))
        .whereRaw('e.resource_id = x.id')
        .whereIn(
          filter.property === 'owner' ? 'e.owner' : 'e.entity_ref',
          filter.values,
        ),
    );
  } else {
    query.whereIn(`x.${filter.property}`, filter.values);
  }
}

const LIST_KEY = ['number', 'string', 'string', 'string', 'string'] as const;

export async function listResources(
  knex: Knex,
  filter: ResourceFilter,
  page: { limit: number; cursor?: string },
  now: Millis,
): Promise<Page<ResourceView> & { total: number }> {
  const filtered = () => applyFilter(viewTable(knex, now), knex, filter);
  const rows: DbRow[] = await filtered()
    .select('x.*')
    .modify(query => {
      if (page.cursor) {
        query.whereRaw(
          '(x.rank, x.platform, x.kind, x.namespace, x.name) > (?, ?, ?, ?, ?)',
          decodeCursor(page.cursor, LIST_KEY),
        );
      }
    })
    .orderBy(['x.rank', 'x.platform', 'x.kind', 'x.namespace', 'x.name'])
    .limit(page.limit + 1);
  const [{ count }] = await filtered().count({ count: '*' });
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    items: await decodeViews(knex, shown),
    total: Number(count),
    ...(rows.length > page.limit && last
      ? {
          nextCursor: encodeCursor([
            Number(last.rank),
            String(last.platform),
            String(last.kind),
            String(last.namespace),
            String(last.name),
          ]),
        }
      : {}),
  };
}

export async function viewResources(
  knex: Knex,
  ids: string[],
  now: Millis,
): Promise<ResourceView[]> {
  if (!ids.length) return [];
  const rows: DbRow[] = await viewTable(knex, now)
    .select('x.*')
    .whereIn('x.id', ids);
  return decodeViews(knex, rows);
}

export async function countByVerdict(
  knex: Knex,
  filter: ResourceFilter,
  now: Millis,
  groupBy?: 'owner' | 'platform',
) {
  const off = OFF_VERDICTS.map(verdict => `'${verdict}'`).join(', ');
  const rows: DbRow[] = await applyFilter(viewTable(knex, now), knex, filter)
    .select('x.shown_verdict')
    .modify(query => {
      query.groupBy('x.shown_verdict');
      if (groupBy)
        query.select(`x.${groupBy} as group`).groupBy(`x.${groupBy}`);
    })
    .count({ count: '*' })
    .min({ verified: 'x.effective_verified_at' })
    .select(
      knex.raw(
        `min(case when x.shown_verdict in (${off}) then x.since end) as drift_since`,
      ),
    );
  const groups = new Map<string | undefined, Counts>();
  for (const row of rows) {
    const group = groupBy ? optional(row.group) : undefined;
    const counts: Counts = groups.get(group) ?? {
      ...(group === undefined ? {} : { group }),
      byVerdict: {},
      total: 0,
    };
    const count = Number(row.count);
    counts.byVerdict[row.shown_verdict as Verdict] = count;
    counts.total += count;
    counts.oldestDriftSince = earliest(
      counts.oldestDriftSince,
      toMillis(row.drift_since),
    );
    // 0 stands for "never": then there is no oldest verification to speak of
    const verified = Number(row.verified);
    counts.neverVerified = counts.neverVerified || verified === 0;
    counts.oldestVerifiedAt = earliest(counts.oldestVerifiedAt, verified);
    groups.set(group, counts);
  }
  return [...groups.values()].map(({ neverVerified, ...counts }) => {
    if (neverVerified) delete counts.oldestVerifiedAt;
    return counts;
  });
}

interface Counts {
  group?: string;
  byVerdict: Partial<Record<Verdict, number>>;
  total: number;
  oldestDriftSince?: Millis;
  oldestVerifiedAt?: Millis;
  neverVerified?: boolean;
}

function earliest(a: Millis | undefined, b: Millis | undefined) {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}

async function decodeViews(knex: Knex, rows: DbRow[]): Promise<ResourceView[]> {
  const ids = rows.map(row => String(row.id));
  const links: DbRow[] = await knex('resource_entities')
    .whereIn('resource_id', ids)
    .orderBy('entity_ref');
  const conflicts: DbRow[] = await knex('conflicts')
    .select('id', 'resource_id')
    .where('status', 'open')
    .whereIn('resource_id', ids);
  return rows.map(row => {
    const stored = decodeResource(row);
    const stale = toBoolean(row.stale);
    const verified = Number(row.effective_verified_at);
    return {
      ...stored,
      stale,
      shownVerdict: stale ? 'Unknown' : stored.verdict,
      ...shownReason(stored.verdict, stale, verified, stored),
      effectiveVerifiedAt: verified === 0 ? undefined : verified,
      entities: links
        .filter(link => link.resource_id === stored.id)
        .map(link => String(link.entity_ref)),
      owner: optional(row.owner),
      openConflictId: optional(
        conflicts.find(conflict => conflict.resource_id === stored.id)?.id,
      ),
    };
  });
}

function shownReason(
  verdict: Verdict,
  stale: boolean,
  verified: Millis,
  stored: { reason: string; message: string },
): { shownReason: string; shownMessage: string } {
  if (!stale || verdict === 'Unknown') {
    return { shownReason: stored.reason, shownMessage: stored.message };
  }
  if (verified === 0) {
    return {
      shownReason: 'NotVerifiedYet',
      shownMessage:
        'It has not been compared with a fresh read of both sides yet.',
    };
  }
  return {
    shownReason: 'Stale',
    shownMessage: `It was last verified longer ago than its staleness bound allows; then it was ${verdict}: ${stored.message}`,
  };
}
