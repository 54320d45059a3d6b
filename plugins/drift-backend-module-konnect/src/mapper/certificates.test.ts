/** What KongCertificates, KongCACertificates, KongSNIs, KongVaults, KongKeySets and KongKeys declare. */
import type { DeclaredResource } from '@plumbline/backstage-plugin-drift-node';
import type { JsonObject } from '@plumbline/drift-engine';
import { contextOf, CP_ID, mapperFor, object } from '../__testUtils__/objects';

const controlPlane = object('KonnectGatewayControlPlane', 'prod', {
  apiVersion: 'konnect.konghq.com/v1alpha2',
  spec: { createControlPlaneRequest: { name: 'prod' } },
  status: { id: CP_ID },
});
const inShop = { name: 'prod', namespace: 'shop' };
const controlPlaneRef = {
  type: 'konnectNamespacedRef',
  konnectNamespacedRef: { name: 'prod' },
};
const CERT = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const KEY = '-----BEGIN PRIVATE KEY-----\nMIIC\n-----END PRIVATE KEY-----\n';

async function mapAll(
  mapped: JsonObject,
  others: JsonObject[] = [],
): Promise<DeclaredResource[]> {
  return mapperFor().map(mapped, contextOf(mapped, [controlPlane, ...others]));
}

async function mapOne(mapped: JsonObject, others: JsonObject[] = []) {
  const all = await mapAll(mapped, others);
  expect(all).toHaveLength(1);
  return all[0];
}

const reasons = ({ problems = [] }: DeclaredResource) =>
  problems.map(({ reason }) => reason);

const certificate = (spec: JsonObject, namespace = 'shop') =>
  object('KongCertificate', 'tls', { metadata: { namespace }, spec });

const grant = (kind: string, from: JsonObject, namespace = 'shop') =>
  object('KongReferenceGrant', 'grant', {
    metadata: { namespace },
    spec: {
      from: [{ group: 'configuration.konghq.com', ...from }],
      to: [
        {
          group: kind.startsWith('Konnect')
            ? 'konnect.konghq.com'
            : 'configuration.konghq.com',
          kind,
        },
      ],
    },
  });

describe('certificates', () => {
  it('are declared inline, without what says where they stand', async () => {
    const spec = { type: 'inline', cert: CERT, key: KEY, controlPlaneRef };
    const declared = await mapOne(certificate({ ...spec, tags: ['a'] }));
    expect(declared.ref).toEqual({
      platform: 'konnect/prod',
      kind: 'certificates',
      namespace: 'shop',
      name: 'tls',
    });
    expect(declared.document).toEqual({ cert: CERT, key: KEY, tags: ['a'] });
    expect(declared.problems).toBeUndefined();
    // the same certificate may be there twice: it is known by its id and its mark only
    expect(declared.locators).toEqual([
      'id:uid-of-KongCertificate-tls',
      'mark:k8s-uid:uid-of-KongCertificate-tls',
    ]);
  });

  it.each([
    ['KongCertificate', { secretRef: { name: 's' } }],
    ['KongCertificate', { secretRefAlt: { name: 's' } }],
    ['KongCACertificate', { secretRef: { name: 's', namespace: 'other' } }],
  ])('are invalid where a %s stands in a Secret: %p', async (kind, ref) => {
    const spec = { type: 'secretRef', ...ref, tags: ['a'], controlPlaneRef };
    const declared = await mapOne(object(kind, 'tls', { spec }));
    expect(declared.document).toEqual({ tags: ['a'] });
    expect(declared.problems).toEqual([
      {
        path: `/spec/${Object.keys(ref)[0]}`,
        reason: 'SecretNotReadable',
        message: expect.stringMatching(/Secret s, which is not read.*inline/),
      },
    ]);
  });

  it('of authorities are known by their text, whatever its white space', async () => {
    const declare = (cert: string) =>
      mapOne(
        object('KongCACertificate', 'ca', { spec: { cert, controlPlaneRef } }),
      );
    const one = await declare(CERT);
    const same = await declare(CERT.replaceAll('\n', '\r\n'));
    const other = await declare(CERT.replace('MIIB', 'MIIX'));
    expect(one.locators[2]).toMatch(/^name:cert=/);
    expect(one.locators[2]).not.toContain('MIIB');
    expect(same.locators).toEqual(one.locators);
    expect(other.locators[2]).not.toBe(one.locators[2]);
  });

  it('are referred to by services and upstreams, which are no children of theirs', async () => {
    const near = certificate({ cert: CERT, key: KEY, controlPlaneRef });
    const cas = ['one', 'two'].map(name =>
      object('KongCACertificate', name, {
        metadata: { namespace: name === 'two' ? 'other' : 'shop' },
        spec: { cert: CERT, controlPlaneRef },
      }),
    );
    const service = object('KongService', 'orders', {
      spec: {
        host: 'x',
        controlPlaneRef,
        clientCertificateRef: { name: 'tls' },
        caCertificateRefs: [
          { name: 'one' },
          { name: 'two', namespace: 'other' },
        ],
      },
    });
    const allowed = grant(
      'KongCACertificate',
      { kind: 'KongService', namespace: 'shop' },
      'other',
    );
    const declared = await mapOne(service, [near, ...cas, allowed]);
    expect(declared.problems).toBeUndefined();
    expect(declared.parent).toBeUndefined();
    expect(declared.document).toEqual({
      host: 'x',
      ca_certificates: ['(one)', '(two)'],
    });
    const ref = (kind: string, name: string, namespace = 'shop') => ({
      platform: 'konnect/prod',
      kind,
      namespace,
      name,
    });
    expect(declared.references).toEqual([
      { path: '/client_certificate/id', ref: ref('certificates', 'tls') },
      { path: '/ca_certificates/0', ref: ref('ca_certificates', 'one') },
      {
        path: '/ca_certificates/1',
        ref: ref('ca_certificates', 'two', 'other'),
      },
    ]);
    expect(reasons(await mapOne(service, [near, ...cas]))).toEqual([
      'ReferenceNotGranted',
    ]);
    expect(reasons(await mapOne(service, [near, cas[1], allowed]))).toEqual([
      'DanglingReference',
    ]);
    const upstream = object('KongUpstream', 'orders', {
      spec: {
        name: 'orders',
        controlPlaneRef,
        clientCertificateRef: { name: 'tls' },
      },
    });
    expect((await mapOne(upstream, [near])).references).toEqual([
      { path: '/client_certificate/id', ref: ref('certificates', 'tls') },
    ]);
  });

  it('say where their SNIs belong', async () => {
    const sni = object('KongSNI', 'web', {
      spec: { name: '*.example.com', certificateRef: { name: 'tls' } },
    });
    const declared = await mapOne(sni, [
      certificate({ cert: CERT, key: KEY, controlPlaneRef }),
    ]);
    const parent = {
      platform: 'konnect/prod',
      kind: 'certificates',
      namespace: 'shop',
      name: 'tls',
    };
    expect(declared).toMatchObject({
      document: { name: '*.example.com' },
      references: [{ path: '/certificate/id', ref: parent }],
      parent,
    });
    expect(declared.locators.at(-1)).toBe('name:*.example.com');
    expect(declared.problems).toBeUndefined();
    const elsewhere = certificate({ cert: CERT, key: KEY });
    expect(await mapAll(sni, [elsewhere])).toEqual([]);
    expect(reasons(await mapOne(sni))).toEqual(['DanglingReference']);
  });
});

describe('vaults', () => {
  const vault = (spec: JsonObject) => {
    const whole = object('KongVault', 'env', {
      spec: {
        prefix: 'env-vault',
        controlPlaneRef: {
          type: 'konnectNamespacedRef',
          konnectNamespacedRef: inShop,
        },
        ...spec,
      },
    });
    const { namespace, ...metadata } = whole.metadata as JsonObject;
    return { ...whole, metadata };
  };
  const granted = grant('KonnectGatewayControlPlane', {
    kind: 'KongVault',
    namespace: '',
  });

  it('stand in no namespace and need a grant for the control plane', async () => {
    const mapped = vault({ backend: 'env', config: { prefix: 'x_' } });
    const declared = await mapOne(mapped, [granted]);
    expect(declared.ref).toEqual({
      platform: 'konnect/prod',
      kind: 'vaults',
      name: 'env',
    });
    expect(declared.document).toEqual({
      name: 'env',
      prefix: 'env-vault',
      config: { prefix: 'x_' },
    });
    expect(declared.problems).toBeUndefined();
    expect(declared.locators.at(-1)).toBe('name:env-vault');

    expect(reasons(await mapOne(mapped))).toEqual(['ReferenceNotGranted']);
    const ofOthers = grant('KonnectGatewayControlPlane', {
      kind: 'KongVault',
      namespace: 'shop',
    });
    expect(reasons(await mapOne(mapped, [ofOthers]))).toEqual([
      'ReferenceNotGranted',
    ]);
    const { resources } = mapperFor();
    expect(
      resources.filter(({ namespaced }) => !namespaced).map(({ kind }) => kind),
    ).toEqual(['KongVault', 'KongClusterPlugin']);
  });

  it('have the id of the config store that they name, once it has one', async () => {
    const mapped = vault({
      backend: 'konnect',
      configStoreRef: { name: 'keys', namespace: 'shop' },
    });
    const store = (status: JsonObject) =>
      object('KonnectConfigStore', 'keys', {
        apiVersion: 'konnect.konghq.com/v1alpha1',
        metadata: { resourceVersion: '7' },
        status,
      });
    const allowed = grant('KonnectConfigStore', {
      kind: 'KongVault',
      namespace: '',
    });
    const others = [
      granted,
      {
        ...allowed,
        metadata: { ...(allowed.metadata as JsonObject), name: 'other' },
      },
    ];
    const declared = await mapOne(mapped, [...others, store({ id: 'c-1' })]);
    expect(declared.problems).toBeUndefined();
    expect(declared.document).toEqual({
      name: 'konnect',
      prefix: 'env-vault',
      config: { config_store_id: 'c-1' },
    });
    expect(declared.version).toBe('1+7');
    expect(reasons(await mapOne(mapped, [...others, store({})]))).toEqual([
      'UnsupportedReference',
    ]);
    expect(reasons(await mapOne(mapped, others))).toEqual([
      'DanglingReference',
    ]);
    expect(
      reasons(await mapOne(mapped, [granted, store({ id: 'c-1' })])),
    ).toEqual(['ReferenceNotGranted']);
  });
});

describe('keys', () => {
  const keySet = object('KongKeySet', 'idp', {
    spec: { name: 'idp-keys', controlPlaneRef },
  });
  const pem = { private_key: KEY, public_key: 'public' };

  it('hang on their key set, by name or by id', async () => {
    expect((await mapOne(keySet)).document).toEqual({ name: 'idp-keys' });
    const spec = { kid: '42', name: 'first', pem };
    const byName = await mapOne(
      object('KongKey', 'first', {
        spec: {
          ...spec,
          keySetRef: { type: 'namespacedRef', namespacedRef: { name: 'idp' } },
        },
      }),
      [keySet],
    );
    const parent = {
      platform: 'konnect/prod',
      kind: 'key-sets',
      namespace: 'shop',
      name: 'idp',
    };
    expect(byName).toMatchObject({
      document: spec,
      references: [{ path: '/set/id', ref: parent }],
      parent,
    });
    expect(byName.problems).toBeUndefined();
    const byId = await mapOne(
      object('KongKey', 'first', {
        spec: {
          ...spec,
          controlPlaneRef,
          keySetRef: { type: 'konnectID', konnectID: 'set-1' },
        },
      }),
    );
    expect(byId.document).toEqual({ ...spec, set: { id: 'set-1' } });
    expect(byId.references).toBeUndefined();
    expect(byId.parent).toBeUndefined();
  });
});
