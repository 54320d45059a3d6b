/** The first row of a resource that was just declared: nothing is known yet. */
import type { DeclaredResource } from '@plumbline/backstage-plugin-drift-node';
import type { DriftConfig } from '../config';
import { CALM } from '../pass/convergence';
import { describedBy } from '../pass/record';
import { policyInForce } from '../policy/policy';
import type { Millis, ResourceRow } from '../store/rows';

export function newResource(
  declared: DeclaredResource,
  options: {
    id: string;
    source: string;
    now: Millis;
    dueAt: Millis;
    config: Pick<DriftConfig, 'maxStalenessMs' | 'resyncMs' | 'defaults'>;
  },
): ResourceRow {
  const { now, dueAt, config } = options;
  const inForce = policyInForce({
    ref: declared.ref,
    statements: [],
    defaults: config.defaults,
    maxStalenessMs: config.maxStalenessMs,
    controller: declared.controller,
    readOnly: declared.readOnly,
    now,
  });
  return {
    id: options.id,
    ref: declared.ref,
    ...describedBy({ title: declared.ref.name }, declared),
    verdict: 'Unknown',
    reason: 'NotLookedAt',
    message: 'It was just declared and has not been looked at yet.',
    since: now,
    dirty: true,
    source: options.source,
    ownedBefore: [],
    createdBefore: false,
    orphanSightings: 0,
    maxStalenessMs: inForce.maxStalenessMs,
    resyncMs: inForce.resyncMs ?? config.resyncMs,
    policy: inForce.policy,
    next: { message: 'It is looked at for the first time.', mayWrite: false },
    dueAt,
    attempts: 0,
    convergence: CALM,
  };
}
