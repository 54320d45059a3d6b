/*
 * What the oracle declares: one full object of every kind, and the path under which the server keeps it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Json, JsonObject } from '@plumbline/drift-engine';
import { parseAllDocuments } from 'yaml';

export interface Kind {
  /** `apps/v1/Deployment` */
  gvk: string;
  /** `/apis/apps/v1/namespaces/default/deployments` */
  collection: string;
  /** The object, without its name. */
  object: JsonObject;
  /** Only for custom resources. */
  crd?: JsonObject;
}

const POD_SPEC = `
containers:
  - name: app
    image: app:1
    command: [run, --fast]
    args: [a, b]
    env:
      - {name: A, value: "1"}
      - {name: B, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
      - {name: C, valueFrom: {configMapKeyRef: {name: c, key: k}}}
    ports: [{containerPort: 8080, protocol: TCP, name: http}, {containerPort: 8080, protocol: UDP, name: udp}]
    resources: {limits: {cpu: 1000m, memory: 1Gi}, requests: {cpu: "0.5", memory: 512Mi}}
    livenessProbe: {httpGet: {path: /live, port: http}, periodSeconds: 5}
    readinessProbe: {tcpSocket: {port: 8080}}
    volumeMounts: [{name: config, mountPath: /config}, {name: tmp, mountPath: /tmp, readOnly: false}]
    securityContext: {runAsNonRoot: true, capabilities: {drop: [ALL], add: [NET_BIND_SERVICE]}}
    lifecycle: {preStop: {exec: {command: [sleep, "5"]}}}
  - {name: side, image: side:1, imagePullPolicy: Always}
initContainers: [{name: first, image: first:1}, {name: second, image: second:1}]
volumes:
  - {name: config, configMap: {name: c, items: [{key: k, path: p}]}}
  - {name: tmp, emptyDir: {}}
  - {name: all, projected: {sources: [{secret: {name: s}}, {downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}}]}}
tolerations: [{key: a, operator: Exists, effect: NoSchedule}, {key: b, value: x}]
affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: zone, labelSelector: {matchLabels: {app: d}}}}]}}
topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: d}}}]
nodeSelector: {disk: ssd}
imagePullSecrets: [{name: pull}]
hostAliases: [{ip: 10.0.0.1, hostnames: [a, b]}]
securityContext: {fsGroup: 1, sysctls: []}
terminationGracePeriodSeconds: 20
`;

const indent = (text: string, by: number) =>
  text
    .trim()
    .split('\n')
    .map(line => ' '.repeat(by) + line)
    .join('\n');

const TEMPLATE = (restart: string) => `
metadata: {labels: {app: d, tier: x}, annotations: {note: n}}
spec:
  restartPolicy: ${restart}
${indent(POD_SPEC, 2)}
`;

const SOURCES: Array<[collection: string, text: string]> = [
  [
    '/api/v1/namespaces/default/configmaps',
    `
apiVersion: v1
kind: ConfigMap
metadata: {labels: {app: c}, annotations: {note: n}, finalizers: [example.com/a, example.com/b]}
data: {k: v, other: "1"}
binaryData: {b: AAEC}
`,
  ],
  [
    '/api/v1/namespaces/default/secrets',
    `
apiVersion: v1
kind: Secret
metadata: {labels: {app: s}}
type: Opaque
data: {token: b25lLXNlY3JldA==, other: dHdvLXNlY3JldA==}
stringData: {password: three-secret}
`,
  ],
  [
    '/api/v1/namespaces/default/services',
    `
apiVersion: v1
kind: Service
metadata: {labels: {app: s}}
spec:
  selector: {app: s, tier: web}
  ports: [{name: http, port: 80, protocol: TCP, targetPort: 8080}, {name: dns, port: 53, protocol: UDP, targetPort: dns}]
  externalIPs: [10.1.1.1, 10.1.1.2]
  sessionAffinity: ClientIP
  sessionAffinityConfig: {clientIP: {timeoutSeconds: 100}}
`,
  ],
  [
    '/api/v1/namespaces/default/serviceaccounts',
    `
apiVersion: v1
kind: ServiceAccount
metadata: {labels: {app: a}}
automountServiceAccountToken: false
imagePullSecrets: [{name: a}, {name: b}]
`,
  ],
  [
    '/api/v1/namespaces/default/pods',
    `
apiVersion: v1
kind: Pod
metadata: {labels: {app: p}}
spec:
${indent(POD_SPEC, 2)}
`,
  ],
  [
    '/apis/apps/v1/namespaces/default/deployments',
    `
apiVersion: apps/v1
kind: Deployment
metadata: {labels: {app: d}}
spec:
  replicas: 2
  selector: {matchLabels: {app: d}}
  strategy: {rollingUpdate: {maxSurge: 1}}
  template:
${indent(TEMPLATE('Always'), 4)}
`,
  ],
  [
    '/apis/apps/v1/namespaces/default/statefulsets',
    `
apiVersion: apps/v1
kind: StatefulSet
metadata: {labels: {app: d}}
spec:
  serviceName: d
  selector: {matchLabels: {app: d}}
  template:
${indent(TEMPLATE('Always'), 4)}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1000M}}}}]
`,
  ],
  [
    '/apis/apps/v1/namespaces/default/daemonsets',
    `
apiVersion: apps/v1
kind: DaemonSet
metadata: {labels: {app: d}}
spec:
  selector: {matchLabels: {app: d}}
  updateStrategy: {rollingUpdate: {maxUnavailable: 20%}}
  template:
${indent(TEMPLATE('Always'), 4)}
`,
  ],
  [
    '/apis/batch/v1/namespaces/default/jobs',
    `
apiVersion: batch/v1
kind: Job
metadata: {labels: {app: j}}
spec:
  backoffLimit: 2
  parallelism: 3
  template:
    spec: {restartPolicy: Never, containers: [{name: app, image: app:1}]}
`,
  ],
  [
    '/apis/batch/v1beta1/namespaces/default/cronjobs',
    `
apiVersion: batch/v1beta1
kind: CronJob
metadata: {labels: {app: j}}
spec:
  schedule: "*/5 * * * *"
  suspend: true
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: app, image: app:1, env: [{name: A, value: b}]}]}
`,
  ],
  [
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {annotations: {note: n}}
spec:
  ingressClassName: kong
  tls: [{hosts: [a.example, b.example], secretName: s}]
  rules:
    - host: a.example
      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: s, port: {number: 80}}}}]}
    - host: b.example
      http: {paths: [{path: /x, pathType: Exact, backend: {service: {name: s, port: {name: http}}}}]}
`,
  ],
  [
    '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {}
spec:
  podSelector: {}
  policyTypes: [Ingress, Egress]
  ingress: [{from: [{namespaceSelector: {}}, {ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}], ports: [{port: 80}, {port: dns, protocol: UDP}]}]
  egress: [{to: [{podSelector: {matchLabels: {app: d}}}]}]
`,
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles',
    `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {labels: {app: r}}
rules: [{apiGroups: [""], resources: [pods, services], verbs: [get, list]}, {apiGroups: [apps], resources: [deployments], verbs: ["*"]}]
`,
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {labels: {app: r}}
rules: [{nonResourceURLs: [/healthz], verbs: [get]}, {apiGroups: [""], resources: [nodes], resourceNames: [a], verbs: [get]}]
`,
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
    `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {labels: {app: r}}
roleRef: {kind: Role, name: r, apiGroup: rbac.authorization.k8s.io}
subjects: [{kind: User, name: alice}, {kind: ServiceAccount, name: s, namespace: default}]
`,
  ],
  [
    '/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets',
    `
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {}
spec: {minAvailable: 50%, selector: {matchLabels: {app: d}, matchExpressions: [{key: tier, operator: In, values: [a, b]}]}}
`,
  ],
  [
    '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
    `
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}, minReplicas: 2, maxReplicas: 5}
`,
  ],
  [
    '/apis/autoscaling/v2beta2/namespaces/default/horizontalpodautoscalers',
    `
apiVersion: autoscaling/v2beta2
kind: HorizontalPodAutoscaler
metadata: {}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}
  maxReplicas: 5
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}, {type: Pods, pods: {metric: {name: rps}, target: {type: AverageValue, averageValue: 1000m}}}]
`,
  ],
  [
    '/api/v1/namespaces/default/persistentvolumeclaims',
    `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {labels: {app: p}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: ""}
`,
  ],
  [
    '/api/v1/persistentvolumes',
    `
apiVersion: v1
kind: PersistentVolume
metadata: {labels: {app: p}}
spec: {accessModes: [ReadWriteOnce, ReadOnlyMany], capacity: {storage: 1Gi}, hostPath: {path: /x}, mountOptions: [ro, soft]}
`,
  ],
  [
    '/apis/storage.k8s.io/v1/storageclasses',
    `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {labels: {app: p}}
provisioner: example.com/p
parameters: {type: fast}
allowVolumeExpansion: true
`,
  ],
  [
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    `
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {labels: {app: p}}
value: 1000
description: d
globalDefault: false
`,
  ],
  [
    '/api/v1/namespaces/default/limitranges',
    `
apiVersion: v1
kind: LimitRange
metadata: {}
spec: {limits: [{type: Container, default: {cpu: 500m}, max: {cpu: "2", memory: 1Gi}}]}
`,
  ],
  [
    '/api/v1/namespaces/default/resourcequotas',
    `
apiVersion: v1
kind: ResourceQuota
metadata: {}
spec: {hard: {pods: "10", requests.cpu: 4000m}}
`,
  ],
  [
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {labels: {app: w}}
webhooks:
  - {name: a.example.com, admissionReviewVersions: [v1], sideEffects: None, clientConfig: {url: "https://127.0.0.1:1/x"}, rules: [{apiGroups: [none.example.com], apiVersions: [v1], operations: [CREATE], resources: [things]}]}
  - {name: b.example.com, admissionReviewVersions: [v1], sideEffects: None, failurePolicy: Ignore, timeoutSeconds: 3, clientConfig: {service: {name: w, namespace: n}}, rules: [{apiGroups: [none.example.com], apiVersions: [v1], operations: [UPDATE], resources: [things]}]}
`,
  ],
  [
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {labels: {app: c}}
spec:
  group: oracle.example.com
  scope: Namespaced
  names: {kind: NAME, plural: NAMEs}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: integer}}}}}}, additionalPrinterColumns: [{name: A, type: integer, jsonPath: .spec.a}]}]
`,
  ],
  [
    '/apis/networking.k8s.io/v1/ingressclasses',
    `
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {labels: {app: i}}
spec: {controller: example.com/c, parameters: {apiGroup: k8s.example.com, kind: P, name: x}}
`,
  ],
];

/** A definition with every list type, defaults, nullable and free parts. */
const WIDGETS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.oracle.example.com}
spec:
  group: oracle.example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: {type: integer, default: 3}
                mode: {type: string, default: fast}
                on: {type: boolean, default: true}
                note: {type: string, nullable: true}
                big: {type: integer, format: int64}
                ratio: {type: number}
                words: {type: array, items: {type: string}, x-kubernetes-list-type: set}
                steps: {type: array, items: {type: object, properties: {run: {type: string}, retries: {type: integer, default: 1}}}}
                parts:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name, protocol]
                  items:
                    type: object
                    required: [name]
                    properties: {name: {type: string}, protocol: {type: string, default: TCP}, weight: {type: integer, default: 100}, tags: {type: array, items: {type: string}}}
                labels: {type: object, additionalProperties: {type: string}}
                owner: {type: object, x-kubernetes-map-type: atomic, properties: {kind: {type: string}, name: {type: string}}}
                nested: {type: object, default: {}, properties: {level: {type: integer, default: 1}}}
                free: {type: object, x-kubernetes-preserve-unknown-fields: true}
`;

const WIDGET = `
apiVersion: oracle.example.com/v1
kind: Widget
metadata: {labels: {app: w}}
spec:
  size: 5
  big: 9007199254740993
  ratio: 1.5
  words: [a, b, c]
  steps: [{run: x}, {run: y, retries: 3}]
  parts: [{name: one}, {name: one, protocol: UDP, weight: 1}, {name: two, tags: [t, u]}]
  labels: {a: b}
  owner: {kind: K, name: n}
  free: {anything: [1, {deep: true}], timeout: 60s}
`;

const documents = (text: string): JsonObject[] =>
  parseAllDocuments(text, { intAsBigInt: true }).map(
    document => narrow(document.toJS()) as JsonObject,
  );

function narrow(value: unknown): Json {
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  if (Array.isArray(value)) {
    return value.map(narrow);
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [key, narrow(child)]),
    );
  }
  return value as Json;
}

export const gvkOf = (object: JsonObject) =>
  `${object.apiVersion}/${object.kind}`;

/** The built-in kinds, and one of our own definitions. */
export function builtInKinds(): Kind[] {
  const kinds: Kind[] = SOURCES.map(([collection, text]) => {
    const [object] = documents(text);
    return { gvk: gvkOf(object), collection, object };
  });
  const [crd] = documents(WIDGETS);
  const [object] = documents(WIDGET);
  return [
    ...kinds,
    {
      gvk: gvkOf(object),
      collection: '/apis/oracle.example.com/v1/namespaces/default/widgets',
      object,
      crd,
    },
  ];
}

/** The folder with Kong's definitions and samples: `KONG_UPSTREAM_DIR`, or a folder `shared` beside the repository. */
export function kongFolder(): string | undefined {
  const folder =
    process.env.KONG_UPSTREAM_DIR ??
    resolve(__dirname, '../../../shared/upstream');
  return existsSync(join(folder, 'kong-crds')) ? folder : undefined;
}

/** Kong's custom resources, from their own definitions and samples; none where they are not present. */
export function kongKinds(): Kind[] {
  const folder = kongFolder();
  if (!folder) {
    return [];
  }
  const read = (name: string) =>
    readdirSync(join(folder, name)).map(file =>
      readFileSync(join(folder, name, file), 'utf8'),
    );
  // A default that is empty is refused by servers as old as the oracle's.
  const crds = read('kong-crds').flatMap(text =>
    documents(text.replace(/^\s*default: ""\n/gm, '')),
  );
  const samples = read('kong-samples').flatMap(documents);
  const seen = new Set<string>();
  return samples.flatMap(sample => {
    const gvk = gvkOf(sample ?? {});
    const [group, version, kind] = gvk.split('/');
    const crd = crds.find(one => {
      const spec = one.spec as JsonObject | undefined;
      return spec?.group === group && (spec?.names as JsonObject).kind === kind;
    });
    const spec = crd?.spec as JsonObject | undefined;
    if (!crd || !spec || seen.has(gvk)) {
      return [];
    }
    seen.add(gvk);
    const place = spec.scope === 'Namespaced' ? '/namespaces/default' : '';
    return [
      {
        gvk,
        collection: `/apis/${group}/${version}${place}/${
          (spec.names as JsonObject).plural
        }`,
        object: sample,
        crd,
      },
    ];
  });
}
