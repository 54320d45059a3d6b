/*
 * Whose a live object is, by the marks that it bears and by what is known of it.
 */
import { EvaluateInput, Facts } from './types';
import { getAt, isObject } from './pointer';

/** Ownership marks that a document bears, where its schema says that marks stand. */
function marksOf(
  schema: EvaluateInput['schema'],
  document: EvaluateInput['live'] | undefined,
): string[] {
  const mark = schema.ownershipMark;
  const found = mark && getAt(document?.value, mark.path);
  const members = isObject(found)
    ? Object.entries(found).flatMap(([name, value]) =>
        typeof value === 'string' ? [`${name}:${value}`] : [],
      )
    : found;
  return mark && Array.isArray(members)
    ? members.filter(
        (member): member is string =>
          typeof member === 'string' && member.startsWith(mark.prefix),
      )
    : [];
}

/**
 * It is ours: our writes set fields of it or created it, or it still bears the mark that it bore when we agreed.
 * Whatever we once did to it, it is not where somebody else's mark has replaced that one.
 */
export function isOurs({
  input,
  facts,
}: {
  input: EvaluateInput;
  facts: Facts;
}): boolean {
  const agreed = marksOf(input.schema, input.lastAgreed);
  const marks = marksOf(input.schema, input.live);
  if (
    facts.foreignOwner !== undefined ||
    (agreed.length > 0 &&
      marks.length > 0 &&
      !marks.some(mark => agreed.includes(mark)))
  ) {
    return false;
  }
  return (
    (input.ownedBefore?.length ?? 0) > 0 ||
    facts.createdBefore === true ||
    marks.some(mark => agreed.includes(mark)) ||
    Object.values(input.live?.owners ?? {}).some(owners =>
      owners.some(owner => owner.ours),
    )
  );
}

/** Somebody else's mark on the live object: stated by the caller, or seen where the schema says that marks stand. */
export function findForeignOwner(input: EvaluateInput): string | undefined {
  const stated = input.facts?.foreignOwner?.owner;
  if (stated !== undefined) {
    return stated;
  }
  const ours = marksOf(input.schema, input.declared);
  return ours.length > 0
    ? marksOf(input.schema, input.live).find(mark => !ours.includes(mark))
    : undefined;
}
