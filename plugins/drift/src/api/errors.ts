/** Reads what an API error means for a person. */

/** The HTTP status of an error of the API; `undefined` for anything else (no connection, a bug). */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('statusCode' in error && typeof error.statusCode === 'number') {
    return error.statusCode;
  }
  return undefined;
}

/** Either side is no longer what the person saw. */
export function isChangedMeanwhile(error: unknown): boolean {
  return statusOf(error) === 409;
}

/** One sentence; for an API error the backend's own words instead of "Request failed with …". */
export function messageOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'body' in error) {
    const body = error.body as { error?: { message?: string } } | undefined;
    if (body?.error?.message) return body.error.message;
  }
  if (error instanceof TypeError) {
    return 'The portal’s backend could not be reached.';
  }
  return error instanceof Error ? error.message : String(error);
}
