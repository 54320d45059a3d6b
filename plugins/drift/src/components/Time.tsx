/** A time as people say it, ticking, with the exact time on hover. */
import { useCallback, useSyncExternalStore } from 'react';
import { onTick, tickedNow } from '../live/clock';
import { formatExact, formatRelative } from '../live/time';

/** Renders anew only when its text changes. */
export function Time(props: {
  at: string;
  /** `age`: "5 min" instead of "5 min ago". `due`: "now" once its time is over. */
  format?: 'relative' | 'age' | 'due';
}) {
  const { at, format = 'relative' } = props;
  const text = useSyncExternalStore(
    onTick,
    useCallback(() => formatRelative(at, tickedNow(), format), [at, format]),
  );
  return (
    <time
      dateTime={at}
      title={formatExact(at)}
      style={{ whiteSpace: 'nowrap' }}
    >
      {text}
    </time>
  );
}
