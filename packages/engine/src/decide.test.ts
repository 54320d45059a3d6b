/*
 * What decides between neighbouring rows of the decision table, what is done with each field, and what is said.
 */
import { evaluate } from './classify';
import { decide } from './decide';
import { input } from './__testUtils__/documents';
import {
  A,
  B,
  C,
  DEPLOYMENT,
  of,
  POLICY,
  scaled,
  SERVICES,
} from './__testUtils__/situations';
import { DecideInput, EffectivePolicy, Evaluation } from './types';

const DECLARED = { choice: { side: 'declared' as const } };

const decided = (
  evaluation: Evaluation,
  policy: Partial<EffectivePolicy> = {},
  more: Partial<DecideInput> = {},
) => decide({ evaluation, policy: { ...POLICY, ...policy }, ...more });

/** A choice for some of the fields only. */
const choose = (side: 'declared' | 'live', ...paths: string[]) => ({
  choice: { side, paths },
});

/** Live moved `retries`, and the declaration moved `host`. */
const mixed = () =>
  evaluate(
    input(SERVICES, { ...A, host: 'b' }, { ...A, retries: 9 }, { agreed: A }),
  );

/** Both sides moved both fields, and writes did not settle it. */
const bothTwice = (sameDiffAfterWrites = 0) =>
  evaluate(
    input(
      SERVICES,
      { ...B, retries: 7 },
      { ...C, retries: 9 },
      { agreed: A, facts: { sameDiffAfterWrites } },
    ),
  );

describe('which row decides', () => {
  it.each<
    [
      rule: string,
      verdict: string,
      policy?: Partial<EffectivePolicy>,
      more?: Partial<DecideInput>,
    ]
  >([
    // A pause stands above everything but equality and doubt.
    ['paused', 'invalid', { paused: true }],
    ['paused', 'missing', { paused: true }, { choice: { side: 'live' } }],
    ['unverified', 'unverified', { paused: true }],
    // A choice for some fields is no choice for the whole.
    ['update', 'live-moved', {}, choose('live', '/elsewhere')],
    ['conflicted', 'both-changed', {}, choose('declared', '/elsewhere')],
    ['non-convergent', 'non-convergent', {}, choose('declared', '/elsewhere')],
    ['contested', 'fight', {}, choose('declared', '/elsewhere')],
    ['update', 'fight', {}, choose('declared', '/host')],
    ['contested', 'contested', {}, choose('declared', '/spec/replicas')],
    // The mode stands above what would be done.
    ['observe', 'live-moved', { mode: 'observe' }, choose('declared', '/x')],
    ['observe-chosen', 'missing', { mode: 'observe' }, DECLARED],
    ['observe', 'missing', { mode: 'observe', onLiveEdit: 'ask' }],
    ['observe', 'first-sight', { mode: 'observe' }],
    // Orphans: pruning, the operator, the mode, and a person.
    ['orphan-kept', 'orphaned', { prune: false, actuator: 'operator' }],
    [
      'orphan-of-an-operator',
      'orphaned',
      { prune: false, actuator: 'operator' },
      DECLARED,
    ],
    ['prune', 'orphaned', { mode: 'ask' }, DECLARED],
    ['orphan-kept', 'orphaned', { prune: false, mode: 'ask' }],
    ['update', 'live-moved', { prune: false }],
    // Deleted live: the policy for live edits, unless a person chose.
    ['create', 'missing', { onLiveEdit: 'accept' }, DECLARED],
    ['create', 'missing', { onLiveEdit: 'ask' }, DECLARED],
    ['create', 'never-created', { onLiveEdit: 'accept' }],
    ['create', 'never-created', { onLiveEdit: 'ask' }],
    ['create-proposed', 'missing', { mode: 'ask', actuator: 'operator' }],
    [
      'create-nudged',
      'never-created',
      { mode: 'ask', actuator: 'operator' },
      DECLARED,
    ],
    // Fields: who keeps them, and who writes them.
    [
      'kept-by-policy',
      'live-moved',
      { onLiveEdit: 'accept' },
      { accepted: [] },
    ],
    [
      'kept-by-policy',
      'live-moved',
      { onLiveEdit: 'accept' },
      choose('declared', '/elsewhere'),
    ],
    ['update', 'live-moved', {}, { accepted: [{ path: '/x', live: 'b' }] }],
    ['update', 'live-moved', { mode: 'ask' }, DECLARED],
    ['update-proposed', 'live-moved', { mode: 'ask', actuator: 'operator' }],
    [
      'update-nudged',
      'live-moved',
      { mode: 'ask', actuator: 'operator' },
      DECLARED,
    ],
  ])('%s for %s', (rule, verdict, policy = {}, more = {}) => {
    expect(decided(of(verdict), policy, more).rule).toBe(rule);
  });
});

describe('what is done with each field', () => {
  it.each<
    [
      what: string,
      evaluation: () => Evaluation,
      policy: Partial<EffectivePolicy>,
      more: Partial<DecideInput>,
      fields: string[],
      kept: string[],
      asks?: string[],
    ]
  >([
    ['writes both', mixed, {}, {}, ['/host', '/retries'], []],
    [
      'leaves what live may keep',
      mixed,
      { onLiveEdit: 'accept' },
      {},
      ['/host'],
      ['/retries'],
    ],
    [
      'asks about what live moved',
      mixed,
      { onLiveEdit: 'ask' },
      {},
      ['/host'],
      ['/retries'],
      ['/retries'],
    ],
    ['proposes both', mixed, { mode: 'ask' }, {}, ['/host', '/retries'], []],
    [
      'nudges for both',
      mixed,
      { actuator: 'operator' },
      {},
      ['/host', '/retries'],
      [],
    ],
    [
      'writes what was chosen alone where each write needs a person',
      mixed,
      { mode: 'ask' },
      choose('declared', '/retries'),
      ['/retries'],
      ['/host'],
    ],
    [
      'writes what the declaration moved beside what was chosen',
      mixed,
      { onLiveEdit: 'ask' },
      choose('declared', '/retries'),
      ['/host', '/retries'],
      [],
    ],
    [
      'leaves what a person keeps live',
      mixed,
      {},
      choose('live', '/host'),
      ['/retries'],
      ['/host'],
    ],
    [
      'lets a choice outdo what was accepted',
      mixed,
      {},
      {
        ...choose('declared', '/retries'),
        accepted: [{ path: '/retries', declared: 3, live: 9 }],
      },
      ['/host', '/retries'],
      [],
    ],
    [
      'writes nothing of a conflict',
      bothTwice,
      {},
      {},
      [],
      ['/host', '/retries'],
      ['/host', '/retries'],
    ],
    [
      'writes one side of a conflict where chosen',
      bothTwice,
      {},
      choose('declared', '/host'),
      ['/host'],
      ['/retries'],
      ['/retries'],
    ],
    [
      'asks about every other field beside a conflict',
      () =>
        evaluate(
          input(
            SERVICES,
            { ...B, path: '/b' },
            { ...C, path: '/a', retries: 9 },
            { agreed: { ...A, path: '/a' } },
          ),
        ),
      {},
      choose('declared', '/host'),
      ['/host'],
      ['/path', '/retries'],
      ['/path', '/retries'],
    ],
    [
      'asks where both moved, whatever the verdict',
      () => bothTwice(2),
      {},
      choose('declared', '/host'),
      ['/host'],
      ['/retries'],
      ['/retries'],
    ],
    [
      'writes what was different at first sight where the declaration wins',
      () => of('first-sight'),
      { onFirstSight: 'declared' },
      {},
      ['/host'],
      [],
    ],
    [
      'takes away what we set once, however it was found',
      () => of('leftover'),
      { onFirstSight: 'live', onLiveEdit: 'accept' },
      {},
      ['/host'],
      [],
    ],
    ['names no field of a whole resource', () => of('missing'), {}, {}, [], []],
    [
      'keeps all while it holds',
      mixed,
      { paused: true },
      {},
      [],
      ['/host', '/retries'],
    ],
  ])('%s', (_what, evaluation, policy, more, fields, kept, asks = []) => {
    const decision = decided(evaluation(), policy, more);
    expect([decision.fields, decision.kept]).toEqual([fields, kept]);
    expect('asks' in decision).toBe(asks.length > 0);
    expect(decision.asks ?? []).toEqual(asks);
  });
});

describe('what is said', () => {
  const autoscaled = () =>
    evaluate(
      input(
        DEPLOYMENT,
        { spec: { replicas: 1, paused: false } },
        scaled('hpa'),
        { agreed: { spec: { replicas: 1, paused: false } } },
      ),
    );

  it.each<
    [
      message: string,
      evaluation: () => Evaluation,
      policy?: Partial<EffectivePolicy>,
      more?: Partial<DecideInput>,
    ]
  >([
    ['Nothing is written on a doubt. m', () => of('unverified')],
    [
      'Nothing is written until the declaration is put right. The declaration is wrong: /retries must be a whole number, but a string was given.',
      () => of('invalid'),
    ],
    ['Nothing can be written. m', () => of('blocked')],
    [
      'More than one declaration claims this object: also x.',
      () => of('rival-claims'),
    ],
    [
      'A person must choose a side. Both sides changed /host since they last agreed: /host is "c"; "b" is declared.',
      () => of('both-changed'),
    ],
    [
      'Writing again would not help. 2 writes were acknowledged, and still /host is "b"; "a" is declared.',
      () => of('non-convergent'),
    ],
    ['The other writer is left alone. m', () => of('fight')],
    [
      'A person must choose a side for 1 field (/retries).',
      mixed,
      { onLiveEdit: 'ask' },
      choose('live', '/host'),
    ],
    [
      'A person chose to leave 1 field (/host) as it is live.',
      () => of('live-moved'),
      {},
      choose('live', '/host'),
    ],
    [
      'The policy leaves 1 field (/host) as it is live.',
      () => of('live-moved'),
      { onLiveEdit: 'accept' },
    ],
    [
      'A plan to set 2 fields (/host and /retries) waits for a person.',
      mixed,
      { mode: 'ask' },
    ],
    [
      'The controller that owns it is asked to put back 2 fields (/host and /retries).',
      mixed,
      { actuator: 'operator' },
    ],
    ['2 fields (/host and /retries) are put as declared.', mixed],
    [
      '1 field (/host) is put as declared; 1 field (/retries) waits for a person.',
      mixed,
      { onLiveEdit: 'ask' },
    ],
    ['1 field (/spec/paused) is put as declared.', autoscaled],
    [
      'A person chose to leave 2 fields (/host and /retries) as they are live.',
      mixed,
      {},
      choose('live', '/host', '/retries'),
    ],
    [
      '1 field (/host) is put as declared; 2 fields (/name and /retries) wait for a person.',
      () =>
        evaluate(
          input(
            SERVICES,
            { ...A, host: 'b' },
            { ...A, retries: 9, name: 'n' },
            { agreed: A },
          ),
        ),
      { onLiveEdit: 'ask' },
    ],
  ])('%s', (message, evaluation, policy = {}, more = {}) => {
    expect(decided(evaluation(), policy, more).message).toBe(message);
  });

  it('is a sentence of its own for every action on the whole resource', () => {
    const messages = [
      decided(of('in-sync')),
      decided(of('unmanaged')),
      decided(of('missing'), { paused: true }),
      decided(of('missing'), {}, { choice: { side: 'live' } }),
      decided(of('missing'), { mode: 'observe' }),
      decided(of('missing'), { mode: 'observe' }, DECLARED),
      decided(of('orphaned'), { prune: false }),
      decided(of('orphaned'), { actuator: 'operator' }),
      decided(of('orphaned'), { mode: 'ask' }),
      decided(of('orphaned')),
      decided(of('missing'), { onLiveEdit: 'accept' }),
      decided(of('missing'), { onLiveEdit: 'ask' }),
      decided(of('missing'), { mode: 'ask' }),
      decided(of('missing'), { actuator: 'operator' }),
      decided(of('missing')),
    ].map(decision => decision.message);
    expect(new Set(messages).size).toBe(messages.length);
    for (const message of messages) {
      expect(message).toMatch(/^[A-Z].*\.$/);
    }
  });
});
