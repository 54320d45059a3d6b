/** One look at one resource, from the lease to the record: the whole story in one place. */
import type { Facts } from '@plumbline/drift-engine';
import { traced } from '../announce/tracing';
import { firstHolding } from '../guards/guards';
import { withPriority } from '../loop/priority';
import type { ResourceLease } from '../store/driftStore';
import type { GuardAnswer, ResourceRow } from '../store/rows';
import { MAX_PLANS, sameSides, type Assessment } from './assess';
import { hasFailedForLong } from './backoff';
import type { PassContext } from './context';
import { settleIntents } from './intents';
import { readInterrupted } from './interrupted';
import { FRESH_MS, observe, type Observation } from './observe';
import { isAsSeen, keep, movedOn } from './personal';
import { isWrite } from './decision';
import { rest } from './rest';
import {
  begin,
  guard,
  judge,
  refreshSettings,
  result,
  sightings,
  type Pass,
  type PassRequest,
  type PassResult,
} from './steps';
import { unreadable } from './unreadable';
import {
  forgetAttempt,
  idleController,
  notTaken,
  verify,
  write,
} from './verify';

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
  const attributes = {
    'drift.resource.id': lease.resourceId,
    'drift.trigger': request.trigger,
  };
  return traced(context.tracing, 'drift.pass', attributes, annotate =>
    withPriority(request.priority, async () => {
      const row = await context.store.getResource(lease.resourceId);
      if (!row) {
        return result({ removed: true, message: 'It is gone on both sides.' });
      }
      const { platform, kind } = row.ref;
      annotate({ 'drift.platform': platform, 'drift.kind': kind });
      const pass = await begin(context, lease, request, row);
      const done = await follow(pass);
      annotate({
        'drift.verdict': done.row?.verdict,
        'drift.applied': done.applied,
      });
      return done;
    }),
  );
}

async function follow(pass: Pass): Promise<PassResult> {
  const { context, request, before } = pass;
  const { signal } = request;
  const { row } = before;
  const intents = await context.store.listOpenIntents(row.id);
  let observation = await observe(context, row, { signal, intents });
  if (!observation.ok) return unreadable(pass, observation);
  pass.settled = settleIntents(intents, observation, context.clock.now());
  pass.interrupted = await readInterrupted(context, intents);
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
      return rest(
        pass,
        observation,
        judgeHeld(pass, observation, assessment, guards),
        guards,
      );
    }

    // rule 1: both sides again, right before the write
    const fresh = await observe(context, row, { signal, intents });
    if (!fresh.ok) return unreadable(pass, fresh);
    // a pause, too, counts at the next write
    await refreshSettings(pass);
    const plan = judge(pass, fresh);
    if (
      sameSides(assessment, plan) &&
      observation.live?.id === fresh.live?.id &&
      plan.decision.action === assessment.decision.action
    ) {
      const answers = await guard(pass, fresh, plan);
      if (firstHolding(answers)) {
        return rest(
          pass,
          fresh,
          judgeHeld(pass, fresh, plan, answers),
          answers,
        );
      }
      const written = await write(pass, fresh, plan, answers);
      if (!written.overtaken) {
        return verify(pass, fresh, plan, answers, written);
      }
      forgetAttempt(pass, written);
    }
    if (plans >= MAX_PLANS) {
      const facts: Facts = { concurrentWriter: { attempts: plans } };
      return rest(pass, fresh, judge(pass, fresh, facts, 'noChoice'));
    }
    observation = fresh;
  }
}

/** What has surfaced about a controller that does not act stands while it is waited for. */
function judgeHeld(
  pass: Pass,
  observation: Observation,
  assessment: Assessment,
  guards: GuardAnswer[],
): Assessment {
  const { before, context, request } = pass;
  return firstHolding(guards)?.guard === 'controllerAtWork' &&
    !request.decision &&
    hasFailedForLong(before.row.failingSince, context.clock.now())
    ? judge(pass, observation, notTaken(idleController(observation)))
    : assessment;
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

/** Nothing is left that we have to do with. */
async function forget(
  pass: Pass,
  observation: Observation,
): Promise<PassResult> {
  const { context, lease, before } = pass;
  const { row } = before;
  const readFor = context.clock.now() - observation.at;
  const isKnown =
    sightings(pass, observation) >= 1 &&
    // what a pass did that was cut off is recorded first
    pass.interrupted === undefined &&
    pass.settled?.waitUntil === undefined &&
    readFor <= FRESH_MS;
  if (
    !isKnown ||
    !(await context.store.removeResource(lease, context.clock.now()))
  ) {
    // a single read found no declaration; only a complete listing confirms it (rule 5), and what may still land must be known.
    // Reads that waited long for each other are not of one time: it may be declared again by now
    const assessment = judge(pass, observation);
    return rest(pass, observation, assessment);
  }
  await context.store.bringDependentsForward({
    refs: [row.ref],
    dueAt: context.clock.now(),
  });
  context.announcer.resourceChanged(row, {
    ...row,
    verdict: 'InSync',
    reason: 'Absent',
    verifiedAt: observation.at,
  });
  return result({ removed: true, message: 'It is gone on both sides.' });
}
