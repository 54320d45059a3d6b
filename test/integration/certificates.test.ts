/**
 * Certificates, SNIs, vaults and keys through the whole backend: what refers to what is made in order, a declared key reaches Konnect
 * and nothing else, and what is taken away goes in order too.
 */
import { generateKeyPairSync } from 'node:crypto';
import { TestDatabases } from '@backstage/backend-test-utils';
import type { Knex } from 'knex';
import { startPlumbline, waitFor, type Plumbline } from '../src/plumbline';

jest.setTimeout(180_000);

const PLANE = 'prod-gateway';
const CERT = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
const controlPlaneRef = {
  type: 'konnectNamespacedRef',
  konnectNamespacedRef: { name: PLANE, namespace: 'shop' },
};

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  // the part that must be seen nowhere
  return {
    pem: privateKey,
    public: publicKey,
    secret: privateKey.split('\n')[1],
  };
}

const [tlsKey, nextKey, idpKey] = [newKey(), newKey(), newKey()];
const VAULT_TOKEN = 'hvs-only-konnect-may-know-this';

const object = (kind: string, name: string, spec: object, scoped = true) => ({
  apiVersion: 'configuration.konghq.com/v1alpha1',
  kind,
  metadata: { name, ...(scoped && { namespace: 'shop' }) },
  spec: spec as Record<string, never>,
});

/** Those that refer to others first: the order in which they are declared must not matter. */
const DECLARED = [
  object('KongService', 'tls-orders', {
    ...{ controlPlaneRef, name: 'tls-orders', host: 'orders.example.com' },
    clientCertificateRef: { name: 'web' },
    caCertificateRefs: [{ name: 'trusted' }],
  }),
  object('KongSNI', 'web', {
    ...{ name: 'shop.example.com', certificateRef: { name: 'web' } },
  }),
  object('KongKey', 'first', {
    ...{
      kid: '1',
      pem: { private_key: idpKey.pem, public_key: idpKey.public },
    },
    keySetRef: { type: 'namespacedRef', namespacedRef: { name: 'idp' } },
  }),
  object('KongCertificate', 'web', {
    ...{ controlPlaneRef, type: 'inline', cert: CERT, key: tlsKey.pem },
  }),
  object('KongCACertificate', 'trusted', { controlPlaneRef, cert: CERT }),
  object('KongKeySet', 'idp', { controlPlaneRef, name: 'idp' }),
  object('KongReferenceGrant', 'vaults', {
    from: [
      {
        ...{ group: 'configuration.konghq.com', kind: 'KongVault' },
        namespace: '',
      },
    ],
    to: [{ group: 'konnect.konghq.com', kind: 'KonnectGatewayControlPlane' }],
  }),
  object(
    'KongVault',
    'hcv',
    {
      ...{ controlPlaneRef, backend: 'hcv', prefix: 'my-vault' },
      config: { host: 'vault.example.com', token: VAULT_TOKEN },
    },
    false,
  ),
];

const RESOURCES = [
  ['services', 'tls-orders'],
  ['snis', 'web'],
  ['keys', 'first'],
  ['certificates', 'web'],
  ['ca_certificates', 'trusted'],
  ['key-sets', 'idp'],
  ['vaults', 'hcv'],
] as const;

type Collection = (typeof RESOURCES)[number][0];

describe('Certificates, vaults and keys', () => {
  const databases = TestDatabases.create({ ids: ['SQLITE_3'] });
  let plumbline: Plumbline;
  let knex: Knex;

  beforeAll(async () => {
    knex = await databases.init('SQLITE_3');
    plumbline = await startPlumbline({
      knex,
      drift: {
        defaults: { mode: 'enforce', actuator: 'direct', prune: true },
        prune: { maxItems: 100, maxPercent: 100 },
      },
    });
  });

  afterAll(() => plumbline?.stop());

  function stored(collection: Collection) {
    const { store } = plumbline.sandbox.konnect.sandbox;
    const plane = store.controlPlanes().find(({ name }) => name === PLANE);
    return store
      .list(plane?.id ?? '', collection)
      .filter(
        ({ tags }) =>
          Array.isArray(tags) &&
          RESOURCES.some(([, name]) => tags.includes(`k8s-name:${name}`)),
      );
  }

  const allInSync = async () => {
    for (const [kind, name] of RESOURCES) {
      await plumbline.until(kind, name, ({ verdict }) => verdict === 'InSync');
    }
  };

  /** Everything that we store, and everything that we tell. */
  async function allThatIsKnown(): Promise<string> {
    const tables: { name: string }[] = await knex('sqlite_master').where({
      type: 'table',
    });
    const rows = await Promise.all(
      tables.map(async ({ name }) => JSON.stringify(await knex(name))),
    );
    const told = await Promise.all(
      RESOURCES.map(async ([kind, name]) => {
        const { id } = await plumbline.find(kind, name);
        return JSON.stringify(await plumbline.client.getResource(id));
      }),
    );
    return [...rows, ...told].join('\n');
  }

  it('are made in the order in which they refer to each other', async () => {
    for (const one of DECLARED) await plumbline.kube.create(one, 'kubectl');
    await allInSync();
    for (const [collection] of RESOURCES) {
      expect([collection, stored(collection).length]).toEqual([collection, 1]);
    }
    const [certificate] = stored('certificates');
    expect(certificate).toMatchObject({ cert: CERT, key: tlsKey.pem.trim() });
    expect(stored('services')).toMatchObject([
      {
        client_certificate: { id: certificate.id },
        ca_certificates: [stored('ca_certificates')[0].id],
      },
    ]);
    expect(stored('snis')).toMatchObject([
      { name: 'shop.example.com', certificate: { id: certificate.id } },
    ]);
    expect(stored('keys')).toMatchObject([
      { set: { id: stored('key-sets')[0].id } },
    ]);
    expect(stored('vaults')).toMatchObject([
      { name: 'hcv', config: { token: VAULT_TOKEN } },
    ]);
  });

  it('are put back where somebody edits them, with the keys that they had', async () => {
    const { store } = plumbline.sandbox.konnect.sandbox;
    const plane = store.controlPlanes().find(({ name }) => name === PLANE)!;
    const edit = (collection: Collection, change: object) => {
      const [{ id, created_at: _c, updated_at: _u, ...rest }] =
        stored(collection);
      const { cert_digest: _digest, ...body } = rest;
      store.upsert(plane.id, collection, id, { ...body, ...change }, 'ann');
    };
    edit('snis', { name: 'other.example.com' });
    edit('vaults', { description: 'kept', config: { token: 'x' } });
    edit('certificates', { cert: CERT.replace('AAAA', 'BBBB') });
    await waitFor(
      async () => ({
        snis: stored('snis')[0].name,
        vaults: stored('vaults')[0].config,
        certificates: stored('certificates')[0].cert,
      }),
      now =>
        now.snis === 'shop.example.com' &&
        now.certificates === CERT &&
        JSON.stringify(now.vaults).includes(VAULT_TOKEN),
      now => Object.keys(now ?? {}).join(),
    );
    await allInSync();
    expect(stored('vaults')[0].description).toBe('kept');
    expect(stored('certificates')[0].key).toBe(tlsKey.pem.trim());
  });

  it('have the new key once it is declared', async () => {
    const kind = await plumbline.kube.kind('KongCertificate');
    const certificate = await plumbline.kube.get(kind, 'web', 'shop');
    await plumbline.kube.replace(
      {
        ...certificate,
        spec: { ...(certificate.spec as object), key: nextKey.pem },
      },
      'kubectl-edit',
    );
    await waitFor(
      async () => stored('certificates')[0].key,
      key => key === nextKey.pem.trim(),
      () => 'the key is the old one',
    );
    await allInSync();
    expect(stored('certificates')[0].key).toBe(nextKey.pem.trim());
  });

  it('are known without their secrets', async () => {
    const known = await allThatIsKnown();
    // it was looked for in the right place
    expect(known).toContain('shop.example.com');
    for (const { secret } of [tlsKey, nextKey, idpKey]) {
      expect(known.includes(secret)).toBe(false);
    }
    expect(known.includes(VAULT_TOKEN)).toBe(false);
  });

  it('go in order when nothing declares them any more', async () => {
    for (const { kind, metadata } of DECLARED) {
      await plumbline.kube.remove(
        await plumbline.kube.kind(kind),
        metadata.name,
        metadata.namespace,
      );
    }
    const left = await waitFor(
      async () =>
        RESOURCES.filter(([collection]) => stored(collection).length > 0),
      some => some.length === 0,
      some => `left: ${some?.map(([collection]) => collection).join(', ')}`,
      120_000,
    );
    expect(left).toEqual([]);
  });
});
