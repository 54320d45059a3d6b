// Who may ask, and how often: bearer tokens, and the rate limit with its headers.
import type { RequestHandler } from 'express';
import { coreDenied, problem } from './errors';
import { JsonObject } from './json';

/** A token that the stand-in accepts. */
export interface KonnectToken {
  /** Starts with `kpat_` (a person's) or `spat_` (a system account's). */
  token: string;
  /** Who it is, for the journal. */
  principal: string;
  /** Writes are answered 403. */
  readOnly?: boolean;
}

/** A limit on requests per minute, over all tokens. */
export interface RateLimit {
  perMinute: number;
  /** Another limiter of Konnect sends no `retry-after`. @defaultValue true */
  sendRetryAfter?: boolean;
}

const READS = ['GET', 'HEAD', 'OPTIONS'];

/** Whether a request only reads. */
export function isRead(method: string): boolean {
  return READS.includes(method);
}

/** Answers 401 in the dialect of the part of the API that was asked, and 403 to writes with a read-only token. */
export function authenticate(
  tokens: KonnectToken[] | undefined,
  trace: () => string,
): RequestHandler {
  return (request, response, next) => {
    const [scheme, token = ''] = (request.headers.authorization ?? '').split(
      ' ',
    );
    const known = tokens
      ? tokens.find(candidate => candidate.token === token)
      : { token, principal: 'anybody', readOnly: false };
    if (
      scheme.toLowerCase() !== 'bearer' ||
      !/^(kpat|spat)_\S+$/.test(token) ||
      !known
    ) {
      throw isPlatformPath(request.path)
        ? problem(401, 'Unauthenticated', 'A valid token is required', trace())
        : coreDenied(401);
    }
    if (known.readOnly && !isRead(request.method)) {
      throw isPlatformPath(request.path)
        ? problem(
            403,
            'Permission denied',
            'Insufficient permissions to perform this action.',
            trace(),
          )
        : coreDenied(403);
    }
    response.locals.principal = known.principal;
    next();
  };
}

/** Control planes themselves, and the flat list of targets, speak problem+json; core entities have their own dialect. */
export function isPlatformPath(path: string): boolean {
  return (
    !path.includes('/core-entities/') || path.endsWith('/core-entities/targets')
  );
}

/** Counts requests in windows of a minute; answers 429 above the limit. */
export function limitRate(
  limit: () => RateLimit | undefined,
  now: () => number,
): RequestHandler {
  let window = -1;
  let used = 0;
  return (_request, response, next) => {
    const current = limit();
    if (!current) {
      next();
      return;
    }
    const minute = Math.floor(now() / 60_000);
    if (minute !== window) {
      window = minute;
      used = 0;
    }
    used += 1;
    const reset = Math.ceil(((minute + 1) * 60_000 - now()) / 1000);
    const remaining = Math.max(0, current.perMinute - used);
    response.set({
      'ratelimit-limit': String(current.perMinute),
      'ratelimit-remaining': String(remaining),
      'ratelimit-reset': String(reset),
      'x-ratelimit-limit-minute': String(current.perMinute),
      'x-ratelimit-remaining-minute': String(remaining),
    });
    if (used <= current.perMinute) {
      next();
      return;
    }
    if (current.sendRetryAfter !== false) {
      response.set('retry-after', String(reset));
    }
    const body: JsonObject = { message: 'API rate limit exceeded' };
    response.status(429).json(body);
  };
}
