/** Acting: the intent first, the lease asked once more, then one write, then a fresh read (rules 1 to 4 and 7). */
import { randomUUID } from 'node:crypto';
import {
  isPlatformError,
  PlatformError,
  type DeclaredResource,
  type Platform,
} from '@plumbline/backstage-plugin-drift-node';
import { NotFoundError } from '@backstage/errors';
import { withLastCheck } from '../loop/lastCheck';
import { LeaseLostError, type ResourceLease } from '../store/driftStore';
import type { GuardAnswer, ResourceRow } from '../store/rows';
import type { Assessment } from './assess';
import type { PassContext } from './context';
import { describeFailure, FRESH_MS, type Observation } from './observe';
import { makeDecision } from './decision';
import { markOf } from './mark';

/** A plan, made from fresh reads of both sides. */
export interface Plan {
  row: ResourceRow;
  platform: Platform;
  observation: Observation;
  assessment: Assessment;
  guards: GuardAnswer[];
  trigger: string;
  by?: string;
}

/** A write that the platform did not take. */
export interface WriteFailure {
  reason: string;
  message: string;
  retryAfterMs?: number;
  /** It surfaces as `Blocked` at once. */
  final: boolean;
}

export interface WriteResult {
  decisionId: string;
  intentId: string;
  /** The platform acknowledged it. */
  acknowledged: boolean;
  /** No answer came: it may or may not have taken effect. The intent stays open until that is known. */
  uncertain: boolean;
  /** Somebody else was there first: the plan is void. */
  overtaken: boolean;
  message: string;
  failed?: WriteFailure;
  /** Key of what was created. */
  liveKey?: string;
}

/** Carries a plan out. Throws only `LeaseLostError`, an abort, and errors of our own database. */
export async function carryOut(
  context: Pick<PassContext, 'store' | 'clock' | 'sources' | 'announcer'>,
  lease: ResourceLease,
  plan: Plan,
  options: { signal: AbortSignal },
): Promise<WriteResult> {
  const { store, clock } = context;
  const { row, observation, assessment } = plan;
  const action = assessment.decision.action;
  if (
    action !== 'create' &&
    action !== 'update' &&
    action !== 'delete' &&
    action !== 'nudge'
  ) {
    throw new TypeError(`Action ${action} is no write`);
  }
  const decision = makeDecision({
    id: randomUUID(),
    resourceId: row.id,
    trigger: plan.trigger,
    by: plan.by,
    observation,
    assessment,
    guards: plan.guards,
    now: clock.now(),
  });
  const intentId = randomUUID();
  // rule 3: the intention outlives this process
  await store.addIntent(
    lease,
    {
      id: intentId,
      resourceId: row.id,
      decisionId: decision.id,
      action,
      createdAt: clock.now(),
      leaseToken: lease.token,
      liveDigest: assessment.live?.digest ?? 'none',
      locators: observation.declared?.locators ?? [],
      mark: markOf(row, observation),
    },
    decision,
    clock.now(),
  );
  // rule 7: a process that slept through its lease stops here
  await store.assertLease(lease, clock.now());
  const base = {
    decisionId: decision.id,
    intentId,
    uncertain: false,
    overtaken: false,
  };
  try {
    const done = await withLastCheck(
      stillHolds(context, lease, plan.observation),
      () => act(context, plan, options.signal),
    );
    return { ...base, acknowledged: true, ...done };
  } catch (error) {
    if (options.signal.aborted || error instanceof LeaseLostError) throw error;
    const told = describeFailure(error);
    const classified = isPlatformError(error);
    context.announcer.wrote(row.ref.platform, action, 'failed');
    return {
      ...base,
      acknowledged: false,
      uncertain: !classified || error.mayHaveTakenEffect,
      overtaken: told.classification === 'conflict',
      message: told.message,
      failed: {
        message: told.message,
        retryAfterMs: told.retryAfterMs,
        reason: told.reason,
        // what we may not do, and where nothing is any more, time alone does not heal; a refusal of the content is sometimes a
        // passing one
        final:
          told.classification === 'denied' ||
          told.classification === 'gone' ||
          (told.classification === 'invalid' && row.attempts >= 2),
      },
    };
  }
}

/** Rules 1 and 7 once more, when its turn comes: the platform may have asked for silence, or this process may have slept. */
function stillHolds(
  { store, clock }: Pick<PassContext, 'store' | 'clock'>,
  lease: ResourceLease,
  { at, readAt = at }: Observation,
): (tries: number) => Promise<void> {
  let requests = 0;
  return async tries => {
    if (tries === 1) requests += 1;
    await store.assertLease(lease, clock.now());
    // a write of several requests is not left half done
    if (requests === 1 && clock.now() - readAt > FRESH_MS) {
      throw new PlatformError(
        'throttled',
        'Its turn came so late that both sides must be read again first',
        { retryAfterMs: 1 },
      );
    }
  };
}

async function act(
  context: Pick<PassContext, 'sources' | 'clock'>,
  plan: Plan,
  signal: AbortSignal,
): Promise<{ message: string; liveKey?: string }> {
  const { platform, row, observation, assessment } = plan;
  const { decision, evaluation } = assessment;
  const { declared, live } = observation;
  if (decision.action === 'delete') {
    if (!live) return { message: 'It was gone already.' };
    await platform.remove({ ref: row.ref, live }, { signal });
    return { message: 'Deleted.' };
  }
  if (!declared) {
    throw new NotFoundError(`Nothing declares ${row.title} any more`);
  }
  if (decision.action === 'nudge') {
    return nudge(context, declared, signal);
  }
  const leftovers = new Set(
    evaluation.changes
      .filter(change => change.kind === 'leftover')
      .map(change => change.path),
  );
  const receipt = await platform.write(
    {
      ref: row.ref,
      declared,
      live,
      fields: decision.fields.filter(path => !leftovers.has(path)),
      removals: decision.fields.filter(path => leftovers.has(path)),
      kept: decision.kept,
      schema: assessment.schema,
    },
    { signal },
  );
  return {
    message: `Acknowledged: ${receipt.requests.join(', ')}.`,
    liveKey: receipt.key,
  };
}

async function nudge(
  context: Pick<PassContext, 'sources' | 'clock'>,
  declared: DeclaredResource,
  signal: AbortSignal,
): Promise<{ message: string }> {
  const source = context.sources.get(declared.origin.source);
  if (!source?.nudge) {
    throw new NotFoundError(
      `${
        source?.title ?? declared.origin.source
      } cannot ask its controller to look again; set actuator: direct to write without it`,
    );
  }
  return source.nudge(declared, {
    signal,
    requestedAt: new Date(context.clock.now()).toISOString(),
  });
}
