/*
 * Rule 2: what a write carries, and what it leaves alone.
 */
import { ownedPointers } from './compare/owned';
import { konnectSchema } from './konnect/schema';
import { kubernetesSchema } from './kubernetes/schema';
import { acknowledgedState, agreedState } from './normalise/normalise';
import { overlay } from './overlay';
import { state } from './__testUtils__/documents';
import { Json, Pointer, ResourceSchema } from './types';

const SERVICES = konnectSchema('services');
const POD = kubernetesSchema('v1/Pod');

type Row = [
  what: string,
  schema: ResourceSchema,
  declared: Json,
  live: Json | null,
  fields: Pointer[],
  expected: Json,
  removals?: Pointer[],
];

const ROWS: Row[] = [
  [
    'only the named field',
    SERVICES,
    { host: 'a', retries: 3 },
    { host: 'b', retries: 9, read_timeout: 7 },
    ['/retries'],
    { host: 'b', retries: 3, read_timeout: 7 },
  ],
  [
    'all of it where nothing is live',
    SERVICES,
    { url: 'https://a:8443/x' },
    null,
    [],
    { protocol: 'https', host: 'a', port: 8443, path: '/x' },
  ],
  [
    'tags beside those of others',
    SERVICES,
    { tags: ['a', 'b'] },
    { tags: ['k8s-uid:1', 'x', 'b'] },
    ['/tags'],
    { tags: ['k8s-uid:1', 'x', 'b', 'a'] },
  ],
  [
    'a tag taken away',
    SERVICES,
    { tags: ['a'] },
    { tags: ['a', 'b', 'x'] },
    ['/tags/[=b]'],
    { tags: ['a', 'x'] },
  ],
  [
    'a closed set as a whole',
    konnectSchema('routes'),
    { hosts: ['a'] },
    { hosts: ['a', 'b'] },
    ['/hosts'],
    { hosts: ['a'] },
  ],
  [
    'a field that is declared no more',
    SERVICES,
    { host: 'a' },
    { host: 'a', path: '/x' },
    ['/path'],
    { host: 'a' },
  ],
  [
    'a removal',
    SERVICES,
    { host: 'a' },
    { host: 'a', path: '/x', retries: 1 },
    [],
    { host: 'a', retries: 1 },
    ['/path'],
  ],
  [
    'a field of an item',
    POD,
    { spec: { containers: [{ name: 'b', image: 'b:2' }] } },
    {
      spec: {
        containers: [
          { name: 'a', image: 'a:1' },
          { name: 'b', image: 'b:1', tty: true },
        ],
      },
    },
    ['/spec/containers/[name=b]/image'],
    {
      spec: {
        containers: [
          { name: 'a', image: 'a:1' },
          { name: 'b', image: 'b:2', tty: true },
        ],
      },
    },
  ],
  [
    'a missing item',
    POD,
    { spec: { containers: [{ name: 'a' }, { name: 'b', image: 'b:2' }] } },
    { spec: { containers: [{ name: 'a', image: 'a:1' }] } },
    ['/spec/containers/[name=b]'],
    {
      spec: {
        containers: [
          { name: 'a', image: 'a:1' },
          { name: 'b', image: 'b:2' },
        ],
      },
    },
  ],
  [
    'a missing subtree',
    POD,
    { spec: { securityContext: { fsGroup: 1 } } },
    { spec: { hostNetwork: true } },
    ['/spec/securityContext'],
    { spec: { hostNetwork: true, securityContext: { fsGroup: 1 } } },
  ],
  [
    'a password, never the echo of one',
    konnectSchema('basic-auths'),
    { username: 'b', password: 'plain' },
    { username: 'a', password: 'hash' },
    ['/username'],
    { username: 'b', password: 'plain' },
  ],
  [
    'no echo of a password that is not declared',
    konnectSchema('basic-auths'),
    { username: 'b' },
    { username: 'a', password: 'hash' },
    ['/username'],
    { username: 'b' },
  ],
  [
    'a secret in clear',
    kubernetesSchema('v1/Secret'),
    { stringData: { a: 'v' } },
    { data: { a: 'eA==', b: 'eQ==' } },
    ['/data/a'],
    { data: { a: 'dg==', b: 'eQ==' } },
  ],
];

describe('overlay', () => {
  it.each(ROWS)('lays %s', (...row: Row) => {
    const [, schema, declared, live, fields, expected, removals = []] = row;
    expect(overlay({ schema, declared, live, fields, removals })).toEqual(
      expected,
    );
  });
});

describe('ownedPointers', () => {
  it('names the leaves that a write sets', () => {
    const declared = state(
      {
        metadata: {
          labels: { 'a/b': 'c' },
          annotations: {},
          finalizers: ['x/y'],
        },
        spec: {
          containers: [
            {
              name: 'a',
              args: ['x'],
              ports: [{ containerPort: 80 }],
              workingDir: null,
            },
          ],
          nodeSelector: { disk: 'ssd' },
          volumes: [{ name: 'v', emptyDir: {} }],
        },
      },
      POD,
    );
    expect(ownedPointers(declared, POD)).toEqual([
      '/metadata/finalizers/[=x~1y]',
      '/metadata/labels/a~1b',
      '/spec/containers/[name=a]/args',
      '/spec/containers/[name=a]/name',
      '/spec/containers/[name=a]/ports/[containerPort=80,protocol=TCP]/containerPort',
      '/spec/containers/[name=a]/ports/[containerPort=80,protocol=TCP]/protocol',
      '/spec/nodeSelector',
      '/spec/volumes/[name=v]/name',
    ]);
  });
});

describe('agreedState', () => {
  it('is the live state with the digests of write-only values', () => {
    const schema = konnectSchema('basic-auths');
    const declared = state({ username: 'a', password: 'p' }, schema);
    const live = state(
      { username: 'a', password: 'hash', tags: ['x'] },
      schema,
      'live',
    );
    expect(agreedState(declared, live, schema).value).toEqual({
      ...(live.value as object),
      password: (declared.value as { password: Json }).password,
    });
  });
});

describe('acknowledgedState', () => {
  const schema = konnectSchema('certificates');
  const declared = state({ cert: 'new', key: 'k2', key_alt: 'a2' }, schema);
  const agreed = agreedState(
    state({ cert: 'old', key: 'k1', key_alt: 'a1' }, schema),
    state({ cert: 'old', key: 'hidden', tags: ['x'] }, schema, 'live'),
    schema,
  );
  const of = (from: { value: Json }, name: string) =>
    (from.value as Record<string, Json>)[name];

  it('is what was agreed, with the digests of write-only values that were sent', () => {
    const after = acknowledgedState(agreed, declared, [], schema);
    expect(after.value).toEqual({
      ...{ cert: 'old', tags: ['x'] },
      ...{ key: of(declared, 'key'), key_alt: of(declared, 'key_alt') },
    });
    expect(after.digest).not.toBe(agreed.digest);
  });

  it('knows nothing new of what was not sent', () => {
    const after = acknowledgedState(agreed, declared, ['/key_alt'], schema);
    expect(of(after, 'key')).toEqual(of(declared, 'key'));
    expect(of(after, 'key_alt')).toEqual(of(agreed, 'key_alt'));
    const none = acknowledgedState(agreed, agreed, [], schema);
    expect(none).toBe(agreed);
  });
});

describe('states', () => {
  it('are plain data although digest and owners come late', () => {
    const live = state(
      { metadata: { managedFields: [] }, spec: {} },
      POD,
      'live',
    );
    const copy = structuredClone({ ...live });
    expect(copy).toEqual({
      value: { metadata: {}, spec: {} },
      digest: expect.stringMatching(/^[0-9a-f]{32}$/),
      problems: [],
      warnings: [],
      owners: {},
    });
    expect(JSON.parse(JSON.stringify(live))).toEqual(copy);
  });
});
