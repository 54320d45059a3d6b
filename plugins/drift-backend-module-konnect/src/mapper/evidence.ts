/** Whether Kong's operator reconciles a resource by itself: then we must not be a second writer unannounced. */
import {
  at,
  listAt,
  textAt,
  textsAt,
} from '@plumbline/backstage-plugin-drift-node';
import type { ControllerEvidence } from '@plumbline/backstage-plugin-drift-node';
import type { Json } from '@plumbline/drift-engine';

const FINALIZER = 'gateway.konghq.com/konnect-cleanup';

/** What the custom resource definition itself fills in before any controller has looked. */
const UNTOUCHED = '1970-01-01T00:00:00Z';

/**
 * The proof is a condition `Programmed` that somebody wrote: only the operator does, and it does so also when it
 * fails. The time of a condition proves nothing: it moves when the status changes, and a healthy operator leaves it
 * alone for months. The finalizer and `status.konnect.id` alone prove nothing either: both stay when an operator is
 * taken away, and tools that restore backups bring them along.
 */
export function operatorEvidence(object: Json): ControllerEvidence | undefined {
  const programmed = listAt(object, 'status', 'conditions').find(
    condition => textAt(condition, 'type') === 'Programmed',
  );
  const since = textAt(programmed, 'lastTransitionTime');
  const reason = textAt(programmed, 'reason') ?? 'no reason';
  if (!programmed || !since || since === UNTOUCHED) {
    return undefined;
  }
  const status = textAt(programmed, 'status') ?? 'Unknown';
  const finalizer = textsAt(object, 'metadata', 'finalizers').includes(
    FINALIZER,
  );
  const generation = at(object, 'metadata', 'generation');
  const upToDate =
    status === 'True' &&
    generation !== undefined &&
    at(programmed, 'observedGeneration') === generation;
  return {
    ...(upToDate && { upToDate }),
    name: 'kong-operator',
    evidence: `Its status has a condition Programmed=${status} (${reason}) since ${since}, which only Kong's operator writes${
      finalizer ? ', and it bears the operator’s finalizer' : ''
    }.`,
  };
}
