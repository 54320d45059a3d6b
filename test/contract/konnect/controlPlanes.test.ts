import { agreesWithDocuments, useKonnect } from './harness';

interface Plane {
  id: string;
  name: string;
  updated_at: string;
}

describe('Konnect contract: control planes', () => {
  const { call, plane, clock } = useKonnect();
  const PATH = '/v2/control-planes';

  it('creates, reads, changes and deletes', async () => {
    const created = await call<Plane>('POST', PATH, {
      name: 'prod-gateway',
      labels: { 'k8s-uid': 'b2f6a1de-0b9c-4a4f-8d6e-0d8ac37a5e11' },
    });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'prod-gateway',
      description: '',
      labels: { 'k8s-uid': 'b2f6a1de-0b9c-4a4f-8d6e-0d8ac37a5e11' },
      config: {
        control_plane_endpoint: expect.stringMatching(/^https:/),
        telemetry_endpoint: expect.stringMatching(/^https:/),
        cluster_type: 'CLUSTER_TYPE_CONTROL_PLANE',
        auth_type: 'pinned_client_certs',
        cloud_gateway: false,
        proxy_urls: [],
      },
      created_at: '2026-11-02T09:12:00.250Z',
      updated_at: '2026-11-02T09:12:00.250Z',
    });
    const path = `${PATH}/${created.body.id}`;
    clock.now += 60_000;
    const patched = await call<Plane>('PATCH', path, { description: 'all' });
    expect(patched.status).toBe(200);
    expect(patched.body).toMatchObject({
      name: 'prod-gateway',
      description: 'all',
      updated_at: '2026-11-02T09:13:00.250Z',
    });
    expect((await call('GET', path)).body).toEqual(patched.body);
    expect((await call('DELETE', path)).status).toBe(204);
    const gone = await call('GET', path);
    expect(gone.status).toBe(404);
    expect(gone.headers.get('content-type')).toContain(
      'application/problem+json',
    );
    expect(gone.body).toMatchObject({ status: 404, title: 'Not Found' });
    expect((await call('DELETE', path)).status).toBe(404);
  });

  it('gives pages by number, with the total', async () => {
    for (const name of ['one', 'two', 'three']) await plane(name);
    const query = 'page%5Bsize%5D=2&page%5Bnumber%5D=2';
    const second = await call<{ data: Plane[] }>('GET', `${PATH}?${query}`);
    expect(second.body).toMatchObject({
      data: [{ name: 'three' }],
      meta: { page: { number: 2, size: 2, total: 3 } },
    });
    expect(second.body.data).toHaveLength(1);
  });

  it('filters by name and by label', async () => {
    await plane('prod');
    await call('POST', PATH, { name: 'edge', labels: { env: 'test' } });
    const names = async (query: string) => {
      const { body } = await call<{ data: Plane[] }>('GET', `${PATH}?${query}`);
      return body.data.map(({ name }) => name);
    };
    expect(await names('filter%5Bname%5D%5Beq%5D=edge')).toEqual(['edge']);
    expect(await names('filter%5Bname%5D%5Bcontains%5D=ro')).toEqual(['prod']);
    expect(await names('labels=env:test')).toEqual(['edge']);
    expect(await names('labels=env:other')).toEqual([]);
  });

  it('refuses what is wrong as a problem, with a trace that differs', async () => {
    const first = await call('POST', PATH, { name: 'x', color: 'red' });
    const second = await call('POST', PATH, { name: 'x', color: 'red' });
    expect(first.status).toBe(400);
    expect(first.body).toEqual({
      status: 400,
      title: 'Bad Request',
      instance: expect.stringMatching(/^konnect:trace:\d+$/),
      detail: expect.any(String),
      invalid_parameters: [
        {
          field: 'color',
          rule: 'unknown_property',
          reason: 'property color should not exist',
          source: 'body',
        },
        expect.objectContaining({ field: 'name' }),
      ],
    });
    expect(second.body.instance).not.toBe(first.body.instance);
    const bad = await call('GET', `${PATH}/no-uuid`);
    expect(bad.status).toBe(400);
    const label = { name: 'labels', labels: { 'kong-x': 'y' } };
    expect((await call('POST', PATH, label)).status).toBe(400);
  });

  it('refuses a name that is taken with 409', async () => {
    await plane('prod');
    const again = await call('POST', PATH, { name: 'prod' });
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({ status: 409, title: 'Conflict' });
  });

  it('takes everything in it along when it is deleted', async () => {
    const base = await plane();
    await call('PUT', `${base}/services/orders`, { host: 'orders' });
    await call('POST', `${base}/services/orders/routes`, { paths: ['/'] });
    const control = base.replace('/core-entities', '');
    expect((await call('DELETE', control)).status).toBe(204);
    const list = await call('GET', `${base}/services`);
    expect(list.status).toBe(404);
    expect(list.body).toMatchObject({ code: 5 });
  });

  it('has a hash that changes with the configuration, and only with it', async () => {
    const base = await plane();
    const path = base.replace('core-entities', 'expected-config-hash');
    const hash = async () => {
      const { body } = await call<{
        expected_hash: string;
        updated_at: number;
      }>('GET', path);
      return body;
    };
    const empty = await hash();
    expect(empty).toEqual({
      expected_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      created_at: 1793610720,
      updated_at: 1793610720,
    });
    clock.now += 10_000;
    await call('PUT', `${base}/services/orders`, { host: 'a' });
    const one = await hash();
    expect(one.expected_hash).not.toBe(empty.expected_hash);
    expect(one.updated_at).toBe(1793610730);
    await call('PUT', `${base}/services/orders`, { host: 'b' });
    const other = await hash();
    expect(other.expected_hash).not.toBe(one.expected_hash);
    await call('PUT', `${base}/services/orders`, { host: 'a' });
    expect((await hash()).expected_hash).toBe(one.expected_hash);
    await call('DELETE', `${base}/services/orders`);
    expect((await hash()).expected_hash).toBe(empty.expected_hash);
  });

  agreesWithDocuments();
});
