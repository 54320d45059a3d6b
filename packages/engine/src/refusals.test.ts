/*
 * Declarations that a platform refuses although every value is of the right type, and values that only look so.
 */
import { evaluate } from './classify';
import { konnectSchema } from './konnect/schema';
import { kubernetesSchema } from './kubernetes/schema';
import { input } from './__testUtils__/documents';
import { Json, JsonObject, ResourceSchema } from './types';

const limits = (memory: Json): JsonObject => ({
  spec: { containers: [{ name: 'a', resources: { limits: { memory } } }] },
});

const WIDGET = kubernetesSchema('example.com/v1/Widget', {
  crd: {
    spec: {
      versions: [
        {
          name: 'v1',
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: {
                    mode: { type: 'string', enum: ['On', 'Off'] },
                    weight: { type: 'integer', minimum: 1, maximum: 9 },
                    least: { type: 'integer', minimum: 1 },
                    most: { type: 'integer', maximum: 9 },
                    words: {
                      type: 'array',
                      'x-kubernetes-list-type': 'set',
                      items: { type: 'string' },
                    },
                    password: { type: 'string', enum: ['none', 'basic'] },
                  },
                },
              },
            },
          },
        },
      ],
    },
  },
});

const POD = kubernetesSchema('v1/Pod');
const SECRET = kubernetesSchema('v1/Secret');
const CONFIG_MAP = kubernetesSchema('v1/ConfigMap');
const HOOKS = kubernetesSchema(
  'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration',
);
const spec = (field: string, value: Json): JsonObject => ({
  spec: { [field]: value },
});

type Row = [
  what: string,
  schema: ResourceSchema,
  declared: Json,
  path: string,
  reason: string,
];

const REFUSED: Row[] = [
  [
    'a unit that no quantity has',
    POD,
    limits('1GB'),
    '/spec/containers/[name=a]/resources/limits/memory',
    'NotAQuantity',
  ],
  [
    'an empty quantity',
    POD,
    limits(''),
    '/spec/containers/[name=a]/resources/limits/memory',
    'NotAQuantity',
  ],
  [
    'text in a Secret’s data',
    SECRET,
    { data: { a: 'plain text!' } },
    '/data/a',
    'NotBase64',
  ],
  [
    'text as bytes of a ConfigMap',
    CONFIG_MAP,
    { binaryData: { a: '%' } },
    '/binaryData/a',
    'NotBase64',
  ],
  [
    'text as a bundle',
    HOOKS,
    { webhooks: [{ name: 'a', clientConfig: { caBundle: 'PEM-' } }] },
    '/webhooks/[name=a]/clientConfig/caBundle',
    'NotBase64',
  ],
  [
    'a finalizer twice',
    CONFIG_MAP,
    { metadata: { finalizers: ['a/b', 'a/b'] } },
    '/metadata/finalizers',
    'DuplicateMember',
  ],
  [
    'a member of a set twice',
    WIDGET,
    spec('words', ['a', 'b', 'a']),
    '/spec/words',
    'DuplicateMember',
  ],
  [
    'no word of several',
    WIDGET,
    spec('mode', 'on'),
    '/spec/mode',
    'NotAllowed',
  ],
  ['too little', WIDGET, spec('weight', 0), '/spec/weight', 'OutOfRange'],
  ['too much', WIDGET, spec('weight', 10), '/spec/weight', 'OutOfRange'],
  [
    'less than the least',
    WIDGET,
    spec('least', 0),
    '/spec/least',
    'OutOfRange',
  ],
  ['more than the most', WIDGET, spec('most', 10), '/spec/most', 'OutOfRange'],
  [
    'more than the most, beyond a double',
    WIDGET,
    spec('most', 9007199254740993n),
    '/spec/most',
    'OutOfRange',
  ],
];

const TAKEN: Array<[what: string, schema: ResourceSchema, declared: Json]> = [
  ['a quantity of many digits', POD, limits(`${'1'.repeat(120)}`)],
  ['a number for a quantity', POD, limits(1.5)],
  ['base64 in lines', SECRET, { data: { a: 'YWJj\nZGVm\n' } }],
  ['no bytes', CONFIG_MAP, { binaryData: { a: '' } }],
  ['the ends of a range', WIDGET, spec('weight', 9)],
  ['one of several words', WIDGET, spec('mode', 'Off')],
  ['a tag twice', konnectSchema('services'), { tags: ['a', 'a'] }],
];

describe('a declaration', () => {
  it.each(REFUSED)(
    'with %s is invalid',
    (_what, schema, declared, path, reason) => {
      const answer = evaluate(input(schema, declared, { metadata: {} }));
      expect(answer.verdict).toBe('Invalid');
      expect(answer.problems).toMatchObject([{ path, reason }]);
    },
  );

  it.each(REFUSED)(
    'with %s is what it is where it is live',
    (_what, schema, live) => {
      expect(evaluate(input(schema, { metadata: {} }, live)).verdict).toBe(
        'InSync',
      );
    },
  );

  it.each(TAKEN)('with %s is valid', (_what, schema, declared) => {
    expect(evaluate(input(schema, declared, declared))).toMatchObject({
      verdict: 'InSync',
      problems: [],
    });
  });

  it('says what is wanted, and never what was given', () => {
    const say = (schema: ResourceSchema, declared: Json) =>
      evaluate(input(schema, declared, {})).problems[0].message;
    expect(say(SECRET, { data: { a: 'hunter2!' } })).toBe(
      '/data/a must be base64; use stringData for plain text.',
    );
    expect(say(WIDGET, spec('mode', 'hunter2'))).toBe(
      '/spec/mode must be one of "On", "Off".',
    );
    expect(say(WIDGET, spec('weight', 10))).toBe(
      '/spec/weight must be from 1 to 9.',
    );
  });
});
