/** What each verdict looks like and means; everything that shows a verdict reads it from here. */
import {
  RiAlertLine,
  RiArrowLeftRightLine,
  RiCheckboxCircleFill,
  RiFileWarningLine,
  RiForbidLine,
  RiGhostLine,
  RiLoopLeftLine,
  RiQuestionLine,
  RiScalesLine,
  RiTeamLine,
  RiTimeLine,
  type RemixiconComponentType,
} from '@remixicon/react';
import type { Verdict } from '@plumbline/drift-engine';

export type Tone =
  | 'success'
  | 'info'
  | 'warning'
  | 'danger'
  | 'neutral'
  | 'unknown';

interface VerdictLook {
  label: string;
  tone: Tone;
  Icon: RemixiconComponentType;
  /** One sentence. */
  meaning: string;
}

export const VERDICT_LOOKS: Record<Verdict, VerdictLook> = {
  Conflicted: {
    label: 'Conflicted',
    tone: 'danger',
    Icon: RiScalesLine,
    meaning:
      'Both sides changed the same field, or ownership is in doubt: a person decides, nothing is written.',
  },
  NonConvergent: {
    label: 'Not converging',
    tone: 'danger',
    Icon: RiLoopLeftLine,
    meaning:
      'A write was acknowledged, yet a fresh read still differs in the same way: writing has stopped.',
  },
  Invalid: {
    label: 'Invalid',
    tone: 'danger',
    Icon: RiFileWarningLine,
    meaning: 'The declaration itself is wrong and has to be mended first.',
  },
  Missing: {
    label: 'Missing',
    tone: 'danger',
    Icon: RiAlertLine,
    meaning: 'It is declared, and a fresh read says that it is not there.',
  },
  Drifted: {
    label: 'Drifted',
    tone: 'warning',
    Icon: RiArrowLeftRightLine,
    meaning: 'Live moved away from what was declared.',
  },
  Orphaned: {
    label: 'Orphaned',
    tone: 'warning',
    Icon: RiGhostLine,
    meaning: 'It is live and bears our mark, but nothing declares it any more.',
  },
  Contested: {
    label: 'Contested',
    tone: 'warning',
    Icon: RiTeamLine,
    meaning:
      'Another controller owns the field and keeps it: nothing is written against it.',
  },
  Blocked: {
    label: 'Blocked',
    tone: 'neutral',
    Icon: RiForbidLine,
    meaning:
      'It may not be acted on: a permission, a quota, a guard or a dependency is missing.',
  },
  Unknown: {
    label: 'Unknown',
    tone: 'unknown',
    Icon: RiQuestionLine,
    meaning:
      'It could not be verified lately: it may be right or wrong, nobody knows.',
  },
  Pending: {
    label: 'Pending',
    tone: 'info',
    Icon: RiTimeLine,
    meaning: 'The declaration moved on, and live has yet to follow.',
  },
  InSync: {
    label: 'In sync',
    tone: 'success',
    Icon: RiCheckboxCircleFill,
    meaning: 'Every declared field equals its live value, both freshly read.',
  },
};

/** Worst first: the order of strips, legends and filters. */
export const VERDICT_ORDER = Object.keys(VERDICT_LOOKS) as Verdict[];

/** Counts as `[verdict, count]`, worst first, without the zeros. */
export function countsInOrder(
  byVerdict: Record<string, number>,
): [Verdict, number][] {
  return VERDICT_ORDER.filter(verdict => byVerdict[verdict] > 0).map(
    verdict => [verdict, byVerdict[verdict]],
  );
}

/** Whether somebody should look at it. */
export function needsAttention(verdict: Verdict): boolean {
  return verdict !== 'InSync' && verdict !== 'Pending';
}
