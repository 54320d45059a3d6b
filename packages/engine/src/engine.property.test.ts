/*
 * What must hold for every input, tried with random ones.
 */
/* eslint-disable jest/no-conditional-expect -- a property may speak of some inputs only; which, is random */
import fc from 'fast-check';
import { evaluate } from './classify';
import { decide } from './decide';
import { canonical, digest, stringifyJson } from './json/canonical';
import { parseJson } from './json/parse';
import { konnectSchema } from './konnect/schema';
import { kubernetesSchema } from './kubernetes/schema';
import { agreedState, normalise, normaliseRaw } from './normalise/normalise';
import { overlay } from './overlay';
import { ownedPointers } from './compare/owned';
import {
  formatPointer,
  getAt,
  parsePointer,
  PointerToken,
  removeAt,
  setAt,
} from './pointer';
import { redactText } from './redact/text';
import {
  documentFor,
  input,
  reordered,
  state,
  testDigest,
} from './__testUtils__/documents';
import {
  EffectivePolicy,
  EvaluateInput,
  Facts,
  Json,
  JsonObject,
  ResourceSchema,
  VERDICTS,
} from './types';

const SCHEMAS: ResourceSchema[] = [
  kubernetesSchema('v1/ConfigMap'),
  kubernetesSchema('v1/Service'),
  kubernetesSchema('v1/Secret'),
  kubernetesSchema('apps/v1/Deployment'),
  kubernetesSchema('networking.k8s.io/v1/Ingress'),
  kubernetesSchema('autoscaling/v2/HorizontalPodAutoscaler'),
  kubernetesSchema('example.com/v1/Thing'),
  konnectSchema('services'),
  konnectSchema('routes'),
  konnectSchema('plugins'),
  konnectSchema('upstreams'),
  konnectSchema('basic-auths'),
];

const each = (test: (schema: ResourceSchema) => void) => SCHEMAS.forEach(test);

/** Shorthands never come back from a platform. */
function asLive(document: JsonObject): JsonObject {
  const { stringData: _plain, url: _url, ...live } = document;
  return live;
}

/** More with `DRIFT_PROPERTY_RUNS`, for a long night. */
const RUNS = { numRuns: Number(process.env.DRIFT_PROPERTY_RUNS ?? 120) };

/** Only declarations that are valid: others have a verdict of their own. */
const isValid = (document: Json, schema: ResourceSchema) =>
  state(document, schema).problems.length === 0;

describe('every input', () => {
  it('is in sync with itself', () => {
    each(schema =>
      fc.assert(
        fc.property(documentFor(schema), document => {
          fc.pre(isValid(document, schema));
          const answer = evaluate(input(schema, document, document));
          expect(answer.changes).toEqual([]);
          expect(answer.verdict).toBe('InSync');
        }),
        RUNS,
      ),
    );
  });

  it('gives the same answer whatever the order of keys', () => {
    each(schema =>
      fc.assert(
        fc.property(
          documentFor(schema),
          documentFor(schema),
          (declared, live) => {
            const one = evaluate(input(schema, declared, live));
            const two = evaluate(
              input(schema, reordered(declared), reordered(live)),
            );
            expect(canonical(two as unknown as Json)).toBe(
              canonical(one as unknown as Json),
            );
            expect(state(reordered(live), schema, 'live').digest).toBe(
              state(live, schema, 'live').digest,
            );
          },
        ),
        RUNS,
      ),
    );
  });

  it('is in sync after its plan was carried out, and keeps what nobody declared', () => {
    each(schema =>
      fc.assert(
        fc.property(
          documentFor(schema),
          documentFor(schema),
          documentFor(schema),
          (declared, given, before) => {
            const live = asLive(given);
            fc.pre(isValid(declared, schema) && isValid(before, schema));
            const ownedBefore = ownedPointers(state(before, schema), schema);
            const first = evaluate(
              input(schema, declared, live, { ownedBefore }),
            );
            fc.pre(first.verdict !== 'Unknown');
            const written = overlay({
              schema,
              declared,
              live,
              fields: first.changes.map(change => change.path),
            });
            const second = evaluate(
              input(schema, declared, written, { ownedBefore }),
            );
            expect(second.changes).toEqual([]);
            for (const extra of first.extras) {
              const now = getAt(
                state(written, schema, 'live').value,
                extra.path,
              );
              if (!Array.isArray(extra.live)) {
                expect(now).toEqual(extra.live);
              }
            }
          },
        ),
        RUNS,
      ),
    );
  });

  it('has a verdict that does not depend on extras', () => {
    const more = fc.record({
      labels: fc.dictionary(
        fc.constantFrom('extra-1', 'extra-2'),
        fc.string(),
        {
          minKeys: 1,
          noNullPrototype: true,
        },
      ),
      field: anyJson(),
    });
    each(schema =>
      fc.assert(
        fc.property(
          documentFor(schema),
          documentFor(schema),
          more,
          (declared, live, { labels, field }) => {
            const metadata = (live.metadata ?? {}) as JsonObject;
            const place =
              schema.platform === 'kubernetes'
                ? {
                    metadata: {
                      ...metadata,
                      labels: { ...(metadata.labels as JsonObject), ...labels },
                    },
                  }
                : {};
            const richer: JsonObject = {
              ...live,
              ...(place as JsonObject),
              someThingElse: field,
            };
            const one = evaluate(input(schema, declared, live));
            const two = evaluate(input(schema, declared, richer));
            expect(two.verdict).toBe(one.verdict);
            expect(two.rule).toBe(one.rule);
            expect(two.changes.length > 0).toBe(one.changes.length > 0);
          },
        ),
        RUNS,
      ),
    );
  });

  it('gives the same bytes again', () => {
    each(schema =>
      fc.assert(
        fc.property(
          documentFor(schema),
          documentFor(schema),
          documentFor(schema),
          (declared, live, agreed) => {
            const run = () =>
              stringifyJson(
                evaluate(
                  input(schema, declared, live, { agreed }),
                ) as unknown as Json,
              );
            expect(run()).toBe(run());
          },
        ),
        { numRuns: 40 },
      ),
    );
  });

  it('is left as it was', () => {
    each(schema =>
      fc.assert(
        fc.property(
          documentFor(schema),
          documentFor(schema),
          (declared, live) => {
            const before = canonical([declared, live]);
            const { changes } = evaluate(input(schema, declared, live));
            overlay({
              schema,
              declared,
              live,
              fields: changes.map(change => change.path),
            });
            expect(canonical([declared, live])).toBe(before);
          },
        ),
        { numRuns: 40 },
      ),
    );
  });
});

function anyJson(): fc.Arbitrary<Json> {
  return fc.jsonValue({ maxDepth: 5 }) as fc.Arbitrary<Json>;
}

/** JSON with the names and shapes that the engine has an eye for. */
function nastyJson(): fc.Arbitrary<Json> {
  const keys = fc.constantFrom(
    ...[
      'metadata',
      'spec',
      'data',
      'stringData',
      'annotations',
      'managedFields',
    ],
    ...['fieldsV1', 'f:spec', 'k:{"name":1}', 'v:', 'webhooks', 'rules', 'url'],
    ...['tags', 'containers', 'ports', 'name', 'value', 'config', 'whitelist'],
    ...[
      '$secret',
      '__proto__',
      'constructor',
      'toString',
      '',
      '~',
      '/',
      '[a=b]',
    ],
    ...['aggregationRule', 'tolerations', 'kind', 'apiVersion', 'template'],
  );
  const leaf: fc.Arbitrary<Json> = fc.oneof(
    anyJson(),
    fc.bigInt() as fc.Arbitrary<Json>,
    fc.constantFrom<Json>(
      ...[
        null,
        '',
        0,
        -0,
        1e300,
        'https://u:p@h',
        '{"kind":"Secret","data":{"a":"b"}}',
      ],
      ...['-----BEGIN PRIVATE KEY-----', 'k8s-uid:1', '1e999', '9'.repeat(200)],
    ),
  );
  return fc.letrec<{ node: Json; object: Json; list: Json }>(tie => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      tie('object'),
      tie('list'),
    ),
    object: fc.dictionary(keys, tie('node'), {
      maxKeys: 5,
      noNullPrototype: true,
    }) as fc.Arbitrary<Json>,
    list: fc.array(tie('node'), { maxLength: 4 }) as fc.Arbitrary<Json>,
  })).node;
}

describe('arbitrary JSON', () => {
  const policy: EffectivePolicy = {
    mode: 'enforce',
    onLiveEdit: 'revert',
    onFirstSight: 'declared',
    actuator: 'direct',
    prune: true,
    paused: false,
  };

  it('never makes any step throw', () => {
    each(schema =>
      fc.assert(
        fc.property(nastyJson(), nastyJson(), nastyJson(), (a, b, c) => {
          const options = {
            schema,
            secretDigest: testDigest,
            ourManager: 'us',
          };
          const declared = normalise(a, { ...options, side: 'declared' });
          const live = normalise(b, { ...options, side: 'live' });
          const lastAgreed = normalise(c, { ...options, side: 'live' });
          const ownedBefore = ownedPointers(lastAgreed, schema);
          const evaluation = evaluate({
            schema,
            declared,
            live,
            lastAgreed,
            ownedBefore,
          });
          const decision = decide({ evaluation, policy });
          const written = overlay({
            schema,
            declared: a,
            live: b,
            fields: decision.fields,
            removals: ownedBefore,
          });
          agreedState(declared, live, schema);
          normaliseRaw(a, schema, 'declared');
          expect(VERDICTS).toContain(evaluation.verdict);
          for (const value of [declared, live, evaluation, decision, written]) {
            expect(typeof canonical(value as unknown as Json)).toBe('string');
          }
          expect(live.digest).toMatch(/^[0-9a-f]{32}$/);
        }),
        RUNS,
      ),
    );
  });

  it('is only refused where it is nested beyond all measure', () => {
    let deep: Json = 1;
    for (let level = 0; level < 20_000; level += 1) {
      deep = level % 2 === 0 ? { a: deep } : [deep];
    }
    const schema = kubernetesSchema('example.com/v1/Thing');
    const answer = evaluate(input(schema, { spec: deep }, { spec: 1 }));
    expect(answer.verdict).toBe('Invalid');
    expect(answer.problems[0].reason).toBe('TooDeep');
    expect(canonical(deep)).toHaveLength(20_000 * 4 + 1);
    const text = `${'['.repeat(100_000)}"token"${']'.repeat(100_000)}`;
    const inText = evaluate(input(schema, { spec: { text } }, { spec: {} }));
    expect(inText.verdict).toBe('Drifted');
    expect(JSON.stringify(inText)).toContain('‹secret:');
  });

  it('keeps its value through text', () => {
    fc.assert(
      fc.property(nastyJson(), value => {
        const text = stringifyJson(value);
        expect(canonical(parseJson(text))).toBe(canonical(value));
        expect(digest(parseJson(text))).toBe(digest(value));
        expect(canonical(parseJson(stringifyJson(value, 2)))).toBe(
          canonical(value),
        );
      }),
    );
  });
});

describe('secrets', () => {
  const secretText = fc
    .stringMatching(/^[A-Za-z0-9]{12,30}$/)
    .map(text => `S3CR3T${text}`);

  /** Everything that comes out, as text. */
  function everything(schema: ResourceSchema, declared: Json, live: Json) {
    const options = { schema, secretDigest: testDigest };
    const states = {
      declared: normalise(declared, { ...options, side: 'declared' as const }),
      live: normalise(live, { ...options, side: 'live' as const }),
    };
    const evaluation = evaluate({
      schema,
      ...states,
      ownedBefore: ['/data/left', '/stringData/left', '/spec/left'],
    });
    const decision = decide({
      evaluation,
      policy: {
        mode: 'ask',
        onLiveEdit: 'ask',
        onFirstSight: 'ask',
        actuator: 'direct',
        prune: false,
        paused: false,
      },
    });
    return stringifyJson([states, evaluation, decision] as unknown as Json);
  }

  const base64 = (text: string) => Buffer.from(text).toString('base64');

  const PLACES: Array<[string, ResourceSchema, (secret: string) => Json]> = [
    [
      'Secret data',
      kubernetesSchema('v1/Secret'),
      s => ({ data: { k: base64(s) } }),
    ],
    [
      'Secret stringData',
      kubernetesSchema('v1/Secret'),
      s => ({ stringData: { k: s } }),
    ],
    [
      'Secret, a misspelt field',
      kubernetesSchema('v1/Secret'),
      s => ({ stringdata: { k: s } }),
    ],
    ['Secret, a wrong type', kubernetesSchema('v1/Secret'), s => ({ data: s })],
    [
      'Secret, a list',
      kubernetesSchema('v1/Secret'),
      s => ({ stringData: [s] }),
    ],
    [
      'Secret, last applied',
      kubernetesSchema('v1/Secret'),
      s => ({
        metadata: {
          annotations: {
            'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({
              kind: 'Secret',
              data: { k: base64(s) },
            }),
          },
        },
      }),
    ],
    [
      'an environment',
      kubernetesSchema('v1/Pod'),
      s => ({
        spec: {
          containers: [{ name: 'a', env: [{ name: 'DB_PASSWORD', value: s }] }],
        },
      }),
    ],
    [
      'a ConfigMap key',
      kubernetesSchema('v1/ConfigMap'),
      s => ({ data: { 'db.password': s } }),
    ],
    [
      'JSON in a ConfigMap',
      kubernetesSchema('v1/ConfigMap'),
      s => ({ data: { 'c.json': JSON.stringify({ a: { clientSecret: s } }) } }),
    ],
    [
      'YAML in a ConfigMap',
      kubernetesSchema('v1/ConfigMap'),
      s => ({ data: { 'c.yaml': `db:\n  password: ${s}\n` } }),
    ],
    [
      'properties in a ConfigMap',
      kubernetesSchema('v1/ConfigMap'),
      s => ({ data: { env: `A=1\nAPI_KEY=${s}\n` } }),
    ],
    [
      'a Secret in a ConfigMap',
      kubernetesSchema('v1/ConfigMap'),
      s => ({ data: { m: `kind: Secret\nstringData:\n  any: ${s}\n` } }),
    ],
    [
      'an annotation',
      kubernetesSchema('v1/ConfigMap'),
      s => ({
        metadata: {
          annotations: {
            a: JSON.stringify({ kind: 'Secret', stringData: { any: s } }),
          },
        },
      }),
    ],
    [
      'a URL',
      kubernetesSchema('example.com/v1/Thing'),
      s => ({ spec: { url: `https://me:${s}@host/x` } }),
    ],
    [
      'a token',
      kubernetesSchema('example.com/v1/Thing'),
      s => ({ spec: { auth: { token: s } } }),
    ],
    [
      'a bearer header',
      kubernetesSchema('example.com/v1/Thing'),
      s => ({ spec: { header: `Authorization: Bearer ${s}` } }),
    ],
    [
      'a list of passwords',
      kubernetesSchema('example.com/v1/Thing'),
      s => ({ spec: { password: [s] } }),
    ],
    [
      'a key in PEM',
      kubernetesSchema('example.com/v1/Thing'),
      s => ({
        spec: {
          x: `-----BEGIN RSA PRIVATE KEY-----\n${s}\n-----END RSA PRIVATE KEY-----\n`,
        },
      }),
    ],
    [
      'a Konnect token',
      kubernetesSchema('example.com/v1/Thing'),
      s => ({ spec: { x: `see kpat_${s}` } }),
    ],
    [
      'a password',
      konnectSchema('basic-auths'),
      s => ({ username: 'a', password: s }),
    ],
    [
      'a certificate key',
      konnectSchema('certificates'),
      s => ({ cert: 'c', key: s }),
    ],
    ['an API key', konnectSchema('key-auths'), s => ({ key: s })],
    ['a JWT secret', konnectSchema('jwts'), s => ({ secret: s, key: s })],
    [
      'a plugin secret',
      konnectSchema('plugins'),
      s => ({
        name: 'p',
        config: { client_secret: s, redis: { password: s } },
      }),
    ],
    [
      'a service URL',
      konnectSchema('services'),
      s => ({ url: `https://me:${s}@host` }),
    ],
    [
      'a vault',
      konnectSchema('vaults'),
      s => ({ name: 'v', prefix: 'p', config: { token: s } }),
    ],
  ];

  it.each(PLACES)('%s never appears in any output', (_place, schema, make) => {
    fc.assert(
      fc.property(secretText, secretText, (one, two) => {
        fc.pre(one !== two);
        for (const out of [
          everything(schema, make(one), make(two)),
          everything(schema, make(one), make(one)),
          everything(schema, {}, make(two)),
        ]) {
          for (const secret of [one, two]) {
            expect(out).not.toContain(secret);
            expect(out).not.toContain(base64(secret).replace(/=+$/, ''));
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it.each(PLACES)(
    '%s still shows whether both sides are equal',
    (place, schema, make) => {
      const writeOnly = ['a password', 'a certificate key'];
      const ignored = [
        'Secret, last applied',
        'Secret, a wrong type',
        'Secret, a list',
        'a service URL',
      ];
      fc.assert(
        fc.property(secretText, secretText, (one, two) => {
          fc.pre(one !== two);
          const same = evaluate(input(schema, make(one), make(one)));
          const other = evaluate(input(schema, make(one), make(two)));
          if (ignored.includes(place)) {
            return;
          }
          expect(same.verdict).toBe('InSync');
          if (
            place === 'Secret, a misspelt field' ||
            writeOnly.includes(place)
          ) {
            return;
          }
          expect(other.changes.length).toBeGreaterThan(0);
        }),
        { numRuns: 10 },
      );
    },
  );

  it('leave error texts', () => {
    fc.assert(
      fc.property(secretText, secret => {
        for (const text of [
          `request failed: Authorization: Bearer ${secret}`,
          `{"message":"bad \\"password\\":\\"${secret}\\""}`,
          `dial postgres://me:${secret}@db:5432/x: refused`,
          `token spat_${secret} expired`,
          `config client_secret=${secret}&x=1`,
          `{"password":"${secret.replace('S3', '\\u00533')}","x":"${secret}"}`,
        ]) {
          expect(redactText(text)).not.toContain(secret);
          expect(redactText(text)).toContain('‹secret›');
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('decisions', () => {
  const facts: fc.Arbitrary<Facts> = fc.record(
    {
      unverified: fc.constant({ reason: 'Unreachable', message: 'm' }),
      foreignOwner: fc.constant({ owner: 'o' }),
      rivalClaims: fc.constant(['r']),
      ambiguousMatches: fc.constant(['x', 'y']),
      blocked: fc.constant({ reason: 'Denied', message: 'm' }),
      orphanSightings: fc.integer({ min: 0, max: 3 }),
      sameDiffAfterWrites: fc.integer({ min: 0, max: 3 }),
      fight: fc.constant({ message: 'm' }),
      createdBefore: fc.boolean(),
      concurrentWriter: fc.constant({ attempts: 3 }),
    },
    { requiredKeys: [] },
  );
  const policies: fc.Arbitrary<EffectivePolicy> = fc.record({
    mode: fc.constantFrom('observe', 'ask', 'enforce'),
    onLiveEdit: fc.constantFrom('revert', 'ask', 'accept'),
    onFirstSight: fc.constantFrom('ask', 'declared', 'live'),
    actuator: fc.constantFrom('direct', 'operator'),
    prune: fc.boolean(),
    paused: fc.boolean(),
  });
  const schema = konnectSchema('services');
  const side = fc.record(
    {
      name: fc.constantFrom('a', 'b'),
      retries: fc.constantFrom(1, 2, 3),
      host: fc.constantFrom('h', 'i'),
    },
    { requiredKeys: [] },
  );

  it('write only what they may', () => {
    fc.assert(
      fc.property(
        fc.option(side),
        fc.option(side),
        fc.option(side),
        facts,
        policies,
        fc.option(
          fc.record(
            {
              side: fc.constantFrom('declared' as const, 'live' as const),
              paths: fc.subarray(['/name', '/retries', '/host']),
            },
            { requiredKeys: ['side'] },
          ),
        ),
        (declared, live, agreed, known, policy, choice) => {
          const given: EvaluateInput = input(schema, declared, live, {
            facts: known,
            ...(agreed ? { agreed } : {}),
          });
          const evaluation = evaluate(given);
          const decision = decide({
            evaluation,
            policy,
            ...(choice ? { choice } : {}),
          });
          const all = evaluation.changes.map(change => change.path);
          const writes = ['create', 'update', 'delete', 'nudge'].includes(
            decision.action,
          );
          expect([...decision.fields, ...decision.kept].sort()).toEqual(
            [...all].sort(),
          );
          if (policy.mode === 'observe' || policy.paused) {
            expect(writes).toBe(false);
          }
          if (
            ['InSync', 'Invalid', 'Blocked', 'Unknown'].includes(
              evaluation.verdict,
            )
          ) {
            expect(writes).toBe(false);
          }
          if (
            ['Conflicted', 'Contested', 'NonConvergent'].includes(
              evaluation.verdict,
            ) &&
            choice?.side !== 'declared'
          ) {
            expect(writes).toBe(false);
          }
          if (policy.mode === 'ask' && choice?.side !== 'declared') {
            expect(writes).toBe(false);
          }
          if (policy.actuator === 'operator') {
            expect(['create', 'update', 'delete']).not.toContain(
              decision.action,
            );
          }
          if (decision.action === 'update') {
            expect(decision.fields.length).toBeGreaterThan(0);
          }
          if (decision.action === 'ask' && decision.rule === 'asked') {
            expect(decision.asks?.length).toBeGreaterThan(0);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe('pointers', () => {
  const key = fc.oneof(
    fc.string(),
    fc.constantFrom('', '~', '/', '[a=b]', '[=x]', '~1', 'a,b', ']'),
  );
  const token: fc.Arbitrary<PointerToken> = fc.oneof(
    key,
    fc.record({ member: key }),
    fc.record({
      keys: fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,5}$/), key), {
        minLength: 1,
        maxLength: 3,
        selector: pair => pair[0],
      }),
    }),
  );

  it('come back from their text', () => {
    fc.assert(
      fc.property(fc.array(token, { minLength: 1 }), tokens => {
        // The one pointer that means two things: `/` is the whole document here.
        fc.pre(!(tokens.length === 1 && tokens[0] === ''));
        expect(parsePointer(formatPointer(tokens))).toEqual(tokens);
      }),
    );
  });

  it('find what was set, and not what was removed', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.stringMatching(/^[a-z]{1,3}$/),
            fc.record({
              keys: fc
                .stringMatching(/^[a-z]{1,3}$/)
                .map(value => [['name', value]] as Array<[string, string]>),
            }),
          ),
          { maxLength: 4 },
        ),
        fc.integer(),
        (above, value) => {
          // An item that does not hold its own key would not be found again.
          const tokens = above.flatMap<PointerToken>(step =>
            typeof step === 'string' ? [step] : ['list', step],
          );
          tokens.push('last');
          const made = setAt(undefined, tokens, { value });
          expect(getAt(made, tokens)).toEqual({ value });
          expect(getAt(removeAt(made, tokens), tokens)).toBeUndefined();
        },
      ),
    );
  });
});
