/** Certificates, SNIs, vaults and keys in Konnect: found, written with care for what Konnect keeps to itself, and redacted. */
import { generateKeyPairSync } from 'node:crypto';
import type { PlatformError } from '@plumbline/backstage-plugin-drift-node';
import { normalise, type JsonObject } from '@plumbline/drift-engine';
import {
  anySignal,
  collect,
  declare,
  planOf,
  startHarness,
  UID,
  type Harness,
} from './__testUtils__/harness';
import { KINDS, type Collection } from './kinds';

const signal = anySignal();
const OTHER_ID = '00000000-0000-4000-8000-000000000001';
const cert = (content: string) =>
  `-----BEGIN CERTIFICATE-----\n${content}\n-----END CERTIFICATE-----`;
const pair = generateKeyPairSync('ed25519', {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const KEY = pair.privateKey.trim();
const PUBLIC_KEY = pair.publicKey.trim();
/** The part of the key that must be seen nowhere. */
const [, SECRET] = KEY.split('\n');

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error('It did not fail');
    },
    (error: PlatformError) => error,
  );

describe('certificates, vaults and keys', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await startHarness();
  });
  afterEach(() => harness.close());

  /** A platform whose answers lack these fields, as where Konnect keeps them to itself. */
  const withholding = (...fields: string[]) =>
    harness.platformWith({}, async (input, init) => {
      const url = new URL(String(input));
      harness.sent.push({
        method: init?.method ?? 'GET',
        path: url.pathname.replace(/^.*\/core-entities\//, ''),
        query: url.search,
        ...(typeof init?.body === 'string' && { body: JSON.parse(init.body) }),
      });
      const answer = await fetch(input, init);
      const text = await answer.text();
      const body = text
        ? JSON.stringify(JSON.parse(text), (name, value) =>
            fields.includes(name) ? undefined : value,
          )
        : null;
      return new Response(body, answer);
    });

  async function create(kind: Collection, document: JsonObject) {
    const declared = declare(kind, document);
    const plan = await planOf(harness.platform, declared, null, []);
    return harness.platform.write(plan, { signal });
  }

  async function find(
    kind: Collection,
    document: JsonObject,
    platform = harness.platform,
  ) {
    const read = await platform.find(declare(kind, document), { signal });
    if (read.found !== true) {
      throw new Error(`${kind}: found ${read.found}`);
    }
    return read.live;
  }

  it('are swept only where somebody asks for them, parents first', async () => {
    const onDemand = KINDS.filter(kind => kind.onDemand).map(
      ({ collection }) => collection,
    );
    expect(onDemand).toEqual([
      'certificates',
      'ca_certificates',
      'snis',
      'vaults',
      'key-sets',
      'keys',
    ]);
    expect(
      harness.platform.kinds.filter(kind =>
        onDemand.some(other => other === kind),
      ),
    ).toEqual([]);
    const certificate = harness.seed('certificates', {
      ...{ cert: cert('AA'), key: KEY },
    });
    harness.seed('snis', {
      ...{ name: 'a.example.com', certificate: { id: certificate.id } },
    });
    const set = harness.seed('key-sets', { name: 'idp' });
    harness.seed('keys', { kid: '1', jwk: '{"kid":"1"}', set: { id: set.id } });
    const items = await collect(
      harness.platform.sweep(
        { kinds: [...onDemand].reverse().concat('services') },
        { signal },
      ),
    );
    expect(harness.sent.map(({ path }) => path)).toEqual([
      ...onDemand,
      'services',
    ]);
    expect(items.map(({ kind }) => kind)).toEqual([
      'certificates',
      'snis',
      'key-sets',
      'keys',
    ]);
  });

  const SAMPLES: [Collection, () => JsonObject][] = [
    ['certificates', () => ({ cert: cert('AA'), key: KEY })],
    ['ca_certificates', () => ({ cert: cert('AA') })],
    [
      'snis',
      () => ({
        name: '*.example.com',
        certificate: {
          id: harness.seed('certificates', { cert: cert('AA'), key: KEY }).id,
        },
      }),
    ],
    [
      'vaults',
      () => ({
        ...{ name: 'hcv', prefix: 'my-vault' },
        config: { host: 'vault.example.com', token: SECRET },
      }),
    ],
    ['key-sets', () => ({ name: 'idp' })],
    [
      'keys',
      () => ({ kid: '1', name: 'first', jwk: `{"kid":"1","d":"${SECRET}"}` }),
    ],
    [
      'keys',
      () => ({
        kid: '1',
        pem: { private_key: KEY, public_key: PUBLIC_KEY },
        set: { id: harness.seed('key-sets', { name: 'idp' }).id },
      }),
    ],
  ];

  it.each(SAMPLES)(
    '%s are created once, found again, and show no secret',
    async (kind, sample) => {
      const document = sample();
      const receipt = await create(kind, document);
      expect(harness.writes()).toEqual([`PUT ${kind}/${UID}`]);
      expect(await create(kind, document)).toEqual(receipt);
      expect(harness.stored(kind, UID)).toMatchObject({
        ...document,
        tags: expect.arrayContaining([`k8s-uid:${UID}`]),
      });

      const live = await find(kind, document);
      expect(live).toMatchObject({ id: UID, key: `${kind}/${UID}` });
      const schema = await harness.platform.schema(kind, { signal });
      for (const side of ['declared', 'live'] as const) {
        const state = normalise(side === 'live' ? live.document : document, {
          schema,
          side,
          secretDigest: () => 'digest',
        });
        expect(state.problems).toEqual([]);
        expect(JSON.stringify(state)).not.toContain(SECRET);
      }
      const { document: _document, ...shown } = live;
      expect(JSON.stringify([receipt, shown])).not.toContain(SECRET);
    },
  );

  it.each([
    ['certificates', { key: KEY }],
    ['ca_certificates', {}],
  ] as const)('%s are found by their mark', async (kind, more) => {
    const tags = [`k8s-uid:${UID}`];
    harness.seed(kind, { cert: cert('AA'), tags, ...more });
    expect((await find(kind, { cert: cert('BB') })).marks).toMatchObject([
      { value: UID },
    ]);
  });

  it('finds a CA certificate by its text, and no certificate by its own', async () => {
    const ca = harness.seed('ca_certificates', { cert: cert('AABB') });
    const spaced = cert('AA\nBB').replaceAll('\n', '\r\n');
    expect((await find('ca_certificates', { cert: spaced })).id).toBe(ca.id);
    harness.seed('certificates', { cert: cert('AABB'), key: KEY });
    const read = await harness.platform.find(
      declare('certificates', { cert: cert('AABB'), key: KEY }),
      { signal },
    );
    expect(read).toEqual({ found: false });
  });

  it.each([
    ['vaults', { prefix: 'my-vault' }, { name: 'env' }],
    ['key-sets', { name: 'idp' }, {}],
    ['keys', { name: 'first' }, { kid: '7', jwk: '{"kid":"7"}' }],
    ['keys', { kid: '7' }, { jwk: '{"kid":"7"}' }],
  ] as const)('finds %s by %p', async (kind, by, rest) => {
    const { id } = harness.seed(kind, { ...by, ...rest });
    expect((await find(kind, { ...by })).id).toBe(id);
  });

  it('finds a key by its kid in its own key set only', async () => {
    const [one, other] = ['one', 'other'].map(
      name => harness.seed('key-sets', { name }).id,
    );
    const jwk = '{"kid":"7"}';
    const { id } = harness.seed('keys', { kid: '7', jwk, set: { id: one } });
    expect((await find('keys', { kid: '7', set: { id: one } })).id).toBe(id);
    const read = await harness.platform.find(
      declare('keys', { kid: '7', set: { id: other } }),
      { signal },
    );
    expect(read).toEqual({ found: false });
  });

  it.each([[[]], [['key', 'key_alt']]])(
    'updates a certificate and brings the declared key along where answers lack %p',
    async fields => {
      const platform = withholding(...fields);
      const document = { cert: cert('AA'), key: KEY, tags: ['a'] };
      await create('certificates', document);
      const declared = declare('certificates', { ...document, tags: ['b'] });
      const live = await find('certificates', document, platform);
      expect('key' in (live.document as JsonObject)).toBe(fields.length === 0);
      harness.sent.length = 0;
      const plan = await planOf(platform, declared, live, ['/tags']);
      await platform.write(plan, { signal });
      expect(harness.writes()).toEqual([`PUT certificates/${UID}`]);
      expect(harness.stored('certificates', UID)).toMatchObject({
        cert: cert('AA'),
        key: KEY,
        tags: expect.arrayContaining(['b', `k8s-uid:${UID}`]),
      });
    },
  );

  it('writes a key that was declared anew although no answer shows the old one', async () => {
    const platform = withholding('key');
    const document = { cert: cert('AA'), key: KEY };
    await create('certificates', document);
    const live = await find('certificates', document, platform);
    const key = KEY.replace(SECRET, 'MC4CAQAwBQYDK2VwBCIEIAAA');
    const declared = declare('certificates', { ...document, key });
    await platform.write(await planOf(platform, declared, live, ['/key']), {
      signal,
    });
    expect(harness.stored('certificates', UID)).toMatchObject({ key });
  });

  it.each([
    ['certificates', { snis: ['a.example.com'], metadata: { issuer: 'x' } }],
    ['ca_certificates', { cert_digest: '0', metadata: { issuer: 'x' } }],
  ] as const)(
    'sends back nothing of %s that Konnect works out, nor SNIs, which are entities of their own: %p',
    async (kind, answered) => {
      const document = {
        ...{ cert: cert('AA'), tags: ['a'] },
        ...(kind === 'certificates' && { key: KEY }),
      };
      await create(kind, document);
      const live = await find(kind, document);
      const declared = declare(kind, { ...document, tags: ['b'] });
      const more = { ...(live.document as JsonObject), ...answered };
      const plan = await planOf(
        harness.platform,
        declared,
        { ...live, document: more as JsonObject },
        ['/tags'],
      );
      harness.sent.length = 0;
      await harness.platform.write(plan, { signal });
      const [put] = harness.sent;
      expect(Object.keys(put.body ?? {}).sort()).toEqual(
        Object.keys(document).sort(),
      );
    },
  );

  const LOSSES: [Collection, JsonObject, JsonObject, string][] = [
    [
      'certificates',
      { cert: cert('AA'), key: KEY, cert_alt: cert('BB'), key_alt: KEY },
      { cert: cert('AA'), key: KEY, tags: ['b'] },
      'key_alt',
    ],
    [
      'keys',
      { kid: '1', pem: { private_key: KEY, public_key: PUBLIC_KEY } },
      { kid: '1', pem: { public_key: PUBLIC_KEY }, tags: ['b'] },
      'pem.private_key',
    ],
    [
      'keys',
      { kid: '1', jwk: '{"kid":"1"}' },
      { kid: '1', pem: { private_key: KEY }, tags: ['b'] },
      'jwk',
    ],
  ];

  it.each(LOSSES)(
    'refuses to write %s where that would take away what nobody declares',
    async (kind, there, document, lost) => {
      harness.seed(kind, { ...there, id: UID });
      // a JWK that no answer shows cannot be known of
      const hidden = lost === 'jwk' ? [] : ['key_alt', 'private_key'];
      const platform = withholding(...hidden);
      const live = await find(kind, { ...document }, platform);
      const declared = declare(kind, { ...document });
      const plan = await planOf(platform, declared, live, ['/tags']);
      harness.sent.length = 0;
      const error = await failure(platform.write(plan, { signal }));
      expect(error).toMatchObject({
        name: 'PlatformError',
        classification: 'invalid',
        mayHaveTakenEffect: false,
      });
      expect(error.message).toContain(`has a ${lost} that nobody declares`);
      expect(error.message).not.toContain(SECRET);
      expect(harness.writes()).toEqual([]);
    },
  );

  it('takes away what the plan takes away', async () => {
    harness.seed('certificates', {
      ...{ id: UID, cert: cert('AA'), key: KEY },
      ...{ cert_alt: cert('BB'), key_alt: KEY },
    });
    const document = { cert: cert('AA'), key: KEY };
    const platform = withholding('key_alt');
    const live = await find('certificates', document, platform);
    const plan = await planOf(
      platform,
      declare('certificates', document),
      live,
      [],
      ['/cert_alt', '/key_alt'],
    );
    await platform.write(plan, { signal });
    const stored = harness.stored('certificates', UID);
    expect(stored).toMatchObject(document);
    expect(stored).not.toHaveProperty('cert_alt');
    expect(stored).not.toHaveProperty('key_alt');
  });

  it('moves an SNI to another certificate, and frees a certificate only then', async () => {
    const [one, other] = ['AA', 'BB'].map(
      content =>
        harness.seed('certificates', { cert: cert(content), key: KEY }).id,
    );
    const document = { name: 'a.example.com', certificate: { id: one } };
    await create('snis', document);
    const byKey = await harness.platform.get(`certificates/${one}`, { signal });
    if (byKey.found !== true) {
      throw new Error('The certificate is gone');
    }
    const remove = () =>
      harness.platform.remove(
        { ref: declare('certificates', {}).ref, live: byKey.live },
        { signal },
      );
    expect(await failure(remove())).toMatchObject({
      classification: 'transient',
    });
    const moved = declare('snis', { ...document, certificate: { id: other } });
    const live = await find('snis', document);
    const plan = await planOf(harness.platform, moved, live, [
      '/certificate/id',
    ]);
    await harness.platform.write(plan, { signal });
    expect(harness.stored('snis', UID)).toMatchObject({
      certificate: { id: other },
    });
    await remove();
    expect(harness.stored('certificates', one)).toBeUndefined();
  });

  it('writes what a service refers to by its id', async () => {
    const certificate = harness.seed('certificates', {
      ...{ cert: cert('AA'), key: KEY },
    });
    const document = {
      ...{ host: 'x', ca_certificates: [OTHER_ID] },
      client_certificate: { id: certificate.id },
    };
    await create('services', document);
    expect(harness.stored('services', UID)).toMatchObject(document);
  });

  it('tells of no key in what Konnect refuses', async () => {
    const error = await failure(
      create('certificates', { cert: 'no certificate', key: KEY }),
    );
    expect(error).toMatchObject({ classification: 'invalid' });
    expect(error.message).not.toContain(SECRET);
    const twice = await failure(
      create('keys', { kid: '1', jwk: `{"kid":"2","d":"${SECRET}"}` }),
    );
    expect(twice).toMatchObject({ classification: 'invalid' });
    expect(twice.message).not.toContain(SECRET);
  });
});
