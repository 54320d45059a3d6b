/** What a bulk read showed of both sides, recorded as a pass would, without single reads. */
import type { ResourceLease } from '../store/types';
import type { PassContext } from './context';
import { completeObservation } from './observe';
import { isWrite } from './decision';
import { rest } from './rest';
import { begin, judge } from './steps';

/**
 * Records what a bulk read showed of both sides, as a pass does, but never writes: where something is to be written, a pass with
 * fresh single reads is due at once.
 *
 * @returns whether such a pass is due
 */
export async function recordSwept(
  context: PassContext,
  lease: ResourceLease,
  seen: Parameters<typeof completeObservation>[2],
  signal: AbortSignal,
): Promise<boolean> {
  const { store, clock } = context;
  const row = await store.getResource(lease.resourceId);
  // a pass has looked since this was read
  if (!row || (row.verifiedAt ?? 0) > seen.at) {
    await store.releaseLease(lease);
    return false;
  }
  const pass = await begin(
    context,
    lease,
    { trigger: 'sweep', priority: 'sweep', signal },
    row,
  );
  const observation = await completeObservation(context, row, seen);
  const assessment = judge(pass, observation);
  const intents = await store.listOpenIntents(row.id);
  if (
    intents.length ||
    !observation.declared ||
    isWrite(assessment.decision.action)
  ) {
    await store.bringForward([row.id], { dueAt: clock.now(), dirty: true });
    await store.releaseLease(lease);
    return true;
  }
  await rest(pass, observation, assessment);
  return false;
}
