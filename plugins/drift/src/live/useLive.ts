/** Keeps what a page shows fresh: signals bring a refetch forward, polling bounds how old it can get. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useSignal } from '@backstage/plugin-signals-react';

/** Signals can be lost and may be off: nothing on a page is older than this while it is looked at. */
export const POLL_MILLISECONDS = 15_000;
/** A sweep sends many signals at once; they are answered by one refetch. */
const GATHER_MILLISECONDS = 300;

/** What `useLive` knows. `value` stays during a refetch and after a failed one; `error` is the last load's. */
export interface Live<T> {
  value: T | undefined;
  error: unknown;
  /** Nothing to show yet. */
  loading: boolean;
  reload: () => Promise<void>;
  /** Puts in what an action answered, so that the page does not wait for the next load. */
  set: (value: T) => void;
}

/**
 * Loads, and loads again on every signal, every 15 s while the browser tab is visible, and when it becomes visible.
 *
 * @param load - must be stable (`useCallback`); a new one starts over with nothing
 */
export function useLive<T>(load: () => Promise<T>): Live<T> {
  const [state, setState] = useState<{
    load: typeof load;
    value?: T;
    error?: unknown;
    loaded: boolean;
  }>({ load, loaded: false });
  // Only the newest answer counts: a slow old one must not overwrite it.
  const latest = useRef(0);

  const reload = useCallback(async () => {
    latest.current += 1;
    const mine = latest.current;
    try {
      const value = await load();
      if (mine !== latest.current) return;
      setState({ load, value, loaded: true });
    } catch (error) {
      if (mine !== latest.current) return;
      setState(old => ({
        load,
        value: old.load === load ? old.value : undefined,
        error,
        loaded: true,
      }));
    }
  }, [load]);

  const set = useCallback(
    (value: T) => {
      latest.current += 1;
      setState({ load, value, loaded: true });
    },
    [load],
  );

  useEffect(() => {
    reload();
    return () => {
      latest.current += 1;
    };
  }, [reload]);

  useEffect(() => {
    const whenVisible = () => {
      if (document.visibilityState === 'visible') reload();
    };
    const timer = setInterval(whenVisible, POLL_MILLISECONDS);
    document.addEventListener('visibilitychange', whenVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', whenVisible);
    };
  }, [reload]);

  const { lastSignal } = useSignal('drift');
  useEffect(() => {
    if (!lastSignal) return undefined;
    const timer = setTimeout(reload, GATHER_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [lastSignal, reload]);

  const current: Partial<typeof state> = state.load === load ? state : {};
  return {
    value: current.value,
    error: current.error,
    loading: !current.loaded,
    reload,
    set,
  };
}
