import { createKonnectSandbox, KonnectSandbox } from '.';
import { createFaults, Faults } from '../faults';

describe('createKonnectSandbox', () => {
  let sandbox: KonnectSandbox;
  let faults: Faults;
  let running: { url: string; close(): Promise<void> };
  let now: number;

  beforeEach(async () => {
    now = Date.parse('2026-11-02T09:12:00.250Z');
    faults = createFaults({ random: () => 0.5 });
    sandbox = createKonnectSandbox({
      now: () => now,
      middleware: [faults.middleware],
    });
    running = await sandbox.listen();
  });
  afterEach(() => running.close());

  async function call(method: string, path: string, body?: unknown) {
    const response = await fetch(`${running.url}${path}`, {
      method,
      headers: {
        authorization: 'Bearer kpat_demo',
        'content-type': 'application/json',
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text ? JSON.parse(text) : undefined,
    };
  }

  async function plane(): Promise<string> {
    const created = await call('POST', '/v2/control-planes', { name: 'prod' });
    expect(created.status).toBe(201);
    return `/v2/control-planes/${created.body.id}`;
  }

  it('fills the defaults of every kind', async () => {
    const base = `${await plane()}/core-entities`;
    const service = await call('POST', `${base}/services`, {
      name: 'orders',
      url: 'https://orders.shop.svc/api',
    });
    expect(service.body).toEqual({
      id: expect.any(String),
      name: 'orders',
      protocol: 'https',
      host: 'orders.shop.svc',
      port: 443,
      path: '/api',
      retries: 5,
      connect_timeout: 60000,
      read_timeout: 60000,
      write_timeout: 60000,
      enabled: true,
      created_at: 1793610720,
      updated_at: 1793610720,
    });
    const route = await call('POST', `${base}/services/orders/routes`, {
      paths: ['/orders'],
    });
    expect(route.body).toEqual({
      id: expect.any(String),
      paths: ['/orders'],
      protocols: ['https'],
      https_redirect_status_code: 426,
      path_handling: 'v0',
      preserve_host: false,
      regex_priority: 0,
      strip_path: true,
      request_buffering: true,
      response_buffering: true,
      service: { id: service.body.id },
      created_at: 1793610720,
      updated_at: 1793610720,
    });
    const upstream = await call('PUT', `${base}/upstreams/orders.shop`, {});
    expect(upstream.body).toMatchObject({
      name: 'orders.shop',
      algorithm: 'round-robin',
      slots: 10000,
      hash_on: 'none',
      healthchecks: { active: { unhealthy: { timeouts: 0 } }, threshold: 0 },
    });
    const target = await call('POST', `${base}/upstreams/orders.shop/targets`, {
      target: '10.0.0.1',
    });
    expect(target.body).toMatchObject({
      target: '10.0.0.1:8000',
      weight: 100,
      created_at: 1793610720.25,
    });
    const plugin = await call('POST', `${base}/plugins`, { name: 'key-auth' });
    expect(plugin.body.config).toEqual({
      key_names: ['apikey'],
      hide_credentials: false,
      anonymous: null,
      key_in_header: true,
      key_in_query: true,
      key_in_body: false,
      run_on_preflight: true,
      realm: null,
    });
  });

  it('puts omitted fields back to their defaults on PUT', async () => {
    const base = `${await plane()}/core-entities`;
    const { body } = await call('POST', `${base}/services`, {
      name: 'orders',
      host: 'a',
      retries: 9,
    });
    now += 5000;
    const put = await call('PUT', `${base}/services/${body.id}`, { host: 'b' });
    expect(put.status).toBe(200);
    expect(put.body).toMatchObject({ host: 'b', retries: 5 });
    expect(put.body.name).toBeUndefined();
    expect(put.body.updated_at - put.body.created_at).toBe(5);
  });

  it('restores a snapshot', async () => {
    const base = `${await plane()}/core-entities`;
    await call('POST', `${base}/consumers`, { username: 'ann' });
    await call('POST', `${base}/consumer_groups`, { name: 'gold' });
    await call('POST', `${base}/consumer_groups/gold/consumers`, {
      consumer: 'ann',
    });
    const snapshot = sandbox.store.snapshot();
    await call('DELETE', `${base}/consumers/ann`);
    expect((await call('GET', `${base}/consumers/ann`)).status).toBe(404);
    sandbox.store.restore(JSON.parse(JSON.stringify(snapshot)));
    const members = await call('GET', `${base}/consumer_groups/gold/consumers`);
    expect(members.body.data).toMatchObject([{ username: 'ann' }]);
  });

  it('counts requests by class and keeps a journal', async () => {
    const base = `${await plane()}/core-entities`;
    await call('PUT', `${base}/services/orders`, { host: 'a' });
    await call('GET', `${base}/services/orders`);
    await call('GET', `${base}/services/missing`);
    const report = await call('GET', '/sandbox/requests');
    expect(report.body).toMatchObject({ total: 4, reads: 2, writes: 2 });
    expect(report.body.requests).toContainEqual({
      method: 'GET',
      path: '/v2/control-planes/{id}/core-entities/services/{id}',
      count: 2,
    });
    const journal = await call('GET', '/sandbox/journal?since=1');
    expect(journal.body.entries).toMatchObject([
      { action: 'create', collection: 'services', after: { host: 'a' } },
    ]);
    await call('DELETE', '/sandbox/requests');
    expect((await call('GET', '/sandbox/requests')).body.total).toBe(0);
  });

  it('carries out ordered faults', async () => {
    const base = `${await plane()}/core-entities`;
    await call('PUT', `${base}/services/orders`, { host: 'a' });
    const order = await call('POST', '/sandbox/faults', {
      kind: 'status',
      status: 500,
      method: 'put',
      path: '*/services/*',
      when: 'after',
      times: 1,
    });
    expect(order.body).toMatchObject({ id: 'fault-1', method: 'PUT' });
    const put = await call('PUT', `${base}/services/orders`, { host: 'b' });
    expect(put.status).toBe(500);
    const got = await call('GET', `${base}/services/orders`);
    expect(got.body.host).toBe('b');
    expect(faults.list()).toEqual([]);
  });
});
