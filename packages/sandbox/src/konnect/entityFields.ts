// The fields of every kind of core entity: types, limits and defaults.
import { FieldSpec, FieldTable } from './fields';
import { UPSTREAM_FIELDS } from './upstreamFields';

const PROTOCOLS = [
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
];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether `text` is a UUID: what is not is looked up by name. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

const text: FieldSpec = { type: 'string' };
const texts: FieldSpec = { type: 'array', items: text };
const id: FieldSpec = {
  type: 'string',
  pattern: UUID,
  patternHint: 'must be a valid UUID',
};
const name: FieldSpec = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  pattern: /^[0-9a-zA-Z.\-_~:\u0080-\uffff]*$/,
};
const tags: FieldSpec = {
  type: 'array',
  maxItems: 20,
  items: { type: 'string', minLength: 1, maxLength: 128 },
};
const timeout: FieldSpec = {
  type: 'integer',
  min: 1,
  max: 2147483646,
  default: 60000,
};
const ipPorts: FieldSpec = {
  type: 'array',
  items: {
    type: 'record',
    fields: { ip: text, port: { type: 'integer', min: 0, max: 65535 } },
  },
};
/** Sent by a client that wrote back what it had read; the server sets its own. */
const time: FieldSpec = { type: 'number' };
const common: FieldTable = { id, tags, created_at: time, updated_at: time };

/** A service's fields. */
export const serviceFields: FieldTable = {
  ...common,
  name,
  host: { type: 'string', required: true, minLength: 1, maxLength: 256 },
  port: { type: 'integer', min: 0, max: 65535, default: 80 },
  protocol: { type: 'string', oneOf: PROTOCOLS, default: 'http' },
  path: {
    type: 'string',
    maxLength: 1024,
    pattern: /^\//,
    patternHint: "must begin with '/'",
  },
  retries: { type: 'integer', min: 0, max: 32767, default: 5 },
  connect_timeout: timeout,
  read_timeout: timeout,
  write_timeout: timeout,
  enabled: { type: 'boolean', default: true },
  ca_certificates: { type: 'array', items: id },
  client_certificate: { type: 'foreign', collection: 'certificates' },
  tls_verify: { type: 'boolean' },
  tls_verify_depth: { type: 'integer', min: 0, max: 64 },
  tls_sans: { type: 'record', fields: { dnsnames: texts, uris: texts } },
};

const routeCommon: FieldTable = {
  ...common,
  name,
  protocols: {
    type: 'array',
    minItems: 1,
    items: { type: 'string', oneOf: PROTOCOLS },
    default: ['https'],
  },
  https_redirect_status_code: {
    type: 'integer',
    oneOf: [301, 302, 307, 308, 426],
    default: 426,
  },
  path_handling: { type: 'string', oneOf: ['v0', 'v1'], default: 'v0' },
  preserve_host: { type: 'boolean', default: false },
  strip_path: { type: 'boolean', default: true },
  request_buffering: { type: 'boolean', default: true },
  response_buffering: { type: 'boolean', default: true },
  service: { type: 'foreign', collection: 'services' },
};
/** A route's, without expressions. */
export const routeFields: FieldTable = {
  ...routeCommon,
  regex_priority: { type: 'integer', default: 0 },
  methods: {
    type: 'array',
    items: {
      type: 'string',
      pattern: /^[A-Z]+$/,
      patternHint: "must match pattern '^[A-Z]+$'",
    },
  },
  hosts: texts,
  paths: {
    type: 'array',
    items: {
      type: 'string',
      pattern: /^(\/|~\/)/,
      patternHint: "must begin with '/' or, for a regular expression, '~/'",
    },
  },
  headers: { type: 'map', values: texts },
  snis: texts,
  sources: ipPorts,
  destinations: ipPorts,
};
/** A route's that matches by an expression. */
export const expressionRouteFields: FieldTable = {
  ...routeCommon,
  expression: { type: 'string', required: true },
  priority: { type: 'integer', min: 0, max: 70368744177663, default: 0 },
};

/** A plugin's. */
export const pluginFields: FieldTable = {
  ...common,
  name: { type: 'string', required: true, minLength: 1 },
  instance_name: name,
  enabled: { type: 'boolean', default: true },
  protocols: {
    type: 'array',
    items: { type: 'string', oneOf: PROTOCOLS },
    default: ['grpc', 'grpcs', 'http', 'https'],
  },
  // Read a second time by the plugin's own schema.
  config: { type: 'json' },
  condition: { type: 'string', maxLength: 1024 },
  ordering: {
    type: 'record',
    fields: {
      before: { type: 'record', fields: { access: texts } },
      after: { type: 'record', fields: { access: texts } },
    },
  },
  service: { type: 'foreign', collection: 'services' },
  route: { type: 'foreign', collection: 'routes' },
  consumer: { type: 'foreign', collection: 'consumers' },
  consumer_group: { type: 'foreign', collection: 'consumer_groups' },
};

/** A target's. */
export const targetFields: FieldTable = {
  ...common,
  target: { type: 'string', required: true, minLength: 1, maxLength: 1024 },
  weight: { type: 'integer', min: 0, max: 65535, default: 100 },
  failover: { type: 'boolean', default: false },
  upstream: { type: 'foreign', collection: 'upstreams', required: true },
};

/** A consumer's. */
export const consumerFields: FieldTable = {
  ...common,
  username: { type: 'string', minLength: 1 },
  custom_id: { type: 'string', minLength: 1 },
};

/** A consumer group's. */
export const consumerGroupFields: FieldTable = {
  ...common,
  name: { ...name, required: true },
};

/** A PEM block or a chain of them, or a reference to one in a vault. */
const pem = (label: string): FieldSpec => ({
  type: 'string',
  pattern: new RegExp(
    `^\\s*(-----BEGIN [A-Z ]*${label}-----[^]*-----END [A-Z ]*${label}-----|\\{vault://[^}]+\\})\\s*$`,
  ),
  patternHint: `must be a PEM-encoded ${label.toLowerCase()}`,
});

/** A certificate's. */
export const certificateFields: FieldTable = {
  ...common,
  cert: { ...pem('CERTIFICATE'), required: true },
  key: { ...pem('PRIVATE KEY'), required: true, secret: true },
  cert_alt: pem('CERTIFICATE'),
  key_alt: { ...pem('PRIVATE KEY'), secret: true },
};

/** A CA certificate's. */
export const caCertificateFields: FieldTable = {
  ...common,
  cert: { ...pem('CERTIFICATE'), required: true },
};

/** An SNI's. */
export const sniFields: FieldTable = {
  ...common,
  name: { type: 'string', required: true, minLength: 1 },
  certificate: { type: 'foreign', collection: 'certificates', required: true },
};

/** A vault's. Its configuration is taken as it is: which fields there are depends on the backend. */
export const vaultFields: FieldTable = {
  ...common,
  name: { type: 'string', required: true, minLength: 1 },
  prefix: {
    type: 'string',
    required: true,
    pattern: /^[a-z][a-z\d-]*[a-z\d]$/,
  },
  description: text,
  config: { type: 'json' },
};

/** A key set's. */
export const keySetFields: FieldTable = { ...common, name };

/** A key's. */
export const keyFields: FieldTable = {
  ...common,
  name,
  kid: { type: 'string', required: true, minLength: 1 },
  jwk: { ...text, secret: true },
  pem: {
    type: 'record',
    fields: {
      private_key: { ...pem('PRIVATE KEY'), secret: true },
      public_key: pem('PUBLIC KEY'),
    },
  },
  set: { type: 'foreign', collection: 'key-sets' },
  x5t: text,
};

/** An upstream's. */
export const upstreamFields: FieldTable = { ...common, ...UPSTREAM_FIELDS };
