// Built-in kinds: what the server fills in, and what it refuses.
import { Body } from './client';
import { Use, causesOf, expectFailure, uniqueName, useNamespace } from './use';

const labels = { app: 'x' };
const pod = { containers: [{ name: 'app', image: 'app:1' }] };
const template = { metadata: { labels }, spec: pod };
const podDefaults = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
  containers: [
    {
      name: 'app',
      image: 'app:1',
      imagePullPolicy: 'IfNotPresent',
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
    },
  ],
};
const templateDefaults = {
  metadata: { creationTimestamp: null, labels },
  spec: podDefaults,
};

interface Sample {
  kind: string;
  path: string;
  apiVersion: string;
  body: object;
  /** Everything below the object's metadata, exactly. */
  expected: object;
  /** What to apply, where the body lacks what old servers want of an applied list by key. */
  applied?: object;
  clusterScoped?: boolean;
  generation?: number;
}

const apps = (
  kind: string,
  path: string,
  body: object,
  expected: object,
): Sample => ({
  kind,
  path,
  apiVersion: 'apps/v1',
  body: { spec: body },
  expected,
  generation: 1,
});

const selector = { matchLabels: labels };

const SAMPLES: Sample[] = [
  {
    kind: 'ConfigMap',
    path: 'configmaps',
    apiVersion: 'v1',
    body: { data: { a: '1' }, binaryData: { b: 'AQ==' } },
    expected: { data: { a: '1' }, binaryData: { b: 'AQ==' } },
  },
  {
    kind: 'Secret',
    path: 'secrets',
    apiVersion: 'v1',
    body: { stringData: { a: 'x' }, data: { a: 'eQ==', b: 'eQ==' } },
    expected: { type: 'Opaque', data: { a: 'eA==', b: 'eQ==' } },
  },
  {
    kind: 'Service',
    path: 'services',
    apiVersion: 'v1',
    body: { spec: { ports: [{ port: 80 }], selector: labels } },
    applied: {
      spec: { ports: [{ port: 80, protocol: 'TCP' }], selector: labels },
    },
    expected: {
      spec: {
        type: 'ClusterIP',
        sessionAffinity: 'None',
        selector: labels,
        clusterIP: expect.stringMatching(/^10\./),
        clusterIPs: [expect.stringMatching(/^10\./)],
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      },
      status: { loadBalancer: {} },
    },
  },
  {
    kind: 'ServiceAccount',
    path: 'serviceaccounts',
    apiVersion: 'v1',
    body: { automountServiceAccountToken: false },
    expected: { automountServiceAccountToken: false },
  },
  {
    kind: 'Pod',
    path: 'pods',
    apiVersion: 'v1',
    body: {
      spec: {
        containers: [
          {
            name: 'app',
            image: 'app:1',
            resources: { limits: { cpu: '1000m', memory: '1024Mi' } },
            livenessProbe: { httpGet: { port: 80 } },
          },
        ],
      },
    },
    expected: {
      spec: {
        ...podDefaults,
        containers: [
          {
            ...podDefaults.containers[0],
            resources: {
              limits: { cpu: '1', memory: '1Gi' },
              requests: { cpu: '1', memory: '1Gi' },
            },
            livenessProbe: {
              httpGet: { path: '/', port: 80, scheme: 'HTTP' },
              timeoutSeconds: 1,
              periodSeconds: 10,
              successThreshold: 1,
              failureThreshold: 3,
            },
          },
        ],
        enableServiceLinks: true,
        preemptionPolicy: 'PreemptLowerPriority',
        priority: 0,
        tolerations: expect.any(Array),
      },
      status: { phase: 'Pending', qosClass: 'Guaranteed' },
    },
  },
  {
    kind: 'PersistentVolumeClaim',
    path: 'persistentvolumeclaims',
    apiVersion: 'v1',
    body: {
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '0.5Gi' } },
      },
    },
    expected: {
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '512Mi' } },
        volumeMode: 'Filesystem',
      },
      status: { phase: 'Pending' },
    },
  },
  apps(
    'Deployment',
    'deployments',
    { selector, template },
    {
      spec: {
        selector,
        template: templateDefaults,
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' },
        },
      },
      status: {},
    },
  ),
  apps(
    'StatefulSet',
    'statefulsets',
    { selector, template, serviceName: 'x' },
    {
      spec: {
        selector,
        template: templateDefaults,
        serviceName: 'x',
        replicas: 1,
        revisionHistoryLimit: 10,
        podManagementPolicy: 'OrderedReady',
        updateStrategy: {
          type: 'RollingUpdate',
          rollingUpdate: { partition: 0 },
        },
      },
      status: { replicas: 0 },
    },
  ),
  apps(
    'DaemonSet',
    'daemonsets',
    { selector, template },
    {
      spec: {
        selector,
        template: templateDefaults,
        revisionHistoryLimit: 10,
        updateStrategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxUnavailable: 1 },
        },
      },
      status: {
        currentNumberScheduled: 0,
        desiredNumberScheduled: 0,
        numberMisscheduled: 0,
        numberReady: 0,
      },
    },
  ),
  apps(
    'ReplicaSet',
    'replicasets',
    { selector, template },
    {
      spec: { selector, template: templateDefaults, replicas: 1 },
      status: { replicas: 0 },
    },
  ),
  {
    kind: 'Job',
    path: 'jobs',
    apiVersion: 'batch/v1',
    body: { spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } } },
    expected: {
      spec: {
        completions: 1,
        parallelism: 1,
        backoffLimit: 6,
        selector: { matchLabels: { 'controller-uid': expect.any(String) } },
        template: {
          metadata: {
            creationTimestamp: null,
            labels: {
              'controller-uid': expect.any(String),
              'job-name': 'sample',
            },
          },
          spec: { ...podDefaults, restartPolicy: 'Never' },
        },
      },
      status: {},
    },
  },
  {
    kind: 'Ingress',
    path: 'ingresses',
    apiVersion: 'networking.k8s.io/v1',
    body: {
      spec: {
        rules: [
          {
            host: 'x.example.org',
            http: {
              paths: [
                {
                  path: '/',
                  pathType: 'Prefix',
                  backend: { service: { name: 'x', port: { number: 80 } } },
                },
              ],
            },
          },
        ],
      },
    },
    expected: {
      spec: { rules: [expect.objectContaining({ host: 'x.example.org' })] },
      status: { loadBalancer: {} },
    },
    generation: 1,
  },
  {
    kind: 'NetworkPolicy',
    path: 'networkpolicies',
    apiVersion: 'networking.k8s.io/v1',
    body: {
      spec: {
        podSelector: {},
        ingress: [{ ports: [{ port: 80 }] }],
        egress: [{}],
      },
    },
    expected: {
      spec: {
        podSelector: {},
        ingress: [{ ports: [{ port: 80, protocol: 'TCP' }] }],
        egress: [{}],
        policyTypes: ['Ingress', 'Egress'],
      },
    },
    generation: 1,
  },
  {
    kind: 'Role',
    path: 'roles',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    body: {
      rules: [
        { apiGroups: ['apps'], resources: ['*'], verbs: ['get', 'list'] },
      ],
    },
    expected: {
      rules: [
        { apiGroups: ['apps'], resources: ['*'], verbs: ['get', 'list'] },
      ],
    },
  },
  {
    kind: 'RoleBinding',
    path: 'rolebindings',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    body: {
      roleRef: { kind: 'ClusterRole', name: 'view' },
      subjects: [
        { kind: 'User', name: 'ann' },
        { kind: 'ServiceAccount', name: 'sa', namespace: 'default' },
      ],
    },
    expected: {
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'view',
      },
      subjects: [
        { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' },
        { kind: 'ServiceAccount', name: 'sa', namespace: 'default' },
      ],
    },
  },
  {
    kind: 'ClusterRole',
    path: 'clusterroles',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    body: {
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    },
    expected: {
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    },
    clusterScoped: true,
  },
  {
    kind: 'ClusterRoleBinding',
    path: 'clusterrolebindings',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    body: { roleRef: { kind: 'ClusterRole', name: 'view' } },
    expected: {
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'view',
      },
    },
    clusterScoped: true,
  },
  {
    kind: 'HorizontalPodAutoscaler',
    path: 'horizontalpodautoscalers',
    apiVersion: 'autoscaling/v1',
    body: {
      spec: {
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 70,
        scaleTargetRef: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name: 'x',
        },
      },
    },
    expected: {
      spec: {
        minReplicas: 1,
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 70,
        scaleTargetRef: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name: 'x',
        },
      },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    },
  },
  {
    kind: 'PodDisruptionBudget',
    path: 'poddisruptionbudgets',
    apiVersion: 'policy/v1beta1',
    body: { spec: { minAvailable: 1, selector } },
    expected: {
      spec: { minAvailable: 1, selector },
      status: {
        currentHealthy: 0,
        desiredHealthy: 0,
        disruptionsAllowed: 0,
        expectedPods: 0,
      },
    },
    generation: 1,
  },
];

export function builtInContract(use: Use) {
  const namespace = useNamespace(use);
  const client = () => use.server().client;
  const collection = ({
    apiVersion,
    path,
    clusterScoped,
  }: Pick<Sample, 'apiVersion' | 'path' | 'clusterScoped'>) => {
    const root = apiVersion.includes('/') ? '/apis' : '/api';
    const scope = clusterScoped ? '' : `/namespaces/${namespace()}`;
    return `${root}/${apiVersion}${scope}/${path}`;
  };
  const below = ({ metadata: _, apiVersion: __, kind: ___, ...rest }: Body) =>
    rest;

  it.each(SAMPLES)('fills in $kind, and applies it to itself', async sample => {
    const { apiVersion, kind, body, expected, generation } = sample;
    const name = sample.clusterScoped ? uniqueName('sample') : 'sample';
    const object = { apiVersion, kind, metadata: { name }, ...body };
    const created = await client().post(collection(sample), object);
    expect(created).toMatchObject({ status: 201 });
    expect(below(created.body)).toEqual(expected);
    expect(created.body.metadata.generation).toBe(generation);
    const path = `${collection(sample)}/${name}`;
    const read = await client().get(path);
    expect(read.body).toEqual(created.body);
    const same = await client().put(path, read.body);
    expect(below(same.body)).toEqual(below(created.body));
    const applied = await client().apply(
      path,
      'one',
      { ...object, ...sample.applied },
      '&force=true',
    );
    expect(applied.status).toBe(200);
    expect(below(applied.body)).toEqual(below(created.body));
    expect(applied.body.metadata.managedFields?.[0]).toMatchObject({
      manager: 'one',
      operation: 'Apply',
      apiVersion,
    });
    await client().delete(path);
  });

  const post = (
    sample: Pick<Sample, 'apiVersion' | 'path' | 'kind' | 'body'>,
  ) =>
    client().post(collection(sample), {
      apiVersion: sample.apiVersion,
      kind: sample.kind,
      metadata: { name: 'wrong' },
      ...sample.body,
    });

  it.each([
    {
      kind: 'Deployment',
      path: 'deployments',
      apiVersion: 'apps/v1',
      body: { spec: {} },
      causes: [
        'spec.selector FieldValueRequired',
        'spec.template.metadata.labels FieldValueInvalid',
        'spec.template.spec.containers FieldValueRequired',
      ],
    },
    {
      kind: 'Deployment',
      path: 'deployments',
      apiVersion: 'apps/v1',
      body: { spec: { selector: { matchLabels: { a: 'b' } }, template } },
      causes: ['spec.template.metadata.labels FieldValueInvalid'],
    },
    {
      kind: 'Pod',
      path: 'pods',
      apiVersion: 'v1',
      body: { spec: { containers: [{ name: 'a' }] } },
      causes: ['spec.containers[0].image FieldValueRequired'],
    },
    {
      kind: 'Service',
      path: 'services',
      apiVersion: 'v1',
      body: { spec: { selector: labels } },
      causes: ['spec.ports FieldValueRequired'],
    },
    {
      kind: 'Service',
      path: 'services',
      apiVersion: 'v1',
      body: { spec: { ports: [{ port: 0 }] } },
      causes: [
        'spec.ports[0].port FieldValueInvalid',
        'spec.ports[0].targetPort FieldValueInvalid',
      ],
    },
    {
      kind: 'ConfigMap',
      path: 'configmaps',
      apiVersion: 'v1',
      body: { data: { 'not a key': '1' } },
      causes: ['data[not a key] FieldValueInvalid'],
    },
    {
      kind: 'ConfigMap',
      path: 'configmaps',
      apiVersion: 'v1',
      body: { metadata: { name: 'wrong', labels: { a: 'not a value' } } },
      causes: ['metadata.labels FieldValueInvalid'],
    },
  ])('refuses a wrong $kind: $causes', async ({ causes, ...sample }) => {
    const answer = await post(sample);
    expectFailure(answer, 422, 'Invalid');
    expect(causesOf(answer)).toEqual(causes);
  });

  it('does not let immutable fields change', async () => {
    const path = collection({ apiVersion: 'apps/v1', path: 'deployments' });
    await client().post(path, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'fixed' },
      spec: { selector, template },
    });
    const other = { app: 'y' };
    const answer = await client().patch('merge', `${path}/fixed`, {
      spec: {
        selector: { matchLabels: other },
        template: { metadata: { labels: other } },
      },
    });
    expectFailure(answer, 422, 'Invalid', /field is immutable/);
    expect(causesOf(answer)).toEqual(['spec.selector FieldValueInvalid']);
  });

  it('refuses a text that is no base64, and a number that is no quantity', async () => {
    expectFailure(
      await post({
        kind: 'Secret',
        path: 'secrets',
        apiVersion: 'v1',
        body: { data: { a: '?' } },
      }),
      400,
      'BadRequest',
    );
    const resources = { limits: { cpu: 'many' } };
    expectFailure(
      await post({
        kind: 'Pod',
        path: 'pods',
        apiVersion: 'v1',
        body: { spec: { containers: [{ name: 'a', image: 'a', resources }] } },
      }),
      400,
      'BadRequest',
      /quantities must match the regular expression/,
    );
  });
}
