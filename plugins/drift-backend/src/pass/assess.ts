/** The middle of a pass: normalise, compare, classify and decide, on what was observed. No input or output. */
import {
  acknowledgedState,
  decide,
  digest,
  evaluate,
  normalise,
  type AcceptedDifference,
  type Decision,
  type Evaluation,
  type Facts,
  type FieldChange,
  type Json,
  type ResourceSchema,
  type State,
} from '@plumbline/drift-engine';
import type { LiveObject } from '@plumbline/backstage-plugin-drift-node';
import type { ApiSide } from '@plumbline/backstage-plugin-drift-common';
import {
  policyInForce,
  type PolicyInForce,
  type PolicyStatement,
} from '../policy/policy';
import type {
  DecisionInputs,
  KeptField,
  Millis,
  ResourceRow,
} from '../store/rows';
import { OUR_MANAGER, type PassContext } from './context';
import { convergenceFacts } from './convergence';
import type { Observation } from './observe';

/** A person's choice of a side, for all fields or for some. */
export interface Choice {
  side: ApiSide;
  paths?: string[];
}

/** What was stored about the resource when the pass began. */
export interface Before {
  row: ResourceRow;
  agreed?: State;
  kept: KeptField[];
  statements: PolicyStatement[];
}

/** Everything that follows from one observation. Redacted: safe to store, except for `schema`'s size. */
export interface Assessment {
  schema: ResourceSchema;
  declared: State | null;
  live: State | null;
  evaluation: Evaluation;
  decision: Decision;
  inForce: PolicyInForce;
  /** Kept fields that still hold; the others are dropped. */
  kept: KeptField[];
  inputs: DecisionInputs;
  /** A person left this very state as it is. */
  leftAlone?: KeptField;
}

/** Path of the one kept "field" that stands for a whole state: both digests as the person saw them. */
export const WHOLE_STATE = '';

/** A plan that was dropped so often meets somebody who writes all the time. */
export const MAX_PLANS = 3;

const CONCURRENT_REASON = 'ConcurrentWriter';

/** Reason by which the engine names a fight of two writers. */
const FIGHT_REASON = 'Fight';

const schemaDigests = new WeakMap<ResourceSchema, string>();

export function schemaDigest(schema: ResourceSchema): string {
  const known = schemaDigests.get(schema);
  if (known) return known;
  const made = digest(schema as unknown as Json);
  schemaDigests.set(schema, made);
  return made;
}

export function assess(
  context: Pick<PassContext, 'config' | 'secretDigest'>,
  before: Before,
  observation: Observation,
  options: {
    now: Millis;
    choice?: Choice;
    /** What only the caller knows: a write that failed, a side that moves all the time, orphan sightings. */
    facts?: Facts;
  },
): Assessment {
  const { row } = before;
  const { schema } = observation;
  const { now } = options;
  const { config, secretDigest } = context;
  const declared = observation.declared
    ? withProblems(
        normalise(observation.declared.document, {
          schema,
          side: 'declared',
          secretDigest,
          ourManager: OUR_MANAGER,
        }),
        observation.declared.problems,
      )
    : null;
  const live = observation.live
    ? normaliseLive(context, schema, observation.live)
    : null;
  const inForce = policyInForce({
    ref: row.ref,
    statements: before.statements,
    defaults: config.defaults,
    maxStalenessMs: config.maxStalenessMs,
    // what is declared no more was its controller's all the same
    controller: observation.declared
      ? observation.declared.controller
      : row.controller,
    readOnly: observation.declared?.readOnly,
    now,
  });
  const ours = isOurs(row, observation);
  const ownedBefore = ours || observation.declared ? row.ownedBefore : [];
  // what no read shows is agreed once the controller says that it has written it
  const lastAgreed =
    before.agreed && declared && observation.declared?.controller?.upToDate
      ? acknowledgedState(before.agreed, declared, [], schema)
      : before.agreed;
  const base = { schema, declared, live, lastAgreed, ownedBefore };
  const known: Facts = {
    ...observation.facts,
    ...(ours ? { createdBefore: true } : {}),
    ...options.facts,
  };
  let evaluation = evaluate({ ...base, facts: known });
  let facts = known;
  // a person's word ends the count: whoever says "put it back" has seen that it did not hold
  if (options.choice?.side !== 'declared') {
    const unmoved =
      row.declaredDigest === declared?.digest &&
      row.liveDigest === live?.digest;
    const told: Facts = convergenceFacts({
      convergence: row.convergence,
      changes: evaluation.changes,
      now,
      resyncMs: inForce.resyncMs ?? config.resyncMs,
      stillFighting: unmoved && row.reason === FIGHT_REASON,
      rival: rivalOf(evaluation.changes, observation.live),
    });
    // it was asked about this very state, and nobody has answered
    if (
      unmoved &&
      row.reason === CONCURRENT_REASON &&
      !known.concurrentWriter
    ) {
      told.concurrentWriter = { attempts: MAX_PLANS };
    }
    if (Object.keys(told).length) {
      facts = { ...known, ...told };
      evaluation = evaluate({ ...base, facts });
    }
  }
  const kept = stillKept(before.kept, evaluation.changes, declared, live);
  const leftAlone = kept.find(field => field.path === WHOLE_STATE);
  const choice =
    options.choice ?? (leftAlone ? { side: 'live' as const } : undefined);
  const accepted = toAccepted(kept);
  if (accepted.length) {
    facts = { ...facts, kept: accepted };
    evaluation = evaluate({ ...base, facts });
  }
  const decision = decide({
    evaluation,
    policy: inForce.policy,
    accepted,
    ...(choice ? { choice } : {}),
  });
  return {
    schema,
    declared,
    live,
    evaluation,
    decision,
    inForce,
    kept,
    leftAlone,
    inputs: {
      schemaDigest: schemaDigest(schema),
      declared,
      live,
      ...(lastAgreed ? { lastAgreed } : {}),
      ownedBefore,
      facts,
      policy: inForce.policy,
      accepted,
      ...(choice ? { choice } : {}),
    },
  };
}

/** The same assessment once a person has decided to keep these fields. */
export function withKept(
  assessment: Assessment,
  kept: KeptField[],
): Assessment {
  const { schema, inputs } = assessment;
  const accepted = toAccepted(kept);
  if (!accepted.length) return assessment;
  const { declared, live, lastAgreed, ownedBefore, policy, choice } = inputs;
  const facts: Facts = { ...inputs.facts, kept: accepted };
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
    policy,
    accepted,
    ...(choice ? { choice } : {}),
  });
  return {
    ...assessment,
    kept,
    evaluation,
    decision,
    inputs: { ...inputs, facts, accepted },
  };
}

function toAccepted(kept: KeptField[]): AcceptedDifference[] {
  return kept
    .filter(field => field.path !== WHOLE_STATE)
    .map(({ path, declared, live }) => ({
      path,
      ...(declared === undefined ? {} : { declared }),
      ...(live === undefined ? {} : { live }),
    }));
}

/**
 * It was there before. Where no declaration is left, that alone does not make the live object ours: it must bear the mark that
 * was declared with it.
 */
function isOurs(row: ResourceRow, { declared, live }: Observation): boolean {
  if (declared) return row.createdBefore;
  return (
    row.mark !== undefined &&
    live !== null &&
    live.marks.some(
      mark => mark.key === row.mark?.key && mark.value === row.mark.value,
    )
  );
}

export function normaliseLive(
  context: Pick<PassContext, 'secretDigest'>,
  schema: ResourceSchema,
  live: Pick<LiveObject, 'document'>,
): State {
  return normalise(live.document, {
    schema,
    side: 'live',
    secretDigest: context.secretDigest,
    ourManager: OUR_MANAGER,
  });
}

/** Both sides are what they were, and the same live object: a plan made on the one holds on the other. */
export function sameSides(
  a: { declared: State | null; live: State | null },
  b: { declared: State | null; live: State | null },
): boolean {
  return (
    a.declared?.digest === b.declared?.digest &&
    a.live?.digest === b.live?.digest
  );
}

/** The digests that a person sees, `none` where a side is absent. */
export function seenOf(sides: { declared: State | null; live: State | null }): {
  declared: string;
  live: string;
} {
  return {
    declared: sides.declared?.digest ?? 'none',
    live: sides.live?.digest ?? 'none',
  };
}

function withProblems(
  state: State,
  problems: State['problems'] | undefined,
): State {
  if (!problems?.length) return state;
  return {
    value: state.value,
    digest: state.digest,
    problems: [...state.problems, ...problems],
    warnings: state.warnings,
    ...(state.owners ? { owners: state.owners } : {}),
  };
}

/** Who else writes to the fields that differ, where the platform says so. */
export function rivalOf(
  changes: FieldChange[],
  live: LiveObject | null,
): string | undefined {
  for (const change of changes) {
    const other = change.owners?.find(owner => !owner.ours);
    if (other) return other.manager;
  }
  return live?.changedBy;
}

function stillKept(
  kept: KeptField[],
  changes: FieldChange[],
  declared: State | null,
  live: State | null,
): KeptField[] {
  return kept.filter(field => {
    if (field.path === WHOLE_STATE) {
      return (
        field.declared === (declared?.digest ?? 'none') &&
        field.live === (live?.digest ?? 'none')
      );
    }
    const change = changes.find(other => other.path === field.path);
    return (
      change !== undefined &&
      sameValue(change.declared, field.declared) &&
      sameValue(change.live, field.live)
    );
  });
}

function sameValue(a: Json | undefined, b: Json | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return digest(a) === digest(b);
}
