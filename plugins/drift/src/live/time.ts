/** Times for people: short and relative, and the exact time for whoever needs it. */
import { DateTime } from 'luxon';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `20 s`, `3 min`, `2 h`, `5 d`: whole units, rounded down. `seconds` must not be negative. */
export function formatDuration(seconds: number): string {
  if (seconds < MINUTE) return `${Math.floor(seconds)} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h`;
  return `${Math.floor(seconds / DAY)} d`;
}

/**
 * `20 s ago`, `in 3 min`, `now`; as an `age` the bare length; as something `due`, `now` also when its time is over.
 *
 * @param time - ISO 8601
 * @param now - milliseconds since the epoch
 */
export function formatRelative(
  time: string,
  now: number,
  style: 'relative' | 'age' | 'due' = 'relative',
): string {
  const seconds = (DateTime.fromISO(time).toMillis() - now) / 1000;
  if (style === 'age') return formatDuration(Math.max(0, -seconds));
  if (Math.abs(seconds) < 1 || (style === 'due' && seconds < 0)) return 'now';
  return seconds > 0
    ? `in ${formatDuration(seconds)}`
    : `${formatDuration(-seconds)} ago`;
}

/** Date, time with seconds and zone, in the reader's language. */
export function formatExact(time: string): string {
  return DateTime.fromISO(time).toLocaleString({
    ...DateTime.DATETIME_MED_WITH_SECONDS,
    timeZoneName: 'short',
  });
}
