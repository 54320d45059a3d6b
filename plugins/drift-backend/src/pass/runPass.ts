/** One look at one resource, from the lease to the record: the whole story in one place. */
import { ownedPointers, type Facts } from '@plumbline/drift-engine';
import type { Platform } from '@plumbline/backstage-plugin-drift-node';
import { askGuards, firstHolding } from '../guards/guards';
import { withPriority, type Priority } from '../loop/priority';
import {
  type ConflictRow,
  type GuardAnswer,
  type KeptField,
  type PassOutcome,
  type ResourceLease,
  type ResourceRow,
  type ScopeRow,
} from '../store/types';
import {
  assess,
  sameSides,
  seenOf,
  WHOLE_STATE,
  type Assessment,
  type Before,
  type Choice,
} from './assess';
import { hasFailedForLong } from './backoff';
import { readStatements, type PassContext } from './context';
import { afterWrite, CALM, heated, withLiveDigest } from './convergence';
import type { Ending } from './episodes';
import { recordUnreadable } from './failures';
import { settleIntents, type Settled } from './intents';
import { completeObservation, observe, type Observation } from './observe';
import {
  isWrite,
  recordPass,
  type OpenHistory,
  type PassRecord,
} from './record';
import { carryOut, type WriteResult } from './write';

/** A plan that was dropped so often meets somebody who writes all the time. */
const MAX_PLANS = 3;

/** A person's decision about a state that this person saw (rule 8). */
export interface PersonalDecision {
  by: string;
  choice: Choice;
  seen: { declared: string; live: string };
  note?: string;
  /** The question that this answers. */
  conflictId?: string;
}

export interface PassRequest {
  /** Why: `due`, `sweep`, `watch`, `person`, … */
  trigger: string;
  /** Who asked for the pass. */
  by?: string;
  priority: Priority;
  decision?: PersonalDecision;
  signal: AbortSignal;
}

export interface PassResult {
  /** Nothing is left on either side: the resource is forgotten. */
  removed: boolean;
  row?: ResourceRow;
  /** Something was written, or a choice was stored. */
  applied: boolean;
  /** The state was not what the person had seen: nothing of the choice was done. */
  moved: boolean;
  /** A side could not be read. */
  unreadable: boolean;
  /** For people: what came of it. */
  message: string;
}

/** What the steps of one pass share. */
interface Pass {
  context: PassContext;
  lease: ResourceLease;
  request: PassRequest;
  before: Before;
  open: OpenHistory;
  platform?: Platform;
  scopes: Map<string, ScopeRow>;
  settled?: Settled;
}

/**
 * Runs a pass and stores what it found; the lease is released in every case but an abort or a lost lease.
 *
 * @throws LeaseLostError when another process has taken the resource over, and whatever our own database throws
 */
export async function runPass(
  context: PassContext,
  lease: ResourceLease,
  request: PassRequest,
): Promise<PassResult> {
  return withPriority(request.priority, async () => {
    const row = await context.store.getResource(lease.resourceId);
    if (!row) {
      return result({ removed: true, message: 'It is gone on both sides.' });
    }
    const pass = await begin(context, lease, request, row);
    return follow(pass);
  });
}

/**
 * Records what a bulk read showed of both sides, as a pass does, but never writes: where something is to be written, a pass with
 * fresh single reads is due at once.
 *
 * @returns whether such a pass is due
 */
export async function recordSwept(
  context: PassContext,
  lease: ResourceLease,
  seen: Parameters<typeof completeObservation>[2],
  signal: AbortSignal,
): Promise<boolean> {
  const { store, clock } = context;
  const row = await store.getResource(lease.resourceId);
  // a pass has looked since this was read
  if (!row || (row.verifiedAt ?? 0) > seen.at) {
    await store.releaseLease(lease);
    return false;
  }
  const pass = await begin(
    context,
    lease,
    { trigger: 'sweep', priority: 'sweep', signal },
    row,
  );
  const observation = await completeObservation(context, row, seen);
  const assessment = judge(pass, observation);
  const intents = await store.listOpenIntents(row.id);
  if (
    intents.length ||
    !observation.declared ||
    isWrite(assessment.decision.action)
  ) {
    await store.bringForward([row.id], { dueAt: clock.now(), dirty: true });
    await store.releaseLease(lease);
    return true;
  }
  await rest(pass, observation, assessment);
  return false;
}

/** What a pass would do if a person chose the declared side now. Reads both sides and writes nothing, anywhere. */
export async function previewPass(
  context: PassContext,
  row: ResourceRow,
  signal: AbortSignal,
): Promise<
  | {
      ok: true;
      observation: Observation;
      assessment: Assessment;
      guards: GuardAnswer[];
      platform: Platform;
    }
  | { ok: false; message: string }
> {
  const observation = await observe(context, row, { signal });
  if (!observation.ok) return observation;
  const choice: Choice = { side: 'declared' };
  const pass = await begin(
    context,
    // never used: a preview stores nothing
    { resourceId: row.id, owner: context.owner, token: 0, until: 0 },
    {
      trigger: 'preview',
      priority: 'person',
      signal,
      decision: { by: '', choice, seen: { declared: '', live: '' } },
    },
    row,
  );
  const { platform } = pass;
  if (!platform)
    return { ok: false, message: `${row.ref.platform} is not configured` };
  const assessment = judge(pass, observation);
  const guards = isWrite(assessment.decision.action)
    ? await guard(pass, observation, assessment)
    : [];
  return { ok: true, observation, assessment, guards, platform };
}

async function begin(
  context: PassContext,
  lease: ResourceLease,
  request: PassRequest,
  row: ResourceRow,
): Promise<Pass> {
  const { store } = context;
  const [states, kept, statements, episode, conflict, scopes] =
    await Promise.all([
      store.getStates(row.id),
      store.getKept(row.id),
      readStatements(context),
      store.getOpenEpisode(row.id),
      store.getOpenConflict(row.id),
      store.listScopes(),
    ]);
  return {
    context,
    lease,
    request,
    before: { row, agreed: states.agreed, kept, statements },
    open: { episode, conflict },
    platform: context.platforms.get(row.ref.platform),
    scopes: new Map(scopes.map(scope => [scope.id, scope])),
  };
}

async function follow(pass: Pass): Promise<PassResult> {
  const { context, request, before } = pass;
  const { signal } = request;
  const { row } = before;
  let observation = await observe(context, row, { signal });
  if (!observation.ok) return unreadable(pass, observation);
  pass.settled = settleIntents(
    await context.store.listOpenIntents(row.id),
    observation,
    context.clock.now(),
  );
  if (isForgotten(observation)) return forget(pass, observation);

  for (let plans = 1; ; plans++) {
    const assessment = judge(pass, observation);
    if (isUnmanaged(assessment, row)) return forget(pass, observation);
    const { decision: personal } = request;
    if (personal && !isAsSeen(assessment, personal)) {
      return movedOn(pass, observation);
    }
    if (personal?.choice.side === 'live') {
      return keep(pass, observation, assessment, personal);
    }
    if (!isWrite(assessment.decision.action)) {
      return rest(pass, observation, assessment);
    }
    const guards = await guard(pass, observation, assessment);
    if (firstHolding(guards)) {
      return rest(pass, observation, assessment, guards);
    }

    // rule 1: both sides again, right before the write
    const fresh = await observe(context, row, { signal });
    if (!fresh.ok) return unreadable(pass, fresh);
    const plan = judge(pass, fresh);
    if (
      sameSides(assessment, plan) &&
      observation.live?.id === fresh.live?.id &&
      plan.decision.action === assessment.decision.action
    ) {
      const written = await write(pass, fresh, plan, guards);
      if (!written.overtaken) return verify(pass, fresh, plan, guards, written);
      forgetAttempt(pass, written);
    }
    if (plans >= MAX_PLANS) {
      const facts: Facts = { concurrentWriter: { attempts: plans } };
      return rest(pass, fresh, judge(pass, fresh, facts, 'noChoice'));
    }
    observation = fresh;
  }
}

/** Normalise, compare, classify, decide. */
function judge(
  pass: Pass,
  observation: Observation,
  facts?: Facts,
  choice?: 'noChoice',
): Assessment {
  const { context, before, request } = pass;
  return assess(context, before, observation, {
    now: context.clock.now(),
    ...(request.decision && !choice ? { choice: request.decision.choice } : {}),
    facts: { orphanSightings: sightings(pass, observation), ...facts },
  });
}

/**
 * Complete reads in a row that did not find the declaration. Only a complete listing of its source since the last sighting makes
 * another one.
 */
function sightings(pass: Pass, observation: Observation): number {
  const { row } = pass.before;
  if (observation.declared || !row.origin) return 0;
  const listedAt = pass.scopes.get(row.origin.source)?.lastCompleteAt;
  const since = row.orphanSightings === 0 ? 0 : row.verifiedAt ?? 0;
  return listedAt !== undefined && listedAt > since
    ? row.orphanSightings + 1
    : row.orphanSightings;
}

function isForgotten({ declared, live, facts }: Observation): boolean {
  return !declared && !live && facts.ambiguousMatches === undefined;
}

/** Nobody declares it, it is not ours, and a complete read has confirmed that the declaration is gone. */
function isUnmanaged(assessment: Assessment, row: ResourceRow): boolean {
  return (
    assessment.evaluation.rule === 'unmanaged' &&
    (assessment.inputs.facts.orphanSightings ?? 0) >= 1 &&
    row.source === undefined
  );
}

function isAsSeen(assessment: Assessment, personal: PersonalDecision): boolean {
  const now = seenOf(assessment);
  return (
    now.declared === personal.seen.declared && now.live === personal.seen.live
  );
}

async function guard(
  pass: Pass,
  observation: Observation,
  assessment: Assessment,
): Promise<GuardAnswer[]> {
  const { context, before, scopes, request } = pass;
  const { row } = before;
  const { action } = assessment.decision;
  const now = context.clock.now();
  const budget = await context.store.readBudget(row.ref.platform);
  let orphans: { orphaned: number; total: number } | undefined;
  if (action === 'delete') {
    orphans = { orphaned: 0, total: 0 };
    // not only those that count as orphans already: what goes at once is what is no longer declared
    for await (const one of context.store.listIdentities(row.ref.platform)) {
      orphans.total += 1;
      if (one.source === undefined) orphans.orphaned += 1;
    }
  }
  return askGuards({
    action,
    title: row.title,
    byPerson: request.decision !== undefined,
    inForce: assessment.inForce,
    readOnly: observation.declared?.readOnly,
    deleting: observation.declared?.deleting,
    controlled: observation.live?.controlled,
    platform: scopes.get(row.ref.platform),
    source: row.origin ? scopes.get(row.origin.source) : undefined,
    closedUntil: budget?.closedUntil,
    orphans,
    createInFlightUntil: pass.settled?.waitUntil,
    pruneLimits: context.config.prune,
    now,
  });
}

async function write(
  pass: Pass,
  observation: Observation,
  assessment: Assessment,
  guards: GuardAnswer[],
): Promise<WriteResult> {
  const { platform, before, request, context, lease } = pass;
  if (!platform) throw new TypeError('A plan needs a platform');
  return carryOut(
    context,
    lease,
    {
      row: before.row,
      platform,
      observation,
      assessment,
      guards,
      trigger: request.trigger,
      by: request.decision?.by ?? request.by,
    },
    { signal: request.signal },
  );
}

/** Somebody else was there first: the platform said so, so nothing took effect. */
function forgetAttempt(pass: Pass, written: WriteResult): void {
  const settled = pass.settled ?? { finished: [] };
  pass.settled = {
    ...settled,
    finished: [
      ...settled.finished,
      { id: written.intentId, outcome: `Overtaken: ${written.message}` },
    ],
  };
}

/** Rule 4: only a fresh read says what a write did. */
async function verify(
  pass: Pass,
  planned: Observation,
  plan: Assessment,
  guards: GuardAnswer[],
  written: WriteResult,
): Promise<PassResult> {
  const { context, before, request } = pass;
  const { action } = plan.decision;
  const { platform } = before.row.ref;
  const seenRow: ResourceRow = written.liveKey
    ? { ...before.row, liveKey: written.liveKey }
    : before.row;
  const fresh = await observe(context, seenRow, { signal: request.signal });
  if (!fresh.ok) {
    // the intent stays open: the next pass finds out what became of it
    pass.before = { ...before, row: seenRow };
    return unreadable(pass, fresh, written.acknowledged);
  }
  let facts: Facts | undefined;
  if (written.failed) {
    const since = before.row.failingSince;
    if (written.failed.final || hasFailedForLong(since, context.clock.now())) {
      facts = {
        blocked: {
          reason: written.failed.reason,
          message: `The write was not taken: ${written.failed.message}`,
        },
      };
    }
  }
  const found = judge(pass, fresh, facts, 'noChoice');
  const holds = isEqualNow(plan, found, fresh);
  context.announcer.wrote(platform, action, holds ? 'verified' : 'unverified');
  const person = request.decision?.by;
  const settled = settleIntents(
    [
      {
        id: written.intentId,
        resourceId: before.row.id,
        decisionId: written.decisionId,
        action: action === 'create' ? 'create' : 'update',
        createdAt: context.clock.now(),
        leaseToken: pass.lease.token,
        liveDigest: plan.live?.digest ?? 'none',
      },
    ],
    fresh,
    written.uncertain && !holds ? context.clock.now() : Infinity,
  );
  const ending: Ending | undefined = holds
    ? {
        ending: action === 'delete' ? 'resourceGone' : 'corrected',
        message: `${
          action === 'nudge' ? 'The controller put it back' : 'It was put back'
        }, and a fresh read shows it.`,
        decidedBy: person ?? `policy (mode ${plan.inForce.policy.mode})`,
        why: plan.decision.message,
      }
    : undefined;
  const now = context.clock.now();
  let convergence = withLiveDigest(
    person ? CALM : before.row.convergence,
    plan.live?.digest ?? 'none',
  );
  if (written.acknowledged && action !== 'nudge') {
    convergence = heated(convergence, now, context.config.resyncMs);
    convergence = afterWrite(
      convergence,
      plan.evaluation.changes.filter(change =>
        plan.decision.fields.includes(change.path),
      ),
      found.evaluation.changes.filter(
        change => !found.decision.kept.includes(change.path),
      ),
    );
  }
  const outcomeMessage = sayResult(written, holds, action);
  return finish(
    pass,
    {
      observation: fresh,
      assessment: found,
      guards,
      write: {
        decisionId: written.decisionId,
        result: outcomeMessage,
        acknowledged: written.acknowledged,
        failed: holds ? undefined : written.failed,
      },
      planned: { observation: planned, assessment: plan },
      convergence,
      ...(written.acknowledged && action !== 'nudge' && action !== 'delete'
        ? { ownedBefore: ownedAfter(before.row.ownedBefore, plan) }
        : {}),
      ending,
      answered: answeredBy(request, outcomeMessage, written.acknowledged),
      finishedIntents: settled.finished,
      ...(settled.waitUntil ? { notLaterThan: settled.waitUntil } : {}),
    },
    {
      applied: written.acknowledged || holds,
      message: outcomeMessage,
    },
  );
}

function isEqualNow(
  plan: Assessment,
  found: Assessment,
  fresh: Observation,
): boolean {
  if (plan.decision.action === 'delete') return fresh.live === null;
  const differing = new Set(
    found.evaluation.changes.map(change => change.path),
  );
  return (
    fresh.live !== null &&
    found.evaluation.verdict !== 'Unknown' &&
    (plan.decision.action === 'create'
      ? differing.size === 0
      : plan.decision.fields.every(path => !differing.has(path)))
  );
}

function ownedAfter(owned: string[], plan: Assessment): string[] {
  if (!plan.declared) return owned;
  const removed = new Set(
    plan.evaluation.changes
      .filter(change => change.kind === 'leftover')
      .map(change => change.path),
  );
  return [
    ...new Set([
      ...owned.filter(path => !removed.has(path)),
      ...ownedPointers(plan.declared, plan.schema).filter(
        path =>
          !plan.decision.kept.some(
            kept => path === kept || path.startsWith(`${kept}/`),
          ),
      ),
    ]),
  ].sort();
}

function sayResult(
  written: WriteResult,
  holds: boolean,
  action: string,
): string {
  if (holds) return `${written.message} A fresh read shows it.`;
  if (written.uncertain) {
    return `No answer came (${written.message}); the next pass finds out what became of it.`;
  }
  if (written.failed) return `Not written: ${written.message}`;
  return action === 'nudge'
    ? `${written.message} The controller has not acted yet.`
    : `${written.message} A fresh read does not show it yet.`;
}

function answeredBy(
  request: PassRequest,
  outcome: string,
  done: boolean,
): Pick<ConflictRow, 'choice' | 'resolvedBy' | 'note' | 'outcome'> | undefined {
  const personal = request.decision;
  if (!personal || !done) return undefined;
  // a choice for some fields does not answer for the others
  if (personal.choice.paths && !personal.conflictId) return undefined;
  return {
    choice: personal.choice.side,
    resolvedBy: personal.by,
    note: personal.note,
    outcome,
  };
}

/** Nothing is written: in sync, waiting, held, or not our business. */
async function rest(
  pass: Pass,
  observation: Observation,
  assessment: Assessment,
  guards?: GuardAnswer[],
): Promise<PassResult> {
  const held = guards && firstHolding(guards);
  return finish(
    pass,
    { observation, assessment, guards },
    {
      applied: false,
      message: held?.message ?? assessment.decision.message,
    },
  );
}

/** A person leaves live as it is: for some fields, or for this whole state. */
async function keep(
  pass: Pass,
  observation: Observation,
  assessment: Assessment,
  personal: PersonalDecision,
): Promise<PassResult> {
  const { changes } = assessment.evaluation;
  const { paths } = personal.choice;
  const about = {
    by: personal.by,
    at: pass.context.clock.now(),
    note: personal.note,
  };
  const chosen = changes.filter(
    change => !paths || paths.includes(change.path),
  );
  const added: KeptField[] = chosen.length
    ? chosen.map(change => ({
        path: change.path,
        ...(change.declared === undefined ? {} : { declared: change.declared }),
        ...(change.live === undefined ? {} : { live: change.live }),
        ...about,
      }))
    : [
        {
          path: WHOLE_STATE,
          declared: assessment.declared?.digest ?? 'none',
          live: assessment.live?.digest ?? 'none',
          ...about,
        },
      ];
  const others = assessment.kept.filter(
    field => !added.some(one => one.path === field.path),
  );
  const message = chosen.length
    ? `${chosen.map(change => change.path).join(', ')} keeps its live value.`
    : 'It stays as it is live.';
  const kept = [...others, ...added];
  const complete = changes.every(change =>
    kept.some(field => field.path === change.path),
  );
  return finish(
    pass,
    {
      observation,
      assessment,
      kept,
      answered: complete ? answeredBy(pass.request, message, true) : undefined,
      ending: {
        ending: 'keptLive',
        message,
        decidedBy: personal.by,
        why: personal.note ?? 'A person decided to keep what is live.',
      },
    },
    { applied: true, message },
  );
}

/** Rule 8: the state is not what the person saw. What is there now is recorded and asked about again. */
async function movedOn(
  pass: Pass,
  observation: Observation,
): Promise<PassResult> {
  const message =
    'Nothing was done: the state is no longer the one that was decided on. Look at it again.';
  const assessment = judge(pass, observation, undefined, 'noChoice');
  return finish(
    pass,
    { observation, assessment },
    { applied: false, moved: true, message },
  );
}

async function unreadable(
  pass: Pass,
  failure: Parameters<typeof recordUnreadable>[1]['failure'],
  acknowledged = false,
): Promise<PassResult> {
  const { context, lease, before, request } = pass;
  const outcome = recordUnreadable(context, {
    before,
    failure,
    trigger: request.trigger,
    by: request.decision?.by ?? request.by,
  });
  await context.store.finishPass(lease, outcome);
  context.announcer.resourceChanged(before.row, outcome.row);
  return result({
    row: outcome.row,
    unreadable: true,
    applied: acknowledged,
    message: failure.message,
  });
}

/** Nothing is left that we have to do with. */
async function forget(
  pass: Pass,
  observation: Observation,
): Promise<PassResult> {
  const { context, lease, before } = pass;
  const { row } = before;
  if (sightings(pass, observation) < 1) {
    // a single read found no declaration; only a complete listing confirms it (rule 5)
    const assessment = judge(pass, observation);
    return rest(pass, observation, assessment);
  }
  await context.store.removeResource(lease, context.clock.now());
  context.announcer.resourceChanged(row, {
    ...row,
    verdict: 'InSync',
    reason: 'Absent',
    verifiedAt: observation.at,
  });
  return result({ removed: true, message: 'It is gone on both sides.' });
}

async function finish(
  pass: Pass,
  found: Pick<
    PassRecord,
    | 'observation'
    | 'assessment'
    | 'guards'
    | 'write'
    | 'planned'
    | 'convergence'
    | 'ownedBefore'
    | 'kept'
    | 'ending'
    | 'answered'
    | 'finishedIntents'
    | 'notLaterThan'
  >,
  told: { applied: boolean; message: string; moved?: boolean },
): Promise<PassResult> {
  const { context, lease, before, request, open } = pass;
  const { row } = before;
  const record: PassRecord = {
    ...found,
    trigger: request.trigger,
    by: request.decision?.by ?? request.by,
    before: row,
    open,
    now: context.clock.now(),
    platformTitle: pass.platform?.title ?? row.ref.platform,
    keptBefore: before.kept.length,
    orphanSightings: sightings(pass, found.observation),
    finishedIntents: [
      ...(pass.settled?.finished ?? []),
      ...(found.finishedIntents ?? []),
    ],
  };
  const outcome: PassOutcome = recordPass(context, record);
  await context.store.finishPass(lease, outcome);
  context.announcer.resourceChanged(row, outcome.row);
  if (outcome.episode?.close) {
    context.announcer.episodeEnded(outcome.episode.close, row.ref.platform);
  }
  return result({ row: outcome.row, ...told });
}

function result(some: Partial<PassResult> & { message: string }): PassResult {
  return {
    removed: false,
    applied: false,
    moved: false,
    unreadable: false,
    ...some,
  };
}
