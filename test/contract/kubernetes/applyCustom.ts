// Server-side apply by the schema of a definition: maps, sets, lists by key, atomic values.
import { Use, define, expectFailure, owners, useNamespace } from './use';
import { widgetDefinition } from './widgets';

export function applyToCustomResources(use: Use) {
  const namespace = useNamespace(use);
  const client = () => use.server().client;
  const { widget, group, definition } = widgetDefinition();
  const path = (name: string) =>
    `/apis/${group}/v1/namespaces/${namespace()}/widgets/${name}`;
  const apply = (name: string, manager: string, spec: object, more = '') =>
    client().apply(path(name), manager, widget(name, spec), more);

  beforeAll(() => define(use.server(), definition));

  it('owns what it declares, by the kind of each list and map', async () => {
    const { status, body } = await apply('all', 'one', {
      size: 1,
      words: ['a', 'b'],
      tags: ['x', 'y'],
      ports: [{ port: 1, protocol: 'TCP', label: 'l' }],
      limits: { cpu: '1' },
      fixed: { a: '1' },
      free: { text: 'x' },
      nested: { level: 1 },
    });
    expect(status).toBe(201);
    expect(body.spec).toMatchObject({ color: 'red', nested: { mode: 'auto' } });
    expect(owners(body)).toEqual({
      'one/Apply': {
        'f:spec': {
          'f:size': {},
          'f:words': {},
          'f:tags': { 'v:"x"': {}, 'v:"y"': {} },
          'f:ports': {
            'k:{"port":1,"protocol":"TCP"}': {
              '.': {},
              'f:port': {},
              'f:protocol': {},
              'f:label': {},
            },
          },
          'f:limits': { 'f:cpu': {} },
          'f:fixed': {},
          'f:free': { 'f:text': {} },
          'f:nested': { 'f:level': {} },
        },
      },
    });
  });

  it('merges sets and lists by key, and replaces atomic ones', async () => {
    await apply('merged', 'one', {
      size: 1,
      tags: ['a', 'b'],
      ports: [{ port: 1, protocol: 'TCP', label: 'one' }],
      words: ['a'],
      fixed: { a: '1' },
      limits: { cpu: '1' },
    });
    const { status, body } = await apply('merged', 'two', {
      size: 1,
      tags: ['c', 'b'],
      ports: [
        { port: 1, protocol: 'UDP' },
        { port: 1, protocol: 'TCP' },
      ],
      limits: { memory: '1' },
    });
    expect(status).toBe(200);
    // The order of merged lists has changed between versions.
    expect(body.spec).toMatchObject({
      ports: expect.arrayContaining([
        { port: 1, protocol: 'UDP' },
        { port: 1, protocol: 'TCP', label: 'one' },
      ]),
      tags: expect.arrayContaining(['a', 'b', 'c']),
      limits: { cpu: '1', memory: '1' },
    });
    const conflict = await apply('merged', 'two', {
      size: 1,
      words: ['b'],
      fixed: { b: '1' },
    });
    expectFailure(conflict, 409, 'Conflict', /Apply failed with 2 conflicts/);
    const forced = await apply(
      'merged',
      'two',
      { size: 1, words: ['b'], fixed: { b: '1' } },
      '&force=true',
    );
    expect(forced.body.spec).toMatchObject({
      words: ['b'],
      tags: ['a', 'b'],
      ports: [{ port: 1, protocol: 'TCP', label: 'one' }],
    });
    expect(forced.body.spec.fixed).toEqual({ b: '1' });
    expect(forced.body.spec.limits).toEqual({ cpu: '1' });
  });

  it('removes what it no longer applies', async () => {
    await apply('removed', 'one', {
      size: 1,
      tags: ['a', 'b'],
      words: ['a'],
      code: 'abc',
      ports: [
        { port: 1, protocol: 'TCP' },
        { port: 2, protocol: 'TCP' },
      ],
      limits: { cpu: '1', memory: '1' },
    });
    const { body } = await apply('removed', 'one', {
      size: 1,
      tags: ['b'],
      ports: [{ port: 2, protocol: 'TCP' }],
      limits: { memory: '1' },
    });
    expect(body.spec).toEqual({
      size: 1,
      color: 'red',
      tags: ['b'],
      ports: [{ port: 2, protocol: 'TCP' }],
      limits: { memory: '1' },
    });
  });

  it('removes labels and annotations, and nothing else of the metadata', async () => {
    const labelled = widget(
      'labelled',
      { size: 1 },
      { labels: { a: 'b' }, annotations: { c: 'd' } },
    );
    const { body: before } = await client().apply(
      path('labelled'),
      'one',
      labelled,
    );
    const { body } = await apply('labelled', 'one', { size: 1 });
    const { labels, annotations, uid, name, creationTimestamp } = body.metadata;
    expect([labels, annotations].filter(Boolean)).toEqual([]);
    expect({ uid, name, creationTimestamp }).toEqual({
      uid: before.metadata.uid,
      name: 'labelled',
      creationTimestamp: before.metadata.creationTimestamp,
    });
  });

  it('fills in a default again where the field is no longer applied', async () => {
    await apply('defaulted', 'one', { size: 1, color: 'blue' });
    const { body } = await apply('defaulted', 'one', { size: 1 });
    expect(body.spec).toEqual({ size: 1, color: 'red' });
  });

  it('refuses fields that the definition does not have', async () => {
    expectFailure(
      await apply('unknown', 'one', { size: 1, typo: 1 }),
      500,
      undefined,
      'failed to create typed patch object: .spec.typo: field not declared in schema',
    );
  });

  it('validates what an apply yields', async () => {
    await apply('validated', 'one', { size: 1 });
    expectFailure(
      await apply('validated', 'one', { size: 11 }),
      422,
      'Invalid',
      /should be less than or equal to 10/,
    );
  });

  it('applies the status by its own path', async () => {
    await apply('status', 'one', { size: 1 });
    const body = {
      ...widget('status', { size: 9 }),
      status: { phase: 'Ready' },
    };
    const { status, body: applied } = await client().apply(
      `${path('status')}/status`,
      'controller',
      { ...body, spec: undefined },
    );
    expect(status).toBe(200);
    expect(applied).toMatchObject({
      spec: { size: 1 },
      status: { phase: 'Ready' },
    });
  });
}
