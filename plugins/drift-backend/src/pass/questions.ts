/** Conflicts: questions that only a person may answer, in sentences that can be decided on. */
import { randomUUID } from 'node:crypto';
import type {
  Decision,
  Evaluation,
  FieldChange,
} from '@plumbline/drift-engine';
import type { ApiQuestionKind } from '@plumbline/backstage-plugin-drift-common';
import type { PassOutcome } from '../store/driftStore';
import type { ConflictRow, Millis, ResourceRow } from '../store/rows';

type Wording = Pick<ConflictRow, 'question' | 'answers' | 'ifNobodyDecides'>;

/** Which question a decision asks, or undefined where it asks none. */
export function questionKind(
  decision: Decision,
  evaluation: Evaluation,
  pruneHeld: boolean,
): ApiQuestionKind | undefined {
  if (pruneHeld) return 'prune';
  // it is asked as long as it stands, also while a pause holds everything
  if (evaluation.verdict === 'Conflicted') return 'conflict';
  if (decision.action !== 'ask' && decision.action !== 'propose') {
    return undefined;
  }
  if (evaluation.verdict === 'Orphaned') return 'prune';
  if (decision.action === 'propose') return 'plan';
  return evaluation.reason === 'FirstSight' ? 'firstSight' : 'liveEdit';
}

/** Opens, refreshes, settles or withdraws the resource's one open question; what an answer did not settle is asked anew. */
export function followConflict(options: {
  open?: ConflictRow;
  kind?: ApiQuestionKind;
  after: ResourceRow;
  evaluation: Evaluation;
  /** What differs and nobody has kept: what the question is about. */
  fields: FieldChange[];
  platformTitle: string;
  seen: ConflictRow['seen'];
  now: Millis;
  /** A person has just answered it, about the state that this person saw. */
  answered?: Pick<ConflictRow, 'choice' | 'resolvedBy' | 'note' | 'outcome'> & {
    about: ConflictRow['seen'];
  };
  /** Why it needs no answer any more. */
  withdrawn: string;
}): PassOutcome['conflict'] {
  const { open, kind, after, evaluation, fields, seen, now } = options;
  if (open && options.answered) {
    const { about, ...answer } = options.answered;
    // an answer holds for the state that it was given about, and a conflict that stands is always asked about
    const holds = evaluation.verdict !== 'Conflicted' && sameSeen(about, seen);
    return {
      ...(holds ? {} : followConflict({ ...options, open: undefined })),
      close: { ...open, status: 'resolved', resolvedAt: now, ...answer },
    };
  }
  if (!kind) {
    return open
      ? {
          close: {
            ...open,
            status: 'withdrawn',
            resolvedAt: now,
            outcome: options.withdrawn,
          },
        }
      : undefined;
  }
  const asked = {
    kindOfQuestion: kind,
    ...wording(kind, after, evaluation, fields, options.platformTitle),
    fields,
    seen,
    changedAt: after.changedAt,
    changedBy: after.changedBy,
  };
  if (!open) {
    return {
      open: {
        id: randomUUID(),
        resourceId: after.id,
        status: 'open',
        openedAt: now,
        ...asked,
      },
    };
  }
  const same =
    open.kindOfQuestion === kind &&
    open.question === asked.question &&
    open.fields.length === fields.length &&
    sameSeen(open.seen, seen);
  return same ? undefined : { update: { ...open, ...asked } };
}

function sameSeen(a: ConflictRow['seen'], b: ConflictRow['seen']): boolean {
  return a.declared === b.declared && a.live === b.live;
}

function wording(
  kind: ApiQuestionKind,
  row: ResourceRow,
  evaluation: Evaluation,
  changes: FieldChange[],
  platform: string,
): Wording {
  const { title } = row;
  const fields = named(changes);
  const [was, values, keep] =
    changes.length === 1
      ? ['was', 'value', 'keeps its']
      : ['were', 'values', 'keep their'];
  const by = row.changedBy ? ` by ${row.changedBy}` : '';
  const stays =
    'Nothing is written, both sides stay as they are, and the question stays open.';
  const putBack = changes.length
    ? `${platform} gets the declared ${values} of ${fields}; what is live there now is lost.`
    : `${platform} gets ${title} as it is declared.`;
  const leave = changes.length
    ? `Nothing is written; ${fields} ${keep} live ${values} until one of the two sides moves again.`
    : 'Nothing is written until one of the two sides moves again.';
  switch (kind) {
    case 'prune':
      return {
        question: `Nothing declares ${title} any more. Delete it from ${platform}?`,
        answers: [
          {
            choice: 'declared',
            label: 'Delete it',
            consequence: `It is deleted from ${platform}, if it is still as you see it here.`,
          },
          {
            choice: 'live',
            label: 'Leave it',
            consequence: 'Nothing is deleted until it changes.',
          },
        ],
        ifNobodyDecides: 'It stays, and it is shown as orphaned.',
      };
    case 'firstSight':
      return {
        question: `${title} differed in ${fields} before anybody looked. Which side stands?`,
        answers: [
          {
            choice: 'declared',
            label: 'What is declared',
            consequence: putBack,
          },
          { choice: 'live', label: 'What is live', consequence: leave },
        ],
        ifNobodyDecides: stays,
      };
    case 'liveEdit':
      return {
        question:
          evaluation.verdict === 'Missing'
            ? `${title} was deleted on ${platform}. Create it again?`
            : `${fields} of ${title} ${was} changed on ${platform}${by}. Put the declared ${values} back?`,
        answers: [
          {
            choice: 'declared',
            label:
              evaluation.verdict === 'Missing'
                ? 'Create it again'
                : 'Put it back',
            consequence: putBack,
          },
          { choice: 'live', label: 'Leave it', consequence: leave },
        ],
        ifNobodyDecides: stays,
      };
    case 'plan':
      return {
        question: `${evaluation.message} Carry out what is declared?`,
        answers: [
          { choice: 'declared', label: 'Carry it out', consequence: putBack },
          { choice: 'live', label: 'Leave it', consequence: leave },
        ],
        ifNobodyDecides: stays,
      };
    default:
      return (
        ownership(row, evaluation, { putBack, leave, stays }) ?? {
          question: `The declaration and ${platform} both changed ${fields} of ${title} since they last agreed. Which side stands?`,
          answers: [
            {
              choice: 'declared',
              label: 'What is declared',
              consequence: putBack,
            },
            { choice: 'live', label: 'What is live', consequence: leave },
          ],
          ifNobodyDecides: stays,
        }
      );
  }
}

/** Conflicts about whose an object is, and about who writes. */
function ownership(
  row: ResourceRow,
  evaluation: Evaluation,
  say: { putBack: string; leave: string; stays: string },
): Wording | undefined {
  const { title } = row;
  const live = {
    choice: 'live' as const,
    label: 'Leave it',
    consequence: say.leave,
  };
  switch (evaluation.reason) {
    case 'ForeignOwner':
    case 'RivalClaims':
    case 'AmbiguousMatch':
      // a side does not settle which belongs to which: that is settled where it is declared
      return {
        question: `${evaluation.message} Leave ${title} alone?`,
        answers: [live],
        ifNobodyDecides: say.stays,
      };
    case 'ConcurrentWriter':
      return {
        question: `${evaluation.message} Try again to put back what is declared for ${title}?`,
        answers: [
          { choice: 'declared', label: 'Try again', consequence: say.putBack },
          live,
        ],
        ifNobodyDecides: say.stays,
      };
    default:
      return undefined;
  }
}

function named(changes: FieldChange[]): string {
  const names = changes.map(change => change.path.replace(/^\//, ''));
  if (names.length <= 3) return names.join(' and ') || 'something';
  return `${names.slice(0, 2).join(', ')} and ${names.length - 2} more fields`;
}
