/** How long a drift lived: the two times that the portal and the metrics show. */
import type { EpisodeRow, Millis } from './rows';

type Ending = NonNullable<EpisodeRow['ending']>;

const PUT_RIGHT: ReadonlySet<Ending> = new Set([
  'corrected',
  'correctedElsewhere',
]);

/**
 * From the change to the moment it was seen. Undefined where the platform does not tell when it changed, and for what was there
 * before anybody looked.
 */
export function timeToDetect(
  episode: Pick<EpisodeRow, 'reason' | 'startedAt' | 'changedAt'>,
): Millis | undefined {
  const { reason, startedAt, changedAt } = episode;
  if (changedAt === undefined || reason === 'FirstSight') return undefined;
  // two clocks: theirs may be ahead of ours
  return Math.max(0, startedAt - changedAt);
}

/**
 * From the change, or where that is not told from the moment it was seen, to the moment a fresh read showed it put right. Undefined
 * while it lasts, and where it ended in another way.
 */
export function timeToCorrect(episode: EpisodeRow): Millis | undefined {
  const { startedAt, endedAt, ending } = episode;
  if (endedAt === undefined || !ending || !PUT_RIGHT.has(ending)) {
    return undefined;
  }
  return Math.max(0, endedAt - startedAt) + (timeToDetect(episode) ?? 0);
}
