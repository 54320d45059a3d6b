/**
 * The one table of kinds that drives everything: where an entity kind lives in the API, how it is found, what may be
 * written, and which custom resource declares it.
 */

const CONFIGURATION_GROUP = 'configuration.konghq.com';

/** The collections of core entities that are looked after. */
export type Collection =
  | 'services'
  | 'upstreams'
  | 'consumer_groups'
  | 'routes'
  | 'targets'
  | 'consumers'
  | 'plugins';

/** How one custom resource kind declares entities of a collection. */
export interface CustomResourceKind {
  group: string;
  version: string;
  plural: string;
  kind: string;
  /** Where the entity's fields stand: in `spec`, or at the top of the object. */
  body: 'spec' | 'top';
  /**
   * Fields of the body that are not the entity's own. Every other field is declared as it stands: a field that this
   * table does not know yet must show as drift rather than be left out in silence.
   */
  notFields: readonly string[];
  /** Fields that name another resource whose live id belongs in the entity. */
  references: readonly {
    field: string;
    /** `typed`: `{type, namespacedRef: {name, namespace}}`; `plain`: `{name, namespace}`. */
    form: 'typed' | 'plain';
    kind: Collection;
    to: string;
  }[];
  /**
   * Fields that name a resource of a kind that is not looked after: only the operator's status can say its live id.
   */
  fromStatus: readonly { field: string; status: string; to: string }[];
}

/** One row of the table. */
export interface KonnectKind {
  collection: Collection;
  /** For people: `service`. */
  noun: string;
  /**
   * Entities are read and written under this parent, and `field` comes from the path. The flat collection lists only.
   */
  nestedUnder?: { collection: Collection; field: string };
  /** GET and PUT of one entity wrap it in this field. */
  wrapper?: string;
  /** Fields that are unique in the control plane (under the parent, if nested), best first. */
  uniqueNames: readonly string[];
  /** The name that GET takes in place of an id. Absent: such a lookup has to read the list. */
  nameInPath?: string;
  /** Fields which together are unique, where all of them count also when absent (a plugin's scope). */
  uniqueScope?: readonly string[];
  /** Never in a request's body: the server's own, and what the path says. */
  notInBody: readonly string[];
  customResource: CustomResourceKind;
}

const SERVER_OWNED = ['id', 'created_at', 'updated_at'] as const;
const NOT_ENTITY_FIELDS = ['controlPlaneRef', 'adopt', 'source', 'id'] as const;

/**
 * The kinds, parents before their children: sweeps and creations go in this order. All of them bear tags and accept
 * `PUT` under an id that the client chooses.
 */
export const KINDS: readonly KonnectKind[] = [
  {
    collection: 'services',
    noun: 'service',
    uniqueNames: ['name'],
    nameInPath: 'name',
    notInBody: SERVER_OWNED,
    customResource: {
      group: CONFIGURATION_GROUP,
      version: 'v1alpha1',
      plural: 'kongservices',
      kind: 'KongService',
      body: 'spec',
      notFields: NOT_ENTITY_FIELDS,
      references: [],
      fromStatus: [
        {
          field: 'clientCertificateRef',
          status: 'certificateID',
          to: '/client_certificate/id',
        },
        {
          field: 'caCertificateRefs',
          status: 'caCertificateIDs',
          to: '/ca_certificates',
        },
      ],
    },
  },
  {
    collection: 'upstreams',
    noun: 'upstream',
    uniqueNames: ['name'],
    nameInPath: 'name',
    notInBody: SERVER_OWNED,
    customResource: {
      group: CONFIGURATION_GROUP,
      version: 'v1alpha1',
      plural: 'kongupstreams',
      kind: 'KongUpstream',
      body: 'spec',
      notFields: NOT_ENTITY_FIELDS,
      references: [],
      fromStatus: [
        {
          field: 'clientCertificateRef',
          status: 'certificateID',
          to: '/client_certificate/id',
        },
      ],
    },
  },
  {
    collection: 'consumer_groups',
    noun: 'consumer group',
    wrapper: 'consumer_group',
    uniqueNames: ['name'],
    notInBody: SERVER_OWNED,
    customResource: {
      group: CONFIGURATION_GROUP,
      version: 'v1beta1',
      plural: 'kongconsumergroups',
      kind: 'KongConsumerGroup',
      body: 'spec',
      notFields: NOT_ENTITY_FIELDS,
      references: [],
      fromStatus: [],
    },
  },
  {
    collection: 'routes',
    noun: 'route',
    uniqueNames: ['name'],
    nameInPath: 'name',
    notInBody: SERVER_OWNED,
    customResource: {
      group: CONFIGURATION_GROUP,
      version: 'v1alpha1',
      plural: 'kongroutes',
      kind: 'KongRoute',
      body: 'spec',
      notFields: NOT_ENTITY_FIELDS,
      references: [
        {
          field: 'serviceRef',
          form: 'typed',
          kind: 'services',
          to: '/service/id',
        },
      ],
      fromStatus: [],
    },
  },
  {
    collection: 'targets',
    noun: 'target',
    nestedUnder: { collection: 'upstreams', field: 'upstream' },
    uniqueNames: ['target'],
    nameInPath: 'target',
    notInBody: [...SERVER_OWNED, 'upstream'],
    customResource: {
      group: CONFIGURATION_GROUP,
      version: 'v1alpha1',
      plural: 'kongtargets',
      kind: 'KongTarget',
      body: 'spec',
      notFields: NOT_ENTITY_FIELDS,
      references: [
        {
          field: 'upstreamRef',
          form: 'plain',
          kind: 'upstreams',
          to: '/upstream/id',
        },
      ],
      fromStatus: [],
    },
  },
  {
    collection: 'consumers',
    noun: 'consumer',
    uniqueNames: ['username', 'custom_id'],
    nameInPath: 'username',
    // `groups` is ours: the memberships, which have requests of their own.
    notInBody: [...SERVER_OWNED, 'groups'],
    customResource: {
      group: CONFIGURATION_GROUP,
      version: 'v1',
      plural: 'kongconsumers',
      kind: 'KongConsumer',
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
      references: [],
      fromStatus: [],
    },
  },
  {
    collection: 'plugins',
    noun: 'plugin',
    uniqueNames: ['instance_name'],
    uniqueScope: ['name', 'service', 'route', 'consumer', 'consumer_group'],
    notInBody: SERVER_OWNED,
    customResource: {
      group: CONFIGURATION_GROUP,
      version: 'v1alpha1',
      plural: 'kongpluginbindings',
      kind: 'KongPluginBinding',
      body: 'spec',
      // The whole body is made from the KongPlugin and the targets: see mapper/plugin.ts.
      notFields: [],
      references: [],
      fromStatus: [],
    },
  },
];

const BY_COLLECTION = new Map<string, KonnectKind>(
  KINDS.map(kind => [kind.collection, kind]),
);

/** The row of a kind as it stands in `ResourceRef.kind`, if there is one. */
export function findKind(collection: string): KonnectKind | undefined {
  return BY_COLLECTION.get(collection);
}

/** The row of a collection. */
export function kindOf(collection: Collection): KonnectKind {
  const kind = BY_COLLECTION.get(collection);
  if (!kind) {
    throw new Error(`The table of Konnect's kinds has no row '${collection}'`);
  }
  return kind;
}
