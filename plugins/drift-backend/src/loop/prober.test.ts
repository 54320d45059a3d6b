/** When a probe is asked, and when its answer makes somebody sweep: on a clock that the test turns. */
import { mockServices } from '@backstage/backend-test-utils';
import { ConfigReader } from '@backstage/config';
import { PlatformError } from '@plumbline/backstage-plugin-drift-node';
import { setImmediate } from 'node:timers/promises';
import { ManualClock } from '../__testUtils__/manualClock';
import { readDriftConfig } from '../config';
import { currentPriority } from './priority';
import { Prober } from './prober';

const SECOND = 1000;
const RESYNC = 10 * 60 * SECOND;

describe('the prober', () => {
  let clock: ManualClock;
  let end: AbortController;
  let running: Promise<void>;
  /** What the platform answers. */
  let answer: (options: { signal: AbortSignal }) => string | Promise<string>;
  let asked: number[];
  let wishes: number[];
  let prober: Prober;
  const logger = mockServices.logger.mock();

  function start(everyMs = 30 * SECOND, resync = '10m') {
    const started = clock.now();
    prober = new Prober(
      {
        clock,
        // no jitter
        random: () => 0.5,
        config: readDriftConfig(
          new ConfigReader({ drift: { resync, maxStaleness: '1h' } }),
        ),
        logger,
      },
      {
        title: 'Test platform',
        probe: {
          everyMs,
          async ask({ signal }) {
            asked.push(clock.now() - started);
            expect(currentPriority()).toBe('probe');
            expect(signal.aborted).toBe(false);
            return answer({ signal });
          },
        },
      },
      () => {
        wishes.push(clock.now() - started);
        prober.sweepBegins();
      },
    );
    running = prober.run(end.signal);
  }

  async function flow(ms: number) {
    await setImmediate();
    for (let passed = 0; passed < ms; passed += 5 * SECOND) {
      clock.advance(5 * SECOND);
      await setImmediate();
    }
  }

  beforeEach(() => {
    jest.clearAllMocks();
    clock = new ManualClock();
    end = new AbortController();
    asked = [];
    wishes = [];
    answer = () => 'a';
  });

  afterEach(async () => {
    end.abort();
    await running;
  });

  it('asks every so often, and wishes for nothing while the answer is the same', async () => {
    start();
    await flow(2 * 60 * SECOND);
    prober.sweepBegins();
    await flow(3 * 60 * SECOND);
    expect(asked).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(n => n * 30 * SECOND),
    );
    expect(wishes).toEqual([]);
  });

  it('wishes for a sweep when the answer is another one, at the next question', async () => {
    start();
    await flow(0);
    prober.sweepBegins();
    await flow(40 * SECOND);
    answer = () => 'b';
    await flow(5 * 60 * SECOND);
    expect(wishes).toEqual([60 * SECOND]);
  });

  it('wishes once in a resync, however often it changes, and forgets no change', async () => {
    start();
    await flow(0);
    prober.sweepBegins();
    // as when something writes all the time
    answer = () => `${asked.length}`;
    await flow(3 * RESYNC);
    expect(wishes).toEqual([30, 630, 1230].map(n => n * SECOND));

    // the last change of all came too early for a wish
    answer = () => 'at last';
    await flow(2 * RESYNC);
    expect(wishes.slice(3)).toEqual([1830 * SECOND]);
  });

  it('takes for seen what was answered before a sweep began, and nothing later', async () => {
    start();
    await flow(0);
    prober.sweepBegins();
    await flow(SECOND);
    answer = () => 'b';
    // a sweep that came by itself, before anybody asked: it may have begun before the change
    prober.sweepBegins();
    await flow(30 * SECOND);
    expect(wishes).toHaveLength(1);
    answer = () => 'c';
    await flow(30 * SECOND);
    prober.sweepBegins();
    await flow(2 * RESYNC);
    expect(wishes).toHaveLength(1);
  });

  it('wishes for nothing as long as it knows no answer from before a sweep', async () => {
    answer = () => Promise.reject(new PlatformError('transient', 'no'));
    start();
    await flow(0);
    prober.sweepBegins();
    answer = () => 'a';
    await flow(2 * 60 * SECOND);
    answer = () => 'b';
    await flow(2 * 60 * SECOND);
    expect(wishes).toEqual([]);
    prober.sweepBegins();
    answer = () => 'c';
    await flow(30 * SECOND);
    expect(wishes).toHaveLength(1);
  });

  it('asks a probe that fails ever more seldom, says so to nobody, and begins anew when it answers', async () => {
    let fails = true;
    answer = () =>
      fails
        ? Promise.reject(
            new PlatformError('denied', 'no right', { status: 403 }),
          )
        : 'a';
    start();
    await flow(2 * 60 * 60 * SECOND);
    expect(asked.slice(0, 7)).toEqual(
      [0, 60, 180, 420, 900, 1800, 2700].map(n => n * SECOND),
    );
    expect(wishes).toEqual([]);
    for (const level of ['info', 'warn', 'error'] as const) {
      expect(logger[level]).not.toHaveBeenCalled();
    }
    fails = false;
    await flow(15 * 60 * SECOND);
    const before = asked.length;
    await flow(60 * SECOND);
    expect(asked).toHaveLength(before + 2);
  });

  it('waits as long as a platform asks it to', async () => {
    answer = () =>
      Promise.reject(
        new PlatformError('throttled', 'slow', { retryAfterMs: 200 * SECOND }),
      );
    start();
    await flow(210 * SECOND);
    expect(asked).toEqual([0, 200 * SECOND]);
  });

  it('lets go of a question that stays without an answer, and asks later', async () => {
    answer = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    start();
    await flow(130 * SECOND);
    // after the deadline of a minute, and twice the interval
    expect(asked).toEqual([0, 120 * SECOND]);
  });

  it('asks nobody where sweeps come as often', async () => {
    start(60 * SECOND, '60s');
    await flow(5 * 60 * SECOND);
    expect(asked).toEqual([]);
  });

  it('ends when it is told to, also in the middle of a question', async () => {
    let told: (reason: unknown) => void = () => {};
    answer = () =>
      new Promise((_, reject) => {
        told = reject;
      });
    start();
    await flow(0);
    end.abort(new Error('the end'));
    told(end.signal.reason);
    await running;
    await flow(60 * SECOND);
    expect(asked).toEqual([0]);
    expect(logger.debug).not.toHaveBeenCalled();
  });
});
