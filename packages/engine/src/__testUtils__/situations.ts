/*
 * Situations for tests: at least one input for every row of the classification table.
 */
import { evaluate } from '../classify';
import { konnectSchema } from '../konnect/schema';
import { kubernetesSchema } from '../kubernetes/schema';
import { EffectivePolicy, EvaluateInput, Evaluation, Json } from '../types';
import { input } from './documents';

export const SERVICES = konnectSchema('services');
export const DEPLOYMENT = kubernetesSchema('apps/v1/Deployment');

export const A = { name: 'orders', host: 'a', retries: 3 };
export const B = { name: 'orders', host: 'b', retries: 3 };
export const C = { name: 'orders', host: 'c', retries: 3 };

/** A live Deployment whose replicas a manager scaled to 4. */
export const scaled = (manager: string, more: Json[] = []): Json => ({
  metadata: {
    managedFields: [
      {
        manager,
        operation: 'Update',
        subresource: 'scale',
        time: '2026-01-01T00:00:00Z',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      },
      ...more,
    ],
  },
  spec: { replicas: 4, paused: true },
});

/** What a person keeps who saw host `declared` and `live`. */
export const keptOf = (declared: typeof A, live: typeof A) => [
  { path: '/host', declared: declared.host, live: live.host },
];

/** Live moved `host` from `a` to `b`. */
export const drifted = (more: Partial<EvaluateInput> = {}) =>
  input(SERVICES, A, B, { agreed: A, ...more });

/** Inputs by the row of the classification table that they come to; at least one for every row. */
export const VERDICTS: Array<[rule: string, input: EvaluateInput]> = [
  [
    'unverified',
    drifted({ facts: { unverified: { reason: 'Unreachable', message: 'm' } } }),
  ],
  ['nothing-anywhere', input(SERVICES, null, null)],
  ['unmanaged', input(SERVICES, null, A, { agreed: A })],
  [
    'orphan-unconfirmed',
    input(SERVICES, null, A, {
      ownedBefore: ['/host'],
      facts: { orphanSightings: 1 },
    }),
  ],
  [
    'orphaned',
    input(SERVICES, null, A, {
      ownedBefore: ['/host'],
      facts: { orphanSightings: 2 },
    }),
  ],
  ['orphaned', input(SERVICES, null, A, { facts: { createdBefore: true } })],
  [
    'orphaned',
    input(
      SERVICES,
      null,
      { ...A, tags: ['k8s-uid:1'] },
      { agreed: { ...A, tags: ['k8s-uid:1'] } },
    ),
  ],
  [
    'unmanaged',
    input(
      SERVICES,
      null,
      { ...A, tags: ['k8s-uid:2'] },
      { agreed: { ...A, tags: ['k8s-uid:1'] } },
    ),
  ],
  ['invalid', input(SERVICES, { retries: 'three' }, A)],
  ['invalid', input(SERVICES, { retries: 'three' }, null)],
  ['unreadable', input(SERVICES, A, 'not a document')],
  ['rival-claims', input(SERVICES, A, A, { facts: { rivalClaims: ['x'] } })],
  [
    'ambiguous-match',
    input(SERVICES, A, A, { facts: { ambiguousMatches: ['x', 'y'] } }),
  ],
  [
    'foreign-owner',
    input(SERVICES, A, A, { facts: { foreignOwner: { owner: 'x' } } }),
  ],
  [
    'foreign-owner',
    input(
      SERVICES,
      { ...A, tags: ['k8s-uid:1'] },
      { ...A, tags: ['k8s-uid:2'] },
    ),
  ],
  ['in-sync', input(SERVICES, A, A)],
  ['in-sync', input(SERVICES, B, B, { agreed: A })],
  [
    'in-sync',
    input(SERVICES, A, A, {
      facts: {
        blocked: { reason: 'Denied', message: 'm' },
        fight: { message: 'm' },
        sameDiffAfterWrites: 5,
      },
    }),
  ],
  [
    'blocked',
    drifted({ facts: { blocked: { reason: 'Denied', message: 'm' } } }),
  ],
  ['missing', input(SERVICES, A, null, { agreed: A })],
  ['missing', input(SERVICES, A, null, { facts: { createdBefore: true } })],
  ['never-created', input(SERVICES, A, null)],
  [
    'concurrent-writer',
    drifted({ facts: { concurrentWriter: { attempts: 3 } } }),
  ],
  ['non-convergent', drifted({ facts: { sameDiffAfterWrites: 2 } })],
  [
    'fight',
    drifted({ facts: { sameDiffAfterWrites: 1, fight: { message: 'm' } } }),
  ],
  [
    'contested',
    input(
      DEPLOYMENT,
      { spec: { replicas: 1 } },
      scaled('kube-controller-manager'),
    ),
  ],
  ['both-changed', input(SERVICES, B, C, { agreed: A })],
  [
    'kept-live',
    input(SERVICES, B, C, { agreed: A, facts: { kept: keptOf(B, C) } }),
  ],
  ['kept-live', input(SERVICES, A, B, { facts: { kept: keptOf(A, B) } })],
  // both values must be as they were seen
  [
    'both-changed',
    input(SERVICES, B, C, { agreed: A, facts: { kept: keptOf(A, C) } }),
  ],
  ['first-sight', input(SERVICES, A, B)],
  [
    'first-sight',
    input(
      DEPLOYMENT,
      { spec: { replicas: 1, paused: false } },
      scaled('kube-controller-manager'),
    ),
  ],
  ['live-moved', drifted()],
  [
    'live-moved',
    input(DEPLOYMENT, { spec: { replicas: 1 } }, scaled('kubectl'), {
      agreed: { spec: { replicas: 1 } },
    }),
  ],
  [
    'leftover',
    input(
      SERVICES,
      { name: 'orders' },
      { name: 'orders', host: 'a' },
      { ownedBefore: ['/host', '/name'] },
    ),
  ],
  ['declared-moved', input(SERVICES, B, A, { agreed: A })],
];

/** The evaluation of the first input for a row. */
export const of = (rule: string): Evaluation =>
  evaluate(VERDICTS.find(([id]) => id === rule)![1]);

/** Everything may be written, and first sight asks. */
export const POLICY: EffectivePolicy = {
  mode: 'enforce',
  onLiveEdit: 'revert',
  onFirstSight: 'ask',
  actuator: 'direct',
  prune: true,
  paused: false,
};
