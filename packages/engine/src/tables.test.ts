/*
 * Every row of the two tables, once: the row fires, and the documentation says the same.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLASSIFICATION_TABLE, evaluate } from './classify';
import { DECISION_TABLE, decide } from './decide';
import { classificationTableMarkdown, decisionTableMarkdown } from './docs';
import { konnectSchema } from './konnect/schema';
import { kubernetesSchema } from './kubernetes/schema';
import { input, state } from './__testUtils__/documents';
import {
  DecideInput,
  EffectivePolicy,
  EvaluateInput,
  Evaluation,
  Json,
} from './types';

const SERVICES = konnectSchema('services');
const DEPLOYMENT = kubernetesSchema('apps/v1/Deployment');

const A = { name: 'orders', host: 'a', retries: 3 };
const B = { name: 'orders', host: 'b', retries: 3 };
const C = { name: 'orders', host: 'c', retries: 3 };

const scaled = (manager: string, more: Json[] = []): Json => ({
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
const keptOf = (declared: typeof A, live: typeof A) => [
  { path: '/host', declared: declared.host, live: live.host },
];

const drifted = (more: Partial<EvaluateInput> = {}) =>
  input(SERVICES, A, B, { agreed: A, ...more });

const VERDICTS: Array<[rule: string, input: EvaluateInput]> = [
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

describe('the classification table', () => {
  it.each(VERDICTS)('%s', (rule, given) => {
    const answer = evaluate(given);
    expect(answer.rule).toBe(rule);
    const row = CLASSIFICATION_TABLE.find(one => one.id === rule)!;
    expect(answer.verdict).toBe(row.verdict);
    expect(answer.message).not.toBe('');
    expect(answer.message).not.toContain('undefined');
  });

  it('has a case for every row, and no row twice', () => {
    const ids = CLASSIFICATION_TABLE.map(row => row.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(VERDICTS.map(([rule]) => rule))).toEqual(new Set(ids));
  });

  it('takes the reason from the facts where they give one', () => {
    expect(
      evaluate(
        drifted({
          facts: { unverified: { reason: 'Throttled', message: 'm' } },
        }),
      ),
    ).toMatchObject({ reason: 'Throttled', message: 'm' });
  });

  it('says who owns what drifted, and since when', () => {
    const { changes } = evaluate(
      input(DEPLOYMENT, { spec: { replicas: 1 } }, scaled('hpa')),
    );
    expect(changes).toMatchObject([
      {
        path: '/spec/replicas',
        contested: true,
        owners: [
          {
            manager: 'hpa',
            operation: 'Update',
            subresource: 'scale',
            time: '2026-01-01T00:00:00Z',
          },
        ],
      },
    ]);
  });

  it('calls our own scaling no contest', () => {
    const live = scaled('us');
    const answer = evaluate({
      schema: DEPLOYMENT,
      declared: state({ spec: { replicas: 1 } }, DEPLOYMENT),
      live: state(live, DEPLOYMENT, 'live', 'us'),
    });
    expect(answer.changes[0]).toMatchObject({ owners: [{ ours: true }] });
    expect(answer.changes[0].contested).toBeUndefined();
  });
});

describe('who moved', () => {
  const moved = (declared: Json, live: Json, agreed: Json) =>
    evaluate(input(SERVICES, declared, live, { agreed })).changes.map(
      ({ path, movedBy, kind }) => [path, movedBy, kind],
    );

  it.each<[string, Json, Json, Json, unknown]>([
    ['live changed a value', A, B, A, [['/host', 'live', 'differs']]],
    [
      'the declaration changed a value',
      B,
      A,
      A,
      [['/host', 'declared', 'differs']],
    ],
    ['both changed it', B, C, A, [['/host', 'both', 'differs']]],
    ['both changed it to the same', B, B, A, []],
    [
      'live lost a value',
      A,
      { name: 'orders', retries: 3 },
      A,
      [['/host', 'live', 'absent']],
    ],
    [
      'a value was newly declared',
      A,
      { name: 'orders', retries: 3 },
      { name: 'orders', retries: 3 },
      [['/host', 'declared', 'absent']],
    ],
    [
      'a declared value replaces a default',
      { ...A, retries: 7 },
      { ...A, retries: 5 },
      { name: 'orders', host: 'a' },
      [['/retries', 'declared', 'differs']],
    ],
    [
      'live left the default while the field was newly declared',
      { ...A, retries: 7 },
      { ...A, retries: 6 },
      { name: 'orders', host: 'a' },
      [['/retries', 'both', 'differs']],
    ],
    [
      'live went back to the default',
      { ...A, retries: 7 },
      { ...A, retries: 5 },
      { ...A, retries: 7 },
      [['/retries', 'live', 'differs']],
    ],
  ])('%s', (_what, declared, live, agreed, expected) => {
    expect(moved(declared, live, agreed)).toEqual(expected);
  });

  it('sees a change of a write-only value in the declaration alone', () => {
    const schema = konnectSchema('basic-auths');
    const evaluateWith = (password: string, agreed: Json) =>
      evaluate({
        schema,
        declared: state({ username: 'a', password }, schema),
        live: state({ username: 'a', password: 'hash' }, schema, 'live'),
        lastAgreed: state(agreed, schema),
      });
    expect(
      evaluateWith('one', { username: 'a', password: 'one' }).verdict,
    ).toBe('InSync');
    expect(
      evaluateWith('two', { username: 'a', password: 'one' }),
    ).toMatchObject({
      verdict: 'Pending',
      changes: [{ path: '/password', movedBy: 'declared', secret: true }],
    });
    expect(evaluateWith('two', { username: 'a' }).verdict).toBe('InSync');
  });
});

const POLICY: EffectivePolicy = {
  mode: 'enforce',
  onLiveEdit: 'revert',
  onFirstSight: 'ask',
  actuator: 'direct',
  prune: true,
  paused: false,
};

const of = (rule: string): Evaluation =>
  evaluate(VERDICTS.find(([id]) => id === rule)![1]);

type Decided = [
  rule: string,
  evaluation: Evaluation,
  policy?: Partial<EffectivePolicy>,
  more?: Partial<DecideInput>,
];

const declaredSide = { choice: { side: 'declared' as const } };

const DECISIONS: Decided[] = [
  ['in-sync', of('in-sync'), { paused: true }],
  ['unmanaged', of('unmanaged')],
  ['unverified', of('unverified'), {}, declaredSide],
  ['unverified', of('orphan-unconfirmed')],
  ['paused', of('live-moved'), { paused: true }, declaredSide],
  ['invalid', of('invalid'), {}, declaredSide],
  ['blocked', of('blocked'), {}, declaredSide],
  ['kept-by-choice', of('both-changed'), {}, { choice: { side: 'live' } }],
  ['kept-by-choice', of('missing'), {}, { choice: { side: 'live' } }],
  ['unclear-object', of('rival-claims'), {}, declaredSide],
  ['unclear-object', of('ambiguous-match')],
  ['conflicted', of('both-changed')],
  ['conflicted', of('foreign-owner'), { mode: 'observe' }],
  ['conflicted', of('concurrent-writer')],
  ['non-convergent', of('non-convergent')],
  ['contested', of('fight')],
  ['contested', of('contested'), {}, declaredSide],
  ['observe-chosen', of('live-moved'), { mode: 'observe' }, declaredSide],
  ['observe', of('live-moved'), { mode: 'observe' }],
  ['observe', of('orphaned'), { mode: 'observe' }],
  ['orphan-kept', of('orphaned'), { prune: false }],
  ['orphan-of-an-operator', of('orphaned'), { actuator: 'operator' }],
  ['orphan-proposed', of('orphaned'), { mode: 'ask' }],
  ['prune', of('orphaned')],
  ['prune', of('orphaned'), { prune: false }, declaredSide],
  ['deletion-accepted', of('missing'), { onLiveEdit: 'accept' }],
  ['deletion-asked', of('missing'), { onLiveEdit: 'ask' }],
  ['create-proposed', of('never-created'), { mode: 'ask' }],
  ['create-nudged', of('missing'), { actuator: 'operator' }],
  ['create', of('missing')],
  ['create', of('never-created'), { mode: 'ask' }, declaredSide],
  ['asked', of('first-sight')],
  ['asked', of('live-moved'), { onLiveEdit: 'ask' }],
  [
    'kept-by-a-person',
    of('live-moved'),
    {},
    { accepted: [{ path: '/host', declared: 'a', live: 'b' }] },
  ],
  [
    'kept-by-a-person',
    of('live-moved'),
    {},
    { choice: { side: 'live', paths: ['/host'] } },
  ],
  ['kept-by-policy', of('live-moved'), { onLiveEdit: 'accept' }],
  ['kept-by-policy', of('first-sight'), { onFirstSight: 'live' }],
  ['update-proposed', of('live-moved'), { mode: 'ask' }],
  ['update-nudged', of('live-moved'), { actuator: 'operator' }],
  ['update', of('live-moved')],
  ['update', of('declared-moved'), { onLiveEdit: 'ask' }],
  ['update', of('leftover'), { onFirstSight: 'ask' }],
  ['update', of('first-sight'), { onFirstSight: 'declared' }],
  ['update', of('both-changed'), {}, declaredSide],
  ['update', of('non-convergent'), {}, declaredSide],
  ['update', of('fight'), {}, declaredSide],
];

describe('the decision table', () => {
  it.each(DECISIONS)('%s', (rule, evaluation, policy = {}, more = {}) => {
    const decision = decide({
      evaluation,
      policy: { ...POLICY, ...policy },
      ...more,
    });
    expect(decision.rule).toBe(rule);
    const row = DECISION_TABLE.find(one => one.id === rule)!;
    expect(decision.action).toBe(row.action);
    expect(decision.message).not.toContain('undefined');
  });

  it('has a case for every row, and no row twice', () => {
    const ids = DECISION_TABLE.map(row => row.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(DECISIONS.map(([rule]) => rule))).toEqual(new Set(ids));
  });

  const mixed = evaluate(
    input(SERVICES, { ...A, host: 'b' }, { ...A, retries: 9 }, { agreed: A }),
  );

  it('writes what may be written, and asks for the rest', () => {
    const decision = decide({
      evaluation: mixed,
      policy: { ...POLICY, onLiveEdit: 'ask' },
    });
    expect(decision).toMatchObject({
      action: 'update',
      fields: ['/host'],
      kept: ['/retries'],
      asks: ['/retries'],
    });
  });

  it('keeps an accepted difference only while both values stay', () => {
    const accepted = [{ path: '/retries', declared: 3, live: 9 }];
    expect(
      decide({ evaluation: mixed, policy: POLICY, accepted }),
    ).toMatchObject({
      fields: ['/host'],
      kept: ['/retries'],
    });
    expect(
      decide({
        evaluation: mixed,
        policy: POLICY,
        accepted: [{ ...accepted[0], live: 8 }],
      }),
    ).toMatchObject({ fields: ['/host', '/retries'], kept: [] });
  });

  it('takes a choice for the named fields alone', () => {
    const conflict = evaluate(
      input(
        SERVICES,
        { ...A, host: 'b', retries: 7 },
        { ...A, host: 'c', retries: 9 },
        { agreed: A },
      ),
    );
    expect(
      decide({
        evaluation: conflict,
        policy: POLICY,
        choice: { side: 'declared', paths: ['/host'] },
      }),
    ).toMatchObject({
      action: 'update',
      fields: ['/host'],
      asks: ['/retries'],
    });
    expect(
      decide({
        evaluation: conflict,
        policy: POLICY,
        choice: { side: 'declared', paths: ['/elsewhere'] },
      }),
    ).toMatchObject({ action: 'ask', fields: [] });
  });

  it('never writes a field that another controller keeps', () => {
    const evaluation = evaluate(
      input(
        DEPLOYMENT,
        { spec: { replicas: 1, minReadySeconds: 5 } },
        scaled('hpa'),
        {
          agreed: { spec: { replicas: 1, minReadySeconds: 5 } },
        },
      ),
    );
    expect(evaluation.verdict).toBe('Drifted');
    for (const choice of [undefined, { side: 'declared' as const }]) {
      expect(
        decide({ evaluation, policy: POLICY, ...(choice ? { choice } : {}) }),
      ).toMatchObject({
        action: 'update',
        fields: ['/spec/minReadySeconds'],
        kept: ['/spec/replicas'],
      });
    }
  });
});

describe('docs/verdicts.md', () => {
  const docs = readFileSync(
    join(__dirname, '../../../docs/verdicts.md'),
    'utf8',
  );

  /** A table without the white space by which a formatter lines it up. */
  const bare = (text: string) =>
    text
      .split('\n')
      .filter(line => line.startsWith('|'))
      .map(line =>
        line
          .split('|')
          .map(cell => cell.trim().replace(/^-+$/, '-'))
          .join('|'),
      )
      .join('\n');

  it('shows both tables as they are', () => {
    expect(bare(docs)).toContain(bare(classificationTableMarkdown()));
    expect(bare(docs)).toContain(bare(decisionTableMarkdown()));
  });
});
