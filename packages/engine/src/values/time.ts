/*
 * Points in time as RFC 3339 writes them: `2026-01-01T00:00:00Z` is `2026-01-01T00:00:00.000000Z`.
 */
import { Json } from '../types';

const TIME =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,30}))?(Z|[+-]\d\d:\d\d)$/;

/** The same text for the same instant, whatever the precision and the zone; `undefined` where the text is no time. */
function instant(value: Json): string | undefined {
  const match = typeof value === 'string' ? TIME.exec(value) : null;
  if (!match) {
    return undefined;
  }
  const [, seconds, fraction = '', zone] = match;
  const time = Date.parse(`${seconds}${zone}`);
  return Number.isNaN(time)
    ? undefined
    : `${time}.${fraction.replace(/0+$/, '')}`;
}

/** Are two times the same instant? Texts that are no times are equal only as texts. */
export function sameTime(a: Json, b: Json): boolean {
  const left = instant(a);
  return left === undefined ? a === b : left === instant(b);
}
