/** A side could not be read: nothing is concluded, nothing is lost, and the next time is set (rules 5 and 10). */
import { randomUUID } from 'node:crypto';
import { decide, evaluate, type ResourceSchema } from '@plumbline/drift-engine';
import type { PassOutcome } from '../store/driftStore';
import type { DecisionInputs, DecisionRow, ResourceRow } from '../store/rows';
import { schemaDigest, type Before } from './assess';
import { backoffMs, hasFailedForLong } from './backoff';
import type { PassContext } from './context';
import type { FailedObservation } from './observe';
import { ENGINE_VERSION } from './version';

// nothing was read, so nothing is known of its shape
const NO_SCHEMA: ResourceSchema = {
  kind: 'unknown',
  platform: 'unknown',
  root: {},
  partial: true,
};

export function recordUnreadable(
  context: Pick<PassContext, 'random' | 'clock'>,
  pass: {
    before: Before;
    failure: Omit<FailedObservation, 'ok' | 'side'>;
    trigger: string;
    by?: string;
  },
): PassOutcome {
  const { before, failure } = pass;
  const { row } = before;
  const now = context.clock.now();
  const facts = {
    unverified: { reason: failure.reason, message: failure.message },
  };
  const evaluation = evaluate({
    schema: NO_SCHEMA,
    declared: null,
    live: null,
    facts,
  });
  const decision = decide({ evaluation, policy: row.policy });
  const attempts = row.attempts + 1;
  const failingSince = row.failingSince ?? now;
  const wait = Math.max(
    backoffMs(attempts, context.random),
    failure.retryAfterMs ?? 0,
  );
  const after: ResourceRow = {
    ...row,
    verdict: evaluation.verdict,
    reason: evaluation.reason,
    message: evaluation.message,
    since: row.verdict === evaluation.verdict ? row.since : now,
    dirty: true,
    attempts,
    failingSince,
    dueAt: now + wait,
    next: {
      message: hasFailedForLong(failingSince, now)
        ? `It has failed ${attempts} times since ${new Date(
            failingSince,
          ).toISOString()}; it is looked at again every few minutes.`
        : 'It is tried again shortly, a little later each time.',
      mayWrite: false,
    },
  };
  const inputs: DecisionInputs = {
    schemaDigest: schemaDigest(NO_SCHEMA),
    declared: null,
    live: null,
    ownedBefore: [],
    facts,
    policy: row.policy,
    accepted: [],
  };
  const happened =
    pass.by !== undefined ||
    row.verdict !== after.verdict ||
    row.reason !== after.reason;
  const stored: DecisionRow | undefined = happened
    ? {
        id: randomUUID(),
        resourceId: row.id,
        at: now,
        trigger: pass.trigger,
        by: pass.by,
        verdict: evaluation.verdict,
        reason: evaluation.reason,
        rule: decision.rule,
        action: decision.action,
        message: decision.message,
        declaredVersion: row.declaredVersion,
        declaredDigest: row.declaredDigest,
        liveVersion: row.liveVersion,
        liveDigest: row.liveDigest,
        plan: [],
        guards: [],
        engineVersion: ENGINE_VERSION,
        inputs,
        schema: NO_SCHEMA,
      }
    : undefined;
  return { row: after, states: {}, ...(stored ? { decision: stored } : {}) };
}
