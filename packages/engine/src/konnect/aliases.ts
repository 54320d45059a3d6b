/*
 * Older names of plugins' configuration fields. Kong takes them still, and answers with the newer ones.
 */
import { Aliases, JsonObject } from '../types';
import { isObject } from '../pointer';
import { renamed } from '../normalise/renamed';

const prefixed = (
  before: string,
  after: string,
  names: readonly string[],
): Aliases =>
  Object.fromEntries(
    names.map(name => [`${before}${name}`, `${after}${name}`]),
  );

/** Of every plugin: those that several share. */
export const PLUGIN_ALIASES: Aliases = {
  whitelist: 'allow',
  blacklist: 'deny',
  ...prefixed('redis_', 'redis/', [
    'host',
    'port',
    'username',
    'password',
    'database',
    'timeout',
    'ssl',
    'ssl_verify',
    'server_name',
  ]),
};

/** Of the plugins of Kong's Enterprise edition that keep something in Redis. */
const REDIS: Aliases = {
  'redis/timeout': [
    'redis/connect_timeout',
    'redis/read_timeout',
    'redis/send_timeout',
  ],
  'redis/cluster_addresses': 'redis/cluster_nodes',
  'redis/sentinel_addresses': 'redis/sentinel_nodes',
};

const SESSION: Aliases = {
  cookie_lifetime: 'rolling_timeout',
  cookie_idletime: 'idling_timeout',
  cookie_samesite: 'cookie_same_site',
  cookie_httponly: 'cookie_http_only',
  cookie_discard: 'stale_ttl',
};

/** Of the plugins that keep a session of their own. */
const OWN_SESSION: Aliases = {
  ...Object.fromEntries(
    Object.entries(SESSION).map(([old, now]) => [
      `session_${old}`,
      `session_${now}`,
    ]),
  ),
  ...prefixed('session_memcache_', 'session_memcached_', [
    'prefix',
    'socket',
    'host',
    'port',
  ]),
  ...prefixed('session_redis_', 'redis/', [
    'prefix',
    'socket',
    'host',
    'port',
    'username',
    'password',
    'connect_timeout',
    'read_timeout',
    'send_timeout',
    'ssl',
    'ssl_verify',
    'server_name',
    'cluster_nodes',
    'cluster_max_redirections',
  ]),
  session_redis_auth: 'redis/password',
  session_redis_cluster_maxredirections: 'redis/cluster_max_redirections',
  ...REDIS,
};

const QUEUE: Aliases = {
  queue_size: 'queue/max_batch_size',
  flush_timeout: 'queue/max_coalescing_delay',
};

const BY_PLUGIN: Record<string, Aliases> = {
  acme: {
    'storage_config/redis/auth': 'storage_config/redis/password',
    'storage_config/redis/ssl_server_name': 'storage_config/redis/server_name',
    'storage_config/redis/namespace':
      'storage_config/redis/extra_options/namespace',
    'storage_config/redis/scan_count':
      'storage_config/redis/extra_options/scan_count',
  },
  'ai-rate-limiting-advanced': REDIS,
  datadog: QUEUE,
  'forward-proxy': {
    proxy_host: 'http_proxy_host',
    proxy_port: 'http_proxy_port',
  },
  'graphql-proxy-cache-advanced': REDIS,
  'graphql-rate-limiting-advanced': REDIS,
  'http-log': QUEUE,
  opentelemetry: {
    endpoint: 'traces_endpoint',
    batch_span_count: 'queue/max_batch_size',
    batch_flush_delay: 'queue/max_coalescing_delay',
  },
  'openid-connect': OWN_SESSION,
  'post-function': { functions: 'access' },
  'pre-function': { functions: 'access' },
  'proxy-cache-advanced': REDIS,
  'rate-limiting-advanced': REDIS,
  saml: OWN_SESSION,
  session: SESSION,
  statsd: QUEUE,
};

/** A plugin's document with the names that its configuration has now. */
export function withPluginNames(document: JsonObject): JsonObject {
  const { name, config } = document;
  const aliases =
    typeof name === 'string' &&
    Object.prototype.hasOwnProperty.call(BY_PLUGIN, name)
      ? BY_PLUGIN[name]
      : undefined;
  return aliases && isObject(config)
    ? { ...document, config: renamed(config, aliases) }
    : document;
}
