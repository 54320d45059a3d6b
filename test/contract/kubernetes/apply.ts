// Server-side apply: ownership, conflicts, and what goes when it is no longer applied.
import {
  Use,
  causesOf,
  configMap,
  expectFailure,
  owners,
  useNamespace,
} from './use';

export function applyContract(use: Use) {
  const namespace = useNamespace(use);
  const client = () => use.server().client;
  const path = (name: string) =>
    `/api/v1/namespaces/${namespace()}/configmaps/${name}`;
  const apply = (
    name: string,
    manager: string,
    data: { [key: string]: string } | undefined,
    parameters = '',
  ) => client().apply(path(name), manager, configMap(name, data), parameters);

  it('creates what is not there, and owns what it declares', async () => {
    const created = await apply('new', 'one', { a: '1' });
    expect(created.status).toBe(201);
    expect(created.body.metadata.managedFields).toEqual([
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: 'v1',
        time: expect.stringMatching(/Z$/),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {} } },
      },
    ]);
    const again = await apply('new', 'one', { a: '1' });
    expect(again.status).toBe(200);
    expect(again.body).toEqual(created.body);
  });

  it('reads YAML as well as JSON', async () => {
    const yaml = [
      'apiVersion: v1',
      'kind: ConfigMap',
      'metadata:',
      '  name: yaml',
      '  labels:',
      '    app: "yes"',
      'data:',
      '  text: |',
      '    one',
      '    two',
      '',
    ].join('\n');
    const { status, body } = await client().apply(path('yaml'), 'one', yaml);
    expect(status).toBe(201);
    expect(body.data).toEqual({ text: 'one\ntwo\n' });
    expect(owners(body)).toEqual({
      'one/Apply': {
        'f:data': { 'f:text': {} },
        'f:metadata': { 'f:labels': { 'f:app': {} } },
      },
    });
  });

  it('shares a field with another manager as long as the value is the same', async () => {
    await apply('shared', 'one', { a: '1', b: '1' });
    const { status, body } = await apply('shared', 'two', { a: '1', c: '1' });
    expect(status).toBe(200);
    expect(body.data).toEqual({ a: '1', b: '1', c: '1' });
    expect(owners(body)).toEqual({
      'one/Apply': { 'f:data': { 'f:a': {}, 'f:b': {} } },
      'two/Apply': { 'f:data': { 'f:a': {}, 'f:c': {} } },
    });
  });

  it('tells conflicts by manager and field', async () => {
    await apply('conflict', 'one', { a: '1', b: '1' });
    const single = await apply('conflict', 'two', { a: '2' });
    expectFailure(
      single,
      409,
      'Conflict',
      'Apply failed with 1 conflict: conflict with "one": .data.a',
    );
    expect(single.body.details.causes).toEqual([
      {
        reason: 'FieldManagerConflict',
        message: 'conflict with "one"',
        field: '.data.a',
      },
    ]);
    await client().patch('merge', `${path('conflict')}?fieldManager=editor`, {
      data: { c: '1' },
    });
    const many = await apply('conflict', 'two', { a: '2', b: '2', c: '2' });
    expectFailure(
      many,
      409,
      'Conflict',
      [
        'Apply failed with 3 conflicts: conflicts with "editor" using v1:',
        '- .data.c',
        'conflicts with "one":',
        '- .data.a',
        '- .data.b',
      ].join('\n'),
    );
    expect(causesOf(many)).toEqual([
      '.data.a FieldManagerConflict',
      '.data.b FieldManagerConflict',
      '.data.c FieldManagerConflict',
    ]);
    const { body } = await client().get(path('conflict'));
    expect(body.data).toEqual({ a: '1', b: '1', c: '1' });
  });

  it('takes fields over by force', async () => {
    await apply('forced', 'one', { a: '1', b: '1' });
    await client().patch('merge', `${path('forced')}?fieldManager=editor`, {
      data: { c: '1' },
    });
    const { status, body } = await apply(
      'forced',
      'two',
      { a: '2', c: '2' },
      '&force=true',
    );
    expect(status).toBe(200);
    expect(body.data).toEqual({ a: '2', b: '1', c: '2' });
    expect(owners(body)).toEqual({
      'one/Apply': { 'f:data': { 'f:b': {} } },
      'two/Apply': { 'f:data': { 'f:a': {}, 'f:c': {} } },
    });
  });

  it('removes what it no longer applies and nobody else owns', async () => {
    await apply('less', 'one', { a: '1', b: '1', c: '1' });
    await apply('less', 'two', { b: '1' });
    const { body } = await apply('less', 'one', { a: '1' });
    expect(body.data).toEqual({ a: '1', b: '1' });
    expect(owners(body)).toEqual({
      'one/Apply': { 'f:data': { 'f:a': {} } },
      'two/Apply': { 'f:data': { 'f:b': {} } },
    });
  });

  it('keeps what an update set, also when it was applied before', async () => {
    await apply('updated', 'one', { a: '1', b: '1' });
    const changed = await client().patch(
      'merge',
      `${path('updated')}?fieldManager=editor`,
      { data: { b: '2', c: '1' } },
    );
    expect(owners(changed.body)).toEqual({
      'editor/Update': { 'f:data': { 'f:b': {}, 'f:c': {} } },
      'one/Apply': { 'f:data': { 'f:a': {} } },
    });
    const { body } = await apply('updated', 'one', { a: '1' });
    expect(body.data).toEqual({ a: '1', b: '2', c: '1' });
  });

  it('keeps a manager that applies apart from the same name that updates', async () => {
    await apply('twice', 'one', { a: '1' });
    const { body } = await client().patch(
      'merge',
      `${path('twice')}?fieldManager=one`,
      { data: { a: '2' } },
    );
    expect(owners(body)).toEqual({
      'one/Update': { 'f:data': { 'f:a': {} } },
    });
    expectFailure(
      await apply('twice', 'one', { a: '1' }),
      409,
      'Conflict',
      'Apply failed with 1 conflict: conflict with "one" using v1: .data.a',
    );
  });

  it('adopts the fields of an object that nobody applied yet', async () => {
    const maps = `/api/v1/namespaces/${namespace()}/configmaps`;
    await client().post(
      `${maps}?fieldManager=creator`,
      configMap('adopted', { a: '1' }),
    );
    const { body } = await apply('adopted', 'one', { a: '1', b: '1' });
    expect(owners(body)).toEqual({
      'creator/Update': { 'f:data': { '.': {}, 'f:a': {} } },
      'one/Apply': { 'f:data': { 'f:a': {}, 'f:b': {} } },
    });
  });

  it('drops ownership where managedFields are reset', async () => {
    await apply('reset', 'one', { a: '1' });
    const { body } = await client().patch('merge', path('reset'), {
      metadata: { managedFields: [{}] },
    });
    expect(owners(body)).toEqual({});
    const { body: applied } = await apply('reset', 'two', { a: '1' });
    expect(owners(applied)).toMatchObject({
      'two/Apply': { 'f:data': { 'f:a': {} } },
    });
    expectFailure(
      await apply('reset', 'three', { a: '2' }),
      409,
      'Conflict',
      /"before-first-apply" using v1/,
    );
  });

  it('owns nothing by a dry run', async () => {
    const { body: before } = await apply('dry', 'one', { a: '1' });
    const { body } = await apply('dry', 'two', { b: '1' }, '&dryRun=All');
    expect(owners(body)).toHaveProperty(['two/Apply']);
    expect((await client().get(path('dry'))).body).toEqual(before);
    const absent = await apply('dry-absent', 'one', { a: '1' }, '&dryRun=All');
    expect(absent.status).toBe(201);
    expect((await client().get(path('dry-absent'))).status).toBe(404);
  });

  it('refuses what cannot be applied', async () => {
    await apply('refused', 'one', { a: '1' });
    const send = (body: unknown, query = '?fieldManager=one') =>
      client().patch('apply', path('refused') + query, body);
    const nameless = await send(configMap('refused'), '');
    expectFailure(nameless, 422, 'Invalid');
    expect(causesOf(nameless)).toEqual(['fieldManager FieldValueRequired']);
    const forced = await client().patch(
      'merge',
      `${path('refused')}?force=true`,
      {},
    );
    expect(causesOf(forced)).toEqual(['force FieldValueForbidden']);
    expectFailure(
      await send({ ...configMap('refused'), typo: { a: 1 } }),
      500,
      undefined,
      'failed to create typed patch object: .typo: field not declared in schema',
    );
    expectFailure(
      await send({ ...configMap('refused'), data: { a: 1 } }),
      500,
      undefined,
      /^failed to create typed patch object: \.data\.a: expected string/,
    );
    expectFailure(
      await send({ ...configMap('refused'), apiVersion: 'v2' }),
      400,
      'BadRequest',
      'Incorrect version specified in apply patch. Specified patch version: v2, expected: v1',
    );
    expectFailure(
      await send(configMap('other')),
      400,
      'BadRequest',
      'the name of the object (other) does not match the name on the URL (refused)',
    );
    expectFailure(
      await send(
        configMap('refused', {}, { managedFields: [{ manager: 'x' }] }),
      ),
      400,
      'BadRequest',
      'metadata.managedFields must be nil',
    );
    expectFailure(
      await send(configMap('refused', {}, { resourceVersion: '1' })),
      409,
      'Conflict',
      /the object has been modified/,
    );
    expectFailure(
      await send('{broken'),
      400,
      'BadRequest',
      /error decoding YAML/,
    );
  });

  describe('of lists by key', () => {
    const deployment = () =>
      `/apis/apps/v1/namespaces/${namespace()}/deployments/keyed`;
    const labels = { app: 'keyed' };
    const body = (containers: object[], spec: object = {}) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'keyed' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
        ...spec,
      },
    });
    const app = { name: 'app', image: 'app:1' };

    it('owns items by their keys, keys with defaults included', async () => {
      const ports = [
        { containerPort: 80 },
        { containerPort: 80, protocol: 'UDP' },
      ];
      const { status, body: created } = await client().apply(
        deployment(),
        'one',
        body([{ ...app, ports: [{ ...ports[0], protocol: 'TCP' }, ports[1]] }]),
      );
      expect(status).toBe(201);
      expect(owners(created)['one/Apply']).toEqual({
        'f:spec': {
          'f:selector': {},
          'f:template': {
            'f:metadata': { 'f:labels': { 'f:app': {} } },
            'f:spec': {
              'f:containers': {
                'k:{"name":"app"}': {
                  '.': {},
                  'f:image': {},
                  'f:name': {},
                  'f:ports': {
                    'k:{"containerPort":80,"protocol":"TCP"}': {
                      '.': {},
                      'f:containerPort': {},
                      'f:protocol': {},
                    },
                    'k:{"containerPort":80,"protocol":"UDP"}': {
                      '.': {},
                      'f:containerPort': {},
                      'f:protocol': {},
                    },
                  },
                },
              },
            },
          },
        },
      });
    });

    it('lets another manager add an item, and takes only its own away', async () => {
      const side = { name: 'side', image: 'side:1' };
      await client().apply(deployment(), 'two', body([side]));
      const { body: less } = await client().apply(
        deployment(),
        'one',
        body([app]),
      );
      const containers = (object: { spec: object }) =>
        (
          object.spec as {
            template: { spec: { containers: { name: string }[] } };
          }
        ).template.spec.containers.map(({ name }) => name);
      expect(containers(less)).toEqual(['app', 'side']);
      const conflict = await client().apply(
        deployment(),
        'one',
        body([{ name: 'side', image: 'side:2' }]),
      );
      expectFailure(
        conflict,
        409,
        'Conflict',
        'Apply failed with 1 conflict: conflict with "two": .spec.template.spec.containers[name="side"].image',
      );
    });

    it('refuses the same key twice', async () => {
      expectFailure(
        await client().apply(deployment(), 'one', body([app, app])),
        500,
        undefined,
        'failed to create typed patch object: .spec.template.spec.containers: duplicate entries for key [name="app"]',
      );
    });

    it('leaves a field that it does not declare to the autoscaler', async () => {
      await client().patch(
        'merge',
        `${deployment()}/scale?fieldManager=autoscaler`,
        { spec: { replicas: 5 } },
      );
      const { body: applied } = await client().apply(
        deployment(),
        'one',
        body([app]),
      );
      expect(applied.spec).toMatchObject({ replicas: 5 });
      if (use.server().minor < 22) {
        // Before 1.22 the scale subresource left no trace of its writer.
        return;
      }
      expect(owners(applied)['autoscaler/Update/scale']).toEqual({
        'f:spec': { 'f:replicas': {} },
      });
      const contested = await client().apply(
        deployment(),
        'one',
        body([app], { replicas: 1 }),
      );
      expectFailure(
        contested,
        409,
        'Conflict',
        'Apply failed with 1 conflict: conflict with "autoscaler" with subresource "scale" using apps/v1: .spec.replicas',
      );
    });

    it('tells writers of the status apart', async () => {
      const { body: status } = await client().patch(
        'merge',
        `${deployment()}/status?fieldManager=controller`,
        { status: { replicas: 3 } },
      );
      const manager =
        use.server().minor < 22
          ? 'controller/Update'
          : 'controller/Update/status';
      expect(owners(status)[manager]).toMatchObject({
        'f:status': { 'f:replicas': {} },
      });
    });
  });
}
