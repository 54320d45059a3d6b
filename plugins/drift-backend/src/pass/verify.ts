/** Acting and looking what came of it: only a fresh read says what a write did (rule 4). */
import {
  acknowledgedState,
  agreedState,
  evaluate,
  ownedPointers,
  type Action,
  type Facts,
} from '@plumbline/drift-engine';
import type { GuardAnswer, ResourceRow } from '../store/rows';
import { normaliseLive, type Assessment } from './assess';
import { hasFailedForLong } from './backoff';
import { afterWrite, CALM, heated, under, withLiveDigest } from './convergence';
import type { Ending } from './episodes';
import { settleIntents } from './intents';
import { markOf } from './mark';
import { observe, type Observation } from './observe';
import { answeredBy, finish, judge, type Pass, type PassResult } from './steps';
import { unreadable } from './unreadable';
import { carryOut, type WriteFailure, type WriteResult } from './write';

export async function write(
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
export function forgetAttempt(pass: Pass, written: WriteResult): void {
  const settled = pass.settled ?? { finished: [] };
  pass.settled = {
    ...settled,
    finished: [
      ...settled.finished,
      { id: written.intentId, outcome: `Overtaken: ${written.message}` },
    ],
  };
}

/** What was done, where it is not that a declared value was put back. */
const DONE: Partial<Record<Action, string>> = {
  create: 'It was created',
  delete: 'It was deleted',
  nudge: 'The controller put it back',
};

/** Rule 4: only a fresh read says what a write did. */
export async function verify(
  pass: Pass,
  planned: Observation,
  plan: Assessment,
  guards: GuardAnswer[],
  written: WriteResult,
): Promise<PassResult> {
  const { context, request } = pass;
  const { action } = plan.decision;
  // as the intent has stored it
  const row = { ...pass.before.row, mark: markOf(pass.before.row, planned) };
  const before = { ...pass.before, row };
  pass.before = before;
  const { platform } = row.ref;
  const seenRow: ResourceRow = written.liveKey
    ? { ...row, liveKey: written.liveKey }
    : row;
  const fresh = await observe(context, seenRow, {
    signal: request.signal,
    intents: [
      {
        action: action === 'create' ? 'create' : 'update',
        locators: planned.declared?.locators ?? [],
      },
    ],
  });
  if (!fresh.ok) {
    // the intent stays open: the next pass finds out what became of it
    pass.before = { ...before, row: seenRow };
    return unreadable(pass, fresh, written.acknowledged);
  }
  const failed =
    written.failed ??
    (action === 'nudge'
      ? { ...idleController(fresh), retryAfterMs: context.config.resyncMs }
      : undefined);
  let facts: Facts | undefined;
  if (
    failed &&
    (failed.final ||
      hasFailedForLong(before.row.failingSince, context.clock.now()))
  ) {
    facts = notTaken(failed);
  }
  const found = judge(
    acknowledged(pass, plan, written, fresh),
    fresh,
    facts,
    'noChoice',
  );
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
        locators: planned.declared?.locators ?? [],
      },
    ],
    fresh,
    written.uncertain && !holds ? context.clock.now() : Infinity,
  );
  const ending: Ending | undefined = holds
    ? {
        ending: action === 'delete' ? 'resourceGone' : 'corrected',
        message: `${
          DONE[action] ?? 'It was put back'
        }, and a fresh read shows it.`,
        decidedBy: person ?? `policy (mode ${plan.inForce.policy.mode})`,
        why: plan.decision.message,
      }
    : undefined;
  const now = context.clock.now();
  let convergence = withLiveDigest(
    person
      ? CALM
      : under(before.row.convergence, {
          before: before.row.declaredDigest,
          now: plan.declared?.digest,
        }),
    plan.live?.digest ?? 'none',
  );
  if (written.acknowledged && action === 'nudge') {
    convergence = { ...convergence, nudgedAt: now };
  } else if (written.acknowledged) {
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
        failed: holds ? undefined : failed,
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

/**
 * The pass as it looks at what came of its write. What never comes back counts as agreed once the platform has taken it; and where
 * live is all that was declared then, both agreed: a declaration that moves on meanwhile moves from there, and live has not moved.
 */
function acknowledged(
  pass: Pass,
  { declared, decision, evaluation, schema }: Assessment,
  written: WriteResult,
  fresh: Observation,
): Pass {
  const { before, context } = pass;
  // a controller that was asked has written nothing yet
  const sent = decision.action === 'update' || decision.action === 'create';
  if (!written.acknowledged || !sent || !declared) return pass;
  // a create sends everything
  const unsent =
    decision.action === 'create'
      ? []
      : evaluation.changes
          .map(change => change.path)
          .filter(path => !decision.fields.includes(path));
  const lastAgreed =
    before.agreed && acknowledgedState(before.agreed, declared, unsent, schema);
  const live = fresh.live && normaliseLive(context, schema, fresh.live);
  const { ownedBefore } = before.row;
  const reached =
    live !== null &&
    evaluate({ schema, declared, live, lastAgreed, ownedBefore, facts: {} })
      .verdict === 'InSync';
  return {
    ...pass,
    before: {
      ...before,
      agreed: reached ? agreedState(declared, live, schema) : lastAgreed,
    },
  };
}

/** The controller was asked. It gets a resync to act before it is asked again, and a deadline before that surfaces. */
export function idleController({ declared }: Observation): WriteFailure {
  const name = declared?.controller?.name ?? 'the controller';
  return {
    reason: 'ControllerIdle',
    message: `${name} was asked to look again and has not put it back yet`,
    final: false,
  };
}

/** A write that keeps failing surfaces as `Blocked`. */
export function notTaken({ reason, message }: WriteFailure): Facts {
  return {
    blocked: { reason, message: `The write was not taken: ${message}` },
  };
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
