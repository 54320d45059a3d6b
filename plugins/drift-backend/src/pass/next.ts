/** What happens next, and when: every pass sets a next time (rule 10). */
import type { GuardAnswer, Millis, ResourceRow } from '../store/rows';
import type { Assessment } from './assess';
import { backoffMs, jittered, LONGEST_MS, REST_MS, trialMs } from './backoff';
import type { PassContext } from './context';
import { isWrite } from './decision';
import type { PassRecord } from './record';
import type { WriteFailure } from './write';

/** What happens next, for people. */
export function whatNext(
  assessment: Assessment,
  held: GuardAnswer | undefined,
  failing: WriteFailure | undefined,
  allKept: boolean,
): ResourceRow['next'] {
  const { decision, evaluation } = assessment;
  if (failing) {
    return {
      message: `Not put right yet (${failing.message}); it is tried again.`,
      mayWrite: true,
    };
  }
  if (held) return { message: held.message, mayWrite: false };
  if (isWrite(decision.action)) {
    return { message: decision.message, mayWrite: true };
  }
  if (evaluation.verdict === 'InSync') {
    return {
      message: 'It is verified again by the next sweep.',
      mayWrite: false,
    };
  }
  if (allKept) {
    return {
      message:
        'It was left as it is; it is looked at again when either side moves.',
      mayWrite: false,
    };
  }
  return { message: decision.message, mayWrite: false };
}

/** Never undefined, never in the past, whatever happened (rule 10). */
export function nextDue(
  context: Pick<PassContext, 'config' | 'random'>,
  record: PassRecord,
  row: ResourceRow,
  held: GuardAnswer | undefined,
): Millis {
  const { now, assessment, write, observation } = record;
  const { random, config } = context;
  const { evaluation, decision, inForce } = assessment;
  const resync = inForce.resyncMs ?? config.resyncMs;
  const isWaiting = evaluation.reason === 'MissingDependency';
  const candidates = [
    jittered(inForce.resyncMs ?? REST_MS, random),
    ...(inForce.changesAt === undefined
      ? []
      : [Math.max(0, inForce.changesAt - now)]),
    ...(record.notLaterThan === undefined
      ? []
      : [Math.max(0, record.notLaterThan - now)]),
  ];
  if (write?.failed) {
    candidates.push(
      write.failed.final
        ? jittered(5 * resync, random)
        : Math.max(
            backoffMs(row.attempts, random),
            write.failed.retryAfterMs ?? 0,
          ),
    );
  } else if (held) {
    const wait: { [guard: string]: Millis } = {
      paused: 5 * resync,
      controllerAtWork: trialMs(row.attempts, resync) / 4,
    };
    candidates.push(jittered(wait[held.guard] ?? resync / 4, random));
  } else if (isWrite(decision.action)) {
    // written and not equal yet, or to be written by the next pass: look soon
    candidates.push(jittered(write ? resync / 4 : 1_000, random));
  } else if (isWaiting) {
    // when what it refers to appears, it is brought forward: this is for the case that nobody notices
    const waited = Math.max(resync / 4, now - row.since);
    candidates.push(jittered(Math.min(waited, LONGEST_MS), random));
  } else if (evaluation.verdict === 'Unknown') {
    candidates.push(jittered(resync, random));
  } else if (
    evaluation.verdict === 'Blocked' ||
    evaluation.verdict === 'NonConvergent' ||
    evaluation.verdict === 'Contested'
  ) {
    candidates.push(jittered(5 * resync, random));
  }
  // sweeps cannot tell about an object that is not there under its key; without what it refers to there can be none
  if (!observation.declared || !(observation.live || isWaiting)) {
    candidates.push(jittered(resync, random));
  }
  return now + Math.max(1, Math.round(Math.min(...candidates)));
}
