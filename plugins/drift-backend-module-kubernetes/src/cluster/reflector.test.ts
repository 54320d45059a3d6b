/* The reflector with a collection that is led by hand: no server, no time, no chance. */
import { PlatformError } from '@plumbline/backstage-plugin-drift-node';
import {
  PositionExpired,
  reflect,
  type ReflectorTimers,
  type WatchedCollection,
  type WatchEvent,
} from './reflector';

/** A clock that only moves when told to. */
class HandTimers implements ReflectorTimers {
  private time = 0;
  private waiting: { at: number; callback: () => void }[] = [];

  now = () => this.time;
  random = () => 0;

  after(milliseconds: number, callback: () => void) {
    const entry = { at: this.time + milliseconds, callback };
    this.waiting.push(entry);
    return () => {
      this.waiting = this.waiting.filter(other => other !== entry);
    };
  }

  /** Milliseconds until each timer that is set. */
  pending(): number[] {
    return this.waiting.map(({ at }) => at - this.time);
  }

  advance(milliseconds: number) {
    this.time += milliseconds;
    const due = this.waiting.filter(({ at }) => at <= this.time);
    this.waiting = this.waiting.filter(({ at }) => at > this.time);
    due.forEach(({ callback }) => callback());
  }
}

type Follow = Parameters<WatchedCollection['follow']>[0];

/** One open watch. */
interface OpenWatch {
  options: Follow;
  end(): void;
  fail(error: Error): void;
}

class HandCollection implements WatchedCollection {
  readonly watches: OpenWatch[] = [];
  positions: (string | Error)[] = [];
  positionsRead = 0;

  async position() {
    this.positionsRead++;
    const next = this.positions.shift() ?? '100';
    if (next instanceof Error) {
      throw next;
    }
    return next;
  }

  follow(options: Follow) {
    return new Promise<void>((resolve, reject) => {
      options.signal.addEventListener('abort', () => resolve());
      this.watches.push({ options, end: resolve, fail: reject });
    });
  }

  get last(): OpenWatch {
    return this.watches[this.watches.length - 1];
  }
}

/** Lets everything that is ready run. */
const settle = async () => {
  for (let turn = 0; turn < 20; turn++) {
    await Promise.resolve();
  }
};

function event(type: WatchEvent['type'], resourceVersion: string): WatchEvent {
  return { type, object: {}, resourceVersion };
}

describe('reflect', () => {
  let timers: HandTimers;
  let collection: HandCollection;
  let stop: AbortController;
  let seen: string[];
  let relists: number;
  let errors: string[];
  let running: Promise<void>;

  beforeEach(async () => {
    timers = new HandTimers();
    collection = new HandCollection();
    stop = new AbortController();
    seen = [];
    relists = 0;
    errors = [];
  });

  async function start(late = false) {
    running = reflect(collection, {
      signal: stop.signal,
      late,
      timers,
      onEvent: one => seen.push(`${one.type} ${one.resourceVersion}`),
      onRelist: () => {
        relists++;
      },
      onError: error => errors.push(error.message),
    });
    await settle();
  }

  afterEach(async () => {
    stop.abort();
    await running;
  });

  it('starts at the present position and goes on where the last event was', async () => {
    await start();
    expect(collection.last.options.resourceVersion).toBe('100');
    collection.last.options.onEvent(event('ADDED', '101'));
    collection.last.options.onEvent(event('BOOKMARK', '150'));
    timers.advance(60_000);
    collection.last.end();
    await settle();
    expect(seen).toEqual(['ADDED 101']);
    expect(collection.watches).toHaveLength(2);
    expect(collection.last.options.resourceVersion).toBe('150');
    expect(collection.positionsRead).toBe(1);
    expect(relists).toBe(0);
  });

  it('asks for a listing at once where others have listed before it began', async () => {
    await start(true);
    expect(collection.watches).toHaveLength(1);
    expect(relists).toBe(1);
  });

  it('starts over and asks for a listing where its position has expired', async () => {
    await start();
    timers.advance(60_000);
    collection.positions = ['500'];
    collection.last.fail(new PositionExpired());
    await settle();
    timers.advance(1_000);
    await settle();
    expect(collection.last.options.resourceVersion).toBe('500');
    expect(relists).toBe(1);
    expect(errors).toEqual([]);
  });

  it('keeps its position over a failure, and backs off further each time', async () => {
    await start();
    collection.last.options.onEvent(event('MODIFIED', '120'));
    const waits: number[] = [];
    for (let failure = 0; failure < 8; failure++) {
      collection.last.fail(new PlatformError('transient', 'cut'));
      await settle();
      waits.push(...timers.pending());
      timers.advance(60_000);
      // The clock moved while nothing was open, so the next watch has not lasted.
      await settle();
    }
    expect(waits).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ]);
    expect(collection.last.options.resourceVersion).toBe('120');
    expect(collection.positionsRead).toBe(1);
    expect(relists).toBe(0);
    expect(errors).toHaveLength(8);
  });

  it('waits as long as the server asks', async () => {
    collection.positions = [
      new PlatformError('throttled', 'slow down', { retryAfterMs: 90_000 }),
    ];
    await start();
    expect(timers.pending()).toEqual([90_000]);
    timers.advance(90_000);
    await settle();
    expect(collection.watches).toHaveLength(1);
    // It could not watch for a while.
    expect(relists).toBe(1);
  });

  it('does not spin where the server ends every watch at once', async () => {
    await start();
    collection.last.end();
    await settle();
    expect(collection.watches).toHaveLength(1);
    expect(timers.pending()).toEqual([500]);
  });

  it('gives up a connection that has gone silent, and misses nothing', async () => {
    await start();
    collection.last.options.onEvent(event('MODIFIED', '130'));
    timers.advance(149_000);
    await settle();
    expect(collection.watches).toHaveLength(1);
    collection.last.options.onEvent(event('BOOKMARK', '140'));
    timers.advance(149_000);
    await settle();
    expect(collection.watches).toHaveLength(1);
    timers.advance(1_000);
    await settle();
    expect(collection.watches).toHaveLength(2);
    expect(collection.last.options.resourceVersion).toBe('140');
  });

  it('goes on where the kind was away for a while', async () => {
    collection.positions = [
      new PlatformError('gone', 'not served'),
      new PlatformError('gone', 'not served'),
    ];
    await start();
    timers.advance(60_000);
    await settle();
    timers.advance(60_000);
    await settle();
    expect(collection.watches).toHaveLength(1);
  });

  it('ends at once when it is told to, also while it waits', async () => {
    collection.positions = [new PlatformError('transient', 'down')];
    await start();
    expect(timers.pending()).toHaveLength(1);
    stop.abort();
    await running;
    expect(timers.pending()).toEqual([]);
  });
});
