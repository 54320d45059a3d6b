import { agreesWithDocuments, useKonnect } from './harness';

interface Entity {
  id: string;
  [field: string]: unknown;
}

const UUID = 'b2f6a1de-0b9c-4a4f-8d6e-0d8ac37a5e11';
const cert = (content: string) =>
  `-----BEGIN CERTIFICATE-----\n${content}\n-----END CERTIFICATE-----`;
const KEY = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----';

/** One valid entity of each, a change to it, and what makes it collide with another, if anything does. */
const SAMPLES = [
  {
    collection: 'certificates',
    entity: { cert: cert('AAAA'), key: KEY, cert_alt: cert('BBBB') },
    replaced: { cert: cert('AAAA'), key: KEY },
    dropped: 'cert_alt',
    unique: undefined,
  },
  {
    collection: 'ca_certificates',
    entity: { cert: cert('AAAA'), tags: ['a'] },
    replaced: { cert: cert('AAAA') },
    dropped: 'tags',
    unique: { cert: cert('AA\nAA') },
  },
  {
    collection: 'vaults',
    entity: { name: 'env', prefix: 'my-env', config: { prefix: 'x_' } },
    replaced: { name: 'env', prefix: 'my-env' },
    dropped: 'config',
    unique: { name: 'aws', prefix: 'my-env' },
  },
  {
    collection: 'key-sets',
    entity: { name: 'idp', tags: ['a'] },
    replaced: { name: 'idp' },
    dropped: 'tags',
    unique: { name: 'idp' },
  },
  {
    collection: 'keys',
    entity: { kid: '1', name: 'first', jwk: '{"kid":"1"}' },
    replaced: { kid: '1', jwk: '{"kid":"1"}' },
    dropped: 'name',
    unique: { kid: '1', pem: { private_key: KEY } },
  },
];

describe('Konnect contract: certificates, vaults and keys', () => {
  const { call, plane } = useKonnect();

  it.each(SAMPLES)(
    '$collection are created, read, replaced, listed and deleted',
    async ({ collection, entity, replaced, dropped }) => {
      const path = `${await plane()}/${collection}`;
      const created = await call<Entity>('POST', path, entity);
      expect(created.status).toBe(201);
      expect(created.body).toMatchObject(entity);
      const { id } = created.body;
      const got = await call<Entity>('GET', `${path}/${id}`);
      expect(got.body).toEqual(created.body);
      const put = await call<Entity>('PUT', `${path}/${id}`, replaced);
      expect(put.status).toBe(200);
      expect(put.body).toMatchObject({ ...replaced, id });
      expect(put.body).not.toHaveProperty(dropped);
      const list = await call<{ data: Entity[] }>('GET', path);
      expect(list.body.data).toEqual([put.body]);
      expect((await call('DELETE', `${path}/${id}`)).status).toBe(204);
      expect((await call('GET', `${path}/${id}`)).status).toBe(404);
    },
  );

  it.each(SAMPLES)(
    '$collection are created by PUT under the ID of the path, and found by their tags',
    async ({ collection, entity }) => {
      const path = `${await plane()}/${collection}`;
      const tags = ['k8s-uid:x'];
      const put = await call('PUT', `${path}/${UUID}`, { ...entity, tags });
      expect(put.body).toMatchObject({ ...entity, tags, id: UUID });
      const found = await call<{ data: Entity[] }>(
        'GET',
        `${path}?tags=k8s-uid%3Ax`,
      );
      expect(found.body.data).toMatchObject([{ id: UUID }]);
      const none = await call<{ data: Entity[] }>('GET', `${path}?tags=other`);
      expect(none.body.data).toEqual([]);
    },
  );

  it.each(SAMPLES.filter(({ unique }) => unique))(
    '$collection refuse what collides, with code 3',
    async ({ collection, entity, unique }) => {
      const path = `${await plane()}/${collection}`;
      await call('POST', path, entity);
      const again = await call('POST', path, unique);
      expect(again.status).toBe(400);
      expect(again.body).toMatchObject({
        code: 3,
        message: 'data constraint error',
      });
    },
  );

  it('the same certificate may be there twice', async () => {
    const path = `${await plane()}/certificates`;
    for (let i = 0; i < 2; i += 1) {
      const { status } = await call('POST', path, {
        cert: cert('AAAA'),
        key: '{vault://my-env/key}',
      });
      expect(status).toBe(201);
    }
  });

  it.each([
    ['certificates', { cert: cert('AAAA') }, 'key'],
    ['certificates', { cert: 'AAAA', key: KEY }, 'cert'],
    ['ca_certificates', { cert: KEY }, 'cert'],
    ['vaults', { name: 'env', prefix: 'No_Prefix' }, 'prefix'],
    ['keys', { kid: '1' }, 'jwk'],
    ['keys', { kid: '1', jwk: '{"kid":"2"}' }, 'kid'],
    ['keys', { kid: '1', jwk: 'x', pem: { private_key: KEY } }, 'only one'],
    ['snis', { name: 'a.example.com' }, 'certificate'],
  ])('%s refuse what is wrong: %p', async (collection, entity, named) => {
    const path = `${await plane()}/${collection}`;
    const { status, body } = await call('POST', path, entity);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 3, message: 'validation error' });
    expect(JSON.stringify(body.details)).toContain(named);
  });

  it('a CA certificate has a digest of what it certifies', async () => {
    const path = `${await plane()}/ca_certificates`;
    const [one, other] = await Promise.all(
      ['AAAA', 'BBBB'].map(content =>
        call<Entity>('POST', path, { cert: cert(content) }),
      ),
    );
    expect(one.body.cert_digest).toMatch(/^[0-9a-f]{64}$/);
    expect(other.body.cert_digest).not.toBe(one.body.cert_digest);
  });

  it('SNIs are the same flat and under their certificate, unique, and hold it', async () => {
    const base = await plane();
    const certificate = { cert: cert('AAAA'), key: KEY };
    const { body } = await call<Entity>(
      'POST',
      `${base}/certificates`,
      certificate,
    );
    const under = `${base}/certificates/${body.id}/snis`;
    const name = '*.example.com';
    const created = await call<Entity>('POST', under, { name });
    expect(created.body).toMatchObject({ name, certificate: { id: body.id } });
    const flat = await call('GET', `${base}/snis/${created.body.id}`);
    expect(flat.body).toEqual(created.body);
    const put = await call('PUT', `${base}/snis/${created.body.id}`, {
      ...{ name: 'a.example.com', certificate: { id: body.id } },
    });
    const nested = await call<{ data: Entity[] }>('GET', under);
    expect(nested.body.data).toEqual([put.body]);
    const again = await call('POST', `${base}/snis`, {
      ...{ name: 'a.example.com', certificate: { id: body.id } },
    });
    expect(again.body).toMatchObject({ code: 3 });
    const dangling = await call('POST', `${base}/snis`, {
      ...{ name: 'b.example.com', certificate: { id: UUID } },
    });
    expect(dangling.body).toMatchObject({
      ...{ code: 3, message: 'data constraint error' },
    });
    const held = await call('DELETE', `${base}/certificates/${body.id}`);
    expect(held.body).toMatchObject({ code: 3 });
    await call('DELETE', `${under}/${created.body.id}`);
    const freed = await call('DELETE', `${base}/certificates/${body.id}`);
    expect(freed.status).toBe(204);
  });

  it('a service holds its client certificate', async () => {
    const base = await plane();
    const { body } = await call<Entity>('POST', `${base}/certificates`, {
      ...{ cert: cert('AAAA'), key: KEY },
    });
    const service = (id: string) =>
      call('PUT', `${base}/services/orders`, {
        ...{ host: 'orders.shop.svc', client_certificate: { id } },
      });
    expect((await service(UUID)).body).toMatchObject({ code: 3 });
    expect((await service(body.id)).status).toBe(200);
    const held = await call('DELETE', `${base}/certificates/${body.id}`);
    expect(held.body).toMatchObject({ code: 3 });
  });

  it('keys of a key set go with it', async () => {
    const base = await plane();
    const { body } = await call<Entity>('POST', `${base}/key-sets`, {
      name: 'idp',
    });
    const under = `${base}/key-sets/${body.id}/keys`;
    const key = { kid: '1', jwk: '{"kid":"1"}' };
    const created = await call<Entity>('POST', under, key);
    expect(created.body).toMatchObject({ ...key, set: { id: body.id } });
    // the same kid outside of the set is another key
    const outside = await call('POST', `${base}/keys`, key);
    expect(outside.status).toBe(201);
    await call('DELETE', `${base}/key-sets/${body.id}`);
    const gone = await call('GET', `${base}/keys/${created.body.id}`);
    expect(gone.status).toBe(404);
  });

  agreesWithDocuments();
});
