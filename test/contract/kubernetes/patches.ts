// JSON patch, merge patch and strategic merge patch.
import { Use, configMap, expectFailure, owners, useNamespace } from './use';

const labels = { app: 'patched' };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'patched', labels: { old: 'label' } },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            name: 'app',
            image: 'app:1',
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '1' },
            ],
            args: ['one', 'two'],
          },
          { name: 'side', image: 'side:1' },
        ],
        tolerations: [{ key: 'a', operator: 'Exists' }],
      },
    },
  },
};

export function patchContract(use: Use) {
  const namespace = useNamespace(use);
  const client = () => use.server().client;
  const maps = () => `/api/v1/namespaces/${namespace()}/configmaps`;
  const path = () =>
    `/apis/apps/v1/namespaces/${namespace()}/deployments/patched`;

  beforeAll(async () => {
    await client().post(maps(), configMap('p', { a: '1', b: '1' }));
    await client().post(
      `/apis/apps/v1/namespaces/${namespace()}/deployments`,
      deployment,
    );
  });

  it('applies a JSON patch, all or nothing', async () => {
    const { body } = await client().patch('json', `${maps()}/p`, [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'add', path: '/data/c~1d', value: '1' },
      { op: 'replace', path: '/data/a', value: '2' },
      { op: 'copy', from: '/data/a', path: '/data/e' },
      { op: 'move', from: '/data/b', path: '/data/f' },
      { op: 'remove', path: '/data/c~1d' },
    ]);
    expect(body.data).toEqual({ a: '2', e: '2', f: '1' });
    for (const operation of [
      { op: 'test', path: '/data/a', value: 'x' },
      { op: 'remove', path: '/data/zz' },
    ]) {
      const answer = await client().patch('json', `${maps()}/p`, [
        { op: 'add', path: '/data/n', value: '1' },
        operation,
      ]);
      expectFailure(answer, 422, 'Invalid');
    }
    const { body: after } = await client().get(`${maps()}/p`);
    expect(after.data).toEqual({ a: '2', e: '2', f: '1' });
    expectFailure(
      await client().patch('json', `${maps()}/p`, { op: 'remove' }),
      400,
      'BadRequest',
    );
  });

  it('applies a merge patch: null removes, lists are replaced', async () => {
    const { body } = await client().patch('merge', `${maps()}/p`, {
      data: { a: null, g: '1' },
      metadata: { labels: { x: 'y' } },
    });
    expect(body.data).toEqual({ e: '2', f: '1', g: '1' });
    expect(body.metadata.labels).toEqual({ x: 'y' });
    const answer = await client().patch('merge', `${path()}?dryRun=All`, {
      spec: { template: { spec: { containers: [{ name: 'x', image: 'x' }] } } },
    });
    expect(answer.body.spec).toMatchObject({
      template: { spec: { containers: [{ name: 'x', image: 'x' }] } },
    });
  });

  it('refuses patches that do not fit', async () => {
    expectFailure(
      await client().patch('merge', `${maps()}/p`, {
        metadata: { resourceVersion: '1' },
      }),
      409,
      'Conflict',
    );
    expectFailure(
      await client().patch('merge', `${maps()}/p`, { metadata: { name: 'q' } }),
      400,
      'BadRequest',
    );
    expectFailure(
      await client().patch('merge', `${maps()}/p`, { data: { a: 1 } }),
      422,
      'Invalid',
    );
    expectFailure(
      await client().patch('merge', `${maps()}/p`, '{"data":'),
      500,
      undefined,
    );
    const { status, body } = await client().call('PATCH', `${maps()}/p`, {
      body: {},
      type: 'application/json',
    });
    expect([status, body.reason]).toEqual([415, 'UnsupportedMediaType']);
  });

  it('merges lists by key in a strategic merge patch', async () => {
    const { body } = await client().patch(
      'strategic',
      `${path()}?fieldManager=patcher`,
      {
        spec: {
          template: {
            spec: {
              containers: [
                {
                  name: 'app',
                  image: 'app:2',
                  env: [
                    { name: 'B', $patch: 'delete' },
                    { name: 'C', value: '3' },
                  ],
                  args: ['three'],
                },
                { name: 'extra', image: 'extra:1' },
              ],
              tolerations: [{ key: 'b', operator: 'Exists' }],
            },
          },
        },
      },
    );
    expect(body.spec).toMatchObject({
      template: {
        spec: {
          containers: [
            {
              name: 'app',
              image: 'app:2',
              env: [
                { name: 'C', value: '3' },
                { name: 'A', value: '1' },
              ],
              args: ['three'],
            },
            { name: 'extra' },
            { name: 'side' },
          ],
          tolerations: [{ key: 'b', operator: 'Exists' }],
        },
      },
    });
    expect(owners(body)['patcher/Update']).toMatchObject({
      'f:spec': {
        'f:template': {
          'f:spec': {
            'f:containers': {
              'k:{"name":"app"}': { 'f:image': {}, 'f:args': {} },
              'k:{"name":"extra"}': { '.': {}, 'f:image': {} },
            },
          },
        },
      },
    });
  });

  it('replaces and deletes by directives', async () => {
    const { body } = await client().patch('strategic', path(), {
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'side', $patch: 'delete' },
              { name: 'extra', $patch: 'delete' },
            ],
          },
        },
        strategy: { $retainKeys: ['type'], type: 'Recreate' },
      },
      metadata: { labels: { $patch: 'replace', only: 'this' } },
    });
    expect(body.spec).toMatchObject({ strategy: { type: 'Recreate' } });
    const { template } = body.spec as {
      template: { spec: { containers: { name: string }[] } };
    };
    expect(template.spec.containers.map(({ name }) => name)).toEqual(['app']);
    expect(body.metadata.labels).toEqual({ only: 'this' });
    const replaced = await client().patch('strategic', `${path()}?dryRun=All`, {
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'new', image: 'new:1' },
              { $patch: 'replace' },
            ],
          },
        },
      },
    });
    expect(replaced.body.spec).toMatchObject({
      template: { spec: { containers: [{ name: 'new' }] } },
    });
  });

  it('merges sets of scalars, and deletes from them', async () => {
    const finalizers = (patch: object) =>
      client().patch('strategic', `${maps()}/p`, { metadata: patch });
    await finalizers({ finalizers: ['example.org/a'] });
    const more = await finalizers({ finalizers: ['example.org/b'] });
    expect(more.body.metadata.finalizers).toEqual([
      'example.org/b',
      'example.org/a',
    ]);
    const less = await finalizers({
      '$deleteFromPrimitiveList/finalizers': ['example.org/a', 'example.org/b'],
    });
    expect(less.body.metadata.finalizers).toBeUndefined();
  });
}
