// Own definitions of the Kong kinds that the demonstration uses: as small as they can be, but what they accept is also
// accepted by a cluster with Kong's real definitions.
import { JsonObject } from '../konnect/json';
import { certificateCrds } from './certificateCrds';
import {
  addresses,
  adopt,
  anything,
  check,
  choice,
  conditions,
  CONFIGURATION,
  controlPlaneRef,
  decimal,
  definition,
  entity,
  entityStatus,
  flag,
  integer,
  KONNECT,
  list,
  mapOf,
  record,
  ref,
  tags,
  text,
} from './crdParts';

const service = entity(
  'v1alpha1',
  'KongService',
  {
    controlPlaneRef,
    name: text,
    host: text,
    port: integer,
    protocol: text,
    path: text,
    url: text,
    retries: integer,
    connect_timeout: integer,
    read_timeout: integer,
    write_timeout: integer,
    enabled: flag,
    tls_verify: flag,
    tls_verify_depth: integer,
    clientCertificateRef: ref,
    caCertificateRefs: list(ref),
  },
  ['controlPlaneRef', 'host'],
);

const route = entity('v1alpha1', 'KongRoute', {
  controlPlaneRef,
  serviceRef: record({ type: choice('namespacedRef'), namespacedRef: ref }),
  name: text,
  protocols: list(text),
  methods: list(text),
  hosts: list(text),
  paths: list(text),
  headers: mapOf(list(text)),
  snis: list(text),
  sources: addresses,
  destinations: addresses,
  https_redirect_status_code: integer,
  path_handling: text,
  preserve_host: flag,
  regex_priority: integer,
  strip_path: flag,
  request_buffering: flag,
  response_buffering: flag,
});

const targetRef = record(
  {
    group: choice(
      '',
      'core',
      'networking.k8s.io',
      'gateway.networking.k8s.io',
      CONFIGURATION,
    ),
    kind: choice(
      'Service',
      'Ingress',
      'HTTPRoute',
      'GRPCRoute',
      'KongService',
      'KongRoute',
    ),
    name: text,
  },
  ['group', 'kind', 'name'],
);
const pluginBinding = entity(
  'v1alpha1',
  'KongPluginBinding',
  {
    controlPlaneRef,
    pluginRef: record(
      {
        name: text,
        namespace: text,
        kind: {
          ...choice('KongPlugin', 'KongClusterPlugin'),
          default: 'KongPlugin',
        },
      },
      ['name'],
    ),
    scope: {
      ...choice('OnlyTargets', 'GlobalInControlPlane'),
      default: 'OnlyTargets',
    },
    targets: record({
      serviceRef: targetRef,
      routeRef: targetRef,
      consumerRef: record({ name: text }, ['name']),
      consumerGroupRef: record({ name: text }, ['name']),
    }),
  },
  ['controlPlaneRef', 'pluginRef'],
);

/** A KongPlugin has its fields at the top of the object. */
const plugin = definition(
  CONFIGURATION,
  'v1',
  'KongPlugin',
  record(
    {
      apiVersion: text,
      kind: text,
      metadata: { type: 'object' },
      plugin: text,
      config: anything,
      disabled: flag,
      instance_name: text,
      protocols: list(
        choice('http', 'https', 'grpc', 'grpcs', 'tcp', 'tls', 'udp'),
      ),
      ordering: record({
        before: mapOf(list(text)),
        after: mapOf(list(text)),
      }),
      tags,
      status: record({ conditions }),
    },
    ['plugin'],
  ),
  ['kp'],
);

/** So has a KongConsumer, but for the control plane. */
const consumer = definition(
  CONFIGURATION,
  'v1',
  'KongConsumer',
  record({
    apiVersion: text,
    kind: text,
    metadata: { type: 'object' },
    username: text,
    custom_id: text,
    consumerGroups: list(text, { 'x-kubernetes-list-type': 'set' }),
    credentials: list(text, { 'x-kubernetes-list-type': 'set' }),
    spec: record({ controlPlaneRef, adopt, tags }),
    status: entityStatus,
  }),
  ['kc'],
);

const consumerGroup = entity('v1beta1', 'KongConsumerGroup', {
  controlPlaneRef,
  name: text,
});

const upstream = entity(
  'v1alpha1',
  'KongUpstream',
  {
    controlPlaneRef,
    name: text,
    algorithm: text,
    slots: integer,
    hash_on: text,
    hash_fallback: text,
    hash_on_header: text,
    hash_fallback_header: text,
    hash_on_cookie: text,
    hash_on_cookie_path: text,
    hash_on_query_arg: text,
    hash_fallback_query_arg: text,
    hash_on_uri_capture: text,
    hash_fallback_uri_capture: text,
    host_header: text,
    use_srv_name: flag,
    healthchecks: record({
      threshold: decimal,
      active: check({
        type: text,
        concurrency: integer,
        headers: mapOf(list(text)),
        http_path: text,
        https_sni: text,
        https_verify_certificate: flag,
        timeout: decimal,
        healthy: check({
          http_statuses: list(integer),
          interval: decimal,
          successes: integer,
        }),
        unhealthy: check({
          http_statuses: list(integer),
          interval: decimal,
          http_failures: integer,
          tcp_failures: integer,
          timeouts: integer,
        }),
      }),
      passive: check({
        type: text,
        healthy: check({
          http_statuses: list(integer),
          successes: integer,
        }),
        unhealthy: check({
          http_statuses: list(integer),
          http_failures: integer,
          tcp_failures: integer,
          timeouts: integer,
        }),
      }),
    }),
  },
  ['controlPlaneRef'],
);

const target = entity(
  'v1alpha1',
  'KongTarget',
  {
    upstreamRef: ref,
    target: text,
    weight: { ...integer, default: 100 },
  },
  ['upstreamRef', 'target', 'weight'],
);

const controlPlane = definition(
  KONNECT,
  'v1alpha2',
  'KonnectGatewayControlPlane',
  record(
    {
      apiVersion: text,
      kind: text,
      metadata: { type: 'object' },
      spec: record({
        source: { ...choice('Origin', 'Mirror'), default: 'Origin' },
        createControlPlaneRequest: record(
          {
            name: text,
            description: text,
            labels: mapOf(text),
            cluster_type: text,
            auth_type: text,
            cloud_gateway: flag,
          },
          ['name'],
        ),
        mirror: record({ konnect: record({ id: text }, ['id']) }, ['konnect']),
        konnect: record({ authRef: ref }, ['authRef']),
        members: list(record({ name: text })),
      }),
      status: record({
        conditions,
        id: text,
        serverURL: text,
        organizationID: text,
        clusterType: text,
        konnectEndpoints: record({ controlPlane: text, telemetry: text }),
      }),
    },
    ['spec'],
  ),
);

const apiAuth = definition(
  KONNECT,
  'v1alpha1',
  'KonnectAPIAuthConfiguration',
  record(
    {
      apiVersion: text,
      kind: text,
      metadata: { type: 'object' },
      spec: record(
        {
          type: choice('token', 'secretRef'),
          token: text,
          secretRef: record({ name: text, namespace: text }),
          serverURL: text,
        },
        ['type', 'serverURL'],
      ),
      status: record({ conditions, organizationID: text, serverURL: text }),
    },
    ['spec'],
  ),
);

/** The custom resource definitions of the demonstration. */
export const KONG_CRDS: JsonObject[] = [
  apiAuth,
  controlPlane,
  service,
  route,
  plugin,
  pluginBinding,
  consumer,
  consumerGroup,
  upstream,
  target,
  ...certificateCrds,
];
