/** The one table of kinds; `kinds.ts` says what its columns mean. */
import type { CustomResourceKind, KonnectKind } from './kinds';

const SERVER_OWNED = ['id', 'created_at', 'updated_at'] as const;
const NOT_ENTITY_FIELDS = ['controlPlaneRef', 'adopt', 'source', 'id'] as const;

/** A kind of Kong's configuration group whose fields stand in `spec`, unless said otherwise. */
function declaredBy(
  kind: string,
  more: Partial<CustomResourceKind> = {},
): CustomResourceKind {
  return {
    group: 'configuration.konghq.com',
    version: 'v1alpha1',
    plural: `${kind.toLowerCase()}s`,
    kind,
    body: 'spec',
    notFields: NOT_ENTITY_FIELDS,
    references: [],
    ...more,
  };
}

/**
 * The kinds, parents before their children: sweeps and creations go in this order. All of them bear tags and accept
 * `PUT` under an id that the client chooses.
 */
export const KINDS: readonly KonnectKind[] = [
  {
    collection: 'certificates',
    noun: 'certificate',
    // The same certificate may be there several times.
    uniqueNames: [],
    withheld: [
      { value: ['key'], toldBy: ['cert'] },
      { value: ['key_alt'], toldBy: ['cert_alt'] },
    ],
    // `snis` in a body would replace the SNIs, which are entities of their own.
    notInBody: [...SERVER_OWNED, 'snis', 'metadata'],
    onDemand: true,
    customResource: declaredBy('KongCertificate', {
      notFields: [...NOT_ENTITY_FIELDS, 'type'],
      secretRefs: [
        { field: 'secretRef', values: 'cert and key' },
        { field: 'secretRefAlt', values: 'cert_alt and key_alt' },
      ],
    }),
  },
  {
    collection: 'ca_certificates',
    noun: 'CA certificate',
    uniqueNames: [],
    uniqueText: 'cert',
    notInBody: [...SERVER_OWNED, 'cert_digest', 'metadata'],
    onDemand: true,
    customResource: declaredBy('KongCACertificate', {
      notFields: [...NOT_ENTITY_FIELDS, 'type'],
      secretRefs: [{ field: 'secretRef', values: 'cert' }],
    }),
  },
  {
    // Kong's operator reads and writes them under their certificates; the flat paths know the same entities.
    collection: 'snis',
    noun: 'SNI',
    uniqueNames: ['name'],
    notInBody: SERVER_OWNED,
    onDemand: true,
    customResource: declaredBy('KongSNI', {
      references: [
        {
          field: 'certificateRef',
          form: 'plain',
          kind: 'certificates',
          to: '/certificate/id',
          isParent: true,
        },
      ],
    }),
  },
  {
    collection: 'vaults',
    noun: 'vault',
    uniqueNames: ['prefix'],
    notInBody: SERVER_OWNED,
    onDemand: true,
    customResource: declaredBy('KongVault', {
      clusterScoped: true,
      // The id of the config store becomes a part of `config`: see mapper/vault.ts.
      notFields: [...NOT_ENTITY_FIELDS, 'configStoreRef'],
      renamed: { backend: 'name' },
    }),
  },
  {
    collection: 'key-sets',
    noun: 'key set',
    uniqueNames: ['name'],
    notInBody: SERVER_OWNED,
    onDemand: true,
    customResource: declaredBy('KongKeySet'),
  },
  {
    collection: 'keys',
    noun: 'key',
    uniqueNames: ['name'],
    uniqueScope: ['kid', 'set'],
    // A key has a JWK or a pair of PEMs, never both.
    withheld: [
      { value: ['jwk'], toldBy: ['jwk'] },
      { value: ['pem', 'private_key'], toldBy: ['pem'] },
    ],
    notInBody: SERVER_OWNED,
    onDemand: true,
    customResource: declaredBy('KongKey', {
      references: [
        {
          field: 'keySetRef',
          form: 'typed',
          kind: 'key-sets',
          to: '/set/id',
          isParent: true,
        },
      ],
    }),
  },
  {
    collection: 'services',
    noun: 'service',
    uniqueNames: ['name'],
    nameInPath: 'name',
    notInBody: SERVER_OWNED,
    customResource: declaredBy('KongService', {
      references: [
        {
          field: 'clientCertificateRef',
          form: 'plain',
          kind: 'certificates',
          to: '/client_certificate/id',
        },
        {
          field: 'caCertificateRefs',
          form: 'list',
          kind: 'ca_certificates',
          to: '/ca_certificates',
        },
      ],
    }),
  },
  {
    collection: 'upstreams',
    noun: 'upstream',
    uniqueNames: ['name'],
    nameInPath: 'name',
    notInBody: SERVER_OWNED,
    customResource: declaredBy('KongUpstream', {
      references: [
        {
          field: 'clientCertificateRef',
          form: 'plain',
          kind: 'certificates',
          to: '/client_certificate/id',
        },
      ],
    }),
  },
  {
    collection: 'consumer_groups',
    noun: 'consumer group',
    wrapper: 'consumer_group',
    uniqueNames: ['name'],
    notInBody: SERVER_OWNED,
    customResource: declaredBy('KongConsumerGroup', { version: 'v1beta1' }),
  },
  {
    collection: 'routes',
    noun: 'route',
    uniqueNames: ['name'],
    nameInPath: 'name',
    notInBody: SERVER_OWNED,
    customResource: declaredBy('KongRoute', {
      references: [
        {
          field: 'serviceRef',
          form: 'typed',
          kind: 'services',
          to: '/service/id',
          isParent: true,
        },
      ],
    }),
  },
  {
    collection: 'targets',
    noun: 'target',
    nestedUnder: { collection: 'upstreams', field: 'upstream' },
    uniqueNames: ['target'],
    nameInPath: 'target',
    notInBody: [...SERVER_OWNED, 'upstream'],
    customResource: declaredBy('KongTarget', {
      references: [
        {
          field: 'upstreamRef',
          form: 'plain',
          kind: 'upstreams',
          to: '/upstream/id',
          isParent: true,
        },
      ],
    }),
  },
  {
    collection: 'consumers',
    noun: 'consumer',
    uniqueNames: ['username', 'custom_id'],
    nameInPath: 'username',
    // `groups` is ours: the memberships, which have requests of their own.
    notInBody: [...SERVER_OWNED, 'groups'],
    customResource: declaredBy('KongConsumer', {
      version: 'v1',
      body: 'top',
      notFields: [
        'apiVersion',
        'kind',
        'metadata',
        'spec',
        'status',
        // Secrets of the ingress controller: the operator makes credentials of their own kinds from them.
        'credentials',
        'consumerGroups',
      ],
    }),
  },
  {
    collection: 'plugins',
    noun: 'plugin',
    uniqueNames: ['instance_name'],
    uniqueScope: ['name', 'service', 'route', 'consumer', 'consumer_group'],
    notInBody: SERVER_OWNED,
    customResource: declaredBy('KongPluginBinding', {
      // The whole body is made from the KongPlugin and the targets: see mapper/plugin.ts.
      notFields: [],
    }),
  },
];
