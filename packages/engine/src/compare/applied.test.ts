/*
 * Fields that managedFields say we applied and nobody declares any more, without any memory of our own of them.
 */
import { kubernetesSchema } from '../kubernetes/schema';
import { digest } from '../json/canonical';
import { normalise } from '../normalise/normalise';
import { Json, JsonObject, State } from '../types';
import { compare } from './compare';

const US = 'plumbline';

interface Applied {
  gvk: string;
  declared: JsonObject;
  live: JsonObject;
  fieldsV1: Json;
  manager?: string;
  operation?: string;
}

function states({ gvk, declared, live, ...by }: Applied) {
  const schema = kubernetesSchema(gvk);
  const options = { schema, secretDigest: digest, ourManager: US };
  const managedFields = [
    { manager: 'kubectl-edit', operation: 'Update', fieldsV1: { 'f:x': {} } },
    {
      manager: by.manager ?? US,
      operation: by.operation ?? 'Apply',
      fieldsV1: by.fieldsV1,
    },
  ];
  const metadata = { name: 'a', namespace: 'b' };
  return {
    schema,
    declared: normalise(
      { metadata, ...declared },
      { ...options, side: 'declared' },
    ),
    live: normalise(
      { metadata: { ...metadata, managedFields }, ...live },
      { ...options, side: 'live' },
    ),
  };
}

function leftovers(applied: Applied, copy = (state: State) => state) {
  const { live, ...rest } = states(applied);
  return compare({ ...rest, live: copy(live) }).changes.map(change => [
    change.kind,
    change.path,
  ]);
}

const container = (more: JsonObject) => ({
  spec: { containers: [{ name: 'c', image: 'i', ...more }] },
});

const PROBE: Applied = {
  gvk: 'v1/Pod',
  declared: container({}),
  live: container({ livenessProbe: { periodSeconds: 10 } }),
  fieldsV1: {
    'f:spec': {
      'f:containers': {
        'k:{"name":"c"}': {
          '.': {},
          'f:livenessProbe': { 'f:periodSeconds': {} },
        },
      },
    },
  },
};
const PROBE_PATH = '/spec/containers/[name=c]/livenessProbe';

const port = { port: 80, protocol: 'TCP', targetPort: 80 };

const FOUND: Array<[string, Applied, string]> = [
  ['an object of default values only', PROBE, PROBE_PATH],
  [
    'an item, by its keys in whatever order',
    {
      gvk: 'v1/Service',
      declared: { spec: { ports: [] } },
      live: { spec: { ports: [port] } },
      fieldsV1: {
        'f:spec': {
          'f:ports': {
            'k:{"protocol":"TCP","port":80}': { '.': {}, 'f:port': {} },
          },
        },
      },
    },
    '/spec/ports/[port=80,protocol=TCP]',
  ],
  [
    'a list that is owned as a whole',
    {
      gvk: 'v1/Pod',
      declared: container({}),
      live: container({ args: ['-v'] }),
      fieldsV1: {
        'f:spec': {
          'f:containers': { 'k:{"name":"c"}': { 'f:args': {} } },
        },
      },
    },
    '/spec/containers/[name=c]/args',
  ],
  [
    'a member of a set',
    {
      gvk: 'v1/ConfigMap',
      declared: { metadata: { name: 'a', finalizers: ['example.com/b'] } },
      live: {
        metadata: {
          name: 'a',
          finalizers: ['example.com/a', 'example.com/b'],
          managedFields: [
            {
              manager: US,
              operation: 'Apply',
              fieldsV1: {
                'f:metadata': {
                  'f:finalizers': {
                    'v:"example.com/a"': {},
                    'v:"example.com/b"': {},
                  },
                },
              },
            },
          ],
        },
      },
      fieldsV1: {},
    },
    '/metadata/finalizers/[=example.com~1a]',
  ],
];

describe('what we applied beside something empty of others', () => {
  it('is drift by itself', () => {
    const managedFields: Json = [
      {
        manager: US,
        operation: 'Apply',
        fieldsV1: { 'f:spec': { 'f:a': {} } },
      },
      {
        manager: 'other',
        operation: 'Update',
        fieldsV1: { 'f:spec': { 'f:b': {} } },
      },
    ];
    const gvk = 'example.com/v1/Thing';
    const found = (spec: JsonObject) =>
      leftovers({
        gvk,
        declared: {},
        live: { metadata: { name: 'a', namespace: 'b', managedFields }, spec },
        fieldsV1: {},
      });
    expect(found({ a: 1, b: {} })).toEqual([['leftover', '/spec/a']]);
    expect(found({ a: 1 })).toEqual([['leftover', '/spec/a']]);
  });
});

describe('what we applied and no longer declare', () => {
  it.each(FOUND)('is drift: %s', (_what, applied, path) => {
    expect(leftovers(applied)).toEqual([['leftover', path]]);
  });

  it.each(FOUND)(
    'is so for a copy of the state: %s',
    (_what, applied, path) => {
      expect(leftovers(applied, state => ({ ...state }))).toEqual([
        ['leftover', path],
      ]);
      expect(
        leftovers(applied, state => JSON.parse(JSON.stringify(state))),
      ).toEqual([['leftover', path]]);
    },
  );

  it('is drift whatever else is there', () => {
    const { live } = PROBE;
    const extra = { spec: { ...(live.spec as JsonObject), hostname: 'h' } };
    expect(leftovers({ ...PROBE, live: extra })).toEqual(leftovers(PROBE));
  });

  it.each<[string, Partial<Applied>]>([
    ['another applied it', { manager: 'helm' }],
    ['we set it in another way', { operation: 'Update' }],
    [
      'we applied something else',
      {
        fieldsV1: {
          'f:spec': {
            'f:containers': { 'k:{"name":"d"}': { 'f:livenessProbe': {} } },
          },
        },
      },
    ],
    ['the record is no object', { fieldsV1: 'text' }],
    [
      'others filled what we applied empty',
      {
        live: {
          metadata: {
            name: 'a',
            labels: { x: 'y' },
            managedFields: [
              {
                manager: US,
                operation: 'Apply',
                fieldsV1: { 'f:metadata': { 'f:labels': {} } },
              },
            ],
          },
          ...container({}),
        },
      },
    ],
  ])('is none where %s', (_what, other) => {
    expect(leftovers({ ...PROBE, ...other })).toEqual([]);
  });
});

it('says who set what nobody declared', () => {
  const { live, ...rest } = states({
    ...PROBE,
    live: { spec: { containers: [{ name: 'c', image: 'i' }], hostname: 'h' } },
    fieldsV1: { 'f:spec': { 'f:hostname': {} } },
    manager: 'somebody',
  });
  expect(compare({ ...rest, live }).extras).toEqual([
    {
      path: '/spec/hostname',
      live: 'h',
      owners: [{ manager: 'somebody', operation: 'Apply' }],
    },
  ]);
});
