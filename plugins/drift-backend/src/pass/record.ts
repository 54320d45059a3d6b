/** The last step of a pass: what was found becomes the row, its history and its next time. No input or output. */
import { randomUUID } from 'node:crypto';
import {
  agreedState,
  type Evaluation,
  type State,
} from '@plumbline/drift-engine';
import type {
  DeclaredResource,
  LiveObject,
} from '@plumbline/backstage-plugin-drift-node';
import type { PassOutcome } from '../store/driftStore';
import type {
  ConflictRow,
  Convergence,
  DecisionRow,
  EpisodeRow,
  GuardAnswer,
  KeptField,
  Millis,
  ResourceRow,
} from '../store/rows';
import { rivalOf, seenOf, WHOLE_STATE, type Assessment } from './assess';
import type { PassContext } from './context';
import { under, withLiveDigest } from './convergence';
import { followEpisode, type Ending } from './episodes';
import { endedByInterrupted, seenByInterrupted } from './interrupted';
import type { Observation } from './observe';
import { followConflict, questionKind } from './questions';
import { markOf } from './mark';
import { nextDue, whatNext } from './next';
import type { WriteFailure } from './write';
import { makeDecision } from './decision';

/** What was open when the pass began. */
export interface OpenHistory {
  episode?: EpisodeRow;
  conflict?: ConflictRow;
}

export interface PassRecord {
  trigger: string;
  by?: string;
  /** The row before this pass. */
  before: ResourceRow;
  /** What is stored as last agreed. */
  agreedBefore?: State;
  open: OpenHistory;
  /** An earlier pass's decision, whose write was not recorded. */
  interrupted?: DecisionRow;
  observation: Observation;
  assessment: Assessment;
  now: Millis;
  platformTitle: string;
  guards?: GuardAnswer[];
  /** The write of this pass, if there was one, and how it ended. */
  write?: {
    decisionId: string;
    result: string;
    acknowledged: boolean;
    failed?: WriteFailure;
  };
  /** What the write was made on. */
  planned?: { observation: Observation; assessment: Assessment };
  convergence?: Convergence;
  ownedBefore?: string[];
  /** What is kept from now on, where this pass changes it. */
  kept?: KeptField[];
  /** How many fields were kept before. */
  keptBefore: number;
  ending?: Ending;
  answered?: Pick<ConflictRow, 'choice' | 'resolvedBy' | 'note' | 'outcome'>;
  finishedIntents?: PassOutcome['finishedIntents'];
  /** Look again no later than this. */
  notLaterThan?: Millis;
  orphanSightings?: number;
  /** Where the declaration was not found: the count of that. */
  absence?: number;
}

/** Turns a finished pass into what is stored. */
export function recordPass(
  context: Pick<PassContext, 'config' | 'random'>,
  record: PassRecord,
): PassOutcome {
  const { before, observation, assessment, now, guards = [], write } = record;
  const { declared, live, evaluation, decision, inForce } = assessment;
  const held = guards.find(answer => answer.holds);
  const pruneHeld = held?.guard === 'pruneCeiling';
  const changes = evaluation.changes;
  const kept = record.kept ?? assessment.kept;
  const allKept =
    evaluation.verdict !== 'InSync' &&
    (kept.some(field => field.path === WHOLE_STATE) ||
      (changes.length > 0 &&
        changes.every(change =>
          kept.some(field => field.path === change.path),
        )));
  const moved = whoMoved(evaluation, observation.live);
  const failing = write?.failed;
  // a controller that was asked and has not acted yet is still on trial
  const onTrial = held?.guard === 'controllerAtWork';
  const attempts = nextAttempts(
    before.attempts,
    failing !== undefined,
    onTrial,
  );
  const failingSince =
    failing || onTrial ? before.failingSince ?? now : undefined;

  // what a write left behind is about the declaration that it was planned on
  let convergence = under(record.convergence ?? before.convergence, {
    before:
      record.planned?.assessment.declared?.digest ?? before.declaredDigest,
    now: declared?.digest,
  });
  convergence = withLiveDigest(convergence, live?.digest ?? 'none');
  const rival = rivalOf(changes, observation.live);
  if (rival) convergence = { ...convergence, rival };

  const source = observation.declared;
  const agreed =
    evaluation.verdict === 'InSync' && declared && live
      ? agreedState(declared, live, assessment.schema)
      : // what a write that was acknowledged has added to it
        assessment.inputs.lastAgreed;
  const row: ResourceRow = {
    ...before,
    ...describedBy(before, source),
    mark: markOf(before, observation),
    verdict: evaluation.verdict,
    reason: evaluation.reason,
    message: evaluation.message,
    since: before.verdict === evaluation.verdict ? before.since : now,
    verifiedAt: observation.at,
    dirty: false,
    source: source ? source.origin.source : undefined,
    declaredVersion: source?.version,
    declaredDigest: declared?.digest,
    liveKey: observation.live?.key,
    liveId: observation.live?.id,
    liveVersion: observation.live?.version,
    liveDigest: live?.digest,
    changedAt: moved.at,
    changedBy: moved.by,
    agreedAt:
      evaluation.verdict === 'InSync' && declared
        ? observation.at
        : before.agreedAt,
    evaluation: {
      rule: evaluation.rule,
      changes,
      extras: evaluation.extras,
      reordered: evaluation.reordered,
      warnings: evaluation.warnings,
      problems: evaluation.problems,
    },
    ownedBefore: record.ownedBefore ?? before.ownedBefore,
    createdBefore:
      before.createdBefore ||
      (evaluation.verdict === 'InSync' && declared !== null) ||
      (write?.acknowledged === true &&
        record.planned?.assessment.decision.action === 'create'),
    orphanSightings: source
      ? 0
      : record.orphanSightings ?? before.orphanSightings,
    absence: source ? undefined : record.absence ?? before.absence,
    maxStalenessMs: inForce.maxStalenessMs,
    resyncMs: inForce.resyncMs ?? context.config.resyncMs,
    policy: inForce.policy,
    pause: inForce.pause && {
      by: inForce.pause.label,
      reason: inForce.pause.reason ?? 'Paused by configuration.',
      until: inForce.pause.until,
    },
    next: { message: '', mayWrite: false },
    dueAt: now,
    attempts,
    failingSince,
    convergence,
  };
  row.next = whatNext(assessment, held, failing, allKept);
  row.dueAt = nextDue(context, record, row, held);

  const { interrupted } = record;
  const decisionMade = decisionOf(record, row, guards, held);
  const apart = evaluation.verdict !== 'InSync';
  const kind = questionKind(decision, evaluation, pruneHeld);
  return {
    row,
    states: {
      ...(agreed && agreed.digest !== record.agreedBefore?.digest
        ? { agreed }
        : {}),
      declared: apart ? declared : null,
      live: apart ? live : null,
    },
    ...(decisionMade ? { decision: decisionMade } : {}),
    episode: followEpisode({
      open: record.open.episode,
      // seen and put right in one pass: still an episode
      seen: record.planned
        ? openedBy(record.planned, before)
        : interrupted && seenByInterrupted(interrupted, assessment.schema),
      before,
      after: row,
      now,
      ending:
        record.ending ?? (interrupted && endedByInterrupted(interrupted, row)),
      allKept,
    }),
    conflict: followConflict({
      open: record.open.conflict,
      kind: allKept ? undefined : kind,
      after: row,
      evaluation,
      fields: evaluation.changes.filter(
        change => !kept.some(field => field.path === change.path),
      ),
      platformTitle: record.platformTitle,
      seen: seenOf(assessment),
      now,
      answered: record.answered && {
        ...record.answered,
        about: seenOf((record.planned ?? record).assessment),
      },
      withdrawn:
        evaluation.verdict === 'InSync'
          ? 'Both sides agree again.'
          : `It needs no answer any more: ${decision.message}`,
    }),
    ...(source ? { dependencies: observation.dependencies } : {}),
    ...(record.kept || kept.length !== record.keptBefore ? { kept } : {}),
    ...(record.finishedIntents
      ? { finishedIntents: record.finishedIntents }
      : {}),
  };
}

/** What the declaration says about the resource besides its state; without one, what it said last. */
export function describedBy(
  before: Pick<
    ResourceRow,
    'title' | 'origin' | 'parent' | 'mark' | 'controller' | 'readOnly'
  >,
  declared: DeclaredResource | null,
): Pick<
  ResourceRow,
  'title' | 'origin' | 'parent' | 'mark' | 'controller' | 'readOnly'
> {
  if (!declared) {
    const { title, origin, parent, mark } = before;
    return { title, origin, parent, mark };
  }
  const { origin } = declared;
  return {
    title: `${origin.kind} ${
      origin.namespace ? `${origin.namespace}/${origin.name}` : origin.name
    }`,
    origin,
    parent: declared.parent,
    mark: declared.mark,
    controller: declared.controller,
    readOnly: declared.readOnly,
  };
}

function nextAttempts(before: number, failing: boolean, onTrial: boolean) {
  if (failing) return before + 1;
  return onTrial ? before : 0;
}

function openedBy(
  planned: NonNullable<PassRecord['planned']>,
  row: ResourceRow,
): EpisodeRow {
  const { evaluation } = planned.assessment;
  const moved = whoMoved(evaluation, planned.observation.live);
  return {
    id: randomUUID(),
    resourceId: row.id,
    verdict: evaluation.verdict,
    reason: evaluation.reason,
    message: evaluation.message,
    startedAt: planned.observation.at,
    fields: evaluation.changes,
    changedAt: moved.at,
    changedBy: moved.by,
  };
}

function whoMoved(
  evaluation: Evaluation,
  live: LiveObject | null,
): { at?: Millis; by?: string } {
  const byLive = evaluation.changes.filter(
    change => change.movedBy !== 'declared',
  );
  if (!byLive.length || !live) return {};
  const owner = byLive
    .flatMap(change => change.owners ?? [])
    .find(one => !one.ours);
  return {
    at: millis(owner?.time ?? live.changedAt),
    by: owner?.manager ?? live.changedBy,
  };
}

function millis(time: string | undefined): Millis | undefined {
  if (time === undefined) return undefined;
  const parsed = Date.parse(time);
  return Number.isNaN(parsed) ? undefined : parsed;
}

function decisionOf(
  record: PassRecord,
  row: ResourceRow,
  guards: GuardAnswer[],
  held: GuardAnswer | undefined,
): DecisionRow | undefined {
  const { before, write } = record;
  const happened =
    write !== undefined ||
    record.by !== undefined ||
    before.verdict !== row.verdict ||
    before.reason !== row.reason ||
    before.declaredDigest !== row.declaredDigest ||
    before.liveDigest !== row.liveDigest ||
    (held !== undefined && before.next.message !== held.message);
  if (!happened) return undefined;
  return {
    ...makeDecision({
      id: write?.decisionId ?? randomUUID(),
      trigger: record.trigger,
      by: record.by,
      resourceId: row.id,
      observation: (record.planned ?? record).observation,
      assessment: (record.planned ?? record).assessment,
      guards,
      now: record.now,
    }),
    result: write?.result ?? (held ? `Held: ${held.message}` : undefined),
  };
}
