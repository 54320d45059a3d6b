/*
 * The rows of the classification, from top to bottom: the first whose condition holds is the verdict. docs/verdicts.md
 * shows the same table and is tested against it.
 */
import {
  Comparison,
  EvaluateInput,
  Facts,
  FieldChange,
  Problem,
  Verdict,
} from './types';
import { isOurs } from './ownershipMarks';
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
