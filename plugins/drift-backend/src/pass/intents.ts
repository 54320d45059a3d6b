/** After a crash: what became of the writes that were intended (rule 3)? */
import type { IntentRow, Millis } from '../store/rows';
import type { DeclaredResource } from '@plumbline/backstage-plugin-drift-node';
import type { Observation } from './observe';

/** A request that was on its way may still take effect for so long. */
export const IN_FLIGHT_MS = 30_000;

export interface Settled {
  finished: { id: string; outcome: string }[];
  /** A create may still land: nothing is created before this time. */
  waitUntil?: Millis;
  /** Some stay open: all of them can be settled then. */
  openUntil?: Millis;
}

/**
 * Settles open intents by what a fresh read shows. A write that may still be on its way, while nothing is there and it cannot be
 * repeated safely under a deterministic id, blocks further writes until it can no longer land; so does any, where something else
 * stands under its name by now. An update, too, can bring back what was deleted meanwhile, where a platform's PUT makes what is
 * not there.
 */
export function settleIntents(
  intents: IntentRow[],
  observation: Observation,
  now: Millis,
): Settled {
  const finished: Settled['finished'] = [];
  let waitUntil: Millis | undefined;
  let openUntil: Millis | undefined;
  for (const intent of intents) {
    const { id, action, createdAt } = intent;
    const { live, declared } = observation;
    const landedBy = createdAt + IN_FLIGHT_MS;
    const mayLand = now < landedBy;
    const makes = action === 'create' || action === 'update';
    if (action === 'update' && live && mayLand) {
      // nothing waits for it, but nothing is forgotten before it is settled
      openUntil = Math.max(openUntil ?? 0, landedBy);
      continue;
    }
    if (!makes || (action === 'update' && live)) {
      finished.push({ id, outcome: 'A fresh read showed what became of it.' });
    } else if (live && (!mayLand || isMarked(declared, live))) {
      finished.push({ id, outcome: `It took effect: found as ${live.key}.` });
    } else if (!mayLand) {
      finished.push({
        id,
        outcome: 'It did not take effect: nothing was found.',
      });
    } else {
      openUntil = Math.max(openUntil ?? 0, landedBy);
      if (live || !repeatable(declared)) waitUntil = openUntil;
      // otherwise it may be repeated at once: what somebody makes meanwhile under the same name is not taken for it
    }
  }
  return { finished, waitUntil, openUntil };
}

/** What somebody else made under the same name is not what we were about to make. */
function isMarked(
  declared: DeclaredResource | null,
  live: NonNullable<Observation['live']>,
): boolean {
  const mark = declared?.mark;
  return (
    mark === undefined ||
    live.marks.some(
      other => other.key === mark.key && other.value === mark.value,
    )
  );
}

function repeatable(declared: DeclaredResource | null): boolean {
  return declared?.deterministicId !== undefined;
}
