// Faults that can be ordered from either stand-in: what a network, a proxy or an overloaded API does to a client.
import express, { Request, RequestHandler, Response } from 'express';
import { captureAnswer, JsonAnswer, swallowAnswer } from './faultAnswers';
import { checkOrder, Fault, FaultOrder, matches } from './faultOrders';

export { FAULT_KINDS } from './faultOrders';
export type { Fault, FaultKind, FaultOrder } from './faultOrders';

/** What can be injected. */
export interface FaultOptions {
  /** 0 inclusive to 1 exclusive. */
  random?: () => number;
  /** Resolves after `ms` milliseconds. */
  delay?: (ms: number) => Promise<void>;
}

/** The faults of one server. */
export interface Faults {
  /** To be installed before the API's own handlers. Serves `/sandbox/faults`; never hits `/sandbox/…`. */
  middleware: RequestHandler;
  /** @throws Error that names the wrong field */
  add(order: FaultOrder): Fault;
  list(): Fault[];
  /** Ends one fault, or all. @returns how many ended */
  clear(id?: string): number;
}

/** How much is remembered for `stale`: the answers of the last reads. */
const REMEMBERED_BYTES = 64 * 1024 * 1024;

/** Creates the faults of one server: none at first. */
export function createFaults(options: FaultOptions = {}): Faults {
  const random = options.random ?? Math.random;
  const delay =
    options.delay ?? (ms => new Promise<void>(done => setTimeout(done, ms)));
  const remembered = new Map<string, JsonAnswer>();
  let bytes = 0;
  let faults: Fault[] = [];
  let ordered = 0;

  const faultsApi: Omit<Faults, 'middleware'> = {
    add(order) {
      const checked = checkOrder(order);
      ordered += 1;
      const fault: Fault = { ...checked, id: `fault-${ordered}`, hits: 0 };
      faults.push(fault);
      return { ...fault };
    },
    list: () => faults.map(fault => ({ ...fault })),
    clear(id) {
      const before = faults.length;
      faults = id === undefined ? [] : faults.filter(fault => fault.id !== id);
      return before - faults.length;
    },
  };

  /** The faults that hit this request; counts the hits and ends what is used up. */
  function strike(request: Request): Fault[] {
    const hit = faults.filter(
      fault =>
        matches(fault, request) &&
        (fault.probability === undefined || random() < fault.probability),
    );
    for (const fault of hit) {
      fault.hits += 1;
      if (fault.times !== undefined && fault.hits >= fault.times) {
        faults = faults.filter(other => other !== fault);
      }
    }
    return hit;
  }

  function remember(key: string, answer: JsonAnswer): void {
    bytes += answer.body.length - (remembered.get(key)?.body.length ?? 0);
    remembered.delete(key);
    remembered.set(key, answer);
    for (const [oldest, { body }] of remembered) {
      if (bytes <= REMEMBERED_BYTES) break;
      remembered.delete(oldest);
      bytes -= body.length;
    }
  }

  const control = controlRouter(faultsApi);
  const middleware: RequestHandler = (request, response, next) => {
    if (request.path.startsWith('/sandbox')) {
      control(request, response, next);
      return;
    }
    const hit = strike(request);
    const key = `${request.headers.accept ?? ''} ${request.originalUrl}`;
    // What the client saw while a fault was on is no earlier state of the server.
    if (hit.length === 0) {
      if (isPlainRead(request)) {
        captureAnswer(response, answer => {
          if (answer.status === 200) remember(key, answer);
          return answer;
        });
      }
      next();
      return;
    }
    const late = hit
      .filter(({ kind }) => kind === 'latency')
      .reduce(
        (sum, { ms = 0, jitterMs = 0 }) => sum + ms + random() * jitterMs,
        0,
      );
    const rest = hit.find(({ kind }) => kind !== 'latency');
    const go = () => {
      if (!rest) next();
      else
        inflict(rest, request, response, next, {
          get: () => remembered.get(key),
          set: answer => remember(key, answer),
        });
    };
    if (late > 0) delay(late).then(go, next);
    else go();
  };
  return { ...faultsApi, middleware };
}

function inflict(
  fault: Fault,
  request: Request,
  response: Response,
  next: () => void,
  earlier: {
    get(): JsonAnswer | undefined;
    set(answer: JsonAnswer): void;
  },
): void {
  const { status = 503, retryAfter, when = 'before', how = 'broken' } = fault;
  const error = () => {
    const actual = fault.kind === 'throttle' ? 429 : status;
    if (retryAfter !== undefined)
      response.set('retry-after', String(retryAfter));
    response.status(actual).json({
      message:
        actual === 429
          ? 'API rate limit exceeded'
          : `An ordered fault answers ${actual}`,
      status: actual,
    });
  };
  switch (fault.kind) {
    case 'status':
      if (when === 'after') swallowAnswer(response, error);
      if (when === 'after') next();
      else error();
      return;
    case 'throttle':
      error();
      return;
    case 'drop':
      if (when === 'after') {
        swallowAnswer(response, () => request.socket.destroy());
        next();
      } else {
        request.socket.destroy();
      }
      return;
    case 'truncate':
      captureAnswer(response, answer => {
        if (how === 'short') return shorten(answer, length => length >> 1);
        const half = answer.body.subarray(0, answer.body.length >> 1);
        return how === 'cut'
          ? { ...answer, body: half, cutFrom: answer.body.length }
          : { ...answer, body: half };
      });
      next();
      return;
    case 'empty':
      captureAnswer(response, answer => shorten(answer, () => 0));
      next();
      return;
    case 'stale': {
      const answer = earlier.get();
      if (!isPlainRead(request)) next();
      else if (answer) {
        response.status(answer.status);
        response.set('content-type', answer.contentType);
        response.end(answer.body);
      } else {
        // Seen for the first time under the fault: this answer is the one that stays.
        captureAnswer(response, first => {
          if (first.status === 200) earlier.set(first);
          return first;
        });
        next();
      }
      return;
    }
    default:
      next();
  }
}

/** A read that ends by itself: no watch. */
function isPlainRead(request: Request): boolean {
  const { watch } = request.query;
  return (
    request.method === 'GET' &&
    (watch === undefined || watch === 'false' || watch === '0')
  );
}

/** Keeps the first items of a list and hides that there were more; leaves what is no list alone. */
function shorten(
  answer: JsonAnswer,
  keep: (length: number) => number,
): JsonAnswer {
  const list: unknown = JSON.parse(answer.body.toString('utf8'));
  if (typeof list !== 'object' || list === null) return answer;
  const { data, items, next, offset, ...rest } = list as Record<
    string,
    unknown
  >;
  const name = Array.isArray(data) ? 'data' : 'items';
  const all = Array.isArray(data) ? data : items;
  if (!Array.isArray(all)) return answer;
  const kept = all.slice(0, keep(all.length));
  const { metadata, meta } = rest as {
    metadata?: Record<string, unknown>;
    meta?: { page?: Record<string, unknown> };
  };
  const shortened = {
    ...rest,
    [name]: kept,
    // `next` is null on the last page of the core entities; other lists have none.
    ...('next' in (list as object) && { next: null }),
    ...(metadata && {
      metadata: {
        ...metadata,
        continue: undefined,
        remainingItemCount: undefined,
      },
    }),
    ...(meta?.page && {
      meta: { ...meta, page: { ...meta.page, total: kept.length } },
    }),
  };
  return { ...answer, body: Buffer.from(JSON.stringify(shortened)) };
}

function controlRouter(faults: Omit<Faults, 'middleware'>): express.Router {
  const router = express.Router();
  router.get('/sandbox/faults', (_request, response) => {
    response.json({ faults: faults.list() });
  });
  router.post('/sandbox/faults', express.json(), (request, response) => {
    try {
      response.status(201).json(faults.add(request.body as FaultOrder));
    } catch (error) {
      response.status(400).json({ message: (error as Error).message });
    }
  });
  router.delete('/sandbox/faults/:id?', (request, response) => {
    const { id } = request.params;
    const cleared = faults.clear(id);
    if (id !== undefined && cleared === 0) {
      response.status(404).json({ message: `There is no fault '${id}'` });
      return;
    }
    response.json({ cleared });
  });
  return router;
}
