/*
 * The third step: from what differs and what is known besides to one verdict. The first row whose condition holds
 * is the verdict; docs/verdicts.md shows the same table and is tested against it.
 */
import {
  Comparison,
  EvaluateInput,
  Evaluation,
  Facts,
  FieldChange,
  Problem,
  Verdict,
} from './types';
import { isAccepted } from './accepted';
import { getAt, isObject } from './pointer';
import { compare } from './compare/compare';
import { missingFields } from './normalise/required';
import { sayChanges, sayList, sayPaths } from './say';

/** What the rows look at. */
export interface Situation {
  input: EvaluateInput;
  comparison: Comparison;
  facts: Facts;
  /** Changes that nobody else keeps. */
  own: FieldChange[];
  /** Those of them whose live value no person decided to keep. */
  open: FieldChange[];
  declaredProblems: Problem[];
  liveProblems: Problem[];
  foreignOwner?: string;
}

/** @public */
export interface ClassificationRow {
  id: string;
  verdict: Verdict;
  reason: string;
  /** The condition in words, for the documentation. */
  when: string;
  test(situation: Situation): boolean;
  message(situation: Situation): string;
}

const first = (problems: Problem[]) => problems[0]?.message ?? '';

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
function isOurs({ input, facts }: Situation): boolean {
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

const isOnceAgreed = ({ input, facts }: Situation) =>
  input.lastAgreed !== undefined || facts.createdBefore === true;

const moved = (changes: FieldChange[], by: FieldChange['movedBy']) =>
  changes.filter(change => change.movedBy === by);

/** Sightings, each in a complete read, after which an object without a declaration counts as an orphan. @public */
export const ORPHAN_SIGHTINGS = 2;

/** Acknowledged writes that left the same difference, after which writing stops. @public */
export const NON_CONVERGENT_WRITES = 2;

/**
 * The classification table, read from top to bottom.
 *
 * @public
 */
export const CLASSIFICATION_TABLE: readonly ClassificationRow[] = [
  {
    id: 'unverified',
    verdict: 'Unknown',
    reason: 'Unverified',
    when: 'A side could not be read freshly.',
    test: s => s.facts.unverified !== undefined,
    message: s => s.facts.unverified?.message ?? '',
  },
  {
    id: 'nothing-anywhere',
    verdict: 'InSync',
    reason: 'Absent',
    when: 'Nothing is declared and nothing is live.',
    test: s => s.input.declared === null && s.input.live === null,
    message: () => 'Nothing is declared, and nothing is there.',
  },
  {
    id: 'unmanaged',
    verdict: 'Unknown',
    reason: 'Unmanaged',
    when: 'Nothing is declared, and the live object is not ours: we set no field of it, did not create it, and it does not bear the mark that it bore when we agreed; or it bears somebody else’s mark instead.',
    test: s => s.input.declared === null && !isOurs(s),
    message: () =>
      'Nobody declares it and it does not bear our mark: it is not ours to judge.',
  },
  {
    id: 'orphan-unconfirmed',
    verdict: 'Unknown',
    reason: 'OrphanUnconfirmed',
    when: `Nothing is declared, the live object is ours, and fewer than ${ORPHAN_SIGHTINGS} complete reads in a row have said so.`,
    test: s =>
      s.input.declared === null &&
      (s.facts.orphanSightings ?? ORPHAN_SIGHTINGS) < ORPHAN_SIGHTINGS,
    message: () =>
      'Its declaration was not found; another complete read must confirm that before it counts as an orphan.',
  },
  {
    id: 'orphaned',
    verdict: 'Orphaned',
    reason: 'NoDeclaration',
    when: 'Nothing is declared, and the live object is ours.',
    test: s => s.input.declared === null,
    message: () => 'It is ours and still live, but no declaration is left.',
  },
  {
    id: 'invalid',
    verdict: 'Invalid',
    reason: 'InvalidDeclaration',
    when: 'The declaration has a problem: a wrong type, a value that the platform refuses, a required field that nobody gives, a key twice in a list, a dangling reference.',
    test: s => s.declaredProblems.length > 0,
    message: s =>
      s.declaredProblems.length === 1
        ? `The declaration is wrong: ${first(s.declaredProblems)}`
        : `The declaration is wrong in ${
            s.declaredProblems.length
          } places: ${first(s.declaredProblems)}`,
  },
  {
    id: 'unreadable',
    verdict: 'Unknown',
    reason: 'UnreadableLive',
    when: 'The live document cannot be compared: not an object, or read at another version.',
    test: s => s.liveProblems.length > 0,
    message: s =>
      `The live document cannot be compared: ${first(s.liveProblems)}`,
  },
  {
    id: 'rival-claims',
    verdict: 'Conflicted',
    reason: 'RivalClaims',
    when: 'Other declarations claim the same live object.',
    test: s => (s.facts.rivalClaims?.length ?? 0) > 0,
    message: s =>
      `More than one declaration claims this object: also ${sayList(
        s.facts.rivalClaims ?? [],
      )}.`,
  },
  {
    id: 'ambiguous-match',
    verdict: 'Conflicted',
    reason: 'AmbiguousMatch',
    when: 'Several live objects answer to this declaration.',
    test: s => (s.facts.ambiguousMatches?.length ?? 0) > 0,
    message: s =>
      `Several live objects answer to this declaration: ${sayList(
        s.facts.ambiguousMatches ?? [],
      )}.`,
  },
  {
    id: 'foreign-owner',
    verdict: 'Conflicted',
    reason: 'ForeignOwner',
    when: "The live object bears somebody else's ownership mark.",
    test: s => s.input.live !== null && s.foreignOwner !== undefined,
    message: s =>
      `The live object belongs to somebody else: ${s.foreignOwner}.`,
  },
  {
    id: 'in-sync',
    verdict: 'InSync',
    reason: 'Equal',
    when: 'Both sides are there, and every declared field equals its live value.',
    test: s => s.input.live !== null && s.comparison.changes.length === 0,
    message: () => 'Every declared field equals its live value.',
  },
  {
    id: 'blocked',
    verdict: 'Blocked',
    reason: 'Blocked',
    when: 'We may not act: a permission, a quota, a guard or a dependency is missing.',
    test: s => s.facts.blocked !== undefined,
    message: s => s.facts.blocked?.message ?? '',
  },
  {
    id: 'missing',
    verdict: 'Missing',
    reason: 'Deleted',
    when: 'A fresh read answered 404, and it was there before: agreed once, or created by us.',
    test: s => s.input.live === null && isOnceAgreed(s),
    message: () => 'It is declared and was there before, but is gone live.',
  },
  {
    id: 'never-created',
    verdict: 'Pending',
    reason: 'NeverCreated',
    when: 'A fresh read answered 404, and it was never seen live.',
    test: s => s.input.live === null,
    message: () => 'It is declared and was not created yet.',
  },
  {
    id: 'concurrent-writer',
    verdict: 'Conflicted',
    reason: 'ConcurrentWriter',
    when: 'Plan after plan was dropped because a side changed right before the write.',
    test: s => s.facts.concurrentWriter !== undefined,
    message: s =>
      `Somebody else writes at the same time: the plan was dropped ${s.facts.concurrentWriter?.attempts} times in a row.`,
  },
  {
    id: 'non-convergent',
    verdict: 'NonConvergent',
    reason: 'SameDiffAfterWrite',
    when: `${NON_CONVERGENT_WRITES} acknowledged writes in a row left the same difference.`,
    test: s => (s.facts.sameDiffAfterWrites ?? 0) >= NON_CONVERGENT_WRITES,
    message: s =>
      `${
        s.facts.sameDiffAfterWrites
      } writes were acknowledged, and still ${sayChanges(
        s.comparison.changes,
      )}.`,
  },
  {
    id: 'fight',
    verdict: 'Contested',
    reason: 'Fight',
    when: 'Two writers fight over it: too many writes in a short time, or the same states alternate.',
    test: s => s.facts.fight !== undefined,
    message: s => s.facts.fight?.message ?? '',
  },
  {
    id: 'contested',
    verdict: 'Contested',
    reason: 'OwnedByController',
    when: 'Every field that differs is owned by another controller that keeps it (an autoscaler).',
    test: s => s.own.length === 0,
    message: s => {
      const managers = s.comparison.changes.flatMap(change =>
        (change.owners ?? []).map(owner => owner.manager),
      );
      return `${sayPaths(s.comparison.changes)} is kept by ${sayList([
        ...new Set(managers),
      ])}.`;
    },
  },
  {
    id: 'kept-live',
    verdict: 'Drifted',
    reason: 'KeptLive',
    when: 'Of every field that differs and is nobody else’s, a person decided to keep the live value, and both values are as that person saw them.',
    test: s => s.open.length === 0,
    message: s =>
      `A person decided to keep what is live: ${sayChanges(s.own)}.`,
  },
  {
    id: 'both-changed',
    verdict: 'Conflicted',
    reason: 'BothChanged',
    when: 'Both sides moved the same field since they last agreed, to different values.',
    test: s => moved(s.open, 'both').length > 0,
    message: s =>
      `Both sides changed ${sayPaths(
        moved(s.open, 'both'),
      )} since they last agreed: ${sayChanges(moved(s.open, 'both'))}.`,
  },
  {
    id: 'first-sight',
    verdict: 'Drifted',
    reason: 'FirstSight',
    when: 'Something differs, and there is no last agreed state to say who moved.',
    test: s => moved(s.open, 'unknown').some(c => c.kind !== 'leftover'),
    message: s =>
      `It was different when first seen, and there is no history to say who moved: ${sayChanges(
        s.open,
      )}.`,
  },
  {
    id: 'live-moved',
    verdict: 'Drifted',
    reason: 'LiveMoved',
    when: 'Live moved away from the last agreed state in at least one field.',
    test: s => moved(s.open, 'live').length > 0,
    message: s => `Live moved: ${sayChanges(moved(s.open, 'live'))}.`,
  },
  {
    id: 'leftover',
    verdict: 'Drifted',
    reason: 'Leftover',
    when: 'A field that we set and no longer declare is still there.',
    test: s => s.open.some(change => change.kind === 'leftover'),
    message: s =>
      `We set it once: ${sayChanges(
        s.open.filter(change => change.kind === 'leftover'),
      )}.`,
  },
  {
    id: 'declared-moved',
    verdict: 'Pending',
    reason: 'DeclaredMoved',
    when: 'Only the declaration moved on since both sides last agreed.',
    test: () => true,
    message: s => `The declaration moved on: ${sayChanges(s.open)}.`,
  },
];

const NOTHING: Comparison = {
  changes: [],
  extras: [],
  reordered: [],
  warnings: [],
};

/** Somebody else's mark on the live object: stated by the caller, or seen where the schema says that marks stand. */
function findForeignOwner(input: EvaluateInput): string | undefined {
  const stated = input.facts?.foreignOwner?.owner;
  if (stated !== undefined) {
    return stated;
  }
  const ours = marksOf(input.schema, input.declared);
  return ours.length > 0
    ? marksOf(input.schema, input.live).find(mark => !ours.includes(mark))
    : undefined;
}

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
