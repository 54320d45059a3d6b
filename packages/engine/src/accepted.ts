/*
 * Differences that a person decided to leave: they count only while both values are as the person saw them.
 */
import { canonical } from './json/canonical';
import { AcceptedDifference, FieldChange, Json } from './types';

function same(a: Json | undefined, b: Json | undefined): boolean {
  return a === undefined || b === undefined
    ? a === b
    : canonical(a) === canonical(b);
}

/** Does a difference that a person accepted still look as it was seen? */
export function isAccepted(
  change: FieldChange,
  accepted: readonly AcceptedDifference[],
): boolean {
  return accepted.some(
    one =>
      one.path === change.path &&
      same(one.declared, change.declared) &&
      same(one.live, change.live),
  );
}
