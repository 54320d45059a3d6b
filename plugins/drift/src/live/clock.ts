/** One ticking clock for all relative times, so that a page of them costs one timer. */
const TICK_MILLISECONDS = 1_000;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let current = 0;

/** Milliseconds since the epoch, at most a tick old: the same within one rendering. */
export function tickedNow(): number {
  const now = Date.now();
  if (Math.abs(now - current) >= TICK_MILLISECONDS) current = now;
  return current;
}

/** Calls `listener` about every second while anybody listens; returns how to stop. */
export function onTick(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(
    () => listeners.forEach(each => each()),
    TICK_MILLISECONDS,
  );
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}
