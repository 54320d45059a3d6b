/** Episodes: a drift from the moment it was seen to the moment it was gone, with how it ended. */
import { randomUUID } from 'node:crypto';
import type { Verdict } from '@plumbline/drift-engine';
import type { PassOutcome } from '../store/driftStore';
import type { EpisodeRow, Millis, ResourceRow } from '../store/rows';

/** Verdicts that say that the sides are apart. Unknown and Blocked say nothing about it and neither open nor end an episode. */
const APART: ReadonlySet<Verdict> = new Set([
  'Pending',
  'Drifted',
  'Missing',
  'Orphaned',
  'Conflicted',
  'Contested',
  'NonConvergent',
  'Invalid',
]);

export interface Ending {
  ending: NonNullable<EpisodeRow['ending']>;
  message: string;
  decidedBy?: string;
  why?: string;
}

/**
 * @param after - the row as this pass leaves it
 * @param ending - what this pass did, if it did something that ends an episode
 */
export function followEpisode(options: {
  open?: EpisodeRow;
  /** What this pass saw before it wrote: an episode that is not stored yet. */
  seen?: EpisodeRow;
  before: ResourceRow;
  after: ResourceRow;
  now: Millis;
  ending?: Ending;
  /** All that differs was left as it is on purpose. */
  allKept: boolean;
}): PassOutcome['episode'] {
  const { open, before, after, now, allKept } = options;
  const apart = APART.has(after.verdict) && !allKept;
  if (apart) {
    const said = {
      verdict: after.verdict,
      reason: after.reason,
      message: after.message,
      fields: after.evaluation?.changes ?? [],
      changedAt: after.changedAt,
      changedBy: after.changedBy,
    };
    if (!open) {
      return {
        open: {
          id: randomUUID(),
          resourceId: after.id,
          startedAt: options.seen?.startedAt ?? now,
          ...said,
        },
      };
    }
    const same =
      open.verdict === said.verdict &&
      open.reason === said.reason &&
      open.message === said.message &&
      open.changedBy === said.changedBy;
    return same ? undefined : { update: { ...open, ...said } };
  }
  const ended = open ?? options.seen;
  if (!ended || (after.verdict !== 'InSync' && !allKept)) return undefined;
  const { ending, message, decidedBy, why } =
    options.ending ?? endedElsewhere(before, after, allKept);
  return {
    close: {
      ...ended,
      endedAt: now,
      ending,
      endMessage: message,
      ...(decidedBy ? { decidedBy } : {}),
      ...(why ? { why } : {}),
    },
  };
}

/** It is over, and not by what this pass did. */
function endedElsewhere(
  before: ResourceRow,
  after: ResourceRow,
  allKept: boolean,
): Ending {
  if (allKept) {
    return {
      ending: 'keptLive',
      message: 'Live values were left as they are on purpose.',
    };
  }
  return before.declaredDigest !== after.declaredDigest
    ? {
        ending: 'declarationChanged',
        message: 'The declaration was changed and now agrees with live.',
      }
    : {
        ending: 'correctedElsewhere',
        message: `Live agrees again, and not by our doing${
          after.changedBy ? `: ${after.changedBy} changed it last` : ''
        }.`,
      };
}
