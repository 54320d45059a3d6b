/*
 * What decides between neighbouring rows of the classification table, and what each row says.
 */
import { classify, evaluate } from './classify';
import { input, state } from './__testUtils__/documents';
import {
  A,
  B,
  C,
  DEPLOYMENT,
  drifted,
  of,
  scaled,
  SERVICES,
} from './__testUtils__/situations';
import {
  EvaluateInput,
  Evaluation,
  Facts,
  FieldChange,
  FieldOwner,
  Json,
  ResourceSchema,
} from './types';

const ruleOf = (given: EvaluateInput) => evaluate(given).rule;

/** Verdict of changes that no documents were compared for. */
const classified = (changes: FieldChange[], facts: Facts = {}): Evaluation =>
  classify(drifted({ facts }), {
    changes,
    extras: [],
    reordered: [],
    warnings: [],
  });

const change = (
  path: string,
  more: Partial<FieldChange> = {},
): FieldChange => ({
  path,
  declared: 'a',
  live: 'b',
  kind: 'differs',
  movedBy: 'live',
  ...more,
});

describe('an object that nobody declares', () => {
  const tagged = (...tags: Json[]): Json => ({ ...A, tags });
  const undeclared = (
    live: Json,
    more: Partial<EvaluateInput> & { agreed?: Json } = {},
    schema: ResourceSchema = SERVICES,
  ) => input(schema, null, live, more);

  it.each<[string, EvaluateInput]>([
    ['whose field we set', undeclared(A, { ownedBefore: ['/host'] })],
    ['that we created', undeclared(A, { facts: { createdBefore: true } })],
    [
      'whose field we set, and that got a mark where there was none',
      undeclared(tagged('k8s-uid:1'), {
        agreed: tagged('x'),
        ownedBefore: ['/host'],
      }),
    ],
    [
      'that bears, among others, the mark of when we agreed',
      undeclared(tagged('x', 'k8s-uid:2', 'k8s-uid:1'), {
        agreed: tagged('k8s-uid:1', 'k8s-uid:3'),
      }),
    ],
  ])('is ours: one %s', (_what, given) => {
    expect(ruleOf(given)).toBe('orphaned');
  });

  it('is ours where the platform says that we own one of its fields', () => {
    const live = state(A, SERVICES, 'live');
    const owned = (...owners: FieldOwner[]) =>
      ruleOf({
        schema: SERVICES,
        declared: null,
        live: {
          ...live,
          owners: { '/name': [{ manager: 'x' }], '/host': owners },
        },
      });
    expect(owned({ manager: 'y' }, { manager: 'us', ours: true })).toBe(
      'orphaned',
    );
    expect(owned({ manager: 'y' }, { manager: 'z' })).toBe('unmanaged');
  });

  it.each<[string, EvaluateInput]>([
    ['of which nothing is known', undeclared(A)],
    ['of which we set no field', undeclared(A, { ownedBefore: [] })],
    [
      'that we did not create',
      undeclared(A, { facts: { createdBefore: false } }),
    ],
    ['that bears a mark without a past', undeclared(tagged('k8s-uid:1'))],
    [
      'that bears no mark any more',
      undeclared(tagged('x'), { agreed: tagged('k8s-uid:1') }),
    ],
    [
      'that bears the same tag, which is no mark',
      undeclared(tagged('team', 7), { agreed: tagged('team', 7) }),
    ],
    [
      'whose tags are no list',
      undeclared({ ...A, tags: 'k8s-uid:1' }, { agreed: tagged('k8s-uid:1') }),
    ],
    [
      'of a kind that has no marks',
      undeclared(
        { tags: ['k8s-uid:1'] },
        { agreed: { tags: ['k8s-uid:1'] } },
        { kind: 'things', platform: 'test', root: { type: 'any' } },
      ),
    ],
  ])('is not ours: one %s', (_what, given) => {
    expect(ruleOf(given)).toBe('unmanaged');
  });

  it.each<[number | undefined, string]>([
    [0, 'orphan-unconfirmed'],
    [1, 'orphan-unconfirmed'],
    [2, 'orphaned'],
    [3, 'orphaned'],
    [undefined, 'orphaned'],
  ])('after %s sightings is %s', (orphanSightings, rule) => {
    expect(
      ruleOf(
        undeclared(A, {
          ownedBefore: ['/host'],
          facts: orphanSightings === undefined ? {} : { orphanSightings },
        }),
      ),
    ).toBe(rule);
  });
});

it('forgets sightings without a declaration once there is one', () => {
  const facts = { orphanSightings: 1 };
  expect(ruleOf(input(SERVICES, A, A, { facts }))).toBe('in-sync');
});

describe('somebody else’s mark', () => {
  const marked = (declared: string[], live: string[], facts: Facts = {}) =>
    evaluate(
      input(
        SERVICES,
        { ...A, tags: declared },
        { ...A, tags: live },
        { facts },
      ),
    );

  it('is seen where we have one of our own', () => {
    expect(
      marked(['k8s-uid:1'], ['x', 'k8s-uid:1', 'k8s-uid:2']),
    ).toMatchObject({
      rule: 'foreign-owner',
      message: 'The live object belongs to somebody else: k8s-uid:2.',
    });
    expect(marked(['k8s-uid:1'], ['k8s-uid:1']).rule).toBe('in-sync');
    expect(marked(['k8s-uid:1', 'x'], ['k8s-uid:1', 'x', 'y']).rule).toBe(
      'in-sync',
    );
    expect(marked([], ['k8s-uid:2']).rule).toBe('in-sync');
    expect(marked(['x'], ['x', 'k8s-uid:2']).rule).toBe('in-sync');
  });

  it('is what the caller states first of all', () => {
    expect(
      marked(['k8s-uid:1'], ['k8s-uid:2'], { foreignOwner: { owner: 'them' } })
        .message,
    ).toBe('The live object belongs to somebody else: them.');
  });

  it('stands on a live object only', () => {
    const facts = { foreignOwner: { owner: 'them' } };
    expect(ruleOf(input(SERVICES, A, null, { facts }))).toBe('never-created');
  });
});

describe('a declared object that is not there', () => {
  it.each<[string, Partial<EvaluateInput> & { agreed?: Json }, string]>([
    ['agreed once', { agreed: A }, 'missing'],
    ['created by us', { facts: { createdBefore: true } }, 'missing'],
    ['not created by us', { facts: { createdBefore: false } }, 'never-created'],
    ['never seen', {}, 'never-created'],
  ])('%s', (_what, more, rule) => {
    expect(ruleOf(input(SERVICES, A, null, more))).toBe(rule);
  });
});

describe('documents that cannot be compared', () => {
  it('leave no change, whatever else is wrong', () => {
    const answer = evaluate(
      input(SERVICES, { retries: 'three', name: 7 }, 'text', { agreed: A }),
    );
    expect(answer).toMatchObject({
      rule: 'invalid',
      changes: [],
      extras: [],
      reordered: [],
      warnings: [],
    });
    expect(answer.problems.map(problem => problem.path)).toEqual(
      expect.arrayContaining(['/retries', '/name']),
    );
    expect(answer.problems.map(problem => problem.reason)).toContain(
      'NotAnObject',
    );
    expect(answer.message).toBe(
      `The declaration is wrong in 2 places: ${answer.problems[0].message}`,
    );
  });

  it('are not compared although one of them is right', () => {
    expect(
      evaluate(input(SERVICES, { ...A, retries: 'x' }, B)).changes,
    ).toEqual([]);
    expect(evaluate(input(SERVICES, A, 'text')).changes).toEqual([]);
  });
});

describe('facts', () => {
  it('count where they say something', () => {
    const rule = (facts: Facts) => ruleOf(drifted({ facts }));
    expect(rule({ rivalClaims: [], ambiguousMatches: [] })).toBe('live-moved');
    expect(rule({ sameDiffAfterWrites: 1 })).toBe('live-moved');
    expect(rule({ sameDiffAfterWrites: 2 })).toBe('non-convergent');
    expect(rule({ sameDiffAfterWrites: 3 })).toBe('non-convergent');
    expect(rule({ kept: [] })).toBe('live-moved');
  });

  it('give the reason where they have one', () => {
    const because = { reason: 'Quota', message: 'No room is left.' };
    expect(evaluate(drifted({ facts: { blocked: because } }))).toMatchObject({
      verdict: 'Blocked',
      ...because,
    });
    expect(
      evaluate(drifted({ facts: { blocked: because, unverified: because } })),
    ).toMatchObject({ verdict: 'Unknown', ...because });
    // A fact that is not the reason of the verdict is not its reason.
    expect(
      evaluate(input(SERVICES, A, A, { facts: { blocked: because } })).reason,
    ).toBe('Equal');
  });
});

describe('who moved', () => {
  it('leaves out what another controller keeps', () => {
    const autoscaled = change('/a', {
      contested: true,
      movedBy: 'both',
      owners: [{ manager: 'hpa' }],
    });
    expect(classified([autoscaled]).rule).toBe('contested');
    expect(classified([autoscaled, change('/b')])).toMatchObject({
      rule: 'live-moved',
      message: 'Live moved: /b is "b"; "a" is declared.',
    });
  });

  it('leaves out what a person keeps', () => {
    const kept = [{ path: '/a', declared: 'a', live: 'b' }];
    const both = change('/a', { movedBy: 'both' });
    expect(classified([both], { kept }).rule).toBe('kept-live');
    expect(
      classified([both, change('/b', { movedBy: 'declared' })], { kept }),
    ).toMatchObject({
      rule: 'declared-moved',
      message: 'The declaration moved on: /b is "b"; "a" is declared.',
    });
  });

  it.each<[string, FieldChange[]]>([
    ['both-changed', [change('/a'), change('/b', { movedBy: 'both' })]],
    ['first-sight', [change('/a'), change('/b', { movedBy: 'unknown' })]],
    [
      'live-moved',
      [
        change('/a', { movedBy: 'unknown', kind: 'leftover' }),
        change('/b', { movedBy: 'declared' }),
        change('/c'),
      ],
    ],
    [
      'leftover',
      [
        change('/a', { movedBy: 'unknown', kind: 'leftover' }),
        change('/b', { movedBy: 'declared' }),
      ],
    ],
    ['declared-moved', [change('/a', { movedBy: 'declared' })]],
  ])('%s, among others', (rule, changes) => {
    expect(classified(changes).rule).toBe(rule);
  });
});

describe('the sentence for people', () => {
  it.each<[string, string]>([
    [
      'invalid',
      'The declaration is wrong: /retries must be a whole number, but a string was given.',
    ],
    [
      'unreadable',
      'The live document cannot be compared: The document must be an object.',
    ],
    ['rival-claims', 'More than one declaration claims this object: also x.'],
    [
      'ambiguous-match',
      'Several live objects answer to this declaration: x and y.',
    ],
    [
      'concurrent-writer',
      'Somebody else writes at the same time: the plan was dropped 3 times in a row.',
    ],
    [
      'non-convergent',
      '2 writes were acknowledged, and still /host is "b"; "a" is declared.',
    ],
    [
      'both-changed',
      'Both sides changed /host since they last agreed: /host is "c"; "b" is declared.',
    ],
    [
      'kept-live',
      'A person decided to keep what is live: /host is "c"; "b" is declared.',
    ],
    [
      'first-sight',
      'It was different when first seen, and there is no history to say who moved: /host is "b"; "a" is declared.',
    ],
    ['live-moved', 'Live moved: /host is "b"; "a" is declared.'],
    [
      'leftover',
      'We set it once: /host is still there although it is no longer declared.',
    ],
    [
      'declared-moved',
      'The declaration moved on: /host is "a"; "b" is declared.',
    ],
  ])('of %s', (rule, message) => {
    expect(of(rule).message).toBe(message);
  });

  it('is the one of the facts where they have one', () => {
    for (const rule of ['unverified', 'blocked', 'fight']) {
      expect(of(rule).message).toBe('m');
    }
  });

  it('names each controller once', () => {
    const owners = [{ manager: 'hpa' }, { manager: 'keda' }];
    expect(
      classified([
        change('/a', { contested: true, owners }),
        change('/b', { contested: true, owners }),
        change('/c', { contested: true }),
      ]).message,
    ).toMatch(/ kept by hpa and keda\.$/);
    expect(
      evaluate(input(DEPLOYMENT, { spec: { replicas: 1 } }, scaled('hpa')))
        .message,
    ).toBe('/spec/replicas is kept by hpa.');
  });

  it('speaks of the fields that made the verdict, and not of others', () => {
    const leftover = change('/left', { kind: 'leftover', movedBy: 'declared' });
    const both = change('/both', { movedBy: 'both' });
    const live = change('/live');
    expect(classified([leftover, both, live]).message).toBe(
      'Both sides changed /both since they last agreed: /both is "b"; "a" is declared.',
    );
    expect(classified([leftover, live]).message).toBe(
      'Live moved: /live is "b"; "a" is declared.',
    );
    expect(
      classified([leftover, change('/x', { movedBy: 'declared' })]).message,
    ).toBe(
      'We set it once: /left is still there although it is no longer declared.',
    );
  });

  it('tells how many fields differ', () => {
    expect(
      evaluate(
        input(SERVICES, { ...C, retries: 1 }, { ...C, host: 'x', retries: 2 }),
      ).message,
    ).toBe(
      'It was different when first seen, and there is no history to say who moved: 2 fields differ (/host and /retries).',
    );
  });
});
