/** How a platform's failure is told to the loop: one class, one classification. */
import { CustomErrorBase } from '@backstage/errors';

/**
 * - `transient`: try again (network, 5xx, timeout). - `throttled`: try again after `retryAfterMs`.
 * - `denied`: we may not (401, 403, quota). - `invalid`: the platform refuses this content (400, 422).
 * - `conflict`: somebody else was there first (409, uniqueness). - `gone`: the scope itself is gone (control plane deleted, kind removed).
 *
 * @public
 */
export type ErrorClass =
  | 'transient'
  | 'throttled'
  | 'denied'
  | 'invalid'
  | 'conflict'
  | 'gone';

/**
 * A failure of a platform or a declaration source. The message is for people: it carries no secret, and nothing that
 * differs between two tries of the same request (no trace ids).
 *
 * @public
 */
export class PlatformError extends CustomErrorBase {
  name = 'PlatformError' as const;
  readonly classification: ErrorClass;
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** `true` where the request may have taken effect although no answer came (a lost response). */
  readonly mayHaveTakenEffect: boolean;

  constructor(
    classification: ErrorClass,
    message: string,
    options: {
      cause?: Error;
      status?: number;
      retryAfterMs?: number;
      mayHaveTakenEffect?: boolean;
    } = {},
  ) {
    super(message, options.cause);
    this.classification = classification;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.mayHaveTakenEffect = options.mayHaveTakenEffect ?? false;
  }
}

/** @public */
export function isPlatformError(error: unknown): error is PlatformError {
  return (
    error instanceof Error &&
    error.name === 'PlatformError' &&
    'classification' in error
  );
}
