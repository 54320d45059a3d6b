// The plugins that the stand-in knows: their configuration's fields, limits and defaults.
import { ErrorDetail, entityProblem } from './errors';
import { FieldSpec, FieldTable } from './fields';
import { JsonObject, JsonValue } from './json';

/** One plugin: its configuration, and the rules between the fields of it. */
export interface PluginSchema {
  config: FieldTable;
  /** At least one of these configuration fields must be set. */
  atLeastOneOf?: string[];
}

const text: FieldSpec = { type: 'string' };
const texts: FieldSpec = { type: 'array', items: text };
const yes: FieldSpec = { type: 'boolean', default: true, required: true };
const no: FieldSpec = { type: 'boolean', default: false, required: true };
const limit: FieldSpec = { type: 'number', min: 0 };
const list: FieldSpec = {
  type: 'array',
  items: text,
  default: [],
  required: true,
};
const change: FieldSpec = {
  type: 'record',
  required: true,
  fields: { body: list, headers: list, querystring: list },
};

/** Plugins by name. A plugin that is not here is refused, as an unknown plugin is by Konnect. */
export const PLUGIN_SCHEMAS: Record<string, PluginSchema> = {
  'rate-limiting': {
    config: {
      second: limit,
      minute: limit,
      hour: limit,
      day: limit,
      month: limit,
      year: limit,
      limit_by: {
        type: 'string',
        default: 'consumer',
        oneOf: [
          'consumer',
          'consumer-group',
          'credential',
          'header',
          'ip',
          'path',
          'service',
        ],
      },
      header_name: text,
      path: text,
      policy: {
        type: 'string',
        default: 'local',
        oneOf: ['local', 'cluster', 'redis'],
      },
      fault_tolerant: yes,
      hide_client_headers: no,
      sync_rate: { type: 'number', default: -1, required: true },
      error_code: { type: 'number', default: 429 },
      error_message: { type: 'string', default: 'API rate limit exceeded' },
      redis: {
        type: 'record',
        required: true,
        fields: {
          host: text,
          port: { type: 'integer', default: 6379, min: 0, max: 65535 },
          username: text,
          password: { type: 'string', secret: true },
          database: { type: 'integer', default: 0 },
          ssl: { type: 'boolean', default: false },
          ssl_verify: { type: 'boolean', default: false },
          server_name: text,
          timeout: { type: 'integer', default: 2000, min: 0 },
        },
      },
    },
    atLeastOneOf: ['second', 'minute', 'hour', 'day', 'month', 'year'],
  },
  'key-auth': {
    config: {
      key_names: {
        type: 'array',
        items: text,
        default: ['apikey'],
        required: true,
      },
      hide_credentials: no,
      anonymous: text,
      key_in_header: yes,
      key_in_query: yes,
      key_in_body: no,
      run_on_preflight: yes,
      realm: text,
    },
  },
  'basic-auth': {
    config: {
      anonymous: text,
      hide_credentials: no,
      realm: { type: 'string', default: 'service', required: true },
    },
  },
  acl: {
    config: {
      allow: texts,
      deny: texts,
      hide_groups_header: no,
      include_consumer_groups: no,
      always_use_authenticated_groups: no,
    },
    atLeastOneOf: ['allow', 'deny'],
  },
  cors: {
    config: {
      origins: texts,
      headers: texts,
      exposed_headers: texts,
      methods: {
        type: 'array',
        items: text,
        default: [
          'GET',
          'HEAD',
          'PUT',
          'PATCH',
          'POST',
          'DELETE',
          'OPTIONS',
          'TRACE',
          'CONNECT',
        ],
      },
      max_age: { type: 'number' },
      credentials: no,
      private_network: no,
      preflight_continue: no,
      allow_origin_absent: yes,
    },
  },
  'ip-restriction': {
    config: {
      allow: texts,
      deny: texts,
      status: { type: 'number' },
      message: text,
    },
    atLeastOneOf: ['allow', 'deny'],
  },
  'request-transformer': {
    config: {
      http_method: text,
      remove: change,
      rename: change,
      replace: {
        type: 'record',
        required: true,
        fields: { body: list, headers: list, querystring: list, uri: text },
      },
      add: change,
      append: change,
    },
  },
  'request-size-limiting': {
    config: {
      allowed_payload_size: { type: 'integer', default: 128 },
      size_unit: {
        type: 'string',
        default: 'megabytes',
        required: true,
        oneOf: ['megabytes', 'kilobytes', 'bytes'],
      },
      require_content_length: no,
    },
  },
  'request-termination': {
    config: {
      status_code: {
        type: 'integer',
        default: 503,
        required: true,
        min: 100,
        max: 599,
      },
      message: text,
      echo: no,
      content_type: text,
      body: text,
      trigger: text,
    },
  },
  'correlation-id': {
    config: {
      header_name: { type: 'string', default: 'Kong-Request-ID' },
      generator: {
        type: 'string',
        default: 'uuid#counter',
        required: true,
        oneOf: ['uuid', 'uuid#counter', 'tracker'],
      },
      echo_downstream: no,
    },
  },
  jwt: {
    config: {
      uri_param_names: {
        type: 'array',
        items: text,
        default: ['jwt'],
      },
      cookie_names: { type: 'array', items: text, default: [] },
      key_claim_name: { type: 'string', default: 'iss' },
      secret_is_base64: no,
      claims_to_verify: {
        type: 'array',
        items: { type: 'string', oneOf: ['exp', 'nbf'] },
      },
      anonymous: text,
      run_on_preflight: yes,
      maximum_expiration: { type: 'number', default: 0, min: 0, max: 31536000 },
      header_names: {
        type: 'array',
        items: text,
        default: ['authorization'],
      },
      realm: text,
    },
  },
};

/** Checks the rules between the fields of a configuration that was read. */
export function checkPluginConfig(
  schema: PluginSchema,
  config: JsonObject,
): ErrorDetail[] {
  const { atLeastOneOf } = schema;
  if (!atLeastOneOf || atLeastOneOf.some(name => isSet(config[name]))) {
    return [];
  }
  const names = atLeastOneOf.map(name => `'config.${name}'`).join(', ');
  return [
    entityProblem(`at least one of these fields must be non-empty: ${names}`),
  ];
}

function isSet(value: JsonValue | undefined): boolean {
  return (
    value !== undefined &&
    value !== null &&
    !(Array.isArray(value) && value.length === 0)
  );
}

/** A plugin's schema in the shape of `GET …/schemas/plugins/{name}`: a list of one-key objects. */
export function describePlugin(name: string, schema: PluginSchema): JsonObject {
  return {
    name,
    fields: [
      ...['consumer', 'consumer_group', 'route', 'service'].map(parent => ({
        [parent]: { type: 'foreign', reference: `${parent}s` },
      })),
      {
        config: {
          type: 'record',
          required: true,
          fields: describeFields(schema.config),
        },
      },
    ],
  };
}

function describeFields(fields: FieldTable): JsonObject[] {
  return Object.entries(fields).map(([name, spec]) => ({
    [name]: describeField(spec),
  }));
}

function describeField(spec: FieldSpec): JsonObject {
  const described: JsonObject = {
    type: spec.type,
    ...(spec.required && { required: true }),
    ...(spec.default !== undefined && { default: spec.default }),
    ...(spec.secret && { encrypted: true, referenceable: true }),
  };
  switch (spec.type) {
    case 'string':
      return { ...described, ...(spec.oneOf && { one_of: spec.oneOf }) };
    case 'integer':
    case 'number':
      return {
        ...described,
        ...(spec.min !== undefined &&
          spec.max !== undefined && { between: [spec.min, spec.max] }),
      };
    case 'array':
      return { ...described, elements: describeField(spec.items) };
    case 'map':
      return {
        ...described,
        keys: { type: 'string' },
        values: describeField(spec.values),
      };
    case 'record':
      return { ...described, fields: describeFields(spec.fields) };
    default:
      return described;
  }
}
