/*
 * Every row of the catalogue of false drift, with its siblings: what must be equal, and what must not.
 */
import { evaluate } from './classify';
import { parseJson } from './json/parse';
import { konnectSchema } from './konnect/schema';
import { kubernetesSchema } from './kubernetes/schema';
import { input, state } from './__testUtils__/documents';
import { Evaluation, Json, JsonObject, ResourceSchema } from './types';

const pod = (container: JsonObject, spec: JsonObject = {}): JsonObject => ({
  spec: { containers: [{ name: 'app', ...container }], ...spec },
});

const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  spec: {
    group: 'example.com',
    names: { kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', default: 3 },
                  note: { type: 'string', nullable: true },
                  port: { 'x-kubernetes-int-or-string': true },
                  cpu: {
                    'x-kubernetes-int-or-string': true,
                    pattern:
                      '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?.*))?$',
                  },
                  interval: { type: 'string' },
                  mode: { type: 'string', enum: ['60s', '1m'] },
                  words: {
                    type: 'array',
                    items: { type: 'string' },
                    'x-kubernetes-list-type': 'set',
                  },
                  steps: {
                    type: 'array',
                    items: {
                      type: 'object',
                      properties: {
                        run: { type: 'string' },
                        retries: { type: 'integer', default: 1 },
                      },
                    },
                  },
                  parts: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name', 'protocol'],
                    items: {
                      type: 'object',
                      properties: {
                        name: { type: 'string' },
                        protocol: { type: 'string', default: 'TCP' },
                        weight: { type: 'integer', default: 100 },
                      },
                    },
                  },
                  pairs: {
                    type: 'array',
                    items: {
                      type: 'object',
                      required: ['name', 'unit'],
                      properties: {
                        name: { type: 'string' },
                        unit: { type: 'string' },
                      },
                    },
                  },
                  owner: {
                    type: 'object',
                    'x-kubernetes-map-type': 'atomic',
                    properties: {
                      name: { type: 'string' },
                      kind: { type: 'string' },
                    },
                  },
                  free: {
                    type: 'object',
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const POD = kubernetesSchema('v1/Pod');
const SERVICE = kubernetesSchema('v1/Service');
const SECRET = kubernetesSchema('v1/Secret');
const CONFIG_MAP = kubernetesSchema('v1/ConfigMap');
const DEPLOYMENT = kubernetesSchema('apps/v1/Deployment');
const ROLE = kubernetesSchema('rbac.authorization.k8s.io/v1/Role');
const CLUSTER_ROLE = kubernetesSchema(
  'rbac.authorization.k8s.io/v1/ClusterRole',
);
const WEBHOOKS = kubernetesSchema(
  'admissionregistration.k8s.io/v1/MutatingWebhookConfiguration',
);
const API_SERVICE = kubernetesSchema('apiregistration.k8s.io/v1/APIService');
const CRDS = kubernetesSchema(
  'apiextensions.k8s.io/v1/CustomResourceDefinition',
);
const THING = kubernetesSchema('example.com/v1/Thing');
const WIDGET = kubernetesSchema('example.com/v1/Widget', { crd: CRD });
const PLUGIN = konnectSchema('plugins', {
  fields: [
    {
      config: {
        type: 'record',
        fields: [
          { minute: { type: 'number' } },
          { policy: { type: 'string', default: 'local' } },
          { methods: { type: 'set', elements: { type: 'string' } } },
          { order: { type: 'array', elements: { type: 'string' } } },
          { secret: { type: 'string', encrypted: true } },
          {
            redis: {
              type: 'record',
              fields: [
                { host: { type: 'string' } },
                { port: { type: 'integer', default: 6379 } },
              ],
            },
          },
          {
            rules: {
              type: 'array',
              elements: {
                type: 'record',
                fields: [
                  { path: { type: 'string' } },
                  { weight: { type: 'integer', default: 1 } },
                ],
              },
            },
          },
        ],
        shorthand_fields: [
          {
            old_policy: {
              type: 'string',
              deprecation: { replaced_with: [{ path: ['policy'] }] },
            },
          },
        ],
      },
    },
  ],
});

type Row = [what: string, schema: ResourceSchema, declared: Json, live: Json];

/** Items of a list that is owned as a whole. */
const sources = (...items: JsonObject[]): JsonObject =>
  pod(
    {},
    {
      volumes: [
        { name: 'v', projected: { sources: [{ downwardAPI: { items } }] } },
      ],
    },
  );

const EQUAL: Row[] = [
  [
    'the zero value of a required field inside a list that is owned as a whole',
    POD,
    sources({ path: 'p', resourceFieldRef: {} }),
    sources({ path: 'p', resourceFieldRef: { resource: '', divisor: '0' } }),
  ],
  [
    'a quantity in millis',
    POD,
    pod({ resources: { limits: { cpu: '1000m' } } }),
    pod({ resources: { limits: { cpu: '1' } } }),
  ],
  [
    'a quantity with an exponent',
    POD,
    pod({ resources: { limits: { memory: '1e3' } } }),
    pod({ resources: { limits: { memory: '1k' } } }),
  ],
  [
    'a binary quantity',
    POD,
    pod({ resources: { limits: { memory: '1024Mi' } } }),
    pod({ resources: { limits: { memory: '1Gi' } } }),
  ],
  [
    'a number for a quantity',
    POD,
    pod({ resources: { limits: { cpu: 1 } } }),
    pod({ resources: { limits: { cpu: '1' } } }),
  ],
  [
    'a fraction for a quantity',
    POD,
    pod({ resources: { limits: { cpu: 0.5 } } }),
    pod({ resources: { limits: { cpu: '500m' } } }),
  ],
  [
    'a size limit',
    POD,
    pod({}, { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1024Mi' } }] }),
    pod({}, { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }] }),
  ],
  [
    'a quota',
    kubernetesSchema('v1/ResourceQuota'),
    { spec: { hard: { 'requests.cpu': '4000m' } } },
    { spec: { hard: { 'requests.cpu': '4' } } },
  ],
  [
    'a float that is whole',
    THING,
    { spec: { x: parseJson('1.0') } },
    { spec: { x: 1 } },
  ],
  [
    'a defaulted protocol',
    SERVICE,
    { spec: { ports: [{ port: 80 }] } },
    { spec: { ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }] } },
  ],
  [
    'a defaulted key of a container port',
    POD,
    pod({ ports: [{ containerPort: 80 }] }),
    pod({ ports: [{ containerPort: 80, protocol: 'TCP' }] }),
  ],
  ['null', POD, pod({ env: null, command: null, workingDir: null }), pod({})],
  ['null where live is empty', ROLE, { rules: null }, { rules: [] }],
  ['an empty list of rules', CLUSTER_ROLE, { rules: [] }, { rules: null }],
  [
    'an empty map',
    CONFIG_MAP,
    { metadata: { labels: {} }, data: {} },
    { metadata: {} },
  ],
  [
    'false where the server drops it',
    POD,
    pod({ tty: false }, { hostNetwork: false }),
    pod({}),
  ],
  [
    'zero where the server drops it',
    DEPLOYMENT,
    { spec: { minReadySeconds: 0 } },
    { spec: {} },
  ],
  [
    'an empty string where the server drops it',
    POD,
    pod({ workingDir: '' }),
    pod({}),
  ],
  [
    'a set in another order',
    CONFIG_MAP,
    { metadata: { finalizers: ['a', 'b'] } },
    { metadata: { finalizers: ['b', 'a'] } },
  ],
  [
    'a set with a member of another manager',
    CONFIG_MAP,
    { metadata: { finalizers: ['a'] } },
    { metadata: { finalizers: ['a', 'x'] } },
  ],
  [
    'a list by key in another order',
    POD,
    {
      spec: {
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'b', emptyDir: {} },
        ],
      },
    },
    {
      spec: {
        volumes: [
          { name: 'b', emptyDir: {} },
          { name: 'a', emptyDir: {} },
        ],
      },
    },
  ],
  [
    'a field that the server does not know',
    DEPLOYMENT,
    { spec: { replicas: 1, typo: 1 } },
    { spec: { replicas: 1 } },
  ],
  [
    'such a field inside a list that is one value',
    kubernetesSchema('networking.k8s.io/v1/NetworkPolicy'),
    {
      spec: { podSelector: {}, ingress: [{ typo: 1, ports: [{ port: 80 }] }] },
    },
    {
      spec: {
        podSelector: {},
        ingress: [{ ports: [{ port: 80, protocol: 'TCP' }] }],
      },
    },
  ],
  ['stringData', SECRET, { stringData: { k: 'v' } }, { data: { k: 'dg==' } }],
  [
    'stringData over data',
    SECRET,
    { data: { k: 'b2xk' }, stringData: { k: 'v' } },
    { data: { k: 'dg==' } },
  ],
  [
    'stringData beyond ASCII',
    SECRET,
    { stringData: { k: 'größe ✓' } },
    { data: { k: Buffer.from('größe ✓').toString('base64') } },
  ],
  [
    'rules of an aggregated role',
    CLUSTER_ROLE,
    { aggregationRule: {}, rules: [] },
    { aggregationRule: {}, rules: [{ verbs: ['get'] }] },
  ],
  [
    'metadata and status of the server',
    THING,
    { metadata: { name: 't' }, status: { a: 1 } },
    {
      metadata: {
        name: 't',
        uid: 'u',
        resourceVersion: '1',
        generation: 2,
        selfLink: 's',
        creationTimestamp: 'c',
        managedFields: [],
      },
      status: { b: 2 },
    },
  ],
  [
    'the last-applied annotation',
    CONFIG_MAP,
    { data: { a: 'b' } },
    {
      metadata: {
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': '{}',
        },
      },
      data: { a: 'b' },
    },
  ],
  [
    'a declared last-applied annotation',
    CONFIG_MAP,
    {
      metadata: {
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': 'x',
        },
      },
    },
    { metadata: {} },
  ],
  [
    'an empty bundle',
    WEBHOOKS,
    { webhooks: [{ name: 'a', clientConfig: { caBundle: '' } }] },
    { webhooks: [{ name: 'a', clientConfig: { caBundle: 'LS0t' } }] },
  ],
  [
    'a placeholder of a bundle',
    WEBHOOKS,
    { webhooks: [{ name: 'a', clientConfig: { caBundle: 'Cg==' } }] },
    { webhooks: [{ name: 'a', clientConfig: { caBundle: 'LS0t' } }] },
  ],
  [
    'a bundle that an injector was asked for',
    API_SERVICE,
    {
      metadata: { annotations: { 'cert-manager.io/inject-ca-from': 'n/c' } },
      spec: { caBundle: 'eHh4' },
    },
    {
      metadata: { annotations: { 'cert-manager.io/inject-ca-from': 'n/c' } },
      spec: { caBundle: 'LS0t' },
    },
  ],
  [
    'the bundle of a conversion',
    CRDS,
    {
      spec: { conversion: { webhook: { clientConfig: { caBundle: 'Cg==' } } } },
    },
    {
      spec: { conversion: { webhook: { clientConfig: { caBundle: 'LS0t' } } } },
    },
  ],
  [
    'a duration spelled out',
    kubernetesSchema('cert-manager.io/v1/Certificate'),
    { spec: { renewBefore: '360h' } },
    { spec: { renewBefore: '360h0m0s' } },
  ],
  [
    'a duration in another unit',
    THING,
    { spec: { interval: '60s' } },
    { spec: { interval: '1m0s' } },
  ],
  [
    'a duration by its definition',
    WIDGET,
    { spec: { interval: '90s' } },
    { spec: { interval: '1m30s' } },
  ],
  [
    'quantities in a custom resource',
    THING,
    { spec: { resources: { limits: { cpu: '500m' } } } },
    { spec: { resources: { limits: { cpu: '0.5' } } } },
  ],
  [
    'a quantity by its definition',
    WIDGET,
    { spec: { cpu: '1000m' } },
    { spec: { cpu: 1 } },
  ],
  [
    'allocated addresses',
    SERVICE,
    { spec: { ports: [{ port: 80 }] } },
    {
      spec: {
        clusterIP: '10.0.0.1',
        clusterIPs: ['10.0.0.1'],
        ports: [{ port: 80, protocol: 'TCP', nodePort: 30000, targetPort: 80 }],
      },
    },
  ],
  [
    'an empty address',
    SERVICE,
    { spec: { clusterIP: '' } },
    { spec: { clusterIP: '10.0.0.1' } },
  ],
  [
    'a namespace on a cluster-scoped object',
    CLUSTER_ROLE,
    { metadata: { namespace: 'x' } },
    { metadata: {} },
  ],
  [
    'claims filled in',
    kubernetesSchema('apps/v1/StatefulSet'),
    {
      spec: {
        volumeClaimTemplates: [
          {
            metadata: { name: 'd' },
            spec: { resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    },
    {
      spec: {
        volumeClaimTemplates: [
          {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: { name: 'd', creationTimestamp: null },
            spec: {
              volumeMode: 'Filesystem',
              resources: { requests: { storage: '1024Mi' } },
            },
            status: { phase: 'Pending' },
          },
        ],
      },
    },
  ],
  [
    'metrics of an autoscaler in another order',
    kubernetesSchema('autoscaling/v2/HorizontalPodAutoscaler'),
    {
      spec: {
        metrics: [
          {
            type: 'A',
            resource: { name: 'cpu', target: { averageValue: '1000m' } },
          },
          { type: 'B' },
        ],
      },
    },
    {
      spec: {
        metrics: [
          { type: 'B' },
          {
            type: 'A',
            resource: { name: 'cpu', target: { averageValue: '1' } },
          },
        ],
      },
    },
  ],
  [
    'tolerations that admission adds',
    POD,
    pod({}, { tolerations: [{ key: 'a', operator: 'Exists' }] }),
    pod(
      {},
      {
        tolerations: [
          { key: 'a', operator: 'Exists' },
          {
            key: 'node.kubernetes.io/not-ready',
            operator: 'Exists',
            effect: 'NoExecute',
            tolerationSeconds: 300,
          },
        ],
      },
    ),
  ],
  [
    'a default of a definition',
    WIDGET,
    { spec: { parts: [{ name: 'a' }] } },
    { spec: { size: 3, parts: [{ name: 'a', protocol: 'TCP', weight: 100 }] } },
  ],
  [
    'a declared default that live lacks',
    WIDGET,
    { spec: { size: 3 } },
    { spec: {} },
  ],
  [
    'defaults inside a list that is one value',
    WIDGET,
    { spec: { steps: [{ run: 'a' }] } },
    { spec: { steps: [{ run: 'a', retries: 1 }] } },
  ],
  [
    'a Konnect set in another order',
    konnectSchema('routes'),
    { methods: ['GET', 'POST'], snis: ['a.b', 'c.d'] },
    { methods: ['POST', 'GET'], snis: ['c.d', 'a.b'] },
  ],
  [
    'server names in another case',
    konnectSchema('routes'),
    { snis: ['A.example'] },
    { snis: ['a.example'] },
  ],
  [
    'a URL with the port of its protocol',
    konnectSchema('services'),
    { url: 'https://a.b' },
    { protocol: 'https', host: 'a.b', port: 443, path: null },
  ],
  [
    'nulls of Konnect',
    konnectSchema('services'),
    { host: 'a', path: null },
    { host: 'a', path: null, client_certificate: null, tls_verify: null },
  ],
  [
    'an alias',
    konnectSchema('plugins'),
    { config: { blacklist: ['a'] } },
    { config: { deny: ['a'], allow: null } },
  ],
  [
    'an alias that lies deeper',
    konnectSchema('plugins'),
    { config: { redis_host: 'r', redis_port: 1 } },
    { config: { redis: { host: 'r', port: 1, ssl: false } } },
  ],
  [
    'an alias of the plugin itself',
    PLUGIN,
    { config: { old_policy: 'redis' } },
    { config: { policy: 'redis' } },
  ],
  [
    'defaults of a plugin',
    PLUGIN,
    { config: { minute: 5, redis: { host: 'r' } } },
    {
      config: {
        minute: 5,
        policy: 'local',
        methods: null,
        redis: { host: 'r', port: 6379 },
      },
    },
  ],
  [
    'a set of a plugin',
    PLUGIN,
    { config: { methods: ['b', 'a'] } },
    { config: { methods: ['a', 'b'] } },
  ],
  [
    'records of a plugin',
    PLUGIN,
    { config: { rules: [{ path: '/a' }] } },
    { config: { rules: [{ path: '/a', weight: 1 }] } },
  ],
  [
    'health checks',
    konnectSchema('upstreams'),
    {
      name: 'u',
      healthchecks: { active: { healthy: { http_statuses: [302, 200] } } },
    },
    {
      name: 'u',
      healthchecks: {
        active: {
          type: 'http',
          healthy: { http_statuses: [200, 302], interval: 0 },
        },
        passive: { type: 'http' },
      },
    },
  ],
  [
    'labels of the operator',
    konnectSchema('control-planes'),
    { name: 'c' },
    {
      name: 'c',
      labels: { 'k8s-generation': '3', 'managed-by': 'kong-operator' },
      config: { x: 1 },
    },
  ],
  [
    'base64 in lines',
    SECRET,
    { data: { a: 'YWJj\r\nZGVm\n' } },
    { data: { a: 'YWJjZGVm' } },
  ],
  [
    'bytes in lines',
    CONFIG_MAP,
    { binaryData: { a: 'AAEC\nAwQF' } },
    { binaryData: { a: 'AAECAwQF' } },
  ],
  [
    'a quota of secrets',
    kubernetesSchema('v1/ResourceQuota'),
    { spec: { hard: { 'count/secrets': '1k', secrets: 10 } } },
    { spec: { hard: { 'count/secrets': '1000', secrets: '10' } } },
  ],
  [
    'a time of another precision',
    kubernetesSchema('coordination.k8s.io/v1/Lease'),
    { spec: { renewTime: '2026-01-01T02:00:00.5+02:00' } },
    { spec: { renewTime: '2026-01-01T00:00:00.500000Z' } },
  ],
  [
    'ports of a slice',
    kubernetesSchema('discovery.k8s.io/v1/EndpointSlice'),
    { ports: [{ port: 80 }] },
    { ports: [{ port: 80, name: '', protocol: 'TCP' }] },
  ],
  [
    'what older servers fill in of a path',
    kubernetesSchema('networking.k8s.io/v1beta1/Ingress'),
    { spec: { rules: [{ http: { paths: [{ path: '/' }] } }] } },
    {
      spec: {
        rules: [
          {
            http: {
              paths: [{ path: '/', pathType: 'ImplementationSpecific' }],
            },
          },
        ],
      },
    },
  ],
  [
    'what older servers drop of a policy',
    kubernetesSchema('policy/v1beta1/PodSecurityPolicy'),
    { spec: { privileged: false, hostPID: false } },
    { spec: { allowPrivilegeEscalation: true } },
  ],
  [
    'what is matched by a policy',
    kubernetesSchema(
      'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy',
    ),
    { spec: { matchConstraints: { resourceRules: [{ operations: ['*'] }] } } },
    {
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [{ operations: ['*'], scope: '*' }],
        },
      },
    },
  ],
  [
    'how many devices are claimed',
    kubernetesSchema('resource.k8s.io/v1/ResourceClaim'),
    { spec: { devices: { requests: [{ name: 'a', exactly: {} }] } } },
    {
      spec: {
        devices: {
          requests: [
            { name: 'a', exactly: { allocationMode: 'ExactCount', count: 1 } },
          ],
        },
      },
    },
  ],
  [
    'the conditions of a failure',
    kubernetesSchema('batch/v1/Job'),
    {
      spec: {
        podFailurePolicy: {
          rules: [{ action: 'Ignore', onPodConditions: [{ type: 'a' }] }],
        },
      },
    },
    {
      spec: {
        podFailurePolicy: {
          rules: [
            {
              action: 'Ignore',
              onPodConditions: [{ type: 'a', status: 'True' }],
            },
          ],
        },
      },
    },
  ],
  [
    'time spans by their name',
    THING,
    { spec: { expireAfter: '720h', drainWait: '90s', idleTime: '60m' } },
    {
      spec: { expireAfter: '720h0m0s', drainWait: '1m30s', idleTime: '1h0m0s' },
    },
  ],
  [
    'line ends inside PEM',
    konnectSchema('certificates'),
    { cert: 'a\r\nb\r\n' },
    { cert: 'a\nb' },
  ],
  [
    'white space around PEM',
    konnectSchema('certificates'),
    { cert: '\nPEM\n' },
    { cert: 'PEM' },
  ],
];

const DIFFERENT: Array<[...Row, string[]]> = [
  [
    'a declared finalizer of a controller that is gone',
    kubernetesSchema('v1/PersistentVolume'),
    { metadata: { finalizers: ['kubernetes.io/pv-protection'] } },
    { metadata: { finalizers: ['example.com/hold'] } },
    ['/metadata/finalizers'],
  ],
  [
    'a value of a required field inside a list that is owned as a whole',
    POD,
    sources({ path: 'p', resourceFieldRef: {} }),
    sources({ path: 'p', resourceFieldRef: { resource: 'limits.cpu' } }),
    ['/spec/volumes/[name=v]/projected/sources'],
  ],
  [
    'an empty value of a required field in a custom resource',
    WIDGET,
    { spec: { pairs: [{ name: 'a', unit: '' }] } },
    { spec: { pairs: [{ name: 'a' }] } },
    ['/spec/pairs'],
  ],
  [
    'G and Gi',
    POD,
    pod({ resources: { limits: { memory: '1G' } } }),
    pod({ resources: { limits: { memory: '1Gi' } } }),
    ['/spec/containers/[name=app]/resources/limits/memory'],
  ],
  [
    'a port by name and by number',
    SERVICE,
    { spec: { ports: [{ port: 80, targetPort: '80' }] } },
    { spec: { ports: [{ port: 80, targetPort: 80 }] } },
    ['/spec/ports/[port=80,protocol=TCP]/targetPort'],
  ],
  [
    'digits beyond a double',
    THING,
    parseJson('{"spec":{"n":12345678901234567890}}'),
    parseJson('{"spec":{"n":12345678901234567891}}'),
    ['/spec/n'],
  ],
  [
    'an integer and its text',
    THING,
    { spec: { n: 1 } },
    { spec: { n: '1' } },
    ['/spec/n'],
  ],
  [
    'an empty selector and none',
    kubernetesSchema('networking.k8s.io/v1/NetworkPolicy'),
    { spec: { ingress: [{ from: [{ namespaceSelector: {} }] }] } },
    { spec: { ingress: [{ from: [{}] }] } },
    ['/spec/ingress'],
  ],
  [
    'an empty volume and none',
    POD,
    { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
    { spec: { volumes: [{ name: 'v' }] } },
    ['/spec/volumes/[name=v]/emptyDir'],
  ],
  [
    'false where it is a value',
    POD,
    pod({ securityContext: { allowPrivilegeEscalation: false } }),
    pod({ securityContext: {} }),
    ['/spec/containers/[name=app]/securityContext/allowPrivilegeEscalation'],
  ],
  [
    'zero where it is a value',
    DEPLOYMENT,
    { spec: { replicas: 0 } },
    { spec: { replicas: 1 } },
    ['/spec/replicas'],
  ],
  [
    'a list as a whole in another order',
    POD,
    pod({ args: ['a', 'b'] }),
    pod({ args: ['b', 'a'] }),
    ['/spec/containers/[name=app]/args'],
  ],
  [
    'a declared null where something is',
    POD,
    pod({ command: null }),
    pod({ command: ['x'] }),
    ['/spec/containers/[name=app]/command'],
  ],
  [
    'a missing item',
    POD,
    pod({
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
    }),
    pod({ env: [{ name: 'A', value: '1' }] }),
    ['/spec/containers/[name=app]/env/[name=B]'],
  ],
  [
    'a missing member',
    CONFIG_MAP,
    { metadata: { finalizers: ['a', 'b'] } },
    { metadata: { finalizers: ['a'] } },
    ['/metadata/finalizers'],
  ],
  [
    'a declared bundle',
    WEBHOOKS,
    { webhooks: [{ name: 'a', clientConfig: { caBundle: 'eHh4' } }] },
    { webhooks: [{ name: 'a', clientConfig: { caBundle: 'LS0t' } }] },
    ['/webhooks/[name=a]/clientConfig/caBundle'],
  ],
  [
    'operations that an older policy matches',
    kubernetesSchema(
      'admissionregistration.k8s.io/v1beta1/ValidatingAdmissionPolicy',
    ),
    { spec: { matchConstraints: { resourceRules: [{ operations: ['*'] }] } } },
    { spec: { matchConstraints: { resourceRules: [{}] } } },
    ['/spec/matchConstraints'],
  ],
  [
    'another time',
    kubernetesSchema('coordination.k8s.io/v1/Lease'),
    { spec: { renewTime: '2026-01-01T00:00:00Z' } },
    { spec: { renewTime: '2026-01-01T00:00:00.000001Z' } },
    ['/spec/renewTime'],
  ],
  [
    'a duration where it is text',
    CONFIG_MAP,
    { data: { interval: '60s' } },
    { data: { interval: '1m' } },
    ['/data/interval'],
  ],
  [
    'a duration where it is one of several words',
    WIDGET,
    { spec: { mode: '60s' } },
    { spec: { mode: '1m' } },
    ['/spec/mode'],
  ],
  [
    'a whole subtree',
    THING,
    { spec: { a: { b: { c: 1 } } } },
    { spec: {} },
    ['/spec/a'],
  ],
  [
    'int or string of a definition',
    WIDGET,
    { spec: { port: '80' } },
    { spec: { port: 80 } },
    ['/spec/port'],
  ],
  [
    'an object that is one value',
    WIDGET,
    { spec: { owner: { name: 'a' } } },
    { spec: { owner: { name: 'a', kind: 'b' } } },
    ['/spec/owner'],
  ],
  [
    'an item of a list that is one value',
    WIDGET,
    { spec: { steps: [{ run: 'a' }] } },
    { spec: { steps: [{ run: 'a', retries: 2 }] } },
    ['/spec/steps'],
  ],
  [
    'a selector that is one value',
    SERVICE,
    { spec: { selector: { a: 'b' } } },
    { spec: { selector: { a: 'b', c: 'd' } } },
    ['/spec/selector'],
  ],
  [
    'an item that is there twice, and differs',
    POD,
    pod({ env: [{ name: 'A', value: '1' }] }),
    pod({
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ],
    }),
    ['/spec/containers/[name=app]/env/[name=A]'],
  ],
  [
    'one member more of a Konnect set',
    konnectSchema('routes'),
    { hosts: ['a'] },
    { hosts: ['a', 'b'] },
    ['/hosts'],
  ],
  [
    'a path that the URL does not have',
    konnectSchema('services'),
    { url: 'http://a' },
    { protocol: 'http', host: 'a', port: 80, path: '/x' },
    ['/path'],
  ],
  [
    'a tag that is gone',
    konnectSchema('services'),
    { tags: ['a', 'b'] },
    { tags: ['a'] },
    ['/tags'],
  ],
  [
    'the owner’s own tag that is gone',
    konnectSchema('services'),
    { tags: ['k8s-uid:1'] },
    { tags: [] },
    ['/tags'],
  ],
  [
    'the order of an array of a plugin',
    PLUGIN,
    { config: { order: ['a', 'b'] } },
    { config: { order: ['b', 'a'] } },
    ['/config/order'],
  ],
  [
    'a key called __proto__',
    CONFIG_MAP,
    JSON.parse('{"data":{"__proto__":"a","constructor":"b"}}'),
    { data: {} },
    ['/data/__proto__', '/data/constructor'],
  ],
];

/** With the usual past: both sides once equalled the declaration. */
function verdictOf(
  schema: ResourceSchema,
  declared: Json,
  live: Json,
): Evaluation {
  const given = input(schema, declared, live);
  return evaluate({ ...given, lastAgreed: given.declared! });
}

describe('the catalogue', () => {
  it.each(EQUAL)('%s is no drift', (_what, schema, declared, live) => {
    const answer = verdictOf(schema, declared, live);
    expect(answer.changes).toEqual([]);
    expect(answer.verdict).toBe('InSync');
  });

  it.each(DIFFERENT)('%s is drift', (_what, schema, declared, live, paths) => {
    const answer = verdictOf(schema, declared, live);
    expect(answer.changes.map(change => change.path)).toEqual(paths);
    expect(answer.verdict).toBe('Drifted');
  });

  it.each<[string, ResourceSchema, Json, string]>([
    [
      'a key twice',
      POD,
      pod({ env: [{ name: 'A' }, { name: 'A' }] }),
      'DuplicateKey',
    ],
    [
      'a key twice by its default',
      SERVICE,
      { spec: { ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] } },
      'DuplicateKey',
    ],
    ['no key', POD, { spec: { containers: [{ image: 'a' }] } }, 'MissingKey'],
    ['a number for a string', CONFIG_MAP, { data: { a: 1 } }, 'WrongType'],
    [
      'a string for a number',
      DEPLOYMENT,
      { spec: { replicas: '1' } },
      'WrongType',
    ],
    ['half a replica', DEPLOYMENT, { spec: { replicas: 1.5 } }, 'WrongType'],
    [
      'a string for a boolean',
      POD,
      { spec: { hostNetwork: 'true' } },
      'WrongType',
    ],
    ['a list for an object', POD, { spec: [] }, 'WrongType'],
    ['no base64', SECRET, { data: { a: 'not base64!' } }, 'NotBase64'],
    ['no object', POD, 'text', 'NotAnObject'],
    [
      'another version',
      kubernetesSchema('autoscaling/v1/HorizontalPodAutoscaler'),
      { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
      'WrongVersion',
    ],
    ['no URL', konnectSchema('services'), { url: 'orders' }, 'InvalidUrl'],
  ])('%s makes a declaration invalid', (_what, schema, declared, reason) => {
    const answer = verdictOf(schema, declared, { metadata: {} });
    expect(answer.verdict).toBe('Invalid');
    expect(answer.problems.map(problem => problem.reason)).toContain(reason);
  });

  it.each<[string, ResourceSchema, Json, Json, string[], string[]]>([
    [
      'a Secret’s key',
      SECRET,
      { stringData: { a: 'x' } },
      { data: { a: 'eA==', b: 'eQ==' } },
      ['/stringData/a', '/stringData/b'],
      ['/data/b'],
    ],
    [
      'a URL',
      konnectSchema('services'),
      { name: 's' },
      { name: 's', host: 'a', port: 80, path: '/x' },
      ['/url'],
      ['/host', '/path'],
    ],
    [
      'an item with its defaults',
      POD,
      { spec: { containers: [{ name: 'a' }] } },
      {
        spec: {
          containers: [
            { name: 'a' },
            { name: 'b', image: 'b', imagePullPolicy: 'Always', resources: {} },
          ],
        },
      },
      ['/spec/containers/[name=b]/name', '/spec/containers/[name=b]/image'],
      ['/spec/containers/[name=b]'],
    ],
    [
      'our part of an item',
      POD,
      { spec: { containers: [{ name: 'a' }] } },
      {
        spec: {
          containers: [{ name: 'a' }, { name: 'b', image: 'b', tty: true }],
        },
      },
      ['/spec/containers/[name=b]/name', '/spec/containers/[name=b]/image'],
      ['/spec/containers/[name=b]/image'],
    ],
    [
      'a member of a set',
      CONFIG_MAP,
      { metadata: { finalizers: ['a'] } },
      { metadata: { finalizers: ['a', 'b', 'x'] } },
      ['/metadata/finalizers/[=b]'],
      ['/metadata/finalizers/[=b]'],
    ],
    [
      'nothing where the default stands again',
      konnectSchema('services'),
      { name: 's' },
      { name: 's', retries: 5 },
      ['/retries'],
      [],
    ],
  ])(
    'finds %s that we set and no longer declare',
    (_what, schema, declared, live, ownedBefore, paths) => {
      const { changes } = evaluate(
        input(schema, declared, live, { ownedBefore }),
      );
      expect(changes.map(change => change.path)).toEqual(paths);
      expect(changes.every(change => change.kind === 'leftover')).toBe(true);
    },
  );

  it('does not compare across versions', () => {
    const schema = kubernetesSchema('autoscaling/v1/HorizontalPodAutoscaler');
    const answer = verdictOf(
      schema,
      { spec: { maxReplicas: 3 } },
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        spec: {},
      },
    );
    expect(answer).toMatchObject({
      verdict: 'Unknown',
      reason: 'UnreadableLive',
    });
  });

  it('believes a dry run about what a webhook rewrites', () => {
    const declared = pod({ image: 'nginx' });
    const live = pod({ image: 'mirror/nginx' });
    const first = evaluate(input(POD, declared, live));
    expect(first.verdict).toBe('Drifted');
    const second = evaluate(
      input(POD, declared, live, { dryRun: state(live, POD, 'live') }),
    );
    expect(second.verdict).toBe('InSync');
    expect(second.warnings[0].reason).toBe('RewrittenByServer');
  });

  it('warns of a field that the server drops, until it was agreed once', () => {
    const declared = { spec: { replicas: 1, later: 1 } };
    const unknown = evaluate(
      input(DEPLOYMENT, declared, { spec: { replicas: 1 } }),
    );
    expect(unknown.warnings).toMatchObject([
      { path: '/spec/later', reason: 'UnknownField' },
    ]);
    const known = evaluate(
      input(
        DEPLOYMENT,
        declared,
        { spec: { replicas: 1 } },
        { agreed: declared },
      ),
    );
    expect(known.changes).toMatchObject([
      { path: '/spec/later', movedBy: 'live' },
    ]);
  });

  it('shows the order of an environment, and not of volumes', () => {
    const env = evaluate(
      input(
        POD,
        pod({ env: [{ name: 'A' }, { name: 'B' }] }),
        pod({ env: [{ name: 'B' }, { name: 'X' }, { name: 'A' }] }),
      ),
    );
    expect(env.reordered).toEqual(['/spec/containers/[name=app]/env']);
    expect(env.extras.map(extra => extra.path)).toEqual([
      '/spec/containers/[name=app]/env/[name=X]',
    ]);
  });

  it.each<[string, ResourceSchema, Json, Json]>([
    [
      'labels and finalizers',
      kubernetesSchema('v1/PersistentVolumeClaim'),
      { metadata: { name: 'a' } },
      {
        metadata: {
          name: 'a',
          labels: { 'kubernetes.io/metadata.name': 'a' },
        },
      },
    ],
    [
      'labels of a template',
      kubernetesSchema('batch/v1/Job'),
      { spec: { template: { spec: {} } } },
      {
        spec: {
          template: {
            metadata: { labels: { 'controller-uid': 'u' } },
            spec: {},
          },
        },
      },
    ],
    [
      'the rest of an older definition',
      kubernetesSchema('apiextensions.k8s.io/v1beta1/CustomResourceDefinition'),
      { spec: { names: { kind: 'T' }, version: 'v1' } },
      {
        spec: {
          conversion: { strategy: 'None' },
          preserveUnknownFields: true,
          names: { kind: 'T', listKind: 'TList', singular: 't' },
          version: 'v1',
          versions: [{ name: 'v1', served: true, storage: true }],
        },
      },
    ],
    [
      'the rest of an older webhook',
      kubernetesSchema(
        'admissionregistration.k8s.io/v1beta1/ValidatingWebhookConfiguration',
      ),
      { webhooks: [{ name: 'a' }] },
      {
        webhooks: [
          {
            name: 'a',
            failurePolicy: 'Ignore',
            matchPolicy: 'Exact',
            sideEffects: 'Unknown',
            timeoutSeconds: 30,
          },
        ],
      },
    ],
    [
      'the precedence of a flow',
      kubernetesSchema('flowcontrol.apiserver.k8s.io/v1/FlowSchema'),
      { spec: {} },
      { spec: { matchingPrecedence: 1000 } },
    ],
    [
      'what an older autoscaler measures',
      kubernetesSchema('autoscaling/v2beta1/HorizontalPodAutoscaler'),
      { spec: { maxReplicas: 3 } },
      {
        spec: {
          maxReplicas: 3,
          minReplicas: 1,
          metrics: [
            {
              type: 'Resource',
              resource: { name: 'cpu', targetAverageUtilization: 80 },
            },
          ],
        },
      },
    ],
    [
      'the rest of a behaviour',
      kubernetesSchema('autoscaling/v2/HorizontalPodAutoscaler'),
      { spec: { behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } } },
      {
        spec: {
          behavior: {
            scaleUp: {
              stabilizationWindowSeconds: 0,
              selectPolicy: 'Max',
              policies: [
                { type: 'Pods', value: 4, periodSeconds: 15 },
                { type: 'Percent', value: 100, periodSeconds: 15 },
              ],
            },
            scaleDown: {
              stabilizationWindowSeconds: 60,
              selectPolicy: 'Max',
              policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
            },
          },
        },
      },
    ],
  ])(
    'takes %s that a server fills in for defaults',
    (_what, schema, declared, live) => {
      const { extras, verdict } = evaluate(input(schema, declared, live));
      expect(verdict).toBe('InSync');
      expect(extras.filter(extra => !extra.isDefault)).toEqual([]);
    },
  );

  it('compares a label of the server where it is declared', () => {
    const labels = (uid: string) => ({
      metadata: { labels: { 'controller-uid': uid } },
    });
    const { changes } = evaluate(input(THING, labels('a'), labels('b')));
    expect(changes.map(change => change.path)).toEqual([
      '/metadata/labels/controller-uid',
    ]);
  });

  it('tells defaults from values that somebody set', () => {
    const { extras } = evaluate(
      input(
        konnectSchema('services'),
        { host: 'a' },
        { host: 'a', retries: 5, read_timeout: 1 },
      ),
    );
    expect(extras).toEqual([
      { path: '/read_timeout', live: 1 },
      { path: '/retries', live: 5, isDefault: true },
    ]);
  });
});
