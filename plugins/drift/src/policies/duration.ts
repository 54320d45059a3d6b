/** How long a pause or a rule lasts, in the choices that people make. */
import { DateTime } from 'luxon';

export const DURATIONS = [
  { id: 'hour', label: 'for 1 hour' },
  { id: 'hours', label: 'for 4 hours' },
  { id: 'tomorrow', label: 'until tomorrow, 09:00' },
  { id: 'week', label: 'for 1 week' },
  { id: 'open', label: 'until somebody ends it' },
] as const;

export type DurationId = (typeof DURATIONS)[number]['id'];

/** The end as ISO 8601 with zone; `undefined` for no end. */
export function endOf(id: DurationId, now: DateTime): string | undefined {
  switch (id) {
    case 'hour':
      return now.plus({ hours: 1 }).toISO() ?? undefined;
    case 'hours':
      return now.plus({ hours: 4 }).toISO() ?? undefined;
    case 'tomorrow':
      return (
        now.plus({ days: 1 }).startOf('day').set({ hour: 9 }).toISO() ??
        undefined
      );
    case 'week':
      return now.plus({ weeks: 1 }).toISO() ?? undefined;
    default:
      return undefined;
  }
}
