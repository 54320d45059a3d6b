/** Rows as tests of the store make them, and passes that come to their end in one step. */
import type { State } from '@plumbline/drift-engine';
import { randomUUID } from 'node:crypto';
import type {
  DriftStore,
  PassOutcome,
  ResourceLease,
} from '../store/driftStore';
import type {
  ConflictRow,
  DecisionRow,
  EpisodeRow,
  ResourceRow,
} from '../store/rows';

export const NOW = 1_800_000_000_000;

export function row(
  name: string,
  over: Partial<ResourceRow> = {},
): ResourceRow {
  return {
    id: randomUUID(),
    ref: {
      platform: 'konnect/prod',
      kind: 'services',
      namespace: 'shop',
      name,
    },
    title: `KongService shop/${name}`,
    verdict: 'InSync',
    reason: 'Equal',
    message: 'Both sides are equal.',
    since: NOW,
    verifiedAt: NOW,
    dirty: false,
    source: 'kubernetes/prod/customResources',
    ownedBefore: [],
    createdBefore: false,
    orphanSightings: 0,
    maxStalenessMs: 300_000,
    resyncMs: 60_000,
    policy: {
      mode: 'observe',
      onLiveEdit: 'revert',
      onFirstSight: 'ask',
      actuator: 'direct',
      prune: false,
      paused: false,
    },
    next: { message: 'It is looked at again.', mayWrite: false },
    dueAt: NOW,
    attempts: 0,
    convergence: { heat: 0, heatAt: NOW, digests: [], sameDiffAfterWrites: 0 },
    ...over,
  };
}

export function state(value: State['value'], digest: string): State {
  return { value, digest, problems: [], warnings: [] };
}

export function episode(resourceId: string, startedAt: number): EpisodeRow {
  return {
    id: randomUUID(),
    resourceId,
    verdict: 'Drifted',
    reason: 'LiveMoved',
    message: 'Live moved.',
    startedAt,
    fields: [
      {
        path: '/retries',
        kind: 'differs',
        movedBy: 'live',
        declared: 3,
        live: 9,
      },
    ],
  };
}

export function conflict(resourceId: string, openedAt: number): ConflictRow {
  return {
    id: randomUUID(),
    resourceId,
    kindOfQuestion: 'conflict',
    status: 'open',
    question: 'Which side stands?',
    answers: [
      { choice: 'declared', label: 'Declared', consequence: 'It is written.' },
      { choice: 'live', label: 'Live', consequence: 'It stays.' },
    ],
    ifNobodyDecides: 'Nothing is written.',
    openedAt,
    fields: [],
    seen: { declared: 'd', live: 'l' },
  };
}

export function decision(resourceId: string, at: number): DecisionRow {
  const { policy } = row('x');
  return {
    id: randomUUID(),
    resourceId,
    at,
    trigger: 'sweep',
    verdict: 'Drifted',
    reason: 'LiveMoved',
    rule: 'enforce-live-moved',
    action: 'update',
    message: 'It is put back.',
    plan: ['/retries'],
    guards: [],
    engineVersion: '0.1.0',
    inputs: {
      schemaDigest: 's',
      declared: state({ big: 9007199254740993n }, 'd'),
      live: null,
      ownedBefore: [],
      facts: {},
      policy,
      accepted: [],
    },
  };
}

/** Takes a resource under lease at `NOW`; throws where somebody else holds it. */
export async function lease(
  store: DriftStore,
  id: string,
): Promise<ResourceLease> {
  const taken = await store.leaseOne(id, {
    owner: 'a',
    now: NOW,
    leaseMs: 30_000,
  });
  if (!taken) throw new Error('the lease is held by somebody else');
  return taken;
}

/** A pass at `NOW` that found this. */
export async function finish(
  store: DriftStore,
  resource: ResourceRow,
  outcome: Partial<PassOutcome>,
) {
  await store.finishPass(await lease(store, resource.id), {
    row: resource,
    states: {},
    ...outcome,
  });
}
