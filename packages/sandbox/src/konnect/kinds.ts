// The one table of the core entities that the stand-in speaks: fields, defaults, keys, parents, rules.
import {
  caCertificateFields,
  certificateFields,
  consumerFields,
  consumerGroupFields,
  expressionRouteFields,
  keyFields,
  keySetFields,
  pluginFields,
  routeFields,
  serviceFields,
  sniFields,
  targetFields,
  upstreamFields,
  vaultFields,
} from './entityFields';
import {
  checkConsumer,
  checkKey,
  checkRoute,
  checkUpstream,
  digestOfCertificate,
  expandTarget,
  expandUrl,
} from './entityRules';
import { ErrorDetail } from './errors';
import { FieldTable } from './fields';
import { JsonObject } from './json';

export { isUuid } from './entityFields';

/** The collections under `core-entities` that the stand-in has. */
export const COLLECTIONS = [
  'services',
  'routes',
  'plugins',
  'consumers',
  'consumer_groups',
  'upstreams',
  'targets',
  'certificates',
  'ca_certificates',
  'snis',
  'vaults',
  'key-sets',
  'keys',
] as const;

/** One of {@link COLLECTIONS}. */
export type Collection = (typeof COLLECTIONS)[number];

/** What the stand-in needs to know of one kind of entity. */
export interface EntityKind {
  /** The word for one of them, as parents are called in fields: `service`, `consumer_group`, … */
  noun: string;
  fields: (input: JsonObject) => FieldTable;
  /** The field by which an entity is found besides its ID; the ID itself where there is none. */
  nameField: string;
  /** Each is a list of fields that together are unique in a control plane. A key with an unset member is free, unless `nullsCount`. */
  unique: Array<{ fields: string[]; nullsCount?: boolean }>;
  /** Fields that point to other entities; `onDelete` says what the parent's deletion does to this entity. */
  parents: Array<{
    field: string;
    collection: Collection;
    onDelete: 'refuse' | 'cascade';
  }>;
  /** Rewrites shorthands before the fields are read. */
  expand?: (input: JsonObject) => {
    input: JsonObject;
    problems: ErrorDetail[];
  };
  /** Fields that the server makes from the others. */
  derive?: (entity: JsonObject) => JsonObject;
  /** Rules between fields, on the entity as read. */
  check?: (entity: JsonObject) => ErrorDetail[];
  /** Timestamps carry fractions of a second. */
  fractionalTime?: boolean;
}

const CLIENT_CERTIFICATE = {
  field: 'client_certificate',
  collection: 'certificates',
  onDelete: 'refuse',
} as const;

/** The kinds by collection. */
export const KINDS: Record<Collection, EntityKind> = {
  services: {
    noun: 'service',
    fields: () => serviceFields,
    nameField: 'name',
    unique: [{ fields: ['name'] }],
    parents: [CLIENT_CERTIFICATE],
    expand: expandUrl,
  },
  routes: {
    noun: 'route',
    fields: input => (input.expression ? expressionRouteFields : routeFields),
    nameField: 'name',
    unique: [{ fields: ['name'] }],
    parents: [{ field: 'service', collection: 'services', onDelete: 'refuse' }],
    check: checkRoute,
  },
  plugins: {
    noun: 'plugin',
    fields: () => pluginFields,
    nameField: 'instance_name',
    unique: [
      { fields: ['instance_name'] },
      {
        fields: ['name', 'service', 'route', 'consumer', 'consumer_group'],
        nullsCount: true,
      },
    ],
    parents: [
      { field: 'service', collection: 'services', onDelete: 'cascade' },
      { field: 'route', collection: 'routes', onDelete: 'cascade' },
      { field: 'consumer', collection: 'consumers', onDelete: 'cascade' },
      {
        field: 'consumer_group',
        collection: 'consumer_groups',
        onDelete: 'cascade',
      },
    ],
  },
  consumers: {
    noun: 'consumer',
    fields: () => consumerFields,
    nameField: 'username',
    unique: [{ fields: ['username'] }, { fields: ['custom_id'] }],
    parents: [],
    check: checkConsumer,
  },
  consumer_groups: {
    noun: 'consumer_group',
    fields: () => consumerGroupFields,
    nameField: 'name',
    unique: [{ fields: ['name'] }],
    parents: [],
  },
  upstreams: {
    noun: 'upstream',
    fields: () => upstreamFields,
    nameField: 'name',
    unique: [{ fields: ['name'] }],
    parents: [CLIENT_CERTIFICATE],
    check: checkUpstream,
  },
  targets: {
    noun: 'target',
    fields: () => targetFields,
    nameField: 'target',
    unique: [{ fields: ['upstream', 'target'] }],
    parents: [
      { field: 'upstream', collection: 'upstreams', onDelete: 'cascade' },
    ],
    expand: expandTarget,
    fractionalTime: true,
  },
  certificates: {
    noun: 'certificate',
    fields: () => certificateFields,
    nameField: 'id',
    unique: [],
    parents: [],
  },
  ca_certificates: {
    noun: 'ca_certificate',
    fields: () => caCertificateFields,
    nameField: 'id',
    unique: [{ fields: ['cert_digest'] }],
    parents: [],
    derive: digestOfCertificate,
  },
  snis: {
    noun: 'sni',
    fields: () => sniFields,
    nameField: 'name',
    unique: [{ fields: ['name'] }],
    parents: [
      { field: 'certificate', collection: 'certificates', onDelete: 'refuse' },
    ],
  },
  vaults: {
    noun: 'vault',
    fields: () => vaultFields,
    nameField: 'prefix',
    unique: [{ fields: ['prefix'] }],
    parents: [],
  },
  'key-sets': {
    noun: 'key-set',
    fields: () => keySetFields,
    nameField: 'name',
    unique: [{ fields: ['name'] }],
    parents: [],
  },
  keys: {
    noun: 'key',
    fields: () => keyFields,
    nameField: 'name',
    unique: [
      { fields: ['name'] },
      { fields: ['kid', 'set'], nullsCount: true },
    ],
    parents: [{ field: 'set', collection: 'key-sets', onDelete: 'cascade' }],
    check: checkKey,
  },
};
