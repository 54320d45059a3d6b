/*
 * Follows one collection for as long as it is asked to. A watch only ever brings work forward, so this keeps no copy of
 * the objects: it needs a position to start from, and says "list again" whenever it may have missed something.
 *
 * The client library's informer stops on any error but 410, does not page and asks for no bookmarks; this one backs off
 * with jitter, gives up a connection that has gone silent, and starts over where its position has expired.
 */
import { isPlatformError } from '@plumbline/backstage-plugin-drift-node';
import type { JsonObject } from '@plumbline/drift-engine';

/** One event of a watch. Bookmarks carry nothing but a newer position. */
export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  object: JsonObject;
  resourceVersion: string;
}

/** The server no longer has the position from which we wanted to go on (410). */
export class PositionExpired extends Error {
  name = 'PositionExpired' as const;
}

/** What a reflector needs of a collection. */
export interface WatchedCollection {
  /** The current position, read from the server. */
  position(signal: AbortSignal): Promise<string>;
  /**
   * Follows the collection from a position until the server ends it (returns), or it fails (throws
   * `PositionExpired` or `PlatformError`), or `signal` aborts (returns).
   */
  follow(options: {
    resourceVersion: string;
    timeoutSeconds: number;
    signal: AbortSignal;
    onEvent(event: WatchEvent): void;
  }): Promise<void>;
}

/** Time and chance, injected so that tests need neither. */
export interface ReflectorTimers {
  now(): number;
  random(): number;
  /** Calls back once after a while; returns how to call it off. */
  after(milliseconds: number, callback: () => void): () => void;
}

export const realTimers: ReflectorTimers = {
  now: () => Date.now(),
  random: () => Math.random(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Servers send a bookmark about every minute: two of them missed mean a half-open connection. */
const SILENCE = 150_000;
const WATCH_SECONDS = 300;
const FIRST_BACKOFF = 1_000;
const LAST_BACKOFF = 60_000;
/** A watch that ends faster than this has not really worked. */
const HEALTHY_AFTER = 5_000;

export interface ReflectOptions {
  signal: AbortSignal;
  timers: ReflectorTimers;
  /** Something may have been missed before the first position, too. */
  late?: boolean;
  onEvent(event: WatchEvent): void;
  /** Something may have been missed. */
  onRelist(): void;
  /** A failure that will be tried again; for the log. */
  onError?(error: Error): void;
}

/** Carries the newest position out of a watch that failed. */
class WatchEnded extends Error {
  constructor(readonly position: string, readonly reason: Error) {
    super('watch ended');
  }
}

/** Follows a collection until `signal` aborts; never throws. */
export async function reflect(
  collection: WatchedCollection,
  options: ReflectOptions,
): Promise<void> {
  const { signal, timers } = options;
  let position: string | undefined;
  let missed = options.late ?? false;
  let failures = 0;

  while (!signal.aborted) {
    const began = timers.now();
    let failure: Error | undefined;
    try {
      if (position === undefined) {
        position = await collection.position(signal);
        if (missed) {
          options.onRelist();
        }
        missed = true;
      }
      position = await followOnce(collection, position, options);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      missed = true;
      if (failure instanceof WatchEnded) {
        position = failure.position;
        failure = failure.reason;
      }
      if (failure instanceof PositionExpired) {
        position = undefined;
      }
    }
    if (signal.aborted) {
      return;
    }
    const worked = timers.now() - began >= HEALTHY_AFTER;
    failures = worked ? 0 : failures + 1;
    if (failure && !(failure instanceof PositionExpired)) {
      options.onError?.(failure);
    }
    if (failures > 0 || failure) {
      await pause(backoff(failures, failure, timers), options);
    }
  }
}

async function followOnce(
  collection: WatchedCollection,
  from: string,
  options: ReflectOptions,
): Promise<string> {
  const { signal, timers } = options;
  let position = from;
  const silent = new AbortController();
  let callOff = () => {};
  const watchForSilence = () => {
    callOff();
    callOff = timers.after(SILENCE, () => silent.abort());
  };
  watchForSilence();
  try {
    await collection.follow({
      resourceVersion: from,
      // Spread out, so that the watches of all kinds do not reconnect together.
      timeoutSeconds: Math.round(WATCH_SECONDS * (1 + timers.random())),
      signal: AbortSignal.any([signal, silent.signal]),
      onEvent: event => {
        watchForSilence();
        position = event.resourceVersion;
        if (event.type !== 'BOOKMARK') {
          options.onEvent(event);
        }
      },
    });
    return position;
  } catch (error) {
    throw new WatchEnded(
      position,
      error instanceof Error ? error : new Error(String(error)),
    );
  } finally {
    callOff();
  }
}

function backoff(
  failures: number,
  failure: Error | undefined,
  timers: ReflectorTimers,
): number {
  const exponential = Math.min(
    LAST_BACKOFF,
    FIRST_BACKOFF * 2 ** Math.min(Math.max(failures - 1, 0), 10),
  );
  const asked = isPlatformError(failure) ? failure.retryAfterMs ?? 0 : 0;
  // Between half and all of it, so that replicas do not come back together.
  return Math.max(asked, exponential * (0.5 + timers.random() / 2));
}

function pause(milliseconds: number, options: ReflectOptions): Promise<void> {
  const { signal, timers } = options;
  return new Promise(resolve => {
    let callOff = () => {};
    const done = () => {
      signal.removeEventListener('abort', done);
      callOff();
      resolve();
    };
    callOff = timers.after(milliseconds, done);
    signal.addEventListener('abort', done);
  });
}
