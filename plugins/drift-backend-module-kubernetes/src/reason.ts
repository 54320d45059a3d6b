/* Why something failed, in one clause that may be shown: short, on one line, without secrets. */
import { isError } from '@backstage/errors';
import { redactText } from '@plumbline/drift-engine';

const MAX_LENGTH = 300;

export function reasonOf(error: unknown): string {
  const text = isError(error) ? error.message : String(error);
  return redactText(text.replace(/\s+/g, ' ')).slice(0, MAX_LENGTH);
}
