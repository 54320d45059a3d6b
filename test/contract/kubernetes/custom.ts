// Custom resource definitions, and the resources that they define.
import {
  Use,
  causesOf,
  define,
  eventually,
  expectFailure,
  owners,
  useNamespace,
} from './use';
import { widgetDefinition } from './widgets';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export function customContract(use: Use) {
  const namespace = useNamespace(use);
  const client = () => use.server().client;
  const { widget, group, definition, apiVersion } = widgetDefinition({
    moreFields: { either: { 'x-kubernetes-int-or-string': true } },
  });
  const widgets = (version = 'v1') =>
    `/apis/${group}/${version}/namespaces/${namespace()}/widgets`;
  const post = (name: string, spec: object) =>
    client().post(widgets(), widget(name, spec));

  beforeAll(() => define(use.server(), definition));

  it('serves the kind by discovery and schema', async () => {
    const { body } = await client().get(`/apis/${group}/v1`);
    expect(body).toMatchObject({
      kind: 'APIResourceList',
      groupVersion: apiVersion,
      resources: expect.arrayContaining([
        expect.objectContaining({
          name: 'widgets',
          singularName: 'widget',
          kind: 'Widget',
          namespaced: true,
          shortNames: ['wd'],
        }),
        expect.objectContaining({ name: 'widgets/status' }),
        expect.objectContaining({ name: 'widgets/scale', kind: 'Scale' }),
      ]),
    });
    const groups = await client().get(`/apis/${group}`);
    expect(groups.body).toMatchObject({
      preferredVersion: { version: 'v1' },
    });
    await eventually(async () => {
      const { text } = await client().get('/openapi/v2');
      const name = `${group.split('.').reverse().join('.')}.v1.Widget`;
      expect(text.includes(`"${name}":`)).toBe(true);
    });
  });

  it('prunes, defaults and keeps', async () => {
    const { status, body } = await client().post(widgets(), {
      ...widget('pruned', {
        size: 2,
        typo: 1,
        note: null,
        on: null,
        limits: { cpu: null, memory: '1' },
        nested: { level: 1, typo: 1 },
        free: { any: { thing: [1, { x: null }] } },
        ports: [{ port: 1 }, { port: 1, protocol: 'UDP' }],
        either: '80%',
      }),
      status: { phase: 'ignored' },
      other: 1,
    });
    expect(status).toBe(201);
    expect(body.spec).toEqual({
      size: 2,
      color: 'red',
      note: null,
      limits: { memory: '1' },
      nested: { level: 1, mode: 'auto' },
      free: { any: { thing: [1, { x: null }] } },
      ports: [
        { port: 1, protocol: 'TCP' },
        { port: 1, protocol: 'UDP' },
      ],
      either: '80%',
    });
    expect(body).not.toHaveProperty('status');
    expect(body).not.toHaveProperty('other');
    expect(body.metadata.generation).toBe(1);
  });

  it('keeps all digits of long integers', async () => {
    const text = JSON.stringify(widget('big', { size: 1 })).replace(
      '"size":1',
      '"size":1,"big":9007199254740993',
    );
    const created = await client().post(widgets(), text);
    expect(created.status).toBe(201);
    expect(created.text).toMatch(/"big": ?9007199254740993[,}]/);
    const patched = await client().patch(
      'merge',
      `${widgets()}/big`,
      '{"spec":{"big":-9223372036854775808}}',
    );
    expect(patched.text).toMatch(/"big": ?-9223372036854775808[,}]/);
    const applied = await client().apply(
      `${widgets()}/big`,
      'one',
      `{apiVersion: ${apiVersion}, kind: Widget, metadata: {name: big}, spec: {size: 1, big: 9223372036854775807}}`,
      '&force=true',
    );
    expect(applied.text).toMatch(/"big": ?9223372036854775807[,}]/);
    const listed = await client().get(widgets());
    expect(listed.text).toMatch(/"big": ?9223372036854775807[,}]/);
  });

  it.each([
    ['a missing field', {}, 'spec.size FieldValueRequired', /Required value/],
    [
      'a wrong type',
      { size: 'x' },
      'spec.size FieldValueInvalid',
      /spec\.size in body must be of type integer: "string"/,
    ],
    [
      'a value that is too small',
      { size: 0 },
      'spec.size FieldValueInvalid',
      /spec\.size in body should be greater than or equal to 1/,
    ],
    [
      'a value that is too large',
      { size: 11 },
      'spec.size FieldValueInvalid',
      /spec\.size in body should be less than or equal to 10/,
    ],
    [
      'a value at an excluded bound',
      { size: 1, ratio: 0 },
      'spec.ratio FieldValueInvalid',
      /spec\.ratio in body should be greater than 0/,
    ],
    [
      'a value outside of the enumeration',
      { size: 1, color: 'green' },
      'spec.color FieldValueNotSupported',
      /Unsupported value: "green": supported values: "red", "blue"/,
    ],
    [
      'a text that does not match',
      { size: 1, code: 'A1' },
      'spec.code FieldValueInvalid',
      /spec\.code in body should match '\^\[a-z\]\+\$'/,
    ],
    [
      'a text that is too long',
      { size: 1, code: 'abcdef' },
      'spec.code FieldValueInvalid',
      /spec\.code in body should be at most 4 chars long/,
    ],
    [
      'a text that is too short',
      { size: 1, code: 'a' },
      'spec.code FieldValueInvalid',
      /spec\.code in body should be at least 2 chars long/,
    ],
    [
      'a list that is too long',
      { size: 1, words: ['a', 'b', 'c', 'd'] },
      'spec.words FieldValueInvalid',
      /spec\.words in body should have at most 3 items/,
    ],
    [
      'a set with the same value twice',
      { size: 1, tags: ['a', 'a'] },
      'spec.tags[1] FieldValueDuplicate',
      /Duplicate value: "a"/,
    ],
    [
      'a list with the same key twice',
      { size: 1, ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] },
      'spec.ports[1] FieldValueDuplicate',
      /Duplicate value/,
    ],
    [
      'an item without a field',
      { size: 1, ports: [{ protocol: 'UDP' }] },
      'spec.ports[0].port FieldValueRequired',
      /Required value/,
    ],
    [
      'neither an integer nor a text',
      { size: 1, either: true },
      'spec.either FieldValueInvalid',
      /must be of type integer,string: "boolean"/,
    ],
  ])('refuses %s', async (_, spec, cause, message) => {
    const answer = await post('wrong', spec);
    expectFailure(answer, 422, 'Invalid', message);
    expect(answer.body.message).toMatch(/^Widget\.g-.*"wrong" is invalid: /);
    // Old servers leave the index of an item out where one of its fields is missing.
    expect([[cause], [cause.replace('[0]', '')]]).toContainEqual(
      causesOf(answer),
    );
  });

  it('tells all that is wrong at once', async () => {
    const answer = await post('wrong', { size: 0, color: 'green', on: 'x' });
    expectFailure(answer, 422, 'Invalid');
    expect(causesOf(answer)).toEqual([
      'spec.color FieldValueNotSupported',
      'spec.on FieldValueInvalid',
      'spec.size FieldValueInvalid',
    ]);
  });

  it('wants kind and version in the body', async () => {
    const { kind: _, ...rest } = widget('bare') as { kind: string };
    expectFailure(await client().post(widgets(), rest), 400, 'BadRequest');
  });

  it('wants the version of the object for a replacement', async () => {
    const { body } = await post('replaced', { size: 1 });
    const path = `${widgets()}/replaced`;
    const blind = await client().put(path, widget('replaced', { size: 2 }));
    expectFailure(
      blind,
      422,
      'Invalid',
      /metadata\.resourceVersion: Invalid value: 0x0: must be specified for an update/,
    );
    const seen = await client().put(path, { ...body, spec: { size: 2 } });
    expect(seen.body.metadata.generation).toBe(2);
    const { status } = await client().patch('strategic', path, {});
    expect(status).toBe(415);
  });

  it('keeps spec and status apart', async () => {
    await post('split', { size: 1 });
    const path = `${widgets()}/split`;
    const { body } = await client().patch('merge', `${path}/status`, {
      spec: { size: 9 },
      status: { phase: 'Ready', replicas: 2 },
    });
    expect(body).toMatchObject({
      spec: { size: 1 },
      status: { phase: 'Ready', replicas: 2 },
      metadata: { generation: 1 },
    });
    const main = await client().patch('merge', path, {
      spec: { size: 2 },
      status: { phase: 'Lost' },
    });
    expect(main.body).toMatchObject({
      spec: { size: 2 },
      status: { phase: 'Ready' },
      metadata: { generation: 2 },
    });
    const labelled = await client().patch('merge', path, {
      metadata: { labels: { a: 'b' } },
    });
    expect(labelled.body.metadata.generation).toBe(2);
  });

  it('scales by the paths of the definition', async () => {
    await post('scaled', { size: 1 });
    const path = `${widgets()}/scaled`;
    const scaled = await client().patch('merge', `${path}/scale`, {
      spec: { replicas: 3 },
    });
    expect(scaled.body).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
    expect((await client().get(path)).body.spec).toMatchObject({ replicas: 3 });
  });

  it('tracks fields of an update', async () => {
    const { body } = await post('tracked', { size: 1, words: ['a'] });
    expect(owners(body)).toMatchObject({
      'contract/Update': {
        'f:spec': { '.': {}, 'f:size': {}, 'f:color': {}, 'f:words': {} },
      },
    });
  });

  it('serves every version of the same object', async () => {
    await post('versions', { size: 1 });
    const { body } = await client().get(`${widgets('v1beta1')}/versions`);
    expect(body).toMatchObject({
      apiVersion: `${group}/v1beta1`,
      kind: 'Widget',
      spec: { size: 1, color: 'red' },
    });
  });

  it('lists with kinds in the items, and an empty token at the end', async () => {
    const { body } = await client().get(widgets());
    expect(body).toMatchObject({
      kind: 'WidgetList',
      apiVersion,
      metadata: { continue: '' },
    });
    expect(body.items[0]).toMatchObject({ kind: 'Widget', apiVersion });
  });

  it('watches custom resources like all others', async () => {
    const watching = await client().watch(
      `${widgets()}?watch=1&resourceVersion=0&fieldSelector=metadata.name=watched`,
    );
    await post('watched', { size: 1 });
    expect(await watching.next()).toMatchObject({
      type: 'ADDED',
      object: { kind: 'Widget', metadata: { name: 'watched' } },
    });
    watching.close();
  });

  it('refuses wrong definitions', async () => {
    const answer = await client().post(CRDS, {
      ...definition,
      metadata: { name: `gadgets.${group}` },
      spec: {
        ...definition.spec,
        scope: 'Universe',
        versions: [{ name: 'v1', served: true, storage: true }],
      },
    });
    expectFailure(answer, 422, 'Invalid');
    expect(causesOf(answer)).toEqual([
      'metadata.name FieldValueInvalid',
      'spec.scope FieldValueNotSupported',
      'spec.versions[0].schema.openAPIV3Schema FieldValueRequired',
    ]);
  });

  it('takes the kind and its objects away with the definition', async () => {
    const other = widgetDefinition({ scope: 'Cluster' });
    await define(use.server(), other.definition);
    const path = `/apis/${other.group}/v1/widgets`;
    const created = await client().post(path, other.widget('cluster'));
    expect(created.status).toBe(201);
    expect(created.body.metadata.namespace).toBeUndefined();
    const { body } = await client().delete(
      `${CRDS}/${other.definition.metadata.name}`,
    );
    expect(body).toMatchObject({
      kind: 'CustomResourceDefinition',
      metadata: {
        deletionTimestamp: expect.any(String),
        finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
      },
    });
    await eventually(async () => {
      expect((await client().get(`${path}/cluster`)).status).toBe(404);
      const gone = await client().get(
        `${CRDS}/${other.definition.metadata.name}`,
      );
      expect(gone.status).toBe(404);
    });
  });
}
