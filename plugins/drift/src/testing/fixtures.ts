/** One resource of every verdict, with the questions, platforms and rules around them, for tests and for `dev/`. */
import type {
  ApiConflict,
  ApiDecisionRecord,
  ApiEffectivePolicy,
  ApiEpisode,
  ApiFieldChange,
  ApiPlatformStatus,
  ApiPolicyRule,
  ApiResourceDetail,
} from '@plumbline/backstage-plugin-drift-common';

/** `seconds` before (or, negative, after) `now`, as the API says times. */
export function ago(now: number, seconds: number): string {
  return new Date(now - seconds * 1000).toISOString();
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const ENTITY = 'component:default/orders';
export const OWNER = 'group:default/team-shop';
const EU = { platform: 'konnect/eu', platformTitle: 'Konnect EU' };
const CLUSTER = {
  platform: 'kubernetes/prod',
  platformTitle: 'Kubernetes prod',
};

const POLICY: ApiEffectivePolicy = {
  mode: 'enforce',
  onLiveEdit: 'revert',
  onFirstSight: 'ask',
  actuator: 'direct',
  prune: false,
  resyncSeconds: 60,
  maxStalenessSeconds: 300,
};

type Partly = Omit<Partial<ApiResourceDetail>, 'ref'> & {
  id: string;
  kind: string;
  name: string;
  on: typeof EU;
};

function resource(now: number, given: Partly): ApiResourceDetail {
  const { kind, name, on, ...rest } = given;
  return {
    ref: { platform: on.platform, kind, namespace: 'shop', name },
    title: `${kind} shop/${name}`,
    platformTitle: on.platformTitle,
    verdict: 'InSync',
    reason: 'Verified',
    message: 'Every declared field equals its live value.',
    since: ago(now, 3 * DAY),
    verifiedAt: ago(now, 20),
    stale: false,
    fields: rest.changes?.length ?? 0,
    entities: [ENTITY],
    owner: OWNER,
    policy: POLICY,
    next: {
      at: ago(now, -40),
      message: 'It is looked at again at the next check.',
      mayWrite: false,
    },
    lastAgreedAt: ago(now, 2 * HOUR),
    changes: [],
    extras: [],
    reordered: [],
    warnings: [],
    problems: [],
    seen: { declared: `d-${rest.id}`, live: `l-${rest.id}` },
    ...rest,
  };
}

const driftedChanges = (now: number): ApiFieldChange[] => [
  {
    path: '/retries',
    kind: 'differs',
    movedBy: 'live',
    declared: 3,
    live: 9,
    lastAgreed: 3,
    owners: [{ manager: 'kay@example.com', time: ago(now, 5 * MINUTE) }],
  },
  {
    path: '/client_certificate/key',
    kind: 'differs',
    movedBy: 'declared',
    declared: { $secret: 'hmac:3fa9c01b77de' },
    live: { $secret: 'hmac:91bb20aa4c11' },
    lastAgreed: { $secret: 'hmac:91bb20aa4c11' },
    secret: true,
  },
  {
    path: '/tags/[=legacy]',
    kind: 'leftover',
    movedBy: 'declared',
    live: 'legacy',
    lastAgreed: 'legacy',
    kept: true,
  },
];

const CERTIFICATE = Array.from(
  { length: 24 },
  (_, line) => `line ${line} of a certificate chain that nobody wants to read`,
).join('\n');

/** Resources, worst first. */
export function resources(now: number): ApiResourceDetail[] {
  return [
    resource(now, {
      id: 'conflicted',
      kind: 'KongRoute',
      name: 'checkout',
      on: EU,
      verdict: 'Conflicted',
      reason: 'BothChanged',
      message:
        'Konnect has the paths `/checkout-v2`; the KongRoute declares `/pay`. Both moved after both agreed at 09:12.',
      since: ago(now, 26 * HOUR),
      openConflictId: 'c-conflicted',
      next: {
        at: ago(now, -55),
        message: 'Nothing is written until a person decides.',
        mayWrite: false,
      },
      changes: [
        {
          path: '/paths',
          kind: 'differs',
          movedBy: 'both',
          declared: ['/pay'],
          live: ['/checkout-v2'],
          lastAgreed: ['/checkout'],
          owners: [{ manager: 'kay@example.com', time: ago(now, DAY) }],
        },
      ],
      declared: { name: 'checkout', paths: ['/pay'] },
      live: { name: 'checkout', paths: ['/checkout-v2'] },
    }),
    resource(now, {
      id: 'nonconvergent',
      kind: 'KongPlugin',
      name: 'rate-limit',
      on: EU,
      verdict: 'NonConvergent',
      reason: 'SameDifferenceAfterWrites',
      message:
        'Two writes of `config.minute` were acknowledged, and a fresh read still shows 60 instead of 100.',
      since: ago(now, 3 * HOUR),
      changes: [
        {
          path: '/config/minute',
          kind: 'differs',
          movedBy: 'unknown',
          declared: 100,
          live: 60,
          lastAgreed: 60,
        },
      ],
    }),
    resource(now, {
      id: 'invalid',
      kind: 'KongRoute',
      name: 'basket',
      on: EU,
      verdict: 'Invalid',
      reason: 'DanglingReference',
      message:
        'The KongRoute points to a service `baskett` that is not declared.',
      since: ago(now, 2 * HOUR),
      problems: [
        {
          path: '/service',
          reason: 'DanglingReference',
          message: 'There is no KongService `baskett` in namespace `shop`.',
        },
      ],
    }),
    resource(now, {
      id: 'missing',
      kind: 'KongConsumer',
      name: 'mobile-app',
      on: EU,
      verdict: 'Missing',
      reason: 'NotFound',
      message: 'It is declared, and Konnect EU says that it is not there.',
      since: ago(now, 90),
      next: {
        at: ago(now, -12),
        message: 'Under enforce it is created again at the next check.',
        mayWrite: true,
      },
      changes: [
        {
          path: '/username',
          kind: 'absent',
          movedBy: 'live',
          declared: 'mobile-app',
          lastAgreed: 'mobile-app',
        },
      ],
    }),
    resource(now, {
      id: 'drifted',
      kind: 'KongService',
      name: 'orders',
      on: EU,
      verdict: 'Drifted',
      reason: 'LiveChanged',
      message:
        'Konnect has `retries` 9; the KongService declares 3. Live moved after both agreed at 09:12.',
      since: ago(now, 5 * MINUTE),
      changedAt: ago(now, 5 * MINUTE),
      changedBy: 'kay@example.com',
      liveLink: 'https://konnect.example.com/services/orders',
      origin: {
        source: 'kubernetes/prod/customResources',
        type: 'customResource',
        cluster: 'prod',
        apiVersion: 'configuration.konghq.com/v1alpha1',
        kind: 'KongService',
        namespace: 'shop',
        name: 'orders',
      },
      next: {
        at: ago(now, -40),
        message: 'Under enforce it is put back within 40 s.',
        mayWrite: true,
      },
      changes: driftedChanges(now),
      extras: [
        { path: '/write_timeout', live: 60000, isDefault: true },
        { path: '/connect_timeout', live: 60000, isDefault: true },
        {
          path: '/tags/[=edited-by-hand]',
          live: 'edited-by-hand',
          owners: [{ manager: 'kay@example.com' }],
        },
        { path: '/ca_certificates', live: CERTIFICATE },
      ],
      reordered: ['/protocols'],
      warnings: [
        {
          path: '/annotations',
          reason: 'UnknownField',
          message: 'Konnect drops this field, so it cannot drift.',
        },
      ],
      declared: {
        name: 'orders',
        host: 'orders.shop.svc',
        port: 8080,
        retries: 3,
        client_certificate: { key: { $secret: 'hmac:3fa9c01b77de' } },
        tags: ['shop'],
      },
      live: {
        name: 'orders',
        host: 'orders.shop.svc',
        port: 8080,
        retries: 9,
        client_certificate: { key: { $secret: 'hmac:91bb20aa4c11' } },
        tags: ['shop', 'legacy'],
      },
      episode: undefined,
    }),
    resource(now, {
      id: 'firstsight',
      kind: 'Deployment',
      name: 'orders',
      on: CLUSTER,
      verdict: 'Drifted',
      reason: 'FirstSight',
      message:
        'The cluster runs 5 replicas, the manifest declares 3. It was so before we looked, so nobody can say who moved.',
      since: ago(now, 40 * MINUTE),
      openConflictId: 'c-firstsight',
      lastAgreedAt: undefined,
      changes: [
        {
          path: '/spec/replicas',
          kind: 'differs',
          movedBy: 'unknown',
          declared: 3,
          live: 5,
        },
      ],
    }),
    resource(now, {
      id: 'orphaned',
      kind: 'KongUpstream',
      name: 'old-orders',
      on: EU,
      verdict: 'Orphaned',
      reason: 'NoDeclaration',
      message:
        'It bears our mark, and two complete reads showed no declaration for it.',
      since: ago(now, 6 * DAY),
    }),
    resource(now, {
      id: 'contested',
      kind: 'Deployment',
      name: 'worker',
      on: CLUSTER,
      verdict: 'Contested',
      reason: 'AutoscalerOwnsField',
      message: 'An autoscaler owns `replicas` and keeps it at 7.',
      since: ago(now, 9 * HOUR),
      changes: [
        {
          path: '/spec/replicas',
          kind: 'differs',
          movedBy: 'live',
          declared: 2,
          live: 7,
          lastAgreed: 2,
          contested: true,
          owners: [
            {
              manager: 'horizontal-pod-autoscaler',
              subresource: 'scale',
              time: ago(now, 9 * HOUR),
            },
          ],
        },
      ],
    }),
    resource(now, {
      id: 'blocked',
      kind: 'NetworkPolicy',
      name: 'orders',
      on: CLUSTER,
      verdict: 'Blocked',
      reason: 'Forbidden',
      message: 'We may not patch networkpolicies in namespace shop.',
      since: ago(now, 4 * HOUR),
      policy: {
        ...POLICY,
        paused: {
          by: 'user:default/jo',
          reason: 'migration to the new cluster',
          until: ago(now, -3 * HOUR),
        },
      },
    }),
    resource(now, {
      id: 'unknown',
      kind: 'ConfigMap',
      name: 'orders-config',
      on: CLUSTER,
      verdict: 'Unknown',
      reason: 'Unreachable',
      message:
        'It was last verified 12 min ago; since then the cluster does not answer.',
      since: ago(now, 7 * MINUTE),
      verifiedAt: ago(now, 12 * MINUTE),
      stale: true,
    }),
    resource(now, {
      id: 'pending',
      kind: 'KongService',
      name: 'basket',
      on: EU,
      verdict: 'Pending',
      reason: 'DeclarationChanged',
      message:
        'The declaration moved on 15 s ago; Konnect EU has yet to follow.',
      since: ago(now, 15),
      policy: { ...POLICY, actuator: 'operator' },
      controller: { name: 'gateway-operator', evidence: 'tag k8s-uid' },
      changes: [
        {
          path: '/port',
          kind: 'differs',
          movedBy: 'declared',
          declared: 8443,
          live: 8080,
          lastAgreed: 8080,
        },
      ],
    }),
    resource(now, {
      id: 'insync',
      kind: 'KongConsumer',
      name: 'web-shop',
      on: EU,
    }),
    resource(now, {
      id: 'insync-2',
      kind: 'Service',
      name: 'orders',
      on: CLUSTER,
      entities: [],
      owner: undefined,
    }),
  ];
}

export function conflicts(now: number): ApiConflict[] {
  const [conflicted] = resources(now);
  const firstSight = resources(now).find(item => item.id === 'firstsight')!;
  const question = (
    of: ApiResourceDetail,
    given: Partial<ApiConflict> & { id: string },
  ): ApiConflict => ({
    resourceId: of.id,
    ref: of.ref,
    title: of.title,
    platformTitle: of.platformTitle,
    kindOfQuestion: 'conflict',
    status: 'open',
    question: 'Which side stands?',
    answers: [
      {
        choice: 'declared',
        label: 'The declared side stands',
        consequence: 'The declared values are written to the platform now.',
      },
      {
        choice: 'live',
        label: 'The live side stands',
        consequence: 'Nothing is written, until either side moves again.',
      },
    ],
    ifNobodyDecides: 'Nothing is written, and the question stays open.',
    openedAt: of.since,
    entities: of.entities,
    owner: of.owner,
    fields: of.changes,
    seen: of.seen,
    ...given,
  });
  const firstSightOf = (id: string, name: string, hours: number) =>
    question(firstSight, {
      id,
      title: `Deployment shop/${name}`,
      kindOfQuestion: 'firstSight',
      question: `Deployment shop/${name} differed before we looked: the cluster runs 5 replicas, 3 are declared. Which side stands?`,
      openedAt: ago(now, hours * HOUR),
    });
  return [
    question(conflicted, {
      id: 'c-conflicted',
      question:
        'Konnect EU has the paths /checkout-v2 for KongRoute shop/checkout, the declaration says /pay. Which side stands?',
      answers: [
        {
          choice: 'declared',
          label: 'Put /pay in place',
          consequence:
            'The paths become /pay on Konnect EU at once; calls to /checkout-v2 end.',
        },
        {
          choice: 'live',
          label: 'Keep /checkout-v2',
          consequence:
            'Nothing is written. The declaration stays different until somebody changes it.',
        },
      ],
      changedAt: ago(now, DAY),
      changedBy: 'kay@example.com',
    }),
    firstSightOf('c-firstsight', 'orders', 20),
    firstSightOf('c-firstsight-2', 'mailer', 18),
    firstSightOf('c-firstsight-3', 'search', 17),
    question(conflicted, {
      id: 'c-other',
      title: 'KongUpstream pay/cards',
      owner: 'group:default/team-pay',
      kindOfQuestion: 'prune',
      question:
        'KongUpstream pay/cards is live and no longer declared. Shall it be deleted?',
      openedAt: ago(now, 2 * HOUR),
      fields: [],
    }),
    question(conflicted, {
      id: 'c-resolved',
      status: 'resolved',
      question: 'KongService shop/stock: 3 or 9 retries?',
      title: 'KongService shop/stock',
      choice: 'live',
      resolvedBy: 'user:default/jo',
      resolvedAt: ago(now, 2 * DAY),
      note: 'the partner needs it until May',
      outcome: 'The live value 9 is kept.',
    }),
  ];
}

export function episodes(now: number): ApiEpisode[] {
  return [
    {
      id: 'e-2',
      resourceId: 'drifted',
      verdict: 'Drifted',
      reason: 'LiveChanged',
      message: '`retries` went from 3 to 9 on Konnect EU.',
      startedAt: ago(now, 5 * MINUTE),
      fields: driftedChanges(now).slice(0, 1),
      changedBy: 'kay@example.com',
      changedAt: ago(now, 5 * MINUTE),
    },
    {
      id: 'e-1',
      resourceId: 'drifted',
      verdict: 'Drifted',
      reason: 'LiveChanged',
      message: '`host` was edited on Konnect EU.',
      startedAt: ago(now, 3 * DAY),
      endedAt: ago(now, 3 * DAY - 45),
      ending: 'corrected',
      endMessage: 'The declared host was written, and a fresh read shows it.',
      decidedBy: 'enforce.liveOnly.revert',
      why: 'Only the live side had moved, and the policy says revert.',
      fields: [],
    },
  ];
}

export function decisions(now: number): ApiDecisionRecord[] {
  return [
    {
      id: 'x-1',
      at: ago(now, 20),
      trigger: 'requeue',
      verdict: 'Drifted',
      reason: 'LiveChanged',
      rule: 'enforce.liveOnly.revert',
      action: 'hold',
      message: 'Only live moved; the write budget of this minute is used up.',
      declaredVersion: '184467',
      declaredDigest: 'sha256:77aa',
      liveVersion: '1764547200',
      liveDigest: 'sha256:91bb',
      plan: ['/retries'],
      guards: [
        {
          guard: 'writeBudget',
          holds: true,
          message: '10 of 10 writes of this minute are used.',
        },
      ],
      result: 'held',
      engineVersion: '0.1.0',
    },
  ];
}

export function platforms(now: number): ApiPlatformStatus[] {
  return [
    {
      id: 'konnect/eu',
      title: 'Konnect EU',
      kind: 'platform',
      status: 'ok',
      lastCompleteAt: ago(now, 20),
      lastTriedAt: ago(now, 20),
      sweepMilliseconds: 840,
      requestsPerMinute: 600,
      requestsLeft: 571,
      resources: 8,
    },
    {
      id: 'kubernetes/prod',
      title: 'Kubernetes prod',
      kind: 'platform',
      status: 'unreachable',
      message: 'connect ECONNREFUSED; trying again in 30 s',
      lastCompleteAt: ago(now, 12 * MINUTE),
      lastTriedAt: ago(now, 11),
      sweepMilliseconds: 2300,
      resources: 5,
    },
    {
      id: 'kubernetes/prod/customResources',
      title: 'Custom resources of prod',
      kind: 'source',
      status: 'degraded',
      message: 'the list of KongPlugins ended early',
      lastCompleteAt: ago(now, 3 * MINUTE),
      lastTriedAt: ago(now, 25),
      resources: 13,
    },
  ];
}

export function policies(now: number): ApiPolicyRule[] {
  return [
    {
      id: 'config-1',
      origin: 'config',
      scope: { platform: 'konnect/eu' },
      settings: { mode: 'enforce', onLiveEdit: 'revert' },
    },
    {
      id: 'p-1',
      origin: 'portal',
      scope: { platform: 'konnect/eu', kind: 'services', namespace: 'pay' },
      settings: { mode: 'ask' },
      reason: 'The payment team wants to see each change.',
      by: 'user:default/jo',
      createdAt: ago(now, 9 * DAY),
    },
    {
      id: 'p-2',
      origin: 'portal',
      scope: {
        platform: 'kubernetes/prod',
        kind: 'NetworkPolicy',
        namespace: 'shop',
        name: 'orders',
      },
      settings: { paused: true },
      reason: 'migration to the new cluster',
      by: 'user:default/jo',
      createdAt: ago(now, 2 * HOUR),
      until: ago(now, -3 * HOUR),
    },
  ];
}

/** 200 fields with long values, to see that a page stays usable. */
export function manyFields(): ApiFieldChange[] {
  return Array.from({ length: 200 }, (_, index) => ({
    path: `/spec/template/spec/containers/[name=app]/env/[name=SETTING_${index}]/value`,
    kind: 'differs' as const,
    movedBy: 'live' as const,
    declared: `value ${index}`,
    live: index % 10 === 0 ? CERTIFICATE : `other value ${index}`,
    lastAgreed: `value ${index}`,
  }));
}
