import { agreesWithDocuments, useKonnect } from './harness';

interface Entity {
  id: string;
  created_at: number;
  updated_at: number;
  [field: string]: unknown;
}

const UUID = 'b2f6a1de-0b9c-4a4f-8d6e-0d8ac37a5e11';

/** One valid entity of each flat collection, a change to it, and its name in paths. */
const SAMPLES = [
  {
    collection: 'services',
    entity: { name: 'orders', host: 'orders.shop.svc', retries: 9 },
    replaced: { name: 'orders', host: 'orders.shop.svc' },
    defaulted: { retries: 5 },
    name: 'orders',
  },
  {
    collection: 'routes',
    entity: { name: 'orders', paths: ['/orders'], strip_path: false },
    replaced: { name: 'orders', paths: ['/orders'] },
    defaulted: { strip_path: true },
    name: 'orders',
  },
  {
    collection: 'plugins',
    entity: { name: 'key-auth', instance_name: 'keys', enabled: false },
    replaced: { name: 'key-auth', instance_name: 'keys' },
    defaulted: { enabled: true },
    name: 'keys',
  },
  {
    collection: 'consumers',
    entity: { username: 'ann@example.com', custom_id: '42' },
    replaced: { username: 'ann@example.com' },
    defaulted: { custom_id: undefined },
    name: 'ann@example.com',
  },
  {
    collection: 'consumer_groups',
    entity: { name: 'gold', tags: ['a'] },
    replaced: { name: 'gold' },
    defaulted: { tags: undefined },
    name: 'gold',
  },
  {
    collection: 'upstreams',
    entity: { name: 'orders.shop', slots: 100 },
    replaced: { name: 'orders.shop' },
    defaulted: { slots: 10000 },
    name: 'orders.shop',
  },
];

describe('Konnect contract: core entities', () => {
  const { call, plane, clock } = useKonnect();

  describe.each(SAMPLES)(
    '$collection',
    ({ collection, entity, replaced, defaulted, name }) => {
      const unwrap = (body: Record<string, unknown>) =>
        (collection === 'consumer_groups'
          ? body.consumer_group
          : body) as Entity;

      it('are created, read by ID and by name, replaced and deleted', async () => {
        const path = `${await plane()}/${collection}`;
        const created = await call<Entity>('POST', path, entity);
        expect(created.status).toBe(201);
        expect(created.body).toMatchObject({
          ...entity,
          created_at: 1793610720,
          updated_at: 1793610720,
        });
        const { id } = created.body;
        for (const key of [id, encodeURIComponent(name)]) {
          const got = await call('GET', `${path}/${key}`);
          expect(got.status).toBe(200);
          expect(unwrap(got.body)).toEqual(created.body);
        }
        clock.now += 30_000;
        const put = await call<Entity>('PUT', `${path}/${id}`, replaced);
        expect(put.status).toBe(200);
        expect(put.body).toMatchObject({
          ...replaced,
          id,
          created_at: 1793610720,
          updated_at: 1793610750,
        });
        for (const [field, value] of Object.entries(defaulted)) {
          expect(put.body[field]).toEqual(value);
        }
        expect((await call('DELETE', `${path}/${id}`)).status).toBe(204);
        expect((await call('DELETE', `${path}/${id}`)).status).toBe(204);
        const gone = await call('GET', `${path}/${id}`);
        expect(gone.status).toBe(404);
        expect(gone.body).toMatchObject({ code: 5, message: 'not found' });
      });

      it('are created by PUT under the ID of the path', async () => {
        const path = `${await plane()}/${collection}`;
        const put = await call<Entity>('PUT', `${path}/${UUID}`, entity);
        expect(put.status).toBe(200);
        expect(put.body).toMatchObject({ ...entity, id: UUID });
        const again = await call('POST', path, { ...entity, id: UUID });
        expect(again.status).toBe(400);
        expect(again.body).toMatchObject({ code: 3 });
      });

      it('refuse a name that is taken with code 3, like a dangling reference', async () => {
        const path = `${await plane()}/${collection}`;
        await call('POST', path, entity);
        const again = await call('POST', path, entity);
        expect(again.status).toBe(400);
        expect(again.body).toEqual({
          code: 3,
          message: 'data constraint error',
          details: [
            {
              '@type': 'type.googleapis.com/kong.admin.model.v1.ErrorDetail',
              type: 'ERROR_TYPE_REFERENCE',
              field: expect.any(String),
              messages: [expect.stringContaining('(type: unique)')],
            },
          ],
        });
      });

      it('refuse unknown fields, and more than 20 tags or 128 characters', async () => {
        const path = `${await plane()}/${collection}`;
        const answers = await Promise.all([
          call('POST', path, { ...entity, colour: 'red' }),
          call('POST', path, {
            ...entity,
            tags: Array.from({ length: 21 }, (_, i) => `t${i}`),
          }),
          call('POST', path, { ...entity, tags: ['x'.repeat(129)] }),
        ]);
        for (const { status, body } of answers) {
          expect(status).toBe(400);
          expect(body).toMatchObject({ code: 3, message: 'validation error' });
        }
        const [unknown, many, long] = answers.map(({ body }) => body.details);
        expect(unknown).toMatchObject([{ type: 'ERROR_TYPE_ENTITY' }]);
        expect(many).toMatchObject([
          { type: 'ERROR_TYPE_FIELD', field: 'tags' },
        ]);
        expect(long).toMatchObject([
          { type: 'ERROR_TYPE_FIELD', field: 'tags[0]' },
        ]);
        const full = Array.from({ length: 20 }, (_, i) =>
          `${i}`.padEnd(128, 'x'),
        );
        const fits = await call('POST', path, { ...entity, tags: full });
        expect(fits.status).toBe(201);
      });
    },
  );

  it('name every wrong field at once', async () => {
    const base = await plane();
    const { body } = await call('POST', `${base}/services`, {
      retries: -1,
      path: 'orders',
      protocol: 'gopher',
      port: '80',
    });
    expect(body.details).toMatchObject([
      { type: 'ERROR_TYPE_FIELD', field: 'port' },
      { type: 'ERROR_TYPE_FIELD', field: 'protocol' },
      { type: 'ERROR_TYPE_FIELD', field: 'path' },
      { type: 'ERROR_TYPE_FIELD', field: 'retries' },
      { type: 'ERROR_TYPE_ENTITY', messages: ["missing properties: 'host'"] },
    ]);
  });

  it('expand the url of a service, and never answer it', async () => {
    const base = await plane();
    const { body } = await call('PUT', `${base}/services/orders`, {
      host: 'ignored',
      url: 'grpcs://orders.shop.svc/v1',
    });
    expect(body).toMatchObject({
      protocol: 'grpcs',
      host: 'orders.shop.svc',
      port: 443,
      path: '/v1',
    });
    expect(body).not.toHaveProperty('url');
  });

  it('refuse a route that matches on nothing', async () => {
    const base = await plane();
    const nothing = await call('POST', `${base}/routes`, { name: 'all' });
    expect(nothing.status).toBe(400);
    expect(nothing.body.details).toMatchObject([{ type: 'ERROR_TYPE_ENTITY' }]);
    const expression = await call('POST', `${base}/routes`, {
      expression: 'http.path ^= "/orders"',
    });
    expect(expression.body).toMatchObject({ priority: 0 });
  });

  it('refuse a reference to nothing, and a delete of what is referenced', async () => {
    const base = await plane();
    const dangling = await call('POST', `${base}/routes`, {
      paths: ['/'],
      service: { id: UUID },
    });
    expect(dangling.status).toBe(400);
    expect(dangling.body).toMatchObject({
      code: 3,
      message: 'data constraint error',
      details: [{ type: 'ERROR_TYPE_REFERENCE', field: 'service.id' }],
    });
    await call('PUT', `${base}/services/${UUID}`, { host: 'a' });
    const route = await call<Entity>('POST', `${base}/routes`, {
      paths: ['/'],
      service: { id: UUID },
    });
    expect(route.status).toBe(201);
    const refused = await call('DELETE', `${base}/services/${UUID}`);
    expect(refused.status).toBe(400);
    expect(refused.body.details).toMatchObject([
      { type: 'ERROR_TYPE_REFERENCE' },
    ]);
    await call('DELETE', `${base}/routes/${route.body.id}`);
    expect((await call('DELETE', `${base}/services/${UUID}`)).status).toBe(204);
  });

  it('take plugins, targets and memberships along with their parents', async () => {
    const base = await plane();
    await call('PUT', `${base}/services/orders`, { host: 'a' });
    await call('POST', `${base}/services/orders/plugins`, { name: 'cors' });
    await call('PUT', `${base}/upstreams/orders`, {
      name: 'orders',
    });
    await call('POST', `${base}/upstreams/orders/targets`, { target: 'a:1' });
    await call('PUT', `${base}/consumers/ann`, {});
    await call('PUT', `${base}/consumer_groups/gold`, { name: 'gold' });
    await call('POST', `${base}/consumer_groups/gold/consumers`, {
      consumer: 'ann',
    });
    await call('DELETE', `${base}/services/orders`);
    await call('DELETE', `${base}/upstreams/orders`);
    await call('DELETE', `${base}/consumers/ann`);
    for (const list of [
      'plugins',
      'targets',
      'consumer_groups/gold/consumers',
    ]) {
      expect((await call('GET', `${base}/${list}`)).body.data).toEqual([]);
    }
  });

  it('check and default the configuration of plugins', async () => {
    const base = await plane();
    const empty = await call('POST', `${base}/plugins`, {
      name: 'rate-limiting',
      config: {},
    });
    expect(empty.status).toBe(400);
    expect(empty.body.details).toMatchObject([{ type: 'ERROR_TYPE_ENTITY' }]);
    const wrong = await call('POST', `${base}/plugins`, {
      name: 'rate-limiting',
      config: { minute: 'many', policy: 'moon' },
    });
    expect(wrong.body.details).toMatchObject([
      { field: 'config.minute' },
      { field: 'config.policy' },
    ]);
    const unknown = await call('POST', `${base}/plugins`, { name: 'magic' });
    expect(unknown.body.details).toMatchObject([{ field: 'name' }]);
    const good = await call<Entity>('POST', `${base}/plugins`, {
      name: 'rate-limiting',
      config: { minute: 60 },
    });
    expect(good.body).toMatchObject({
      enabled: true,
      protocols: ['grpc', 'grpcs', 'http', 'https'],
      config: {
        second: null,
        minute: 60,
        limit_by: 'consumer',
        policy: 'local',
        redis: { port: 6379, password: null },
      },
    });
    const scope = await call('POST', `${base}/plugins`, {
      name: 'rate-limiting',
      config: { minute: 1 },
    });
    expect(scope.body).toMatchObject({ message: 'data constraint error' });
    const schema = await call<{ fields: Array<Record<string, unknown>> }>(
      'GET',
      `${base}/schemas/plugins/rate-limiting`,
    );
    const config = schema.body.fields.find(field => 'config' in field);
    expect(config).toMatchObject({
      config: {
        type: 'record',
        fields: expect.arrayContaining([
          { minute: expect.objectContaining({ type: 'number' }) },
          {
            policy: {
              type: 'string',
              default: 'local',
              one_of: ['local', 'cluster', 'redis'],
            },
          },
        ]),
      },
    });
  });

  it('keep targets under their upstream, with fractions of a second', async () => {
    const base = await plane();
    const upstream = await call<Entity>('PUT', `${base}/upstreams/orders`, {
      name: 'orders',
    });
    const path = `${base}/upstreams/${upstream.body.id}/targets`;
    const created = await call<Entity>('POST', path, { target: '10.0.0.1:80' });
    expect(created.body).toMatchObject({
      target: '10.0.0.1:80',
      weight: 100,
      upstream: { id: upstream.body.id },
      created_at: 1793610720.25,
    });
    const put = await call('PUT', `${path}/${created.body.id}`, {
      target: '10.0.0.1:80',
      weight: 7,
    });
    expect(put.body).toMatchObject({ id: created.body.id, weight: 7 });
    expect((await call('GET', `${path}/10.0.0.1:80`)).body).toEqual(put.body);
    const again = await call('POST', path, { target: '10.0.0.1:80' });
    expect(again.status).toBe(400);
    const flat = await call('GET', `${base}/targets`);
    expect(flat.body.data).toEqual([put.body]);
    expect((await call('DELETE', `${path}/${created.body.id}`)).status).toBe(
      204,
    );
    expect((await call('GET', path)).body.data).toEqual([]);
  });

  it('have memberships that are read and written from both ends', async () => {
    const base = await plane();
    await call('PUT', `${base}/consumers/ann`, {});
    await call('PUT', `${base}/consumer_groups/gold`, { name: 'gold' });
    await call('PUT', `${base}/consumer_groups/blue`, { name: 'blue' });
    const added = await call('POST', `${base}/consumer_groups/gold/consumers`, {
      consumer: 'ann',
    });
    expect(added.status).toBe(201);
    expect(added.body).toMatchObject({
      consumer_group: { name: 'gold' },
      consumers: [{ username: 'ann' }],
    });
    await call('POST', `${base}/consumers/ann/consumer_groups`, {
      group: 'blue',
    });
    const groups = await call<{ data: Entity[] }>(
      'GET',
      `${base}/consumers/ann/consumer_groups`,
    );
    expect(groups.body.data.map(({ name }) => name).sort()).toEqual([
      'blue',
      'gold',
    ]);
    const path = `${base}/consumer_groups/gold/consumers`;
    expect((await call('DELETE', `${path}/ann`)).status).toBe(204);
    expect((await call('DELETE', `${path}/ann`)).status).toBe(204);
    expect((await call('GET', path)).body.data).toEqual([]);
    const nobody = await call('POST', path, { consumer: 'bob' });
    expect(nobody.status).toBe(404);
  });

  agreesWithDocuments();
});
