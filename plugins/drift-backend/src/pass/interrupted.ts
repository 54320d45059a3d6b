/** An earlier pass that was cut off between its write and its record: what it saw and did still belongs to the history (rule 6). */
import { randomUUID } from 'node:crypto';
import { evaluate, type ResourceSchema } from '@plumbline/drift-engine';
import type {
  DecisionRow,
  EpisodeRow,
  IntentRow,
  ResourceRow,
} from '../store/rows';
import type { PassContext } from './context';
import type { Ending } from './episodes';

/** The decision behind the last write of which nobody has found out yet what became of it. */
export async function readInterrupted(
  { store }: Pick<PassContext, 'store'>,
  intents: IntentRow[],
): Promise<DecisionRow | undefined> {
  const last = intents.at(-1);
  // a controller that was asked acts by itself
  if (!last || last.action === 'nudge') return undefined;
  return store.getDecision(last.decisionId);
}

/** The episode that the earlier pass would have recorded. */
export function seenByInterrupted(
  { at, resourceId, verdict, reason, message, inputs }: DecisionRow,
  schema: ResourceSchema,
): EpisodeRow {
  const { declared, live, lastAgreed, ownedBefore, facts } = inputs;
  const { changes } = evaluate({
    ...{ schema, declared, live, lastAgreed, ownedBefore, facts },
  });
  return {
    id: randomUUID(),
    ...{ resourceId, verdict, reason, message },
    startedAt: at,
    fields: changes,
  };
}

/** How it ended, where both sides are now what the earlier pass was to bring about. */
export function endedByInterrupted(
  interrupted: DecisionRow,
  after: ResourceRow,
): Ending | undefined {
  if (
    after.verdict !== 'InSync' ||
    interrupted.declaredDigest !== after.declaredDigest
  ) {
    return undefined;
  }
  const deleted = interrupted.action === 'delete';
  return {
    ending: deleted ? 'resourceGone' : 'corrected',
    message: deleted
      ? 'It was being deleted when the pass was cut off; a fresh read shows that it is gone.'
      : 'It was being put back when the pass was cut off; a fresh read shows that it was.',
    decidedBy: interrupted.by ?? `policy (mode ${after.policy.mode})`,
    why: interrupted.message,
  };
}
