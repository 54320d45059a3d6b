/** Audit events: every action of a person, also one that fails or is not allowed. */
import type { AuditorService } from '@backstage/backend-plugin-api';
import type { JsonObject } from '@backstage/types';
import type { Request } from 'express';

type Meta = { [key: string]: string | boolean | number | undefined };

/**
 * Runs an action of a person between the two halves of an audit event. What is not allowed is an attempt, and recorded as one: the
 * check of rights belongs into `action`.
 *
 * @param action - may add what it finds out to the second half
 */
export async function audited<T>(
  { auditor }: { auditor: AuditorService },
  event: {
    eventId: string;
    request: Request;
    meta: Meta;
    /** Default: medium, for what changes something. */
    severityLevel?: 'low' | 'medium';
  },
  action: (add: (found: Meta) => void) => Promise<T>,
): Promise<T> {
  const audit = await auditor.createEvent({
    eventId: event.eventId,
    severityLevel: event.severityLevel ?? 'medium',
    request: event.request,
    meta: present(event.meta),
  });
  let found: Meta = {};
  try {
    const result = await action(more => {
      found = { ...found, ...more };
    });
    await audit.success({ meta: present(found) });
    return result;
  } catch (error) {
    await audit.fail({
      error: error instanceof Error ? error : new Error(String(error)),
      meta: present(found),
    });
    throw error;
  }
}

function present(meta: Meta): JsonObject {
  return Object.fromEntries(
    Object.entries(meta).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}
