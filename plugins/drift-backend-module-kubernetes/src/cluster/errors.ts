/* What an API server's failure means for the loop: one classification, told to people without secrets. */
import { isError } from '@backstage/errors';
import {
  listAt,
  PlatformError,
  textAt,
} from '@plumbline/backstage-plugin-drift-node';
import type { ErrorClass } from '@plumbline/backstage-plugin-drift-node';
import { type Json, parseJson } from '@plumbline/drift-engine';
import { reasonOf } from '../reason';

/** A refused request: a PlatformError that also keeps what the server's `Status` says by name. */
export class ClusterError extends PlatformError {
  /** `reason` of the Status: `NotFound`, `Conflict`, `Expired`; absent where the answer was no Status. */
  readonly reason?: string;
  /** Name of the object or kind that the Status is about. */
  readonly about?: { kind?: string; name?: string };
  /** Another field manager owns what we wanted to set (server-side apply). */
  readonly managerConflict: boolean;

  constructor(
    classification: ErrorClass,
    message: string,
    options: ConstructorParameters<typeof PlatformError>[2] & {
      reason?: string;
      about?: { kind?: string; name?: string };
      managerConflict?: boolean;
    },
  ) {
    super(classification, message, options);
    this.reason = options?.reason;
    this.about = options?.about;
    this.managerConflict = options?.managerConflict ?? false;
  }
}

/** An answer that is no success. */
export interface FailedResponse {
  status: number;
  body: string;
  retryAfter?: string;
  /** `GET /api/v1/…`, for people. */
  request: string;
  cluster: string;
  /** The request carried or asked for secret values: the server's own words may quote them and are left out. */
  sensitive: boolean;
}

function classify(status: number): ErrorClass {
  switch (status) {
    case 401:
    case 403:
      return 'denied';
    case 404:
      return 'gone';
    case 409:
    case 412:
      return 'conflict';
    case 429:
      return 'throttled';
    case 400:
    case 405:
    case 406:
    case 413:
    case 415:
    case 422:
      return 'invalid';
    default:
      return 'transient';
  }
}

/** Seconds or a date, as milliseconds from now. */
function retryAfterMs(header: string | undefined): number {
  const seconds = Number(header);
  return header !== undefined && Number.isFinite(seconds) && seconds >= 0
    ? seconds * 1000
    : 1000;
}

function parseStatus(body: string): Json | undefined {
  try {
    const parsed = parseJson(body);
    return textAt(parsed, 'kind') === 'Status' ? parsed : undefined;
  } catch {
    // No JSON at all: a proxy's page, or the plain text of an unknown path. The status code decides alone.
    return undefined;
  }
}

/** The server quotes the offending value (`Invalid value: "…"`), which may be one that nobody should see. */
function withoutValues(text: string): string {
  return text.replace(
    /((?:Invalid|Unsupported|Duplicate) value: )("(?:[^"\\]|\\.)*"|[^:,]+)/g,
    '$1…',
  );
}

function detailOf(status: Json | undefined, sensitive: boolean): string {
  if (sensitive) {
    const fields = listAt(status, 'details', 'causes')
      .map(cause => textAt(cause, 'field'))
      .filter(field => field !== undefined);
    return fields.length > 0 ? `: ${fields.join(', ')}` : '';
  }
  const message = textAt(status, 'message');
  return message ? `: ${reasonOf(withoutValues(message))}` : '';
}

/** Makes the error of a refused request. */
export function errorOfResponse(response: FailedResponse): ClusterError {
  const { status: code, cluster, request, sensitive } = response;
  const status = parseStatus(response.body);
  const reason = textAt(status, 'reason');
  const about = {
    kind: textAt(status, 'details', 'kind'),
    name: textAt(status, 'details', 'name'),
  };
  const detail = detailOf(status, sensitive);
  const options = {
    status: code,
    reason,
    about,
    managerConflict: listAt(status, 'details', 'causes').some(
      cause => textAt(cause, 'reason') === 'FieldManagerConflict',
    ),
  };
  const says = `cluster ${cluster} answered ${code} to ${request}`;

  const creates = request.startsWith('PATCH') || request.startsWith('POST');
  if (code === 404 && creates && about.kind === 'namespaces') {
    return new ClusterError(
      'denied',
      `namespace ${about.name} does not exist in cluster ${cluster}: create it first`,
      options,
    );
  }
  if (code === 401) {
    return new ClusterError(
      'denied',
      `cluster ${cluster} does not accept our credentials: check the token of its service account`,
      options,
    );
  }
  // Older servers call a patch that does not fit the kind an internal error.
  const misfit = /failed to create typed patch object|not declared in schema/;
  const classification =
    code === 500 && misfit.test(textAt(status, 'message') ?? '')
      ? 'invalid'
      : classify(code);
  return new ClusterError(classification, `${says}${detail}`, {
    ...options,
    retryAfterMs:
      classification === 'throttled' || response.retryAfter !== undefined
        ? retryAfterMs(response.retryAfter)
        : undefined,
  });
}

/** Codes that `fetch` hides in the cause of a failed request, in words. */
const NETWORK_WORDS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name cannot be looked up',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was cut',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed: set caData',
  SELF_SIGNED_CERT_IN_CHAIN:
    'its certificate is signed by an unknown authority: set caData',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is signed by an unknown authority: set caData',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
};

function codeOf(error: unknown): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && isError(current); depth++) {
    if (typeof current.code === 'string') {
      return current.code;
    }
    const { errors, cause } = current;
    current = Array.isArray(errors) && errors.length > 0 ? errors[0] : cause;
  }
  return undefined;
}

/** Makes the error of a request that got no whole answer. */
export function errorOfFailure(
  error: unknown,
  context: { cluster: string; request: string; writes: boolean },
): PlatformError {
  const code = codeOf(error);
  const timedOut = isError(error) && error.name === 'TimeoutError';
  const why = timedOut
    ? 'no answer in time'
    : (code && (NETWORK_WORDS[code] ?? `the connection failed (${code})`)) ??
      'the connection was cut';
  return new ClusterError(
    'transient',
    `cluster ${context.cluster} could not be asked ${context.request}: ${why}`,
    { mayHaveTakenEffect: context.writes && code !== 'ECONNREFUSED' },
  );
}

/** An answer that was no answer: no JSON, or not what was asked for. */
export function malformed(
  cluster: string,
  request: string,
  what: string,
): ClusterError {
  return new ClusterError(
    'transient',
    `cluster ${cluster} gave no proper answer to ${request}: ${what}`,
    {},
  );
}

/** The server said that this very object does not exist. A 404 of a whole path says nothing of the kind. */
export function saysObjectIsAbsent(error: unknown, name: string): boolean {
  return (
    error instanceof ClusterError &&
    error.status === 404 &&
    error.reason === 'NotFound' &&
    error.about?.name === name
  );
}
