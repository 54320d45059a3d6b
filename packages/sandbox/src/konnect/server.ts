// The Konnect stand-in as an HTTP server: the order of the middleware, errors, and the /sandbox endpoints.
import { randomUUID } from 'node:crypto';
import { createServer, Server } from 'node:http';
import { AddressInfo } from 'node:net';
import express, { ErrorRequestHandler, Express, RequestHandler } from 'express';
import {
  authenticate,
  isPlatformPath,
  KonnectToken,
  limitRate,
  RateLimit,
} from './access';
import { controlPlanesRouter } from './controlPlanesRouter';
import { entitiesRouter } from './entitiesRouter';
import {
  badCoreRequest,
  entityNotFound,
  KonnectAnswer,
  problem,
} from './errors';
import { RequestLog } from './requestLog';
import { KonnectStore } from './store';

/** What can be injected into the stand-in. Everything has a default. */
export interface KonnectSandboxOptions {
  /** Handlers between the request counter and the API, for faults. */
  middleware?: RequestHandler[];
  /** The tokens that are accepted. Absent: every token that starts as one should. */
  tokens?: KonnectToken[];
  /** Absent: no limit. It can be changed later with `setRateLimit`. */
  rateLimit?: RateLimit;
  /** Milliseconds since the epoch. */
  now?: () => number;
  uuid?: () => string;
  /** Called after every change of the state. */
  onChange?: () => void;
}

/** A running stand-in. */
export interface KonnectSandbox {
  app: Express;
  store: KonnectStore;
  requests: RequestLog;
  setRateLimit(limit: RateLimit | undefined): void;
  /** Listens on 127.0.0.1; port 0 takes a free one. `close` also ends open connections. */
  listen(port?: number): Promise<{ url: string; close(): Promise<void> }>;
}

/** Creates the Konnect stand-in, empty. */
export function createKonnectSandbox(
  options: KonnectSandboxOptions = {},
): KonnectSandbox {
  const { now = Date.now, uuid = randomUUID, onChange } = options;
  let rateLimit = options.rateLimit;
  let traces = 0;
  const trace = () => {
    traces += 1;
    return `${now()}${String(traces).padStart(6, '0')}`;
  };
  const store = new KonnectStore({ now, uuid, onChange });
  const requests = new RequestLog();

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(requests.middleware);
  for (const handler of options.middleware ?? []) app.use(handler);
  app.use('/sandbox', sandboxRouter(store, requests));
  app.use(
    '/v2',
    limitRate(() => rateLimit, now),
    authenticate(options.tokens, trace),
  );
  app.use(express.json({ limit: '5mb' }));
  app.use('/v2/control-planes', controlPlanesRouter(store, trace));
  app.use('/v2/control-planes/:cpId/core-entities', entitiesRouter(store));
  app.use(() => {
    throw entityNotFound();
  });
  app.use(answerErrors(trace));

  return {
    app,
    store,
    requests,
    setRateLimit(limit) {
      rateLimit = limit;
    },
    async listen(port = 0) {
      const server = createServer(app);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', resolve);
      });
      const { port: actual } = server.address() as AddressInfo;
      return {
        url: `http://127.0.0.1:${actual}`,
        close: () => closeServer(server),
      };
    },
  };
}

function sandboxRouter(
  store: KonnectStore,
  requests: RequestLog,
): RequestHandler {
  const router = express.Router();
  router.get('/requests', (_request, response) => {
    response.json(requests.report());
  });
  router.delete('/requests', (_request, response) => {
    requests.reset();
    response.status(204).end();
  });
  router.get('/journal', (request, response) => {
    const since = Number(request.query.since ?? 0);
    response.json({
      entries: store.journal.entries(Number.isNaN(since) ? 0 : since),
    });
  });
  return router;
}

function answerErrors(trace: () => string): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  return (error: unknown, request, response, _next) => {
    let answer: KonnectAnswer;
    if (error instanceof KonnectAnswer) {
      answer = error;
    } else if (isClientError(error)) {
      answer = badCoreRequest(`invalid request: ${error.message}`);
    } else {
      answer = new KonnectAnswer(500, 'application/json', {
        message: `The stand-in failed: ${String(error)}`,
      });
    }
    // The platform API wraps also what went wrong elsewhere.
    if (
      isPlatformPath(request.path) &&
      answer.contentType === 'application/json' &&
      answer.status !== 404
    ) {
      const detail = String(answer.body.message);
      answer = problem(
        answer.status,
        answer.status < 500 ? 'Bad Request' : 'Internal Server Error',
        detail,
        trace(),
        answer.status === 400
          ? [
              {
                field: request.method === 'GET' ? 'query' : 'body',
                reason: detail,
              },
            ]
          : undefined,
      );
    }
    response.status(answer.status).type(answer.contentType);
    response.send(JSON.stringify(answer.body));
  };
}

/** body-parser's errors carry the status that the client deserves. */
function isClientError(error: unknown): error is Error & { status: number } {
  const { status } = error as { status?: unknown };
  return error instanceof Error && typeof status === 'number' && status < 500;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close(error => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}
