/** A person's choice: it counts for the very state that the person saw (rule 8). */
import type { FieldChange } from '@plumbline/drift-engine';
import type { KeptField } from '../store/rows';
import { seenOf, WHOLE_STATE, withKept, type Assessment } from './assess';
import type { Observation } from './observe';
import {
  answeredBy,
  finish,
  judge,
  type Pass,
  type PassResult,
  type PersonalDecision,
} from './steps';

export function isAsSeen(
  assessment: Assessment,
  personal: PersonalDecision,
): boolean {
  const now = seenOf(assessment);
  const { paths = [] } = personal.choice;
  const { changes } = assessment.evaluation;
  return (
    now.declared === personal.seen.declared &&
    now.live === personal.seen.live &&
    paths.every(path => changes.some(change => change.path === path))
  );
}

/** What is kept once a person has chosen the live side: for the named fields, or for this whole state. */
export function keptOnceChosen(
  assessment: Assessment,
  paths: string[] | undefined,
  about: Pick<KeptField, 'by' | 'at' | 'note'>,
): { chosen: FieldChange[]; kept: KeptField[] } {
  const chosen = assessment.evaluation.changes.filter(
    change => !paths || paths.includes(change.path),
  );
  const added: KeptField[] = chosen.length
    ? chosen.map(change => ({
        path: change.path,
        ...(change.declared === undefined ? {} : { declared: change.declared }),
        ...(change.live === undefined ? {} : { live: change.live }),
        ...about,
      }))
    : [
        {
          path: WHOLE_STATE,
          declared: assessment.declared?.digest ?? 'none',
          live: assessment.live?.digest ?? 'none',
          ...about,
        },
      ];
  const others = assessment.kept.filter(
    field => !added.some(one => one.path === field.path),
  );
  return { chosen, kept: [...others, ...added] };
}

/** A person leaves live as it is: for some fields, or for this whole state. */
export async function keep(
  pass: Pass,
  observation: Observation,
  assessment: Assessment,
  personal: PersonalDecision,
): Promise<PassResult> {
  const { changes } = assessment.evaluation;
  const { chosen, kept } = keptOnceChosen(assessment, personal.choice.paths, {
    by: personal.by,
    at: pass.context.clock.now(),
    note: personal.note,
  });
  const message = chosen.length
    ? `${chosen.map(change => change.path).join(', ')} keeps its live value.`
    : 'It stays as it is live.';
  const complete = changes.every(change =>
    kept.some(field => field.path === change.path),
  );
  return finish(
    pass,
    {
      observation,
      assessment: withKept(assessment, kept),
      kept,
      answered: complete ? answeredBy(pass.request, message, true) : undefined,
      ending: {
        ending: 'keptLive',
        message,
        decidedBy: personal.by,
        why: personal.note ?? 'A person decided to keep what is live.',
      },
    },
    { applied: true, message },
  );
}

/** Rule 8: the state is not what the person saw. What is there now is recorded and asked about again. */
export async function movedOn(
  pass: Pass,
  observation: Observation,
): Promise<PassResult> {
  const message =
    'Nothing was done: the state is no longer the one that was decided on. Look at it again.';
  const assessment = judge(pass, observation, undefined, 'noChoice');
  return finish(
    pass,
    { observation, assessment },
    { applied: false, moved: true, message },
  );
}
