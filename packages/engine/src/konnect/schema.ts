/*
 * Schemas of Konnect's core entities: one table. Facts from Kong's OpenAPI document for control planes
 * (`control-planes-config`, v2), and how the platform behaves beside it.
 */
import { FieldSchema, Json, JsonObject, ResourceSchema } from '../types';
import { isObject } from '../pointer';
import { PLUGIN_ALIASES } from './aliases';
import { pluginConfig } from './plugins';

const S: FieldSchema = { type: 'string', emptyIsAbsent: true };
const I: FieldSchema = { type: 'integer' };
const within = (minimum: number, maximum: number): FieldSchema => ({
  type: 'integer',
  minimum,
  maximum,
});
const MILLISECONDS = within(1, 2147483646);
/** Whatever is in it: nothing tells empty from absent there. */
const FREE_OBJECT: FieldSchema = { type: 'object', emptyIsAbsent: true };
const B: FieldSchema = { type: 'boolean' };
const SERVER: FieldSchema = { serverOwned: true };

const withDefault = (schema: FieldSchema, value: Json): FieldSchema => ({
  ...schema,
  default: value,
});

/** Members without order; the whole set is one field. */
const set = (items: FieldSchema = { type: 'string' }): FieldSchema => ({
  type: 'list',
  list: 'set',
  items,
  emptyIsAbsent: true,
});

const object = (
  properties: Record<string, FieldSchema>,
  more: Partial<FieldSchema> = {},
): FieldSchema => ({
  type: 'object',
  properties,
  emptyIsAbsent: true,
  ...more,
});

/** A reference to another entity; the platform fills in nothing but the id. */
const REFERENCE: FieldSchema = object({
  id: { type: 'string' },
  name: { type: 'string' },
});

const PEM: FieldSchema = { type: 'string', trim: true, emptyIsAbsent: true };

/** Comes back in clear, encrypted or not at all, depending on the control plane: the platform's answer proves nothing. */
const WRITE_ONLY: FieldSchema = {
  type: 'string',
  secret: true,
  writeOnly: true,
  trim: true,
};

/** Comes back as it was given, or not at all. */
const SECRET: FieldSchema = {
  type: 'string',
  secret: true,
  emptyIsAbsent: true,
  withheld: true,
};

const PROTOCOL: FieldSchema = {
  type: 'string',
  enum: [
    'grpc',
    'grpcs',
    'http',
    'https',
    'tcp',
    'tls',
    'tls_passthrough',
    'udp',
    'ws',
    'wss',
  ],
};

/** Tags by which the operator keeps book; the mark of the owner itself (`k8s-uid:`) is compared. */
const OPERATOR_TAGS = [
  'k8s-generation:',
  'k8s-group:',
  'k8s-kind:',
  'k8s-name:',
  'k8s-namespace:',
  'k8s-version:',
  'managed-by:kong-operator',
];

const TAGS: FieldSchema = {
  ...set(),
  open: true,
  serverMembers: OPERATOR_TAGS,
};

/** What every core entity has. */
const COMMON: Record<string, FieldSchema> = {
  id: SERVER,
  created_at: SERVER,
  updated_at: SERVER,
  tags: TAGS,
};

const httpStatuses = (value: number[]): FieldSchema =>
  withDefault(set({ type: 'integer' }), value);

const HEALTHCHECKS: FieldSchema = object({
  threshold: withDefault({ type: 'number' }, 0),
  active: object({
    concurrency: withDefault(I, 10),
    headers: { type: 'map', values: set(), emptyIsAbsent: true },
    healthy: object({
      http_statuses: httpStatuses([200, 302]),
      interval: withDefault({ type: 'number' }, 0),
      successes: withDefault(I, 0),
    }),
    http_path: withDefault(S, '/'),
    https_sni: S,
    https_verify_certificate: withDefault(B, true),
    timeout: withDefault({ type: 'number' }, 1),
    type: withDefault(S, 'http'),
    unhealthy: object({
      http_failures: withDefault(I, 0),
      http_statuses: httpStatuses([429, 404, 500, 501, 502, 503, 504, 505]),
      interval: withDefault({ type: 'number' }, 0),
      tcp_failures: withDefault(I, 0),
      timeouts: withDefault(I, 0),
    }),
  }),
  passive: object({
    healthy: object({
      http_statuses: httpStatuses([
        200, 201, 202, 203, 204, 205, 206, 207, 208, 226, 300, 301, 302, 303,
        304, 305, 306, 307, 308,
      ]),
      successes: withDefault(I, 0),
    }),
    type: withDefault(S, 'http'),
    unhealthy: object({
      http_failures: withDefault(I, 0),
      http_statuses: httpStatuses([429, 500, 503]),
      tcp_failures: withDefault(I, 0),
      timeouts: withDefault(I, 0),
    }),
  }),
});

const ADDRESSES: FieldSchema = set(
  object({ ip: { type: 'string' }, port: { type: 'integer' } }),
);

/** One row per collection: its fields beside the common ones, and its rules. */
const KINDS: Record<
  string,
  { fields: Record<string, FieldSchema>; rules?: string[] }
> = {
  services: {
    fields: {
      name: S,
      host: { type: 'string' },
      port: withDefault(within(0, 65535), 80),
      path: S,
      protocol: withDefault(PROTOCOL, 'http'),
      retries: withDefault(within(0, 32767), 5),
      connect_timeout: withDefault(MILLISECONDS, 60000),
      read_timeout: withDefault(MILLISECONDS, 60000),
      write_timeout: withDefault(MILLISECONDS, 60000),
      enabled: withDefault(B, true),
      ca_certificates: set(),
      client_certificate: REFERENCE,
      tls_sans: object({ dnsnames: set(), uris: set() }),
      tls_verify: B,
      tls_verify_depth: within(0, 64),
    },
    rules: ['konnect.serviceUrl'],
  },
  routes: {
    fields: {
      name: S,
      protocols: withDefault(set(PROTOCOL), ['https']),
      methods: set(),
      hosts: set(),
      paths: set(),
      snis: set({ type: 'string', ignoreCase: true }),
      headers: {
        type: 'map',
        values: set(),
        emptyIsAbsent: true,
      },
      sources: ADDRESSES,
      destinations: ADDRESSES,
      expression: S,
      priority: withDefault(I, 0),
      https_redirect_status_code: withDefault(
        { ...I, enum: [301, 302, 307, 308, 426] },
        426,
      ),
      path_handling: withDefault({ ...S, enum: ['v0', 'v1'] }, 'v0'),
      preserve_host: withDefault(B, false),
      regex_priority: withDefault(I, 0),
      strip_path: withDefault(B, true),
      request_buffering: withDefault(B, true),
      response_buffering: withDefault(B, true),
      service: REFERENCE,
    },
  },
  plugins: {
    fields: {
      name: { type: 'string' },
      instance_name: S,
      enabled: withDefault(B, true),
      protocols: withDefault(set(PROTOCOL), ['grpc', 'grpcs', 'http', 'https']),
      config: FREE_OBJECT,
      condition: S,
      ordering: FREE_OBJECT,
      partials: {
        type: 'list',
        list: 'map',
        keys: ['id'],
        emptyIsAbsent: true,
        items: object({ id: { type: 'string' }, name: S, path: S }),
      },
      service: REFERENCE,
      route: REFERENCE,
      consumer: REFERENCE,
      consumer_group: REFERENCE,
    },
    rules: ['konnect.pluginAliases'],
  },
  consumers: { fields: { username: S, custom_id: S } },
  consumer_groups: { fields: { name: { type: 'string' } } },
  upstreams: {
    fields: {
      name: { type: 'string' },
      algorithm: withDefault(S, 'round-robin'),
      slots: withDefault(within(10, 65536), 10000),
      hash_on: withDefault(S, 'none'),
      hash_fallback: withDefault(S, 'none'),
      hash_on_header: S,
      hash_fallback_header: S,
      hash_on_cookie: S,
      hash_on_cookie_path: withDefault(S, '/'),
      hash_on_query_arg: S,
      hash_fallback_query_arg: S,
      hash_on_uri_capture: S,
      hash_fallback_uri_capture: S,
      sticky_sessions_cookie: S,
      sticky_sessions_cookie_path: withDefault(S, '/'),
      host_header: S,
      client_certificate: REFERENCE,
      use_srv_name: withDefault(B, false),
      healthchecks: HEALTHCHECKS,
    },
  },
  targets: {
    fields: {
      target: { type: 'string' },
      weight: withDefault(within(0, 65535), 100),
      failover: withDefault(B, false),
      upstream: REFERENCE,
    },
    rules: ['konnect.targetPort'],
  },
  certificates: {
    fields: {
      cert: PEM,
      cert_alt: PEM,
      key: WRITE_ONLY,
      key_alt: WRITE_ONLY,
      snis: set({ type: 'string', ignoreCase: true }),
      metadata: SERVER,
    },
  },
  ca_certificates: {
    fields: { cert: PEM, cert_digest: SERVER, metadata: SERVER },
  },
  snis: {
    fields: {
      name: { type: 'string', ignoreCase: true },
      certificate: REFERENCE,
    },
  },
  keys: {
    fields: {
      name: S,
      kid: { type: 'string' },
      jwk: WRITE_ONLY,
      pem: object({ private_key: WRITE_ONLY, public_key: PEM }),
      set: REFERENCE,
      x5t: S,
    },
  },
  'key-sets': { fields: { name: S } },
  vaults: {
    fields: {
      name: { type: 'string' },
      prefix: { type: 'string' },
      description: S,
      config: FREE_OBJECT,
    },
  },
  'key-auths': {
    fields: { key: SECRET, ttl: I, consumer: REFERENCE },
  },
  'basic-auths': {
    fields: {
      username: { type: 'string' },
      password: WRITE_ONLY,
      consumer: REFERENCE,
    },
  },
  acls: { fields: { group: { type: 'string' }, consumer: REFERENCE } },
  jwts: {
    fields: {
      algorithm: withDefault(S, 'HS256'),
      key: { ...SECRET, allocated: true },
      rsa_public_key: PEM,
      secret: { ...SECRET, allocated: true },
      consumer: REFERENCE,
    },
  },
  'hmac-auths': {
    fields: {
      username: { type: 'string' },
      secret: { ...WRITE_ONLY, allocated: true },
      consumer: REFERENCE,
    },
  },
  'dp-client-certificates': { fields: { cert: PEM } },
  'control-planes': {
    fields: {
      name: { type: 'string' },
      description: S,
      labels: {
        type: 'map',
        properties: {
          ...Object.fromEntries(
            OPERATOR_TAGS.map(tag => [tag.split(':')[0], SERVER]),
          ),
          // Whose it is, is judged for the whole resource.
          'k8s-uid': { type: 'string', allocated: true },
        },
        values: { type: 'string' },
        emptyIsAbsent: true,
      },
      cluster_type: withDefault(S, 'CLUSTER_TYPE_CONTROL_PLANE'),
      auth_type: withDefault(S, 'pinned_client_certs'),
      cloud_gateway: withDefault(B, false),
      proxy_urls: {
        type: 'list',
        list: 'set',
        emptyIsAbsent: true,
        items: object({ host: S, port: I, protocol: S }),
      },
      config: SERVER,
    },
    rules: ['konnect.controlPlaneConfig'],
  },
};

/** The nested paths under consumers have names of their own. */
const OTHER_NAMES: Record<string, string> = {
  'key-auth': 'key-auths',
  'basic-auth': 'basic-auths',
  jwt: 'jwts',
  'hmac-auth': 'hmac-auths',
  key_sets: 'key-sets',
};

/** Collections that the table has a row for. @public */
export const KONNECT_COLLECTIONS: readonly string[] = Object.keys(KINDS);

const plain = new Map<string, ResourceSchema>();

/**
 * The schema of a Konnect collection.
 *
 * @param collection - `services`, `routes`, `plugins`, …; a collection that the table does not know is `partial`
 * @param pluginSchema - for `plugins`: the answer of `schemas/plugins/{name}`, which says how `config` is compared
 * @public
 */
export function konnectSchema(
  collection: string,
  pluginSchema?: Json,
): ResourceSchema {
  const name = Object.prototype.hasOwnProperty.call(OTHER_NAMES, collection)
    ? OTHER_NAMES[collection]
    : collection;
  const known = Object.prototype.hasOwnProperty.call(KINDS, name)
    ? KINDS[name]
    : undefined;
  const cached = pluginSchema === undefined ? plain.get(collection) : undefined;
  if (cached) {
    return cached;
  }
  const properties: Record<string, FieldSchema> = {
    ...COMMON,
    ...known?.fields,
  };
  if (name === 'plugins') {
    const config = isObject(pluginSchema)
      ? pluginConfig(pluginSchema as JsonObject)
      : undefined;
    properties.config = config ?? { ...FREE_OBJECT, aliases: PLUGIN_ALIASES };
  }
  const schema: ResourceSchema = {
    kind: collection,
    platform: 'konnect',
    root: { type: 'object', properties, emptyIsAbsent: true },
    ownershipMark: {
      path: name === 'control-planes' ? '/labels' : '/tags',
      prefix: 'k8s-uid:',
    },
  };
  if (known?.rules) {
    schema.rules = known.rules;
  }
  if (!known) {
    schema.partial = true;
  }
  if (pluginSchema === undefined) {
    plain.set(collection, schema);
  }
  return schema;
}
