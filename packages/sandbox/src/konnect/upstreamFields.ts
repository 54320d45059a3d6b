// The fields of an upstream, which are many: hashing, and health checks with their own defaults.
import { FieldSpec, FieldTable } from './fields';

const text: FieldSpec = { type: 'string' };
const hashOn: FieldSpec = {
  type: 'string',
  default: 'none',
  oneOf: [
    'consumer',
    'cookie',
    'header',
    'ip',
    'none',
    'path',
    'query_arg',
    'uri_capture',
  ],
};
const counter: FieldSpec = { type: 'integer', min: 0, max: 255, default: 0 };
const seconds: FieldSpec = { type: 'number', min: 0, max: 65535, default: 0 };
const checkType: FieldSpec = {
  type: 'string',
  default: 'http',
  oneOf: ['grpc', 'grpcs', 'http', 'https', 'tcp'],
};

function statuses(...defaults: number[]): FieldSpec {
  return {
    type: 'array',
    items: { type: 'integer', min: 100, max: 999 },
    default: defaults,
  };
}

function record(fields: FieldTable): FieldSpec {
  return { type: 'record', required: true, fields };
}

/** What an upstream has besides ID, tags and timestamps. */
export const UPSTREAM_FIELDS: FieldTable = {
  name: { type: 'string', required: true, minLength: 1, maxLength: 256 },
  algorithm: {
    type: 'string',
    default: 'round-robin',
    oneOf: [
      'consistent-hashing',
      'latency',
      'least-connections',
      'round-robin',
      'sticky-sessions',
    ],
  },
  slots: { type: 'integer', min: 10, max: 65536, default: 10000 },
  hash_on: hashOn,
  hash_fallback: hashOn,
  hash_on_header: text,
  hash_fallback_header: text,
  hash_on_cookie: text,
  hash_on_cookie_path: { type: 'string', default: '/' },
  hash_on_query_arg: text,
  hash_fallback_query_arg: text,
  hash_on_uri_capture: text,
  hash_fallback_uri_capture: text,
  host_header: text,
  sticky_sessions_cookie: text,
  sticky_sessions_cookie_path: { type: 'string', default: '/' },
  use_srv_name: { type: 'boolean', default: false },
  client_certificate: { type: 'foreign', collection: 'certificates' },
  healthchecks: record({
    active: record({
      type: checkType,
      concurrency: { type: 'integer', min: 1, max: 2147483648, default: 10 },
      headers: { type: 'map', values: { type: 'array', items: text } },
      http_path: { type: 'string', default: '/' },
      https_sni: text,
      https_verify_certificate: { type: 'boolean', default: true },
      timeout: { type: 'number', min: 0, max: 65535, default: 1 },
      healthy: record({
        http_statuses: statuses(200, 302),
        interval: seconds,
        successes: counter,
      }),
      unhealthy: record({
        http_statuses: statuses(429, 404, 500, 501, 502, 503, 504, 505),
        interval: seconds,
        http_failures: counter,
        tcp_failures: counter,
        timeouts: counter,
      }),
    }),
    passive: record({
      type: checkType,
      healthy: record({
        http_statuses: statuses(
          ...[200, 201, 202, 203, 204, 205, 206, 207, 208, 226],
          ...[300, 301, 302, 303, 304, 305, 306, 307, 308],
        ),
        successes: counter,
      }),
      unhealthy: record({
        http_statuses: statuses(429, 500, 503),
        http_failures: counter,
        tcp_failures: counter,
        timeouts: counter,
      }),
    }),
    threshold: { type: 'number', min: 0, max: 100, default: 0 },
  }),
};
