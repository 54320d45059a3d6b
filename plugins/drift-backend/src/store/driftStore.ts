/** How the store is asked, and what it takes and gives: the seam between the loop, the API and the tables. */
import type { State, Verdict } from '@plumbline/drift-engine';
import type {
  ApiQuestionKind,
  ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import type { MeasureStore } from './measures';
import type {
  BudgetRow,
  ConflictRow,
  DecisionRow,
  Dependency,
  EpisodeRow,
  IntentRow,
  KeptField,
  Millis,
  PolicyRuleRow,
  ResourceIdentity,
  ResourceRow,
  ScopeRow,
} from './rows';

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
