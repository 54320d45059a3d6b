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

const UNITS: [name: string, seconds: number][] = [
  ['d', DAY],
  ['h', HOUR],
  ['min', MINUTE],
  ['s', 1],
];

/** `1 min 30 s`: nothing rounded away. `seconds` is a whole number, not negative. */
export function formatWholeDuration(seconds: number): string {
  let left = seconds;
  const parts = UNITS.flatMap(([name, length]) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return count > 0 ? [`${count} ${name}`] : [];
  });
  return parts.join(' ') || '0 s';
}

/** `0.4 s`, `4.2 s`, `20 s`, `1 min 30 s`: a measured length, tenths where they tell something. */
export function formatMeasured(seconds: number): string {
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`;
  const precision = seconds < HOUR ? 1 : MINUTE;
  return formatWholeDuration(Math.round(seconds / precision) * precision);
}

const WORDS: Record<string, number> = {
  ...{ s: 1, sec: 1, second: 1, seconds: 1 },
  ...{ m: MINUTE, min: MINUTE, minute: MINUTE, minutes: MINUTE },
  ...{ h: HOUR, hour: HOUR, hours: HOUR },
  ...{ d: DAY, day: DAY, days: DAY },
};
const DURATION = /^(\d+(?:\.\d+)?\s*[a-z]+\s*)+$/;

/** Seconds of `30 s`, `10 min`, `1 h 30 min`; `undefined` where it is none of these. */
export function parseDuration(text: string): number | undefined {
  const given = text.trim().toLowerCase();
  if (!DURATION.test(given)) return undefined;
  let seconds = 0;
  for (const [, count, unit] of given.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    if (!Object.hasOwn(WORDS, unit)) return undefined;
    seconds += Number(count) * WORDS[unit];
  }
  return Math.round(seconds);
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
