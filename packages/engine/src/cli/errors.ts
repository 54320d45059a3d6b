/*
 * Errors that a person can mend by calling the command otherwise.
 */

/** The command was called wrongly. */
export class UsageError extends Error {
  name = 'UsageError';
}
