/** Signals of not converging: heat of our writes, cycles of the live side, the same difference after each write. */
import {
  digest,
  type Facts,
  type FieldChange,
  type Json,
} from '@plumbline/drift-engine';
import type { Convergence, Millis } from '../store/rows';

/** So many of our writes within a few resyncs are a fight. */
const HEAT_LIMIT = 5;
/** So many live states in turn, two of them alternating, are a fight however slow it is. */
const CYCLE_LENGTH = 8;
const HISTORY = 12;

export const CALM: Convergence = {
  heat: 0,
  heatAt: 0,
  digests: [],
  sameDiffAfterWrites: 0,
};

/**
 * A new declaration begins a new story: none of what was seen or done under another one counts, but that a controller was asked:
 * it looks at whatever is declared now.
 */
export function under(
  convergence: Convergence,
  declared: { before: string | undefined; now: string | undefined },
): Convergence {
  if (declared.before === undefined || declared.before === declared.now) {
    return convergence;
  }
  const { nudgedAt } = convergence;
  return nudgedAt === undefined ? CALM : { ...CALM, nudgedAt };
}

/** Heat as of now. The time constant fits a poller: five resyncs. */
function heatNow(
  convergence: Convergence,
  now: Millis,
  resyncMs: number,
): number {
  const elapsed = Math.max(0, now - convergence.heatAt);
  return convergence.heat * Math.exp(-elapsed / (5 * resyncMs));
}

/** We wrote. */
export function heated(
  convergence: Convergence,
  now: Millis,
  resyncMs: number,
): Convergence {
  return {
    ...convergence,
    heat: heatNow(convergence, now, resyncMs) + 1,
    heatAt: now,
  };
}

/** The live side was seen in this state. */
export function withLiveDigest(
  convergence: Convergence,
  liveDigest: string,
): Convergence {
  if (convergence.digests.at(-1) === liveDigest) return convergence;
  return {
    ...convergence,
    digests: [...convergence.digests, liveDigest].slice(-HISTORY),
  };
}

export function diffDigest(changes: FieldChange[]): string {
  return digest(
    changes.map(
      ({ path, declared, live, kind }): Json => ({
        path,
        kind,
        ...(declared === undefined ? {} : { declared }),
        ...(live === undefined ? {} : { live }),
      }),
    ),
  );
}

/** A fresh read after an acknowledged write: is the difference that it was to remove still there? */
export function afterWrite(
  convergence: Convergence,
  intended: FieldChange[],
  remaining: FieldChange[],
): Convergence {
  if (!remaining.length) {
    return { ...convergence, lastDiff: undefined, sameDiffAfterWrites: 0 };
  }
  const wanted = diffDigest(intended);
  if (diffDigest(remaining) !== wanted) {
    return { ...convergence, lastDiff: undefined, sameDiffAfterWrites: 0 };
  }
  return {
    ...convergence,
    lastDiff: wanted,
    sameDiffAfterWrites:
      convergence.lastDiff === wanted ? convergence.sameDiffAfterWrites + 1 : 1,
  };
}

function isCycle(digests: string[]): boolean {
  const last = digests.slice(-CYCLE_LENGTH);
  return (
    last.length === CYCLE_LENGTH &&
    last[0] !== last[1] &&
    last.every((value, index) => value === last[index % 2])
  );
}

/** What the engine is told about it. */
export function convergenceFacts(options: {
  convergence: Convergence;
  changes: FieldChange[];
  now: Millis;
  resyncMs: number;
  /** It was in a fight at the last look, and neither side has moved since. */
  stillFighting: boolean;
  rival?: string;
}): Pick<Facts, 'sameDiffAfterWrites' | 'fight'> {
  const { convergence, changes, now, resyncMs, rival } = options;
  if (!changes.length) return {};
  const facts: Pick<Facts, 'sameDiffAfterWrites' | 'fight'> = {};
  if (convergence.lastDiff && convergence.lastDiff === diffDigest(changes)) {
    facts.sameDiffAfterWrites = convergence.sameDiffAfterWrites;
  }
  const who = rival ?? convergence.rival;
  const named = who ? `${who} writes against us` : 'somebody writes against us';
  if (heatNow(convergence, now, resyncMs) >= HEAT_LIMIT) {
    facts.fight = {
      rival: who,
      message: `It was put back ${HEAT_LIMIT} times in short order, and ${named}`,
    };
  } else if (isCycle(convergence.digests)) {
    facts.fight = {
      rival: who,
      message: `Live goes back and forth between two states, and ${named}`,
    };
  } else if (options.stillFighting) {
    facts.fight = {
      rival: who,
      message: `Nothing has moved since the fight was seen, in which ${named}`,
    };
  }
  return facts;
}
