/*
 * Every row of the two tables, once: the row fires, and the documentation says the same.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLASSIFICATION_TABLE } from './classificationTable';
import { evaluate } from './classify';
import { DECISION_TABLE, decide } from './decide';
import { classificationTableMarkdown, decisionTableMarkdown } from './docs';
import { konnectSchema } from './konnect/schema';
import { input, state } from './__testUtils__/documents';
import {
  A,
  B,
  C,
  DEPLOYMENT,
  drifted,
  of,
  POLICY,
  scaled,
  SERVICES,
  VERDICTS,
} from './__testUtils__/situations';
import { DecideInput, EffectivePolicy, Json } from './types';

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

type Decided = [
  rule: string,
  /** The row of the classification table. */
  verdict: string,
  policy?: Partial<EffectivePolicy>,
  more?: Partial<DecideInput>,
];

const declaredSide = { choice: { side: 'declared' as const } };

const DECISIONS: Decided[] = [
  ['in-sync', 'in-sync', { paused: true }],
  ['unmanaged', 'unmanaged'],
  ['unverified', 'unverified', {}, declaredSide],
  ['unverified', 'orphan-unconfirmed'],
  ['paused', 'live-moved', { paused: true }, declaredSide],
  ['invalid', 'invalid', {}, declaredSide],
  ['blocked', 'blocked', {}, declaredSide],
  ['kept-by-choice', 'both-changed', {}, { choice: { side: 'live' } }],
  ['kept-by-choice', 'missing', {}, { choice: { side: 'live' } }],
  ['unclear-object', 'rival-claims', {}, declaredSide],
  ['unclear-object', 'ambiguous-match'],
  ['conflicted', 'both-changed'],
  ['conflicted', 'foreign-owner', { mode: 'observe' }],
  ['conflicted', 'concurrent-writer'],
  ['non-convergent', 'non-convergent'],
  ['contested', 'fight'],
  ['contested', 'contested', {}, declaredSide],
  ['observe-chosen', 'live-moved', { mode: 'observe' }, declaredSide],
  ['observe', 'live-moved', { mode: 'observe' }],
  ['observe', 'orphaned', { mode: 'observe' }],
  ['orphan-kept', 'orphaned', { prune: false }],
  ['orphan-of-an-operator', 'orphaned', { actuator: 'operator' }],
  ['orphan-proposed', 'orphaned', { mode: 'ask' }],
  ['prune', 'orphaned'],
  ['prune', 'orphaned', { prune: false }, declaredSide],
  ['deletion-accepted', 'missing', { onLiveEdit: 'accept' }],
  ['deletion-asked', 'missing', { onLiveEdit: 'ask' }],
  ['create-proposed', 'never-created', { mode: 'ask' }],
  ['create-nudged', 'missing', { actuator: 'operator' }],
  ['create', 'missing'],
  ['create', 'never-created', { mode: 'ask' }, declaredSide],
  ['asked', 'first-sight'],
  ['asked', 'live-moved', { onLiveEdit: 'ask' }],
  [
    'kept-by-a-person',
    'live-moved',
    {},
    { accepted: [{ path: '/host', declared: 'a', live: 'b' }] },
  ],
  [
    'kept-by-a-person',
    'live-moved',
    {},
    { choice: { side: 'live', paths: ['/host'] } },
  ],
  ['kept-by-policy', 'live-moved', { onLiveEdit: 'accept' }],
  ['kept-by-policy', 'first-sight', { onFirstSight: 'live' }],
  ['update-proposed', 'live-moved', { mode: 'ask' }],
  ['update-nudged', 'live-moved', { actuator: 'operator' }],
  ['update', 'live-moved'],
  ['update', 'declared-moved', { onLiveEdit: 'ask' }],
  ['update', 'leftover', { onFirstSight: 'ask' }],
  ['update', 'first-sight', { onFirstSight: 'declared' }],
  ['update', 'both-changed', {}, declaredSide],
  ['update', 'non-convergent', {}, declaredSide],
  ['update', 'fight', {}, declaredSide],
];

describe('the decision table', () => {
  it.each(DECISIONS)('%s', (rule, verdict, policy = {}, more = {}) => {
    const decision = decide({
      evaluation: of(verdict),
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

  const mixed = () =>
    evaluate(
      input(SERVICES, { ...A, host: 'b' }, { ...A, retries: 9 }, { agreed: A }),
    );

  it('writes what may be written, and asks for the rest', () => {
    const decision = decide({
      evaluation: mixed(),
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
      decide({ evaluation: mixed(), policy: POLICY, accepted }),
    ).toMatchObject({
      fields: ['/host'],
      kept: ['/retries'],
    });
    expect(
      decide({
        evaluation: mixed(),
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

  it('writes no other field under ask than those that a person chose', () => {
    const two = evaluate(
      input(SERVICES, A, { ...A, host: 'c', retries: 9 }, { agreed: A }),
    );
    const choice = { side: 'declared' as const, paths: ['/host'] };
    expect(
      decide({ evaluation: two, policy: { ...POLICY, mode: 'ask' }, choice }),
    ).toMatchObject({
      action: 'update',
      fields: ['/host'],
      kept: ['/retries'],
    });
    expect(decide({ evaluation: two, policy: POLICY, choice })).toMatchObject({
      action: 'update',
      fields: ['/host', '/retries'],
    });
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
