// The Kong custom resources of the demonstration shop, as their owners declared them.
import { JsonObject } from '../konnect/json';

/** A Kubernetes object to be written. */
export interface KubeManifest extends JsonObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
}

/** Where all Kong resources live. */
export const KONG_NAMESPACE = 'shop';
/** The control plane that the example portal enforces. */
export const ENFORCED = 'prod-gateway';
/** The control plane whose live edits wait for a person. */
export const ASKING = 'edge-gateway';

const CONFIGURATION = 'configuration.konghq.com';

function resource(
  apiVersion: string,
  kind: string,
  name: string,
  component: string | undefined,
  rest: JsonObject,
): KubeManifest {
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace: KONG_NAMESPACE,
      ...(component && { labels: { 'backstage.io/kubernetes-id': component } }),
    },
    ...rest,
  };
}

const controlPlaneRef = (name: string) => ({
  type: 'konnectNamespacedRef',
  konnectNamespacedRef: { name },
});

function controlPlane(name: string, description: string): KubeManifest {
  return resource(
    'konnect.konghq.com/v1alpha2',
    'KonnectGatewayControlPlane',
    name,
    undefined,
    {
      spec: {
        createControlPlaneRequest: {
          name,
          description,
          labels: { shop: 'demo' },
        },
        konnect: { authRef: { name: 'konnect' } },
      },
    },
  );
}

const service = (
  gateway: string,
  name: string,
  component: string,
  spec: JsonObject,
) =>
  resource(`${CONFIGURATION}/v1alpha1`, 'KongService', name, component, {
    spec: { controlPlaneRef: controlPlaneRef(gateway), name, ...spec },
  });

const route = (
  name: string,
  component: string,
  serviceName: string,
  spec: JsonObject,
) =>
  resource(`${CONFIGURATION}/v1alpha1`, 'KongRoute', name, component, {
    spec: {
      serviceRef: {
        type: 'namespacedRef',
        namespacedRef: { name: serviceName },
      },
      name,
      ...spec,
    },
  });

const upstream = (
  gateway: string,
  name: string,
  component: string,
  spec: JsonObject,
) =>
  resource(`${CONFIGURATION}/v1alpha1`, 'KongUpstream', name, component, {
    spec: {
      controlPlaneRef: controlPlaneRef(gateway),
      name: `${name}.shop.svc`,
      ...spec,
    },
  });

const target = (
  name: string,
  component: string,
  upstreamName: string,
  spec: JsonObject,
) =>
  resource(`${CONFIGURATION}/v1alpha1`, 'KongTarget', name, component, {
    spec: { upstreamRef: { name: upstreamName }, ...spec },
  });

const consumerGroup = (gateway: string, name: string, component: string) =>
  resource(`${CONFIGURATION}/v1beta1`, 'KongConsumerGroup', name, component, {
    spec: { controlPlaneRef: controlPlaneRef(gateway), name },
  });

const consumer = (
  gateway: string,
  name: string,
  component: string,
  groups: string[],
  customId: string,
) =>
  resource(`${CONFIGURATION}/v1`, 'KongConsumer', name, component, {
    username: name,
    custom_id: customId,
    ...(groups.length > 0 && { consumerGroups: groups }),
    spec: { controlPlaneRef: controlPlaneRef(gateway) },
  });

/** A KongPlugin and the KongPluginBinding of the same name that puts it to use. */
function plugin(
  gateway: string,
  name: string,
  component: string,
  pluginName: string,
  config: JsonObject,
  targets?: JsonObject,
): KubeManifest[] {
  return [
    resource(`${CONFIGURATION}/v1`, 'KongPlugin', name, component, {
      plugin: pluginName,
      config,
    }),
    resource(
      `${CONFIGURATION}/v1alpha1`,
      'KongPluginBinding',
      name,
      component,
      {
        spec: {
          controlPlaneRef: controlPlaneRef(gateway),
          pluginRef: { name },
          ...(targets ? { targets } : { scope: 'GlobalInControlPlane' }),
        },
      },
    ),
  ];
}

const onService = (name: string) => ({
  serviceRef: { group: CONFIGURATION, kind: 'KongService', name },
});
const onRoute = (name: string) => ({
  routeRef: { group: CONFIGURATION, kind: 'KongRoute', name },
});

/** All of them, in an order in which each names only what stands before it. */
export const KONG_RESOURCES: KubeManifest[] = [
  resource(
    'konnect.konghq.com/v1alpha1',
    'KonnectAPIAuthConfiguration',
    'konnect',
    undefined,
    {
      spec: {
        type: 'secretRef',
        secretRef: { name: 'konnect-token' },
        serverURL: 'konnect.sandbox.invalid',
      },
    },
  ),
  controlPlane(
    ENFORCED,
    'What customers and partners call. Edits made in Konnect are put back.',
  ),
  controlPlane(
    ASKING,
    'The edge in front of web and search. Edits made in Konnect wait for a person.',
  ),

  // prod-gateway
  service(ENFORCED, 'orders', 'orders', {
    host: 'orders.shop.svc',
    port: 80,
    protocol: 'http',
    retries: 3,
    read_timeout: 30000,
    tags: ['tier:1'],
  }),
  service(ENFORCED, 'checkout', 'checkout', {
    host: 'checkout.shop.svc',
    retries: 1,
  }),
  service(ENFORCED, 'catalog', 'catalog', {
    host: 'catalog.shop.svc',
    path: '/api',
    retries: 5,
  }),
  service(ENFORCED, 'payments', 'payments', {
    host: 'payments.shop.svc',
    port: 443,
    protocol: 'https',
    retries: 3,
    tags: ['tier:1', 'pci'],
  }),
  service(ENFORCED, 'identity', 'identity', {
    host: 'identity.platform.svc',
    port: 443,
    protocol: 'https',
  }),
  route('orders', 'orders', 'orders', {
    paths: ['/orders'],
    methods: ['GET', 'POST'],
    protocols: ['http', 'https'],
    strip_path: true,
  }),
  route('orders-admin', 'orders', 'orders', {
    paths: ['/admin/orders'],
    hosts: ['admin.shop.example.com'],
    preserve_host: true,
  }),
  route('checkout', 'checkout', 'checkout', {
    paths: ['/checkout'],
    methods: ['POST'],
  }),
  route('catalog', 'catalog', 'catalog', {
    paths: ['/catalog', '/products'],
    protocols: ['http', 'https'],
  }),
  route('payments', 'payments', 'payments', {
    paths: ['/payments'],
    methods: ['POST', 'GET'],
    strip_path: false,
  }),
  route('identity-token', 'identity', 'identity', {
    paths: ['~/oauth2/(token|introspect)$'],
    regex_priority: 10,
  }),
  upstream(ENFORCED, 'orders', 'orders', {
    algorithm: 'least-connections',
    slots: 1000,
  }),
  target('orders-blue', 'orders', 'orders', {
    target: '10.20.0.11:8080',
    weight: 100,
  }),
  target('orders-green', 'orders', 'orders', {
    target: '10.20.0.12:8080',
    weight: 0,
  }),
  consumerGroup(ENFORCED, 'partners', 'orders'),
  consumerGroup(ENFORCED, 'internal', 'identity'),
  consumer(ENFORCED, 'mobile-app', 'identity', ['internal'], 'app-1'),
  consumer(ENFORCED, 'acme', 'orders', ['partners'], 'partner-17'),
  consumer(ENFORCED, 'ledger-export', 'payments', [], 'job-4'),
  ...plugin(
    ENFORCED,
    'orders-rate-limit',
    'orders',
    'rate-limiting',
    { minute: 600, policy: 'local', limit_by: 'consumer' },
    onService('orders'),
  ),
  ...plugin(
    ENFORCED,
    'payments-key-auth',
    'payments',
    'key-auth',
    { key_names: ['x-api-key'], hide_credentials: true },
    onService('payments'),
  ),
  ...plugin(
    ENFORCED,
    'orders-admin-offices',
    'orders',
    'ip-restriction',
    { allow: ['192.0.2.0/24', '198.51.100.0/24'] },
    onRoute('orders-admin'),
  ),
  ...plugin(
    ENFORCED,
    'partners-rate-limit',
    'orders',
    'rate-limiting',
    { hour: 5000, policy: 'local' },
    { consumerGroupRef: { name: 'partners' } },
  ),

  // edge-gateway
  service(ASKING, 'storefront-web', 'storefront-web', {
    host: 'storefront-web.shop.svc',
    read_timeout: 60000,
  }),
  service(ASKING, 'search', 'search', {
    host: 'search.shop.svc',
    port: 80,
    path: '/v2',
    retries: 2,
  }),
  service(ASKING, 'webhooks', 'notifications', {
    host: 'notifications.platform.svc',
    enabled: true,
  }),
  route('storefront-web', 'storefront-web', 'storefront-web', {
    hosts: ['shop.example.com'],
    paths: ['/'],
    preserve_host: true,
  }),
  route('search', 'search', 'search', {
    paths: ['/search'],
    methods: ['GET'],
    protocols: ['http', 'https'],
  }),
  route('webhooks', 'notifications', 'webhooks', {
    paths: ['/hooks'],
    methods: ['POST'],
  }),
  upstream(ASKING, 'search', 'search', { hash_on: 'ip', slots: 500 }),
  target('search-a', 'search', 'search', {
    target: '10.20.1.21:9200',
    weight: 50,
  }),
  target('search-b', 'search', 'search', {
    target: '10.20.1.22:9200',
    weight: 50,
  }),
  ...plugin(
    ASKING,
    'storefront-cors',
    'storefront-web',
    'cors',
    {
      origins: ['https://shop.example.com'],
      methods: ['GET', 'POST'],
      max_age: 600,
    },
    onService('storefront-web'),
  ),
  ...plugin(ASKING, 'edge-correlation', 'storefront-web', 'correlation-id', {
    header_name: 'X-Request-ID',
    generator: 'uuid',
    echo_downstream: true,
  }),
];

/** A route whose declaration goes away while its entity in Konnect stays. */
export const ORPHAN: KubeManifest = route('orders-legacy', 'orders', 'orders', {
  paths: ['/v0/orders'],
});
