/** Turns what Konnect answers, in both of its dialects, into the one error class that the loop understands. */
import {
  at,
  isObject,
  listAt,
  PlatformError,
  textAt,
  type ErrorClass,
} from '@plumbline/backstage-plugin-drift-node';
import { redactText, type Json } from '@plumbline/drift-engine';

/** An answer that is no success. */
export interface FailedAnswer {
  method: string;
  /** The request for people: `PUT services/<id>`. */
  what: string;
  status: number;
  /** The parsed body, `undefined` where it is no JSON. */
  body: Json | undefined;
  headers: Headers;
  /** Milliseconds since the epoch, to read a date in `Retry-After`. */
  now: number;
}

const MAX_MESSAGE = 600;

/** Classifies an answer that is no success. */
export function errorFromAnswer(answer: FailedAnswer): PlatformError {
  const { method, what, status } = answer;
  const classification = classify(answer);
  const said = saidBy(answer.body) ?? `status ${status}`;
  return new PlatformError(
    classification,
    cleanMessage(`Konnect ${verb(classification)} ${what}: ${said}`),
    {
      status,
      ...(classification === 'throttled' && {
        retryAfterMs: retryAfterMs(answer.headers, answer.now),
      }),
      // A gateway in between may give up on a request that the API goes on to carry out.
      mayHaveTakenEffect: method !== 'GET' && status >= 500,
    },
  );
}

function verb(classification: ErrorClass): string {
  switch (classification) {
    case 'denied':
      return 'does not allow';
    case 'invalid':
    case 'conflict':
      return 'refused';
    case 'throttled':
      return 'asks to wait with';
    case 'gone':
      return 'does not know';
    default:
      return 'failed at';
  }
}

function classify({ method, status, body }: FailedAnswer): ErrorClass {
  switch (status) {
    case 401:
    case 402:
    case 403:
      return 'denied';
    case 404:
    case 410:
      return 'gone';
    case 409:
    case 412:
      return 'conflict';
    case 408:
    case 425:
      return 'transient';
    case 429:
      return 'throttled';
    case 400:
      return classifyBadRequest(method, body);
    default:
      return status >= 400 && status < 500 ? 'invalid' : 'transient';
  }
}

/**
 * A broken uniqueness is a 400 with code 3 and so is a dangling reference: only the messages tell them apart.
 */
function classifyBadRequest(
  method: string,
  body: Json | undefined,
): ErrorClass {
  const details = listAt(body, 'details').filter(
    detail => textAt(detail, 'type') === 'ERROR_TYPE_REFERENCE',
  );
  const text = [
    textAt(body, 'message') ?? '',
    ...details.flatMap(detail => listAt(detail, 'messages')),
  ].join('\n');
  if (text.includes('(type: unique)') || at(body, 'code') === 6) {
    return 'conflict';
  }
  if (
    text.includes('(type: foreign)') ||
    details.some(detail => textAt(detail, 'field')?.endsWith('.id'))
  ) {
    // What still refers to it has to go first: the same request is right a little later.
    return method === 'DELETE' ? 'transient' : 'invalid';
  }
  return at(body, 'code') === 3 &&
    textAt(body, 'message') === 'data constraint error'
    ? 'conflict'
    : 'invalid';
}

/** What the body says, in either dialect: `{code, message, details}` or problem+json. */
function saidBy(body: Json | undefined): string | undefined {
  if (!isObject(body)) {
    return undefined;
  }
  const parts = [
    textAt(body, 'message') ?? textAt(body, 'detail') ?? textAt(body, 'title'),
    ...listAt(body, 'details').map(detail => {
      const messages = listAt(detail, 'messages').join(', ');
      const field = textAt(detail, 'field');
      return field && !messages.startsWith(field)
        ? `${field}: ${messages}`
        : messages;
    }),
    ...listAt(body, 'invalid_parameters').map(
      parameter =>
        `${textAt(parameter, 'field') ?? '?'}: ${
          textAt(parameter, 'reason') ?? 'invalid'
        }`,
    ),
  ];
  const said = [...new Set(parts.filter(Boolean))].join('; ');
  return said === '' ? undefined : said;
}

/**
 * The same text for the same failure: without trace ids (a message that differs from try to try makes an endless
 * loop of changes), without secrets and of bounded length.
 */
export function cleanMessage(message: string): string {
  const stable = message
    .replace(/\b(?:kong|konnect):trace:[\w-]+/gi, '')
    .replace(/\b(?:trace|request|correlation)[ _-]?id\b["':= ]*[\w-]+/gi, '')
    .replace(/\s+/g, ' ')
    .trim();
  const text = redactText(stable);
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}

/** How long to wait after a 429: `Retry-After`, else the end of the limiter's window, else not said. */
export function retryAfterMs(
  headers: Headers,
  now: number,
): number | undefined {
  const retryAfter = headers.get('retry-after')?.trim();
  if (retryAfter && /^\d+(?:\.\d+)?$/.test(retryAfter)) {
    return Math.ceil(Number(retryAfter) * 1000);
  }
  const date = retryAfter ? Date.parse(retryAfter) : NaN;
  if (!Number.isNaN(date)) {
    return Math.max(0, date - now);
  }
  const reset = numberIn(headers, 'ratelimit-reset');
  return reset === undefined ? undefined : Math.ceil(reset * 1000);
}

/** A number that a header says, if it does. */
export function numberIn(headers: Headers, name: string): number | undefined {
  const text = headers.get(name)?.trim();
  const value = text ? Number(text) : NaN;
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
