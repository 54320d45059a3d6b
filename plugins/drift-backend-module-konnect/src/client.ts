/** The HTTP client of the Konnect API: one request at a time through the shared budget, and errors that say something. */
import { isError } from '@backstage/errors';
import {
  isPlatformError,
  PlatformError,
  type RequestGate,
} from '@plumbline/backstage-plugin-drift-node';
import { parseJson, stringifyJson, type Json } from '@plumbline/drift-engine';
import { cleanMessage, errorFromAnswer, numberIn } from './errors';

/** Where in the queue a request stands. */
export type Priority = 'person' | 'pass' | 'sweep' | 'probe';

/** What a client needs to know. */
export interface KonnectClientOptions {
  /** Without a slash at the end. */
  serverUrl: string;
  token: string;
  requestTimeoutMs: number;
  gate: RequestGate;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Default: the global one. */
  fetch?: typeof fetch;
}

/** One request. */
export interface KonnectRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the server's address, each segment encoded: `/v2/control-planes`. */
  path: string;
  /** The request for people and for the record: `GET services`. */
  what: string;
  query?: Record<string, string | number>;
  body?: Json;
  signal: AbortSignal;
  /** Default: `pass`. */
  priority?: Priority;
  /** Reads the text of a success; throws a SyntaxError where it is broken. Default: all of it, as JSON. */
  parse?: (text: string) => Json;
}

/** How often a read that was throttled is sent again, each time when the gate has opened. */
const THROTTLED_READS = 3;

/** Codes with which a connection failed before anything could be sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** @see KonnectClientOptions */
export class KonnectClient {
  readonly #options: KonnectClientOptions;

  constructor(options: KonnectClientOptions) {
    this.#options = options;
  }

  /**
   * Sends a request and reads the whole answer. Reads that are throttled are sent again, writes and probes never are.
   *
   * @returns the parsed body; `undefined` where the answer has none (204).
   * @throws PlatformError; whatever aborted `signal` is thrown as it is.
   */
  async send(request: KonnectRequest): Promise<Json | undefined> {
    const { signal, priority = 'pass' } = request;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#options.gate.run({ signal, priority }, () =>
          this.#sendOnce(request),
        );
      } catch (error) {
        const again =
          request.method === 'GET' &&
          isPlatformError(error) &&
          error.classification === 'throttled' &&
          attempt < THROTTLED_READS &&
          priority !== 'probe' &&
          !signal.aborted;
        if (!again) {
          throw error;
        }
      }
    }
  }

  async #sendOnce(request: KonnectRequest): Promise<Json | undefined> {
    const { serverUrl, token, requestTimeoutMs, gate, now } = this.#options;
    const { method, path, query, body, signal, what } = request;
    signal.throwIfAborted();
    const url = new URL(`${serverUrl}${path}`);
    for (const [name, value] of Object.entries(query ?? {})) {
      url.searchParams.set(name, String(value));
    }
    const timeout = AbortSignal.timeout(requestTimeoutMs);
    let response: Response;
    let text: string;
    try {
      const send = this.#options.fetch ?? fetch;
      response = await send(url, {
        method,
        headers: {
          accept: 'application/json, application/problem+json',
          authorization: `Bearer ${token}`,
          'user-agent': 'plumbline-drift',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : stringifyJson(body),
        // A redirect would carry the token to wherever it points.
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
      });
      text = await response.text();
    } catch (error) {
      signal.throwIfAborted();
      throw this.#connectionError(error, request, timeout.aborted);
    }
    gate.observe({
      limit:
        numberIn(response.headers, 'ratelimit-limit') ??
        numberIn(response.headers, 'x-ratelimit-limit-minute'),
      remaining:
        numberIn(response.headers, 'ratelimit-remaining') ??
        numberIn(response.headers, 'x-ratelimit-remaining-minute'),
      resetSeconds: numberIn(response.headers, 'ratelimit-reset'),
    });
    const parsed = parseBody(text, response.ok ? request.parse : undefined);
    if (!response.ok) {
      throw errorFromAnswer({
        method,
        what,
        status: response.status,
        body: parsed,
        headers: response.headers,
        now: now(),
      });
    }
    if (parsed === undefined && text !== '') {
      throw new PlatformError(
        'transient',
        `The answer to ${what} is broken or no JSON; if this stays, check serverUrl`,
        { status: response.status, mayHaveTakenEffect: method !== 'GET' },
      );
    }
    return parsed;
  }

  #connectionError(
    error: unknown,
    { method, what }: KonnectRequest,
    timedOut: boolean,
  ): PlatformError {
    const { serverUrl, requestTimeoutMs } = this.#options;
    const host = new URL(serverUrl).host;
    if (timedOut) {
      return new PlatformError(
        'transient',
        `${host} gave no answer to ${what} within ${requestTimeoutMs} ms`,
        { mayHaveTakenEffect: method !== 'GET' },
      );
    }
    const code = errorCode(error);
    return new PlatformError(
      'transient',
      cleanMessage(
        `The connection to ${host} failed at ${what}${
          code ? ` (${code})` : ''
        }`,
      ),
      {
        ...(isError(error) && { cause: error }),
        mayHaveTakenEffect:
          method !== 'GET' && !(code !== undefined && NEVER_SENT.has(code)),
      },
    );
  }
}

/** `fetch` hides the reason of a failed connection in a chain of causes. */
function errorCode(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; isError(current) && depth < 5; depth += 1) {
    if (typeof current.code === 'string') {
      return current.code;
    }
    current = Array.isArray(current.errors) ? current.errors[0] : current.cause;
  }
  return undefined;
}

function parseBody(
  text: string,
  parse: (text: string) => Json = parseJson,
): Json | undefined {
  if (text === '') {
    return undefined;
  }
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return undefined;
    }
    throw error;
  }
}
