/** What the store keeps: the rows, as the rest of the plugin sees them. */
import type {
  AcceptedDifference,
  Action,
  EffectivePolicy,
  Evaluation,
  Facts,
  FieldChange,
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

/** What a declaration refers to. */
export interface Dependency {
  ref: ResourceRef;
  /** What was filled in; absent: it was not there. */
  liveId?: string;
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
