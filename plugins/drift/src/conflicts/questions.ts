/** The kinds of question in plain words. */
import type { ApiQuestionKind } from '@plumbline/backstage-plugin-drift-common';

export const QUESTION_KINDS: Record<ApiQuestionKind, string> = {
  conflict: 'Conflict',
  liveEdit: 'Live edit',
  firstSight: 'First sight',
  plan: 'Plan to approve',
  prune: 'Deletion',
};
