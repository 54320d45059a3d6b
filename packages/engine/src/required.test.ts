/*
 * Fields that a custom resource's definition insists on.
 */
import { evaluate } from './classify';
import { kubernetesSchema } from './kubernetes/schema';
import { input, state } from './__testUtils__/documents';
import { Json } from './types';

const text = { type: 'string' };

const SCHEMA = kubernetesSchema('example.com/v1/Widget', {
  crd: {
    spec: {
      versions: [
        {
          name: 'v1',
          schema: {
            openAPIV3Schema: {
              type: 'object',
              required: ['metadata', 'spec', 'status'],
              properties: {
                metadata: { type: 'object' },
                status: { type: 'object', properties: { ready: text } },
                spec: {
                  type: 'object',
                  required: ['host', 'size', 'note'],
                  properties: {
                    host: text,
                    size: { type: 'integer', default: 3 },
                    note: { type: 'string', nullable: true },
                    tls: {
                      type: 'object',
                      required: ['name', 'password'],
                      properties: { name: text, password: text },
                    },
                    parts: {
                      type: 'array',
                      'x-kubernetes-list-type': 'map',
                      'x-kubernetes-list-map-keys': ['name'],
                      items: {
                        type: 'object',
                        required: ['name', 'port'],
                        properties: { name: text, port: { type: 'integer' } },
                      },
                    },
                    steps: {
                      type: 'array',
                      items: {
                        type: 'object',
                        required: ['run'],
                        properties: { run: text, as: text },
                      },
                    },
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

const whole = { host: 'a', note: null };

const missing = (spec: Json | undefined, live: Json | null) =>
  evaluate(
    input(
      SCHEMA,
      spec === undefined ? {} : { spec },
      live === null ? null : { spec: live },
    ),
  ).problems.map(problem => [problem.path, problem.reason]);

describe('a required field', () => {
  it.each<[string, Json | undefined, Json | null, string]>([
    ['of the resource', undefined, null, '/spec'],
    ['of an object', { note: 'a' }, null, '/spec/host'],
    ['that is null', { host: null, note: 'a' }, null, '/spec/host'],
    [
      'of a new object',
      { ...whole, tls: { password: 'p' } },
      whole,
      '/spec/tls/name',
    ],
    [
      'of a new item',
      { ...whole, parts: [{ name: 'b' }] },
      { ...whole, parts: [{ name: 'a', port: 1 }] },
      '/spec/parts/[name=b]/port',
    ],
    [
      'of an item of a list that is one value',
      { ...whole, steps: [{ run: 'a' }, { as: 'b' }] },
      { ...whole, steps: [{ run: 'a' }, { run: 'b' }] },
      '/spec/steps/1/run',
    ],
  ])(
    'that nobody gives makes a declaration invalid: %s',
    (_what, spec, live, path) => {
      expect(missing(spec, live)).toEqual([[path, 'Required']]);
    },
  );

  it.each<[string, Json | undefined, Json | null]>([
    ['nobody speaks of its object', whole, null],
    ['it is live already', { size: 4 }, whole],
    ['all of it is live already', undefined, whole],
    [
      'its item has it live',
      { ...whole, parts: [{ name: 'a' }] },
      { ...whole, parts: [{ name: 'a', port: 1 }] },
    ],
  ])('is none where %s', (_what, spec, live) => {
    expect(missing(spec, live)).toEqual([]);
  });

  it('is none where a dry run fills it in', () => {
    const answer = evaluate(
      input(SCHEMA, { spec: { note: 'a' } }, null, {
        dryRun: state({ spec: { ...whole, host: 'b' } }, SCHEMA, 'live'),
      }),
    );
    expect(answer).toMatchObject({ verdict: 'Pending', problems: [] });
  });

  it('is named to people', () => {
    const answer = evaluate(input(SCHEMA, { spec: { note: 'a' } }, null));
    expect(answer).toMatchObject({
      verdict: 'Invalid',
      message: 'The declaration is wrong: /spec/host is required.',
    });
  });

  it('is nothing that a built-in kind’s document says reliably', () => {
    const answer = evaluate(
      input(kubernetesSchema('apps/v1/Deployment'), { spec: {} }, null),
    );
    expect(answer.verdict).toBe('Pending');
  });
});
