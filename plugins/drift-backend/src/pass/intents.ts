/** After a crash: what became of the writes that were intended (rule 3)? */
import type { IntentRow, Millis } from '../store/types';
import type { DeclaredResource } from '@plumbline/backstage-plugin-drift-node';
import type { Observation } from './observe';

/** A request that was on its way may still take effect for so long. */
export const IN_FLIGHT_MS = 30_000;

export interface Settled {
  finished: { id: string; outcome: string }[];
  /** A create may still land: nothing is created before this time. */
  waitUntil?: Millis;
}

/**
 * Settles open intents by what a fresh read shows. A create that cannot be seen yet, and cannot be repeated safely under a
 * deterministic id, blocks further creates until it can no longer be on its way.
 */
export function settleIntents(
  intents: IntentRow[],
  observation: Observation,
  now: Millis,
): Settled {
  const finished: Settled['finished'] = [];
  let waitUntil: Millis | undefined;
  for (const intent of intents) {
    if (intent.action !== 'create') {
      finished.push({
        id: intent.id,
        outcome: 'A fresh read showed what became of it.',
      });
    } else if (observation.live) {
      finished.push({
        id: intent.id,
        outcome: `It took effect: found as ${observation.live.key}.`,
      });
    } else if (
      repeatable(observation.declared) ||
      now >= intent.createdAt + IN_FLIGHT_MS
    ) {
      finished.push({
        id: intent.id,
        outcome: 'It did not take effect: nothing was found.',
      });
    } else {
      waitUntil = Math.max(waitUntil ?? 0, intent.createdAt + IN_FLIGHT_MS);
    }
  }
  return { finished, waitUntil };
}

function repeatable(declared: DeclaredResource | null): boolean {
  return declared?.deterministicId !== undefined;
}
