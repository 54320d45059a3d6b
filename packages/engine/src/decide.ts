/*
 * The fourth step: from a verdict and the policy to one action. The first row whose condition holds is the decision;
 * docs/verdicts.md shows the same table and is tested against it.
 */
import { Action, DecideInput, Decision, FieldChange, Pointer } from './types';
import { isAccepted } from './accepted';
import { sayList } from './say';

/** What the rows look at. */
export interface Question {
  input: DecideInput;
  /** Fields that may be written. */
  write: Pointer[];
  /** Fields that wait for a person. */
  asks: Pointer[];
  /** Fields that stay as they are live for any other reason. */
  stays: Pointer[];
  /** A person chose the declared side, for at least one of the fields here or for the whole resource. */
  chosen: boolean;
  /** There is nothing live yet. */
  creating: boolean;
}

/** @public */
export interface DecisionRow {
  id: string;
  action: Action;
  /** The condition in words, for the documentation. */
  when: string;
  /** What happens, in words. */
  text: string;
  test(question: Question): boolean;
  message(question: Question): string;
}

const verdict = (q: Question) => q.input.evaluation.verdict;
const policy = (q: Question) => q.input.policy;

/** A choice between two sides settles these no more than it settles who is who. */
const NEEDS_MORE_THAN_A_SIDE = ['RivalClaims', 'AmbiguousMatch'];

const because = (q: Question) => q.input.evaluation.message;

const fields = (pointers: Pointer[]) =>
  `${pointers.length} ${pointers.length === 1 ? 'field' : 'fields'} (${sayList(
    pointers,
  )})`;

/** The words that agree with how many fields they are said of. */
const put = (pointers: Pointer[]) =>
  `${fields(pointers)} ${pointers.length === 1 ? 'is' : 'are'} put as declared`;
const wait = (pointers: Pointer[]) =>
  `${fields(pointers)} ${
    pointers.length === 1 ? 'waits' : 'wait'
  } for a person`;
const leave = (pointers: Pointer[]) =>
  `${fields(pointers)} as ${pointers.length === 1 ? 'it is' : 'they are'} live`;

/**
 * The decision table, read from top to bottom. Every row either writes nothing or stands below all rows that forbid
 * writing.
 *
 * @public
 */
export const DECISION_TABLE: readonly DecisionRow[] = [
  {
    id: 'in-sync',
    action: 'none',
    when: 'The verdict is InSync.',
    text: 'Nothing to do.',
    test: q => verdict(q) === 'InSync',
    message: () => 'Nothing to do: both sides are equal.',
  },
  {
    id: 'unmanaged',
    action: 'none',
    when: 'The verdict is Unknown because nobody declares the object and it is not ours.',
    text: 'Nothing to do.',
    test: q => q.input.evaluation.rule === 'unmanaged',
    message: () => 'Nothing to do: it is not ours.',
  },
  {
    id: 'unverified',
    action: 'hold',
    when: 'The verdict is Unknown.',
    text: 'Write nothing and look again: unknown is not absent.',
    test: q => verdict(q) === 'Unknown',
    message: q => `Nothing is written on a doubt. ${because(q)}`,
  },
  {
    id: 'paused',
    action: 'hold',
    when: 'The resource is paused.',
    text: 'Write nothing until the pause ends.',
    test: q => policy(q).paused,
    message: () => 'Paused: nothing is written until the pause ends.',
  },
  {
    id: 'invalid',
    action: 'hold',
    when: 'The verdict is Invalid.',
    text: 'Write nothing; the declaration must be put right.',
    test: q => verdict(q) === 'Invalid',
    message: q =>
      `Nothing is written until the declaration is put right. ${because(q)}`,
  },
  {
    id: 'blocked',
    action: 'hold',
    when: 'The verdict is Blocked.',
    text: 'Write nothing until what is missing is there.',
    test: q => verdict(q) === 'Blocked',
    message: q => `Nothing can be written. ${because(q)}`,
  },
  {
    id: 'kept-by-choice',
    action: 'none',
    when: 'A person chose to keep the live side as a whole.',
    text: 'Leave everything as it is live.',
    test: q =>
      q.input.choice?.side === 'live' && q.input.choice.paths === undefined,
    message: () => 'A person chose to keep the live side.',
  },
  {
    id: 'unclear-object',
    action: 'ask',
    when: 'The verdict is Conflicted because several declarations or several live objects claim each other.',
    text: 'A person must first say which belongs to which; a choice of side is not enough.',
    test: q =>
      verdict(q) === 'Conflicted' &&
      NEEDS_MORE_THAN_A_SIDE.includes(q.input.evaluation.reason),
    message: because,
  },
  {
    id: 'conflicted',
    action: 'ask',
    when: 'The verdict is Conflicted, and no person has chosen a side.',
    text: 'Write nothing, not even the fields that are not in conflict; a person decides.',
    test: q => verdict(q) === 'Conflicted' && !q.chosen,
    message: q => `A person must choose a side. ${because(q)}`,
  },
  {
    id: 'non-convergent',
    action: 'hold',
    when: 'The verdict is NonConvergent, and no person has ordered another attempt.',
    text: 'Stop writing what does not hold.',
    test: q => verdict(q) === 'NonConvergent' && !q.chosen,
    message: q => `Writing again would not help. ${because(q)}`,
  },
  {
    id: 'contested',
    action: 'hold',
    when: 'The verdict is Contested, and no person has ordered another attempt.',
    text: 'Leave the field to the controller that keeps it.',
    test: q =>
      verdict(q) === 'Contested' && (!q.chosen || q.write.length === 0),
    message: q => `The other writer is left alone. ${because(q)}`,
  },
  {
    id: 'observe-chosen',
    action: 'hold',
    when: 'The mode is observe, and a person chose the declared side.',
    text: 'Write nothing: the mode must be changed first.',
    test: q => policy(q).mode === 'observe' && q.chosen,
    message: () =>
      'A person chose the declared side, but the mode is observe, which never writes: set it to ask or enforce.',
  },
  {
    id: 'observe',
    action: 'none',
    when: 'The mode is observe.',
    text: 'Show it, and write nothing.',
    test: q => policy(q).mode === 'observe',
    message: () => 'The mode is observe: it is shown, and nothing is written.',
  },
  {
    id: 'orphan-kept',
    action: 'none',
    when: 'The verdict is Orphaned, prune is off, and no person has ordered the deletion.',
    text: 'Leave the live object.',
    test: q => verdict(q) === 'Orphaned' && !policy(q).prune && !q.chosen,
    message: () => 'It is left alone: pruning is off.',
  },
  {
    id: 'orphan-of-an-operator',
    action: 'hold',
    when: 'The verdict is Orphaned, and another controller is the actuator.',
    text: 'Never delete what another controller reconciles.',
    test: q => verdict(q) === 'Orphaned' && policy(q).actuator === 'operator',
    message: () =>
      'Another controller reconciles it: deleting it is that controller’s business.',
  },
  {
    id: 'orphan-proposed',
    action: 'propose',
    when: 'The verdict is Orphaned, prune is on, the mode is ask, and no person has agreed yet.',
    text: 'A plan to delete waits for a person.',
    test: q =>
      verdict(q) === 'Orphaned' && policy(q).mode === 'ask' && !q.chosen,
    message: () => 'A plan to delete it waits for a person.',
  },
  {
    id: 'prune',
    action: 'delete',
    when: 'The verdict is Orphaned, and the policy or a person orders the deletion.',
    text: 'Delete the live object.',
    test: q => verdict(q) === 'Orphaned',
    message: () => 'It is deleted: no declaration is left, and pruning is on.',
  },
  {
    id: 'deletion-accepted',
    action: 'none',
    when: 'The verdict is Missing, onLiveEdit is accept, and no person chose otherwise.',
    text: 'Leave it deleted.',
    test: q =>
      verdict(q) === 'Missing' &&
      policy(q).onLiveEdit === 'accept' &&
      !q.chosen,
    message: () => 'It was deleted live, and live edits are accepted here.',
  },
  {
    id: 'deletion-asked',
    action: 'ask',
    when: 'The verdict is Missing, onLiveEdit is ask, and no person has chosen.',
    text: 'A person says whether it is created again.',
    test: q =>
      verdict(q) === 'Missing' && policy(q).onLiveEdit === 'ask' && !q.chosen,
    message: () =>
      'It was deleted live: a person says whether it is created again.',
  },
  {
    id: 'create-proposed',
    action: 'propose',
    when: 'Nothing is live, the mode is ask, and no person has agreed yet.',
    text: 'A plan to create waits for a person.',
    test: q => q.creating && policy(q).mode === 'ask' && !q.chosen,
    message: () => 'A plan to create it waits for a person.',
  },
  {
    id: 'create-nudged',
    action: 'nudge',
    when: 'Nothing is live, and another controller is the actuator.',
    text: 'Ask that controller to reconcile.',
    test: q => q.creating && policy(q).actuator === 'operator',
    message: () => 'The controller that owns it is asked to create it.',
  },
  {
    id: 'create',
    action: 'create',
    when: 'Nothing is live.',
    text: 'Create it as declared.',
    test: q => q.creating,
    message: () => 'It is created as declared.',
  },
  {
    id: 'asked',
    action: 'ask',
    when: 'No field may be written, and at least one waits for a person (onLiveEdit or onFirstSight is ask).',
    text: 'A person chooses a side.',
    test: q => q.write.length === 0 && q.asks.length > 0,
    message: q => `A person must choose a side for ${fields(q.asks)}.`,
  },
  {
    id: 'kept-by-a-person',
    action: 'none',
    when: 'No field may be written, and a person accepted or kept at least one difference.',
    text: 'Leave the accepted differences while both values stay as they were seen.',
    test: q =>
      q.write.length === 0 &&
      ((q.input.accepted?.length ?? 0) > 0 || q.input.choice?.side === 'live'),
    message: q => `A person chose to leave ${leave(q.stays)}.`,
  },
  {
    id: 'kept-by-policy',
    action: 'none',
    when: 'No field may be written: the policy accepts live edits, or leaves what was there at first sight.',
    text: 'Leave the live values.',
    test: q => q.write.length === 0,
    message: q => `The policy leaves ${leave(q.stays)}.`,
  },
  {
    id: 'update-proposed',
    action: 'propose',
    when: 'Fields may be written, the mode is ask, and no person has agreed yet.',
    text: 'A plan waits for a person.',
    test: q => policy(q).mode === 'ask' && !q.chosen,
    message: q => `A plan to set ${fields(q.write)} waits for a person.`,
  },
  {
    id: 'update-nudged',
    action: 'nudge',
    when: 'Fields may be written, and another controller is the actuator.',
    text: 'Ask that controller to reconcile.',
    test: q => policy(q).actuator === 'operator',
    message: q =>
      `The controller that owns it is asked to put back ${fields(q.write)}.`,
  },
  {
    id: 'update',
    action: 'update',
    when: 'Fields may be written.',
    text: 'Lay those fields over the fresh live state.',
    test: () => true,
    message: q =>
      q.asks.length > 0
        ? `${put(q.write)}; ${wait(q.asks)}.`
        : `${put(q.write)}.`,
  },
];

type Route = 'write' | 'ask' | 'stay';

function route(change: FieldChange, input: DecideInput): Route {
  const { choice, accepted = [], policy: rules, evaluation } = input;
  // Not even a person's choice makes us fight an autoscaler.
  if (change.contested) {
    return 'stay';
  }
  if (choice && (!choice.paths || choice.paths.includes(change.path))) {
    return choice.side === 'declared' ? 'write' : 'stay';
  }
  if (isAccepted(change, accepted)) {
    return 'stay';
  }
  if (evaluation.verdict === 'Conflicted') {
    return 'ask';
  }
  const byPolicy = routeByPolicy(change, rules);
  // Under ask, a choice of some fields is leave for these alone.
  return byPolicy === 'write' && rules.mode === 'ask' && choice
    ? 'stay'
    : byPolicy;
}

function routeByPolicy(
  change: FieldChange,
  rules: DecideInput['policy'],
): Route {
  // We set it once: taking it away again is our own change, whoever else is about.
  if (change.kind === 'leftover' || change.movedBy === 'declared') {
    return 'write';
  }
  switch (change.movedBy) {
    case 'live':
      return { revert: 'write', ask: 'ask', accept: 'stay' }[
        rules.onLiveEdit
      ] as Route;
    case 'unknown':
      return { declared: 'write', ask: 'ask', live: 'stay' }[
        rules.onFirstSight
      ] as Route;
    default:
      return 'ask';
  }
}

/**
 * Decides what happens: one action, the fields it sets, and the fields that stay. Total and deterministic; writes are
 * only ever proposed by this function, and guards may still hold them.
 *
 * - A choice of the declared side counts for `Conflicted`, `Drifted`, `Missing`, `Orphaned` and, as one attempt, for
 *   `NonConvergent` and `Contested`; never for `Invalid`, `Blocked`, `Unknown`, or against an autoscaler.
 * - `create` and `delete` concern the whole resource: `fields` is empty.
 *
 * @public
 */
export function decide(input: DecideInput): Decision {
  const { evaluation, choice } = input;
  const byRoute: Record<Route, Pointer[]> = { write: [], ask: [], stay: [] };
  for (const change of evaluation.changes) {
    byRoute[route(change, input)].push(change.path);
  }
  const question: Question = {
    input,
    write: byRoute.write,
    asks: byRoute.ask,
    stays: byRoute.stay,
    chosen:
      choice?.side === 'declared' &&
      (choice.paths === undefined ||
        evaluation.changes.some(change => choice.paths?.includes(change.path))),
    creating:
      evaluation.rule === 'missing' || evaluation.rule === 'never-created',
  };
  const row =
    DECISION_TABLE.find(candidate => candidate.test(question)) ??
    DECISION_TABLE[DECISION_TABLE.length - 1];
  const writes = ['update', 'propose', 'nudge'].includes(row.action);
  const all = evaluation.changes.map(change => change.path);
  const decision: Decision = {
    action: row.action,
    rule: row.id,
    message: row.message(question),
    fields: writes ? question.write : [],
    kept: writes ? all.filter(path => !question.write.includes(path)) : all,
  };
  if (question.asks.length > 0) {
    decision.asks = question.asks;
  }
  return decision;
}
