/** What the store keeps and how it is asked: the seam between the loop, the API and the tables. */
import type {
  Action,
  Evaluation,
  EffectivePolicy,
  Facts,
  AcceptedDifference,
  FieldChange,
  Json,
  Pointer,
  ResourceSchema,
  State,
  Verdict,
} from '@plumbline/drift-engine';
import type {
  ApiQuestionKind,
  ApiSide,
  ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import type {
  ControllerEvidence,
  DeclarationOrigin,
  OwnershipMark,
} from '@plumbline/backstage-plugin-drift-node';
import type { MeasureStore } from './measures';

/** Milliseconds since the epoch, everywhere in the store. */
export type Millis = number;

/** One resource as it is stored. */
export interface ResourceRow {
  id: string;
  ref: ResourceRef;
  title: string;
  /** As the last pass or sweep found it. What is shown also depends on staleness: see `ResourceView`. */
  verdict: Verdict;
  reason: string;
  message: string;
  since: Millis;
  /** Last time that both sides were read freshly for this row itself. */
  verifiedAt?: Millis;
  /**
   * Something is known to have changed since `verifiedAt` (or the resource is new): complete sweeps of its platform and source do not verify it
   * until a pass has looked.
   */
  dirty: boolean;
  /** Declaration source, absent when nothing declares it any more. */
  source?: string;
  origin?: DeclarationOrigin;
  parent?: ResourceRef;
  /** The mark that its live object bears, as last declared: an object without it is never called an orphan of ours. */
  mark?: OwnershipMark;
  controller?: ControllerEvidence;
  readOnly?: string;
  declaredVersion?: string;
  declaredDigest?: string;
  liveKey?: string;
  liveId?: string;
  liveVersion?: string;
  liveDigest?: string;
  changedAt?: Millis;
  changedBy?: string;
  agreedAt?: Millis;
  /** What compare and classify said, redacted. */
  evaluation?: Pick<
    Evaluation,
    'rule' | 'changes' | 'extras' | 'reordered' | 'warnings' | 'problems'
  >;
  ownedBefore: Pointer[];
  /** The resource was seen equal, or was created by us, at least once. */
  createdBefore: boolean;
  orphanSightings: number;
  /** Where the last look did not find its declaration: what `ScopeRow.absences` of its source was then. */
  absence?: number;
  maxStalenessMs: number;
  resyncMs: number;
  policy: EffectivePolicy;
  /** Who paused it and why, where `policy.paused`. */
  pause?: { by: string; reason: string; until?: Millis };
  next: { message: string; mayWrite: boolean };
  /** Requeue: every row has one, always. */
  dueAt: Millis;
  /** Failed passes in a row, their class, and since when. */
  attempts: number;
  failingSince?: Millis;
  convergence: Convergence;
}

/** What tells a resource from others, and which versions of its two sides were last looked at. */
export type ResourceIdentity = Pick<
  ResourceRow,
  | 'id'
  | 'ref'
  | 'source'
  | 'declaredVersion'
  | 'liveKey'
  | 'liveId'
  | 'liveVersion'
  | 'dirty'
>;

/** Signals of not converging. */
export interface Convergence {
  heat: number;
  heatAt: Millis;
  /** Live digests of late, newest last, bounded. */
  digests: string[];
  /** Digest of the difference that our last acknowledged write was to remove, and how often in a row it came back. */
  lastDiff?: string;
  sameDiffAfterWrites: number;
  rival?: string;
  /** When the controller that owns it was last asked to look again. */
  nudgedAt?: Millis;
}

/** A row as the API shows it: staleness applied, joined with what belongs to it. */
export interface ResourceView extends ResourceRow {
  /** `Unknown` where `stale`. */
  shownVerdict: Verdict;
  shownReason: string;
  shownMessage: string;
  stale: boolean;
  /** The later of the row's own verification and the last complete reads of both its sides (unless dirty). */
  effectiveVerifiedAt?: Millis;
  entities: string[];
  owner?: string;
  openConflictId?: string;
}

/** A lease on one resource (rule 7). `token` grows with every lease of the row: an older one is refused. */
export interface ResourceLease {
  resourceId: string;
  owner: string;
  token: number;
  until: Millis;
}

export interface ResourceFilter {
  ids?: string[];
  entity?: string;
  owner?: string;
  owners?: string[];
  platform?: string;
  kinds?: string[];
  namespace?: string;
  verdicts?: Verdict[];
  unassigned?: boolean;
  q?: string;
  /** From conditional permissions: any of the groups, all conditions within one. */
  visible?: VisibilityFilter;
}

/** A permission condition in the store's terms. */
export type VisibilityFilter =
  | { anyOf: VisibilityFilter[] }
  | { allOf: VisibilityFilter[] }
  | { not: VisibilityFilter }
  | {
      property: 'platform' | 'kind' | 'namespace' | 'owner' | 'entity';
      values: string[];
    };

export interface EpisodeRow {
  id: string;
  resourceId: string;
  verdict: Verdict;
  reason: string;
  message: string;
  startedAt: Millis;
  endedAt?: Millis;
  ending?:
    | 'corrected'
    | 'correctedElsewhere'
    | 'declarationChanged'
    | 'keptLive'
    | 'resourceGone';
  endMessage?: string;
  decidedBy?: string;
  why?: string;
  fields: FieldChange[];
  changedAt?: Millis;
  changedBy?: string;
}

export interface ConflictRow {
  id: string;
  resourceId: string;
  kindOfQuestion: ApiQuestionKind;
  status: 'open' | 'resolved' | 'withdrawn';
  question: string;
  answers: { choice: ApiSide; label: string; consequence: string }[];
  ifNobodyDecides: string;
  openedAt: Millis;
  fields: FieldChange[];
  seen: { declared: string; live: string };
  changedAt?: Millis;
  changedBy?: string;
  resolvedAt?: Millis;
  resolvedBy?: string;
  choice?: ApiSide;
  note?: string;
  outcome?: string;
}

export interface GuardAnswer {
  guard: string;
  holds: boolean;
  message: string;
}

/** The stored inputs of `evaluate` and `decide`, enough to compute the decision again (rule 6). */
export interface DecisionInputs {
  schemaDigest: string;
  declared: State | null;
  live: State | null;
  lastAgreed?: State;
  ownedBefore: Pointer[];
  facts: Facts;
  policy: EffectivePolicy;
  accepted: AcceptedDifference[];
  choice?: { side: ApiSide; paths?: Pointer[] };
}

export interface DecisionRow {
  id: string;
  resourceId: string;
  at: Millis;
  trigger: string;
  by?: string;
  verdict: Verdict;
  reason: string;
  rule: string;
  action: Action;
  message: string;
  declaredVersion?: string;
  declaredDigest?: string;
  liveVersion?: string;
  liveDigest?: string;
  plan: string[];
  guards: GuardAnswer[];
  result?: string;
  engineVersion: string;
  inputs: DecisionInputs;
  /** What `inputs.schemaDigest` stands for, when it is handed in: stored once for all decisions made with it. */
  schema?: ResourceSchema;
}

/** An intention to write, stored before the write (rule 3). */
export interface IntentRow {
  id: string;
  resourceId: string;
  decisionId: string;
  action: 'create' | 'update' | 'delete' | 'nudge';
  createdAt: Millis;
  leaseToken: number;
  /** Digest of the live state that the plan was made on; `none` for a create. */
  liveDigest: string;
  /** Where what it is about would be found, best first. */
  locators: string[];
  finishedAt?: Millis;
  outcome?: string;
}

export interface KeptField extends AcceptedDifference {
  by: string;
  at: Millis;
  note?: string;
}

/** A platform or a declaration source, and how its last reads went. */
export interface ScopeRow {
  id: string;
  kind: 'platform' | 'source';
  title: string;
  status: 'ok' | 'degraded' | 'unreachable' | 'unknown';
  message?: string;
  lastCompleteAt?: Millis;
  lastTriedAt?: Millis;
  sweepMilliseconds?: number;
  failures: number;
  /** Grows whenever a fresh read of a single declaration did not find it. */
  absences: number;
  /** What `absences` was when the last complete read began: that one is later than all looks that were counted by then. */
  completeThrough?: number;
}

export interface PolicyRuleRow {
  id: string;
  scope: {
    platform?: string;
    kind?: string;
    namespace?: string;
    name?: string;
  };
  settings: Partial<Omit<EffectivePolicy, 'paused'>> & {
    paused?: boolean;
    resyncSeconds?: number;
    maxStalenessSeconds?: number;
  };
  reason: string;
  by: string;
  createdAt: Millis;
  until?: Millis;
}

export interface Page<T> {
  items: T[];
  nextCursor?: string;
}

/**
 * Everything that one pass (or one sweep) found out about a resource, written in one transaction and only under a
 * lease that still holds.
 */
export interface PassOutcome {
  row: ResourceRow;
  /** States to keep: `null` removes one, absent leaves it. */
  states: {
    agreed?: State | null;
    declared?: State | null;
    live?: State | null;
  };
  decision?: DecisionRow;
  episode?: { open?: EpisodeRow; update?: EpisodeRow; close?: EpisodeRow };
  conflict?: { open?: ConflictRow; update?: ConflictRow; close?: ConflictRow };
  kept?: KeptField[];
  /** What its declaration refers to; absent leaves what is stored. */
  dependencies?: Dependency[];
  finishedIntents?: { id: string; outcome: string }[];
}

/** What a declaration refers to. */
export interface Dependency {
  ref: ResourceRef;
  /** What was filled in; absent: it was not there. */
  liveId?: string;
}

/** A pass that has come to its end. */
export interface Finished {
  lease: ResourceLease;
  outcome: PassOutcome;
}

/** What is stored about a resource when a pass begins. */
export interface StoredBefore {
  row: ResourceRow;
  agreed?: State;
  kept: KeptField[];
  episode?: EpisodeRow;
  conflict?: ConflictRow;
  /** Open ones, oldest first. */
  intents: IntentRow[];
}

/** Thrown by every write under a lease that somebody else has taken over. */
export class LeaseLostError extends Error {
  readonly name = 'LeaseLostError';
}

/** The store; one instance per backend process, all state in the database. */
export interface DriftStore extends MeasureStore {
  // --- resources and the queue ---
  /** Inserts the ones that are not there yet, due now and dirty; returns all of them, in the order given. */
  addResources(rows: ResourceRow[]): Promise<ResourceRow[]>;
  getResource(id: string): Promise<ResourceRow | undefined>;
  getResourceByRef(ref: ResourceRef): Promise<ResourceRow | undefined>;
  /**
   * Identities and versions of all resources of a platform, for the in-memory index; with `changedWithin`, only of those that were
   * added or changed in the last so many milliseconds by the database's clock.
   */
  listIdentities(
    platform: string,
    options?: { changedWithin?: Millis },
  ): AsyncIterable<ResourceIdentity>;
  /**
   * Brings passes forward. `dirty` also takes back the verification by sweeps, `shown` what was seen of a missing declaration: a
   * listing shows it. Never puts a due time later.
   */
  bringForward(
    ids: string[],
    options: { dueAt: Millis; dirty: boolean; shown?: boolean },
  ): Promise<number>;
  /**
   * Brings those forward for which what they refer to is not what they were last looked at with: it has appeared, is gone, or is
   * another live object.
   *
   * @param refs - no others than these have changed; absent: any may have
   */
  bringDependentsForward(options: {
    refs?: ResourceRef[];
    dueAt: Millis;
  }): Promise<number>;
  bringForwardWhere(
    filter: { entity?: string; platform?: string; visible?: VisibilityFilter },
    dueAt: Millis,
  ): Promise<number>;
  /** Takes up to `limit` due resources under lease (SKIP LOCKED on PostgreSQL). */
  leaseDue(options: {
    owner: string;
    limit: number;
    now: Millis;
    leaseMs: number;
    platforms?: string[];
  }): Promise<ResourceLease[]>;
  /** Takes one resource for a person's action, or undefined when another holds it. */
  leaseOne(
    id: string,
    options: { owner: string; now: Millis; leaseMs: number },
  ): Promise<ResourceLease | undefined>;
  /** Takes those of these that are free under lease; the others are left out. */
  leaseMany(
    ids: string[],
    options: { owner: string; now: Millis; leaseMs: number },
  ): Promise<ResourceLease[]>;
  renewLease(
    lease: ResourceLease,
    options: { now: Millis; leaseMs: number },
  ): Promise<ResourceLease>;
  /** Throws `LeaseLostError` unless the lease still holds: asked right before each write to a platform. */
  assertLease(lease: ResourceLease, now: Millis): Promise<void>;
  releaseLease(lease: ResourceLease): Promise<void>;
  /** Those that still hold. */
  releaseMany(leases: ResourceLease[]): Promise<void>;
  /** Writes what a pass found, in one transaction, and releases the lease. Throws `LeaseLostError`. */
  finishPass(lease: ResourceLease, outcome: PassOutcome): Promise<void>;
  /**
   * The same for many, a hundred in one transaction. What somebody else has taken over, or is changing at this moment, is left as it is,
   * and so is its lease.
   *
   * @returns those that were written
   */
  finishMany(finished: Finished[]): Promise<Finished[]>;
  /**
   * Removes a resource of which nothing is left on either side, closing its episode and conflict; false where a pass was wished
   * for meanwhile: then it stays, under the lease. Throws `LeaseLostError`.
   */
  removeResource(lease: ResourceLease, at: Millis): Promise<boolean>;

  // --- states, kept fields, intents ---
  getStates(
    resourceId: string,
  ): Promise<{ agreed?: State; declared?: State; live?: State }>;
  getKept(resourceId: string): Promise<KeptField[]>;
  /** All that passes of these resources begin with, by resource. */
  readBefore(ids: string[]): Promise<Map<string, StoredBefore>>;
  /**
   * Stores what is about to be written, and with the resource the mark that its live object will bear: should the declaration be
   * gone by the time that this is recorded, the object is known as ours all the same. Throws `LeaseLostError`.
   */
  addIntent(
    lease: ResourceLease,
    intent: IntentRow & Pick<ResourceRow, 'mark'>,
    decision: DecisionRow,
    now: Millis,
  ): Promise<void>;
  listOpenIntents(resourceId: string): Promise<IntentRow[]>;
  /** Live keys (or ids) of resources by ref, to fill in references of other resources. */
  resolveLiveIds(refs: ResourceRef[]): Promise<Map<string, string>>;
  /** Declared resources that are bound to these live objects. */
  listRivals(
    platform: string,
    liveKeys: string[],
  ): Promise<(Pick<ResourceRow, 'id' | 'title'> & { liveKey: string })[]>;

  // --- episodes, conflicts, decisions ---
  getOpenEpisode(resourceId: string): Promise<EpisodeRow | undefined>;
  listEpisodes(
    resourceId: string,
    page: { limit: number; cursor?: string },
  ): Promise<Page<EpisodeRow>>;
  getOpenConflict(resourceId: string): Promise<ConflictRow | undefined>;
  getConflict(id: string): Promise<ConflictRow | undefined>;
  listConflicts(
    filter: ResourceFilter & {
      status?: ConflictRow['status'];
      kindOfQuestion?: ApiQuestionKind;
    },
    page: { limit: number; cursor?: string },
  ): Promise<
    Page<ConflictRow & { resource: ResourceView }> & { total: number }
  >;
  listDecisions(
    resourceId: string,
    page: { limit: number; cursor?: string },
  ): Promise<Page<DecisionRow>>;
  getDecision(id: string): Promise<DecisionRow | undefined>;
  /** Append-only record of a person's action that did not come to a pass (refused, no longer as seen). */
  addDecision(decision: DecisionRow): Promise<void>;
  /** Deletes older decisions, the settled intents behind them, and the schemas that no decision was made with since. */
  deleteDecisionsBefore(at: Millis): Promise<number>;

  // --- views for the API ---
  viewResource(id: string, now: Millis): Promise<ResourceView | undefined>;
  listResources(
    filter: ResourceFilter,
    page: { limit: number; cursor?: string },
    now: Millis,
  ): Promise<Page<ResourceView> & { total: number }>;
  countByVerdict(
    filter: ResourceFilter,
    now: Millis,
    groupBy?: 'owner' | 'platform',
  ): Promise<
    {
      group?: string;
      byVerdict: Partial<Record<Verdict, number>>;
      total: number;
      oldestDriftSince?: Millis;
      oldestVerifiedAt?: Millis;
    }[]
  >;

  // --- scopes (platforms and sources) ---
  putScope(scope: Pick<ScopeRow, 'id' | 'kind' | 'title'>): Promise<void>;
  /** The one row that an unchanged sweep writes. */
  recordRead(
    id: string,
    result: Omit<
      ScopeRow,
      | 'id'
      | 'kind'
      | 'title'
      | 'failures'
      | 'lastCompleteAt'
      | 'absences'
      | 'completeThrough'
    > & {
      complete: boolean;
      at: Millis;
      /** What `absences` was when it began. */
      through?: number;
    },
  ): Promise<void>;
  listScopes(): Promise<ScopeRow[]>;
  /**
   * Counts a look that did not find a declaration of this source.
   *
   * @returns the count: a complete read whose `completeThrough` is no less began later. Nothing where the source is unknown
   */
  countAbsence(source: string): Promise<number | undefined>;

  // --- rules ---
  listRules(now: Millis): Promise<PolicyRuleRow[]>;
  addRule(rule: PolicyRuleRow): Promise<void>;
  removeRule(id: string): Promise<PolicyRuleRow | undefined>;

  // --- entities ---
  /** Replaces the links of these resources to catalog entities. */
  setEntities(
    links: {
      resourceId: string;
      entities: { ref: string; owner?: string }[];
    }[],
  ): Promise<void>;
  /** Everything that entity matching needs of a resource. */
  listForMatching(): AsyncIterable<
    Pick<ResourceRow, 'id' | 'ref' | 'origin' | 'parent'>
  >;

  // --- named leases (sweeps, watches) and shared counters (budgets) ---
  takeNamedLease(
    name: string,
    options: { owner: string; now: Millis; ms: number },
  ): Promise<boolean>;
  dropNamedLease(name: string, owner: string): Promise<void>;
  /** Gives up all leases of a process that shuts down. */
  releaseAll(owner: string): Promise<void>;
  readBudget(platform: string): Promise<BudgetRow | undefined>;
  /** Compare-and-set; false when another replica was first. */
  writeBudget(
    row: BudgetRow,
    expectedRevision: number | undefined,
  ): Promise<boolean>;
}

export interface BudgetRow {
  platform: string;
  revision: number;
  tokens: number;
  refilledAt: Millis;
  closedUntil?: Millis;
  /** Who has the share that is set aside for sweeps. */
  sweeper?: string;
}

/** Re-exported for implementers that store arbitrary redacted documents. */
export type StoredJson = Json;
