/*
 * `yarn bench engine`: what the way from two parsed documents to a verdict costs, against parsing the same two
 * documents, and against a library that compares any two JSON values. Ratios, because machines differ.
 */
import { compare as genericDiff } from 'fast-json-patch';
import {
  decide,
  digest,
  evaluate,
  Json,
  JsonObject,
  konnectSchema,
  kubernetesSchema,
  normalise,
  ResourceSchema,
} from '@plumbline/drift-engine';

/** The bar: engine over JSON.parse, median over the documents. */
const MOST = 3;

/** One pair of documents, as text. */
interface Subject {
  name: string;
  schema: ResourceSchema;
  declared: string;
  live: string;
  /** Other words in every round: texts that were never seen before. */
  fresh?: boolean;
}

const options = {
  secretDigest: (value: string) => digest(value),
  ourManager: 'plumbline',
};

function wholeWay(schema: ResourceSchema, declared: Json, live: Json) {
  const states = {
    declared: normalise(declared, { ...options, schema, side: 'declared' }),
    live: normalise(live, { ...options, schema, side: 'live' }),
  };
  const evaluation = evaluate({ schema, ...states, lastAgreed: states.live });
  return decide({
    evaluation,
    policy: {
      mode: 'enforce',
      onLiveEdit: 'revert',
      onFirstSight: 'ask',
      actuator: 'direct',
      prune: false,
      paused: false,
    },
  });
}

const now = () => Number(process.hrtime.bigint());

let serial = 0;

/** Both texts of a subject; in other words each time where it wants to be fresh. */
function textsOf({ declared, live, fresh }: Subject): string[] {
  serial += 1;
  return [declared, live].map(text =>
    fresh ? text.replace(/route/g, `r${serial}x`) : text,
  );
}

/** Nanoseconds of one call each. */
interface Times {
  parse: number;
  engine: number;
  generic: number;
}

/**
 * Parses a batch of fresh documents and takes it the whole way, many times, and keeps the best times: what it costs
 * when the machine does nothing else. The objects are new each time, as a sweep has them.
 */
function times(subject: Subject, budgetMs: number): Times {
  const { schema } = subject;
  const size = subject.declared.length + subject.live.length;
  const batch = Math.max(1, Math.round(400_000 / size));
  const best: Times = { parse: Infinity, engine: Infinity, generic: Infinity };
  const end = now() + budgetMs * 1e6;
  for (let round = 0; now() < end || round < 9; round += 1) {
    const documents: Array<[Json, Json]> = [];
    const texts = Array.from({ length: batch }, () => textsOf(subject));
    const start = now();
    for (const [declared, live] of texts) {
      documents.push([JSON.parse(declared), JSON.parse(live)]);
    }
    const parsed = now();
    for (const [declared, live] of documents) wholeWay(schema, declared, live);
    const judged = now();
    for (const [declared, live] of documents) {
      genericDiff(declared as JsonObject, live as JsonObject);
    }
    const compared = now();
    best.parse = Math.min(best.parse, (parsed - start) / batch);
    best.engine = Math.min(best.engine, (judged - parsed) / batch);
    best.generic = Math.min(best.generic, (compared - judged) / batch);
  }
  return best;
}

interface Row extends Times {
  name: string;
  bytes: number;
}

function measure(subject: Subject, budgetMs: number = 2000): Row {
  const { schema } = subject;
  const declared: Json = JSON.parse(subject.declared);
  const live: Json = JSON.parse(subject.live);
  const action = wholeWay(schema, declared, live).action;
  if (action !== 'none') {
    throw new Error(`${subject.name} should be in sync, but: ${action}`);
  }
  return {
    name: subject.name,
    bytes: subject.declared.length + subject.live.length,
    ...times(subject, budgetMs),
  };
}

const range = (count: number) => Array.from({ length: count }, (_v, i) => i);

function deployment(containers: number): Subject {
  const app = (i: number) => ({
    name: `app-${i}`,
    image: `registry.example/team/app-${i}:1.2.3`,
    args: ['--port=8080', '--verbose'],
    env: range(8).map(k => ({
      name: `SETTING_${k}`,
      value: `value ${k} of ${i}`,
    })),
    ports: [{ containerPort: 8080, name: 'http' }],
    resources: {
      limits: { cpu: '1000m', memory: '1Gi' },
      requests: { cpu: '250m', memory: '512Mi' },
    },
    livenessProbe: {
      httpGet: { path: '/live', port: 'http' },
      periodSeconds: 10,
    },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/app' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  });
  const declared = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'shop',
      namespace: 'shop',
      labels: { app: 'shop', team: 'payments' },
    },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'shop' } },
      template: {
        metadata: { labels: { app: 'shop', team: 'payments' } },
        spec: {
          containers: range(containers).map(app),
          volumes: [
            { name: 'config', configMap: { name: 'shop' } },
            { name: 'tmp', emptyDir: {} },
          ],
        },
      },
    },
  };
  const live = structuredClone(declared) as any;
  Object.assign(live.metadata, {
    uid: '6d8e0a86-5f3b-4c53-9f0e-2b2a6a3c0d11',
    resourceVersion: '123456',
    generation: 4,
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations: { 'deployment.kubernetes.io/revision': '4' },
    managedFields: [
      {
        manager: 'plumbline',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:spec': {
            'f:replicas': {},
            'f:template': {
              'f:spec': {
                'f:containers': Object.fromEntries(
                  range(containers).map(i => [
                    `k:{"name":"app-${i}"}`,
                    {
                      '.': {},
                      'f:image': {},
                      'f:name': {},
                      'f:env': Object.fromEntries(
                        range(8).map(k => [
                          `k:{"name":"SETTING_${k}"}`,
                          { '.': {}, 'f:name': {}, 'f:value': {} },
                        ]),
                      ),
                    },
                  ]),
                ),
              },
            },
          },
        },
      },
    ],
  });
  Object.assign(live.spec, {
    progressDeadlineSeconds: 600,
    revisionHistoryLimit: 10,
    strategy: {
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' },
    },
  });
  Object.assign(live.spec.template.spec, {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  });
  for (const container of live.spec.template.spec.containers) {
    Object.assign(container, {
      imagePullPolicy: 'IfNotPresent',
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
    });
    container.ports[0].protocol = 'TCP';
    Object.assign(container.livenessProbe, {
      failureThreshold: 3,
      successThreshold: 1,
      timeoutSeconds: 1,
    });
    container.livenessProbe.httpGet.scheme = 'HTTP';
    container.resources.limits.cpu = '1';
  }
  live.spec.template.spec.volumes[0].configMap.defaultMode = 420;
  live.status = {
    availableReplicas: 3,
    replicas: 3,
    conditions: range(2).map(i => ({
      type: `T${i}`,
      status: 'True',
      lastUpdateTime: '2026-01-01T00:00:00Z',
      message: 'Deployment has minimum availability.',
    })),
  };
  return {
    name: `Deployment, ${containers} ${
      containers === 1 ? 'container' : 'containers'
    }`,
    schema: kubernetesSchema('apps/v1/Deployment'),
    declared: JSON.stringify(declared),
    live: JSON.stringify(live),
  };
}

/** Text as it stands in files of configuration, with line breaks and quotes. */
function prose(bytes: number): string {
  const line = (i: number) =>
    `server.route.${i} = "https://backend-${
      i % 50
    }.internal:8443/path/${i}" # weight ${i % 7}\n`;
  let text = '';
  for (let i = 0; text.length < bytes; i += 1) text += line(i);
  return text.slice(0, bytes);
}

function configMap(bytes: number): Subject {
  const files = 5;
  const data = Object.fromEntries(
    range(files).map(i => [`file-${i}.conf`, prose(bytes / files)]),
  );
  const declared = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c', namespace: 'n' },
    data,
  };
  const live = {
    ...declared,
    metadata: {
      ...declared.metadata,
      uid: 'u',
      resourceVersion: '5',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
  };
  return {
    name: `ConfigMap, ${Math.round(bytes / 1000)} kB`,
    schema: kubernetesSchema('v1/ConfigMap'),
    declared: JSON.stringify(declared),
    live: JSON.stringify(live),
  };
}

function kongService(): Subject {
  const declared = {
    name: 'orders',
    host: 'orders.internal',
    port: 8080,
    protocol: 'http',
    retries: 3,
    path: '/v1',
    tags: ['team-a', 'gold'],
  };
  const live = {
    ...declared,
    id: '0b4a6c7e-0000-4000-8000-000000000001',
    connect_timeout: 60000,
    read_timeout: 60000,
    write_timeout: 60000,
    enabled: true,
    ca_certificates: null,
    client_certificate: null,
    tls_verify: null,
    tls_verify_depth: null,
    created_at: 1760000000,
    updated_at: 1760000000,
    tags: [
      'gold',
      'k8s-generation:1',
      'k8s-kind:KongService',
      'k8s-name:orders',
      'k8s-uid:3f6c0d1a-1111-4222-8333-444444444444',
      'team-a',
    ],
  };
  return {
    name: 'KongService',
    schema: konnectSchema('services'),
    declared: JSON.stringify(declared),
    live: JSON.stringify(live),
  };
}

function customResource(bytes: number): Subject {
  const entry = (i: number) => ({
    name: `rule-${i}`,
    match: {
      host: `host-${i}.example`,
      path: `/path/${i}`,
      methods: ['GET', 'POST'],
    },
    action: {
      weight: i % 100,
      timeout: '60s',
      retries: 3,
      enabled: i % 2 === 0,
      headers: { 'x-id': `${i}`, 'x-team': 'payments' },
    },
  });
  const count = Math.round(bytes / 215);
  const declared = {
    apiVersion: 'example.com/v1',
    kind: 'Table',
    metadata: { name: 't', namespace: 'n' },
    spec: { mode: 'strict', rules: range(count).map(entry) },
  };
  const live = {
    ...declared,
    metadata: {
      ...declared.metadata,
      uid: 'u',
      resourceVersion: '5',
      generation: 2,
    },
    status: { ready: true },
  };
  return {
    name: `custom resource, ${Math.round(bytes / 1000)} kB`,
    schema: kubernetesSchema('example.com/v1/Table'),
    declared: JSON.stringify(declared),
    live: JSON.stringify(live),
  };
}

const micro = (ns: number) => `${(ns / 1000).toFixed(ns < 1e5 ? 1 : 0)} µs`;

function print(rows: Row[]) {
  const lines = rows.map(row => [
    row.name,
    `${(row.bytes / 1000).toFixed(1)} kB`,
    micro(row.parse),
    micro(row.engine),
    `${(row.engine / row.parse).toFixed(2)}`,
    `${(row.generic / row.parse).toFixed(2)}`,
  ]);
  const head = [
    'both documents',
    'size',
    'JSON.parse',
    'engine',
    'engine / parse',
    'fast-json-patch / parse',
  ];
  const widths = head.map((title, i) =>
    Math.max(title.length, ...lines.map(line => line[i].length)),
  );
  for (const line of [head, ...lines]) {
    process.stdout.write(
      `${line
        .map((cell, i) =>
          i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]),
        )
        .join('  ')}\n`,
    );
  }
}

function main() {
  const subjects = [
    deployment(1),
    deployment(3),
    configMap(100_000),
    { ...configMap(100_000), name: 'the same, never seen before', fresh: true },
    kongService(),
    customResource(1_000_000),
  ];
  // Twice: the first round warms up.
  subjects.forEach(subject => measure(subject, 50));
  const rows = subjects.map(subject => measure(subject));
  print(rows);
  const ratios = rows.map(row => row.engine / row.parse).sort((a, b) => a - b);
  const median = ratios[Math.floor(ratios.length / 2)];
  process.stdout.write(
    `\nmedian engine / parse: ${median.toFixed(2)} (at most ${MOST})\n\n`,
  );

  const sizes = [10_000, 100_000, 1_000_000].map(bytes =>
    measure(customResource(bytes), 1500),
  );
  process.stdout.write('Growth with size (1x, 10x, 100x):\n');
  print(sizes);
  const first = sizes[0].engine / sizes[0].parse;
  const growth = sizes.map(row => row.engine / row.parse / first);
  process.stdout.write(
    `engine / parse, against the smallest: ${growth
      .map(value => value.toFixed(2))
      .join(', ')}\n`,
  );
  process.exitCode = median <= MOST && growth[2] < 2 ? 0 : 1;
}

main();
