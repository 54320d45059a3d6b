/*
 * The third step: from what differs and what is known besides to one verdict.
 */
import { Comparison, EvaluateInput, Evaluation } from './types';
import { isAccepted } from './accepted';
import { CLASSIFICATION_TABLE, Situation } from './classificationTable';
import { compare } from './compare/compare';
import { missingFields } from './normalise/required';
import { findForeignOwner } from './ownershipMarks';

const NOTHING: Comparison = {
  changes: [],
  extras: [],
  reordered: [],
  warnings: [],
};

/**
 * Gives the verdict for a comparison.
 *
 * @param comparison - of the two states of `input`; not needed where a side is missing or invalid
 * @public
 */
export function classify(
  input: EvaluateInput,
  comparison: Comparison = NOTHING,
): Evaluation {
  const foreignOwner = findForeignOwner(input);
  const kept = input.facts?.kept ?? [];
  const own = comparison.changes.filter(change => !change.contested);
  const situation: Situation = {
    input,
    comparison,
    facts: input.facts ?? {},
    own,
    open: own.filter(change => !isAccepted(change, kept)),
    declaredProblems: input.declared?.problems ?? [],
    liveProblems: input.live?.problems ?? [],
    ...(foreignOwner === undefined ? {} : { foreignOwner }),
  };
  const row =
    CLASSIFICATION_TABLE.find(candidate => candidate.test(situation)) ??
    CLASSIFICATION_TABLE[CLASSIFICATION_TABLE.length - 1];
  const facts = situation.facts;
  let reason = row.reason;
  if (row.id === 'unverified') reason = facts.unverified?.reason ?? reason;
  if (row.id === 'blocked') reason = facts.blocked?.reason ?? reason;
  return {
    verdict: row.verdict,
    reason,
    message: row.message(situation),
    rule: row.id,
    changes: comparison.changes,
    extras: comparison.extras,
    reordered: comparison.reordered,
    warnings: comparison.warnings,
    problems: [...situation.declaredProblems, ...situation.liveProblems],
  };
}

/** The declaration, with what a write of it would lack among its problems. */
function withMissingFields({
  schema,
  declared,
  live,
  dryRun,
}: EvaluateInput): EvaluateInput['declared'] {
  const missing = declared
    ? missingFields(schema, declared.value, (dryRun ?? live)?.value)
    : [];
  return declared && missing.length > 0
    ? { ...declared, problems: [...declared.problems, ...missing] }
    : declared;
}

/**
 * Compares and classifies: from two states and what is known besides to the verdict. Total and deterministic.
 *
 * @public
 */
export function evaluate(input: EvaluateInput): Evaluation {
  const { live } = input;
  const declared = withMissingFields(input);
  const comparable =
    declared !== null &&
    live !== null &&
    declared.problems.length === 0 &&
    live.problems.length === 0;
  return classify(
    declared === input.declared ? input : { ...input, declared },
    comparable ? compare({ ...input, declared, live }) : NOTHING,
  );
}
