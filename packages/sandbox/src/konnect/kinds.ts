// The one table of the core entities that the stand-in speaks: fields, defaults, keys, parents, rules.
import { ErrorDetail, entityProblem, fieldProblem } from './errors';
import { FieldSpec, FieldTable } from './fields';
import { isObject, JsonObject } from './json';
import { UPSTREAM_FIELDS } from './upstreamFields';

/** The collections under `core-entities` that the stand-in has. */
export const COLLECTIONS = [
  'services',
  'routes',
  'plugins',
  'consumers',
  'consumer_groups',
  'upstreams',
  'targets',
] as const;

/** One of {@link COLLECTIONS}. */
export type Collection = (typeof COLLECTIONS)[number];

/** What the stand-in needs to know of one kind of entity. */
export interface EntityKind {
  /** The word for one of them, as parents are called in fields: `service`, `consumer_group`, … */
  noun: string;
  fields: (input: JsonObject) => FieldTable;
  /** The field by which an entity is found besides its ID. */
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
  /** Rules between fields, on the entity as read. */
  check?: (entity: JsonObject) => ErrorDetail[];
  /** Timestamps carry fractions of a second. */
  fractionalTime?: boolean;
}

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

const serviceFields: FieldTable = {
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
  ca_certificates: texts,
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
const routeFields: FieldTable = {
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
const expressionRouteFields: FieldTable = {
  ...routeCommon,
  expression: { type: 'string', required: true },
  priority: { type: 'integer', min: 0, max: 70368744177663, default: 0 },
};

const pluginFields: FieldTable = {
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

const targetFields: FieldTable = {
  ...common,
  target: { type: 'string', required: true, minLength: 1, maxLength: 1024 },
  weight: { type: 'integer', min: 0, max: 65535, default: 100 },
  failover: { type: 'boolean', default: false },
  upstream: { type: 'foreign', collection: 'upstreams', required: true },
};

/** The kinds by collection. */
export const KINDS: Record<Collection, EntityKind> = {
  services: {
    noun: 'service',
    fields: () => serviceFields,
    nameField: 'name',
    unique: [{ fields: ['name'] }],
    parents: [],
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
    fields: () => ({ ...common, username: name, custom_id: text }),
    nameField: 'username',
    unique: [{ fields: ['username'] }, { fields: ['custom_id'] }],
    parents: [],
    check: entity =>
      entity.username || entity.custom_id
        ? []
        : [
            entityProblem(
              "at least one of these fields must be non-empty: 'custom_id', 'username'",
            ),
          ],
  },
  consumer_groups: {
    noun: 'consumer_group',
    fields: () => ({ ...common, name: { ...name, required: true } }),
    nameField: 'name',
    unique: [{ fields: ['name'] }],
    parents: [],
  },
  upstreams: {
    noun: 'upstream',
    fields: () => ({ ...common, ...UPSTREAM_FIELDS }),
    nameField: 'name',
    unique: [{ fields: ['name'] }],
    parents: [],
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
    expand: input => ({
      input:
        typeof input.target === 'string' && !/:\d+$/.test(input.target)
          ? { ...input, target: `${input.target}:8000` }
          : input,
      problems: [],
    }),
    fractionalTime: true,
  },
};

/** `url` is a write-only shorthand for protocol, host, port and path. */
function expandUrl(input: JsonObject): {
  input: JsonObject;
  problems: ErrorDetail[];
} {
  const { url, ...rest } = input;
  if (url === undefined || url === null) {
    return { input: rest, problems: [] };
  }
  if (typeof url !== 'string' || !URL.canParse(url)) {
    return {
      input: rest,
      problems: [fieldProblem('url', 'must be a valid URL')],
    };
  }
  const parsed = new URL(url);
  const protocol = parsed.protocol.replace(/:$/, '');
  return {
    input: {
      ...rest,
      protocol,
      host: parsed.hostname,
      port: parsed.port ? Number(parsed.port) : defaultPort(protocol),
      // The parser adds a slash that the text did not have.
      ...((parsed.pathname !== '/' || url.endsWith('/')) && {
        path: parsed.pathname,
      }),
    },
    problems: [],
  };
}

function defaultPort(protocol: string): number {
  return ['https', 'grpcs', 'tls', 'wss'].includes(protocol) ? 443 : 80;
}

function checkRoute(route: JsonObject): ErrorDetail[] {
  if (route.expression) return [];
  const protocols = route.protocols as string[];
  const oneOf = (...names: string[]): ErrorDetail[] =>
    names.some(field => isFilled(route, field))
      ? []
      : [
          entityProblem(
            `must set one of ${names
              .map(field => `'${field}'`)
              .join(', ')} when 'protocols' is '${protocols.join(', ')}'`,
          ),
        ];
  if (
    protocols.some(protocol =>
      ['tcp', 'udp', 'tls', 'tls_passthrough'].includes(protocol),
    )
  ) {
    return oneOf('sources', 'destinations', 'snis');
  }
  if (protocols.every(protocol => ['http', 'grpc', 'ws'].includes(protocol))) {
    return oneOf('methods', 'hosts', 'headers', 'paths');
  }
  return oneOf('methods', 'hosts', 'headers', 'paths', 'snis');
}

function isFilled(entity: JsonObject, field: string): boolean {
  const value = entity[field];
  if (Array.isArray(value)) return value.length > 0;
  return isObject(value) && Object.keys(value).length > 0;
}

function checkUpstream(upstream: JsonObject): ErrorDetail[] {
  const needs: Record<string, string> = {
    header: 'header',
    query_arg: 'query_arg',
    uri_capture: 'uri_capture',
  };
  return ['hash_on', 'hash_fallback'].flatMap(field => {
    const needed = needs[String(upstream[field])];
    return needed && !upstream[`${field}_${needed}`]
      ? [
          entityProblem(
            `'${field}_${needed}' is required when '${field}' is '${upstream[field]}'`,
          ),
        ]
      : [];
  });
}
