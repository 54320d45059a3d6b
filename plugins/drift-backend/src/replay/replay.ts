/** Computes a stored decision again from its stored inputs and says whether the answer is the same (rule 6). Pure. */
import {
  decide,
  digest,
  evaluate,
  type ResourceSchema,
  type State,
} from '@plumbline/drift-engine';
import { planLines } from '../pass/decision';
import { ENGINE_VERSION } from '../pass/version';
import type { DecisionRow } from '../store/rows';

/** One part of the answer that is another one today. */
export interface ReplayDifference {
  what: string;
  stored: string;
  replayed: string;
}

/**
 * - `same`: the same answer. - `different`: another one; `differences` says in what. - `notReplayable`: its inputs are not all there,
 * and `why` says which.
 *
 * @public
 */
export type Replay = {
  id: string;
  resourceId: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** The engine that decided, and the one that decides now. */
  engineVersion: { stored: string; replayed: string };
} & (
  | { outcome: 'same' }
  | { outcome: 'different'; differences: ReplayDifference[] }
  | { outcome: 'notReplayable'; why: string }
);

/**
 * Evaluates and decides again. Needs no secret: the inputs are stored redacted, and equal secrets have equal digests.
 *
 * @param schema - what `inputs.schemaDigest` stands for; undefined where the store does not have it (any more)
 */
export function replayDecision(
  stored: DecisionRow,
  schema: ResourceSchema | undefined,
): Replay {
  const { inputs } = stored;
  const about = {
    id: stored.id,
    resourceId: stored.resourceId,
    at: stored.at,
    engineVersion: { stored: stored.engineVersion, replayed: ENGINE_VERSION },
  };
  const why = whatIsMissing(stored, schema);
  if (!schema || why) {
    return { ...about, outcome: 'notReplayable', why: why ?? 'No schema' };
  }
  const { declared, live, lastAgreed, ownedBefore, facts } = inputs;
  const evaluation = evaluate({
    schema,
    declared,
    live,
    lastAgreed,
    ownedBefore,
    facts,
  });
  const decision = decide({
    evaluation,
    policy: inputs.policy,
    accepted: inputs.accepted,
    ...(inputs.choice ? { choice: inputs.choice } : {}),
  });
  const differences = [
    compared('verdict', stored.verdict, evaluation.verdict),
    compared('reason', stored.reason, evaluation.reason),
    compared('rule', stored.rule, decision.rule),
    compared('action', stored.action, decision.action),
    compared(
      'plan',
      stored.plan.join(', ') || 'nothing',
      planLines({ decision, evaluation }).join(', ') || 'nothing',
    ),
    compared('message', stored.message, decision.message),
  ].flat();
  return differences.length
    ? { ...about, outcome: 'different', differences }
    : { ...about, outcome: 'same' };
}

function whatIsMissing(
  { inputs }: DecisionRow,
  schema: ResourceSchema | undefined,
): string | undefined {
  if (!schema) {
    return `The schema with digest ${inputs.schemaDigest} is not stored: the decision is older than the storing of schemas`;
  }
  for (const side of ['declared', 'live', 'lastAgreed'] as const) {
    if (!isIntact(inputs[side])) {
      return `The stored ${side} state is not what its digest says: it was changed after the decision`;
    }
  }
  return undefined;
}

function isIntact(state: State | null | undefined): boolean {
  return !state || digest(state.value) === state.digest;
}

function compared(
  what: string,
  stored: string,
  replayed: string,
): ReplayDifference[] {
  return stored === replayed ? [] : [{ what, stored, replayed }];
}
