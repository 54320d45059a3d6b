/** Rows as the API says them: times as ISO strings, long integers as their digits, nothing internal. */
import type {
  ApiConflict,
  ApiDecisionRecord,
  ApiEpisode,
  ApiFieldChange,
  ApiPolicyRule,
  ApiResourceDetail,
  ApiResourceSummary,
  ApiSummary,
} from '@plumbline/backstage-plugin-drift-common';
import type { DeclarationOrigin } from '@plumbline/backstage-plugin-drift-node';
import type {
  AcceptedDifference,
  FieldChange,
  State,
} from '@plumbline/drift-engine';
import { canonical } from '@plumbline/drift-engine';
import type {
  ConflictRow,
  DecisionRow,
  EpisodeRow,
  KeptField,
  Millis,
  PolicyRuleRow,
  ResourceView,
} from '../store';

export function iso(at: Millis): string {
  return new Date(at).toISOString();
}

function isoOrAbsent(at: Millis | undefined): string | undefined {
  return at === undefined ? undefined : iso(at);
}

/** `none` stands for a side that is absent. */
export function seenOf(row: { declaredDigest?: string; liveDigest?: string }) {
  return {
    declared: row.declaredDigest ?? 'none',
    live: row.liveDigest ?? 'none',
  };
}

export function presentSummary(
  view: ResourceView,
  platformTitle: string,
  now: Millis,
): ApiResourceSummary {
  return {
    id: view.id,
    ref: view.ref,
    title: view.title,
    platformTitle,
    verdict: view.shownVerdict,
    reason: view.shownReason,
    message: view.shownMessage,
    since: iso(view.since),
    verifiedAt: isoOrAbsent(view.effectiveVerifiedAt),
    stale: view.stale,
    fields: view.evaluation?.changes.length ?? 0,
    entities: view.entities,
    owner: view.owner,
    policy: presentPolicy(view),
    openConflictId: view.openConflictId,
    next: { ...view.next, at: iso(Math.max(now, nextLook(view))) },
  };
}

// A resource that sweeps verify is looked at with every sweep; its own pass is only due when something is to be done.
function nextLook(view: ResourceView): Millis {
  if (view.dirty || view.effectiveVerifiedAt === undefined) return view.dueAt;
  return Math.min(view.dueAt, view.effectiveVerifiedAt + view.resyncMs);
}

function presentPolicy(view: ResourceView): ApiResourceSummary['policy'] {
  const { paused, ...policy } = view.policy;
  return {
    mode: policy.mode,
    onLiveEdit: policy.onLiveEdit,
    onFirstSight: policy.onFirstSight,
    actuator: policy.actuator,
    prune: policy.prune,
    resyncSeconds: Math.round(view.resyncMs / 1000),
    maxStalenessSeconds: Math.round(view.maxStalenessMs / 1000),
    ...(paused
      ? {
          paused: {
            by: view.pause?.by ?? 'app-config',
            reason: view.pause?.reason ?? 'paused by configuration',
            until: isoOrAbsent(view.pause?.until),
          },
        }
      : {}),
  };
}

export function presentDetail(
  view: ResourceView,
  parts: {
    platformTitle: string;
    now: Millis;
    states: { agreed?: State; declared?: State; live?: State };
    kept: KeptField[];
    episode?: EpisodeRow;
    conflict?: ConflictRow;
    liveLink?: string;
  },
): ApiResourceDetail {
  const { states } = parts;
  return {
    ...presentSummary(view, parts.platformTitle, parts.now),
    origin: view.origin && presentOrigin(view.origin),
    liveKey: view.liveKey,
    liveLink: parts.liveLink,
    lastAgreedAt: isoOrAbsent(view.agreedAt),
    changedAt: isoOrAbsent(view.changedAt),
    changedBy: view.changedBy,
    changes: presentChanges(view.evaluation?.changes ?? [], parts.kept),
    extras: plain(view.evaluation?.extras ?? []),
    reordered: view.evaluation?.reordered ?? [],
    warnings: view.evaluation?.warnings ?? [],
    problems: view.evaluation?.problems ?? [],
    seen: seenOf(view),
    declared: plain(states.declared?.value),
    live: plain(states.live?.value),
    lastAgreed: plain(states.agreed?.value),
    episode: parts.episode && presentEpisode(parts.episode),
    controller: view.controller && {
      name: view.controller.name,
      evidence: view.controller.evidence,
    },
    conflict:
      parts.conflict &&
      presentConflict(parts.conflict, view, parts.platformTitle),
  };
}

// Labels and annotations serve matching; the API has no need of them.
function presentOrigin(origin: DeclarationOrigin): ApiResourceDetail['origin'] {
  const { source, type, cluster, url, apiVersion, kind, namespace, name } =
    origin;
  return { source, type, cluster, url, apiVersion, kind, namespace, name };
}

function presentChanges(
  changes: FieldChange[],
  kept: AcceptedDifference[] = [],
): ApiFieldChange[] {
  return changes.map(change => ({
    ...plain(change),
    ...(kept.some(field => isKept(field, change)) ? { kept: true } : {}),
  }));
}

function isKept(kept: AcceptedDifference, change: FieldChange): boolean {
  const same = (a: FieldChange['live'], b: FieldChange['live']) =>
    a === undefined || b === undefined
      ? a === b
      : canonical(a) === canonical(b);
  return (
    kept.path === change.path &&
    same(kept.declared, change.declared) &&
    same(kept.live, change.live)
  );
}

export function presentEpisode(row: EpisodeRow): ApiEpisode {
  return {
    ...row,
    startedAt: iso(row.startedAt),
    endedAt: isoOrAbsent(row.endedAt),
    changedAt: isoOrAbsent(row.changedAt),
    fields: presentChanges(row.fields),
  };
}

export function presentConflict(
  row: ConflictRow,
  view: ResourceView,
  platformTitle: string,
): ApiConflict {
  return {
    id: row.id,
    resourceId: row.resourceId,
    ref: view.ref,
    title: view.title,
    platformTitle,
    kindOfQuestion: row.kindOfQuestion,
    status: row.status,
    question: row.question,
    answers: row.answers,
    ifNobodyDecides: row.ifNobodyDecides,
    openedAt: iso(row.openedAt),
    entities: view.entities,
    owner: view.owner,
    fields: presentChanges(row.fields),
    seen: row.seen,
    changedAt: isoOrAbsent(row.changedAt),
    changedBy: row.changedBy,
    resolvedAt: isoOrAbsent(row.resolvedAt),
    resolvedBy: row.resolvedBy,
    choice: row.choice,
    note: row.note,
    outcome: row.outcome,
  };
}

export function presentDecision(row: DecisionRow): ApiDecisionRecord {
  const { inputs: _inputs, resourceId: _resourceId, ...rest } = row;
  return { ...rest, at: iso(row.at) };
}

export function presentRule(row: PolicyRuleRow): ApiPolicyRule {
  return {
    ...row,
    origin: 'portal',
    createdAt: iso(row.createdAt),
    until: isoOrAbsent(row.until),
  };
}

export function presentCounts(
  counts: {
    byVerdict: ApiSummary['byVerdict'];
    total: number;
    oldestDriftSince?: Millis;
    oldestVerifiedAt?: Millis;
  },
  openConflicts: number,
): ApiSummary {
  return {
    total: counts.total,
    byVerdict: counts.byVerdict,
    openConflicts,
    verifiedAt: isoOrAbsent(counts.oldestVerifiedAt),
    oldestDriftSince: isoOrAbsent(counts.oldestDriftSince),
  };
}

/** JSON that `JSON.stringify` takes: a long integer becomes its digits, so that none is lost on the way. */
export function plain<T>(value: T): T {
  if (typeof value === 'bigint') return String(value) as T;
  if (Array.isArray(value)) return value.map(plain) as T;
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, plain(member)]),
    ) as T;
  }
  return value;
}
