/** Requests over a network that loses, delays, repeats and refuses; and what the client on our side makes of it. */
import { PlatformError } from '@plumbline/backstage-plugin-drift-node';
import type { Worker } from './worker';

/** Our client waits so long for an answer. */
const TIMEOUT_MS = 5_000;
/** A request that is on its way lands within this time, or never. */
const LATEST_MS = 20_000;

type Fate =
  | 'answered'
  | 'slow'
  | 'requestLost'
  | 'answerLost'
  | 'late'
  | 'repeated'
  | 'throttled'
  | 'failed'
  | 'failedAfter'
  | 'reset'
  | 'denied';

const READ_FATES: Record<string, number> = {
  answered: 880,
  slow: 40,
  requestLost: 12,
  answerLost: 8,
  throttled: 15,
  failed: 30,
  reset: 15,
};

const WRITE_FATES: Record<string, number> = {
  answered: 700,
  slow: 60,
  requestLost: 25,
  answerLost: 50,
  late: 50,
  repeated: 20,
  throttled: 20,
  failed: 35,
  failedAfter: 25,
  reset: 10,
  denied: 5,
};

export interface Request<T> {
  what: string;
  /** Where the answer of a request that came through twice is the same. */
  repeatable: boolean;
  writes: boolean;
  signal: AbortSignal;
  /** At the server; may throw what the server answers instead. */
  effect(): T;
}

export function send<T>(worker: Worker, request: Request<T>): Promise<T> {
  const { sim } = worker;
  const { scheduler, latency: random } = sim;
  const { what, writes, signal } = request;
  return new Promise<T>((resolve, reject) => {
    if (!worker.mayStillSend(what, writes)) return;
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    signal.addEventListener('abort', () => reject(signal.reason));
    let fate: Fate = sim.faulty
      ? (sim.fates.weighted(writes ? WRITE_FATES : READ_FATES) as Fate)
      : 'answered';
    if (fate === 'repeated' && !request.repeatable) fate = 'answered';
    if (fate !== 'answered' && fate !== 'slow') {
      worker.say(`${what}: on the network: ${fate}`);
    }
    const there = random.int(1, 60);
    const back = random.int(1, 60);
    const answer = (ms: number, settle: () => void) =>
      worker.answer(ms, what, writes, settle);
    const fails = (ms: number, error: PlatformError) =>
      answer(ms, () => reject(error));
    /** At the server, with or without somebody who waits for the answer. */
    const arrives = (ms: number, replyMs?: number) =>
      scheduler.after(ms, () => {
        try {
          const value = request.effect();
          if (replyMs !== undefined) answer(replyMs, () => resolve(value));
        } catch (error) {
          if (replyMs !== undefined) answer(replyMs, () => reject(error));
        }
      });
    const timesOut = () =>
      fails(
        TIMEOUT_MS,
        new PlatformError('transient', 'no answer came within 5 s', {
          mayHaveTakenEffect: writes,
        }),
      );
    switch (fate) {
      case 'slow':
        arrives(there, random.int(200, 3_000));
        break;
      case 'requestLost':
        timesOut();
        break;
      case 'answerLost':
        arrives(there);
        timesOut();
        break;
      case 'late':
        arrives(random.int(TIMEOUT_MS, LATEST_MS));
        timesOut();
        break;
      case 'repeated':
        arrives(there, back);
        arrives(there + random.int(0, 300));
        break;
      case 'throttled':
        fails(
          there + back,
          new PlatformError('throttled', '429: too many requests', {
            status: 429,
            retryAfterMs: 1000 * random.int(1, 15),
          }),
        );
        break;
      case 'failed':
        fails(
          there + back,
          new PlatformError('transient', '500: internal server error', {
            status: 500,
            mayHaveTakenEffect: writes,
          }),
        );
        break;
      case 'failedAfter':
        arrives(there);
        fails(
          there + back,
          new PlatformError('transient', '502: bad gateway', {
            status: 502,
            mayHaveTakenEffect: writes,
          }),
        );
        break;
      case 'reset':
        fails(there, new PlatformError('transient', 'connection reset'));
        break;
      case 'denied':
        fails(
          there + back,
          new PlatformError('denied', '403: forbidden', { status: 403 }),
        );
        break;
      default:
        arrives(there, back);
    }
  });
}
