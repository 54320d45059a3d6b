/** How rows become values and back: JSON text, booleans and times that both databases say in their own way. */
import { parseJson, stringifyJson, type Json } from '@plumbline/drift-engine';
import { InputError } from '@backstage/errors';
import {
  resourceKey,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import type { Millis, ResourceIdentity, ResourceRow } from './rows';

/** A row as the database driver hands it over. */
export type DbRow = Record<string, unknown>;

export function toText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return stringifyJson(withoutAbsent(value));
}

// As JSON does: a member that is undefined is not there.
function withoutAbsent(value: unknown): Json {
  if (Array.isArray(value)) return value.map(withoutAbsent);
  if (typeof value !== 'object' || value === null) return value as Json;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, withoutAbsent(member)]),
  );
}

export function fromText<T>(text: unknown): T | undefined {
  if (text === null || text === undefined) return undefined;
  return parseJson(String(text)) as T;
}

export function must<T>(text: unknown): T {
  return parseJson(String(text)) as T;
}

// PostgreSQL hands bigint over as a string
export function toNumber(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

/** Of a column with a time. */
export function toMillis(value: unknown): Millis | undefined {
  return toNumber(value);
}

export function optional(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

// SQLite hands booleans over as 0 and 1
export function toBoolean(value: unknown): boolean {
  return value === true || value === 1;
}

/** Worst first; the order of lists. */
export const VERDICT_RANK = {
  Conflicted: 0,
  Drifted: 1,
  Missing: 2,
  NonConvergent: 3,
  Contested: 4,
  Orphaned: 5,
  Invalid: 6,
  Blocked: 7,
  Unknown: 8,
  Pending: 9,
  InSync: 10,
} as const;

/** The columns of a row that a pass writes. */
export function encodeResource(row: ResourceRow): DbRow {
  return {
    ref_key: resourceKey(row.ref),
    platform: row.ref.platform,
    kind: row.ref.kind,
    namespace: row.ref.namespace ?? '',
    name: row.ref.name,
    title: row.title,
    verdict: row.verdict,
    reason: row.reason,
    message: row.message,
    since: row.since,
    verified_at: row.verifiedAt ?? null,
    dirty: row.dirty,
    source: row.source ?? null,
    origin: toText(row.origin),
    parent: toText(row.parent),
    mark: toText(row.mark),
    controller: toText(row.controller),
    read_only: row.readOnly ?? null,
    declared_version: row.declaredVersion ?? null,
    declared_digest: row.declaredDigest ?? null,
    live_key: row.liveKey ?? null,
    live_id: row.liveId ?? null,
    live_version: row.liveVersion ?? null,
    live_digest: row.liveDigest ?? null,
    changed_at: row.changedAt ?? null,
    changed_by: row.changedBy ?? null,
    agreed_at: row.agreedAt ?? null,
    evaluation: toText(row.evaluation),
    drifted_fields: row.evaluation?.changes.length ?? 0,
    owned_before: toText(row.ownedBefore),
    created_before: row.createdBefore,
    orphan_sightings: row.orphanSightings,
    absence: row.absence ?? null,
    max_staleness_ms: row.maxStalenessMs,
    resync_ms: row.resyncMs,
    pause: toText(row.pause),
    policy: toText(row.policy),
    next_message: row.next.message,
    next_may_write: row.next.mayWrite,
    due_at: row.dueAt,
    attempts: row.attempts,
    failing_since: row.failingSince ?? null,
    convergence: toText(row.convergence),
  };
}

export const IDENTITY_COLUMNS = [
  'id',
  'platform',
  'kind',
  'namespace',
  'name',
  'source',
  'declared_version',
  'live_key',
  'live_id',
  'live_version',
  'dirty',
] as const;

/** From a row with no more than {@link IDENTITY_COLUMNS}. */
export function decodeIdentity(row: DbRow): ResourceIdentity {
  return {
    id: String(row.id),
    ref: decodeRef(row),
    source: optional(row.source),
    declaredVersion: optional(row.declared_version),
    liveKey: optional(row.live_key),
    liveId: optional(row.live_id),
    liveVersion: optional(row.live_version),
    dirty: toBoolean(row.dirty),
  };
}

function decodeRef(row: DbRow): ResourceRef {
  return {
    platform: String(row.platform),
    kind: String(row.kind),
    ...(row.namespace ? { namespace: String(row.namespace) } : {}),
    name: String(row.name),
  };
}

export function decodeResource(row: DbRow): ResourceRow {
  return {
    id: String(row.id),
    ref: decodeRef(row),
    title: String(row.title),
    verdict: row.verdict as ResourceRow['verdict'],
    reason: String(row.reason),
    message: String(row.message),
    since: Number(row.since),
    verifiedAt: toMillis(row.verified_at),
    dirty: toBoolean(row.dirty),
    source: optional(row.source),
    origin: fromText(row.origin),
    parent: fromText(row.parent),
    mark: fromText(row.mark),
    controller: fromText(row.controller),
    readOnly: optional(row.read_only),
    declaredVersion: optional(row.declared_version),
    declaredDigest: optional(row.declared_digest),
    liveKey: optional(row.live_key),
    liveId: optional(row.live_id),
    liveVersion: optional(row.live_version),
    liveDigest: optional(row.live_digest),
    changedAt: toMillis(row.changed_at),
    changedBy: optional(row.changed_by),
    agreedAt: toMillis(row.agreed_at),
    evaluation: fromText(row.evaluation),
    ownedBefore: must(row.owned_before),
    createdBefore: toBoolean(row.created_before),
    orphanSightings: Number(row.orphan_sightings),
    absence: toNumber(row.absence),
    maxStalenessMs: Number(row.max_staleness_ms),
    resyncMs: Number(row.resync_ms),
    pause: fromText(row.pause),
    policy: must(row.policy),
    next: {
      message: String(row.next_message),
      mayWrite: toBoolean(row.next_may_write),
    },
    dueAt: Number(row.due_at),
    attempts: Number(row.attempts),
    failingSince: toMillis(row.failing_since),
    convergence: must(row.convergence),
  };
}

/** An opaque keyset cursor: the sort key of the last item. */
export function encodeCursor(key: (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/**
 * Reads a cursor back.
 *
 * @throws InputError where it is not one that `encodeCursor` made for a key of this shape.
 */
export function decodeCursor(
  cursor: string,
  shape: readonly ('string' | 'number')[],
): (string | number)[] {
  let key: unknown;
  try {
    key = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    key = undefined;
  }
  if (
    !Array.isArray(key) ||
    key.length !== shape.length ||
    !shape.every((type, i) => typeof key[i] === type)
  ) {
    throw new InputError(
      'Query parameter "cursor" is not one that an earlier page of this list returned as "nextCursor"; leave it out to start at the first page',
    );
  }
  return key;
}
