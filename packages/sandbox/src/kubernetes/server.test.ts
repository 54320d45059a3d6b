import {
  KubernetesSandbox,
  KubernetesSandboxOptions,
  RunningSandbox,
  createKubernetesSandbox,
} from '.';

/** What only the sandbox can do; how it speaks is told by the contract suite. */
describe('the Kubernetes sandbox', () => {
  const running: RunningSandbox[] = [];

  afterEach(async () => {
    await Promise.all(running.splice(0).map(server => server.close()));
  });

  async function start(options: KubernetesSandboxOptions = {}) {
    const sandbox = createKubernetesSandbox(options);
    const server = await sandbox.listen();
    running.push(server);
    const call = async (
      method: string,
      path: string,
      body?: unknown,
      headers: { [name: string]: string } = {},
    ) => {
      const response = await fetch(server.url + path, {
        method,
        headers: {
          Authorization: 'Bearer sandbox-admin',
          'Content-Type': 'application/json',
          'User-Agent': 'test/1',
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        body: (text.startsWith('{') || text.startsWith('[')
          ? JSON.parse(text)
          : {}) as Answered,
      };
    };
    return { sandbox, call, url: server.url };
  }

  interface Answered {
    apiVersion: string;
    message: string;
    metadata: {
      uid: string;
      name: string;
      resourceVersion: string;
      ownerReferences?: unknown[];
      managedFields?: { subresource?: string; manager: string }[];
    };
    spec: object;
    items: Answered[];
    length: number;
  }

  const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const widgets = () => ({
    metadata: { name: 'widgets.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Cluster',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: { size: { type: 'integer' } },
                },
              },
            },
          },
        },
      ],
    },
  });
  const widget = (name: string) => ({
    apiVersion: 'example.org/v1',
    kind: 'Widget',
    metadata: { name },
    spec: { size: 1 },
  });
  const MAPS = '/api/v1/namespaces/default/configmaps';
  const map = (name: string, metadata: object = {}) => ({
    metadata: { name, ...metadata },
    data: { a: '1' },
  });
  /** The controllers of the sandbox work after the answer; one turn of the event loop lets them. */
  const settled = () =>
    new Promise(resolve => {
      setImmediate(resolve);
    });

  it('keeps everything over a restart', async () => {
    const first = await start();
    await first.call('POST', CRDS, widgets());
    await first.call('POST', '/apis/example.org/v1/widgets', widget('w'));
    const { body } = await first.call('POST', MAPS, map('a'));
    const snapshot = JSON.parse(JSON.stringify(first.sandbox.snapshot()));

    const second = await start();
    second.sandbox.restore(snapshot);
    const read = await second.call('GET', `${MAPS}/a`);
    expect(read.body).toEqual(body);
    const custom = await second.call('GET', '/apis/example.org/v1/widgets/w');
    expect(custom.body.spec).toEqual({ size: 1 });
    const next = await second.call('POST', MAPS, map('b'));
    expect(Number(next.body.metadata.resourceVersion)).toBeGreaterThan(
      Number(body.metadata.resourceVersion),
    );
    const old = await second.call(
      'GET',
      `${MAPS}?watch=1&timeoutSeconds=1&resourceVersion=100`,
    );
    expect(old.body).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  });

  it('forgets everything that a snapshot does not have', async () => {
    const { sandbox, call } = await start();
    const empty = sandbox.snapshot();
    await call('POST', CRDS, widgets());
    await call('POST', MAPS, map('a'));
    sandbox.restore(empty);
    expect((await call('GET', `${MAPS}/a`)).status).toBe(404);
    expect((await call('GET', '/apis/example.org/v1')).status).toBe(404);
  });

  it('counts requests, and which of them were to change something', async () => {
    const { sandbox, call } = await start();
    await call('POST', MAPS, map('a'));
    await call('GET', MAPS);
    await call('GET', `${MAPS}/a`);
    await call('POST', `${MAPS}?dryRun=All`, map('b'));
    await call('DELETE', `${MAPS}/absent`);
    expect(sandbox.requests.writes()).toBe(2);
    expect(sandbox.requests.total({ verb: 'get' })).toBe(1);
    expect(sandbox.requests.total({ resource: '/configmaps' })).toBe(5);
    const { body } = await call('GET', '/sandbox/requests');
    expect(body).toContainEqual({
      method: 'POST',
      verb: 'create',
      resource: '/configmaps',
      count: 2,
      writes: 1,
    });
    expect((await call('DELETE', '/sandbox/requests')).status).toBe(204);
    expect(sandbox.requests.all()).toEqual([]);
  });

  it('lets a rule allow what it names, and nothing else', async () => {
    const { call } = await start({
      tokens: {
        'sandbox-admin': {
          user: 'ann',
          access: [
            {
              verbs: ['get', 'list', 'create'],
              groups: [''],
              resources: ['configmaps'],
              namespaces: ['default'],
            },
          ],
        },
      },
    });
    expect((await call('POST', MAPS, map('a'))).status).toBe(201);
    const denied = await call('DELETE', `${MAPS}/a`);
    expect(denied.status).toBe(403);
    expect(denied.body.message).toBe(
      'configmaps "a" is forbidden: User "ann" cannot delete resource "configmaps" in API group "" in the namespace "default"',
    );
    const elsewhere = await call(
      'GET',
      '/api/v1/namespaces/kube-system/configmaps',
    );
    expect(elsewhere.status).toBe(403);
    const all = await call('GET', '/api/v1/configmaps');
    expect(all.status).toBe(403);
  });

  it('has a bounded history', async () => {
    const { call } = await start({ historyLimit: 3 });
    const { body } = await call('GET', MAPS);
    const from = body.metadata.resourceVersion;
    for (const name of ['a', 'b', 'c', 'd']) {
      await call('POST', MAPS, map(name));
    }
    const watched = await call(
      'GET',
      `${MAPS}?watch=1&timeoutSeconds=1&resourceVersion=${from}`,
    );
    expect(watched.body).toMatchObject({
      type: 'ERROR',
      object: { code: 410, reason: 'Expired' },
    });
  });

  it('empties a deleted namespace, then removes it', async () => {
    const { call } = await start();
    const path = '/api/v1/namespaces/gone';
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'gone' } });
    await call('POST', `${path}/configmaps`, map('a'));
    await call(
      'POST',
      `${path}/configmaps`,
      map('held', { finalizers: ['example.org/x'] }),
    );
    await call('DELETE', path);
    await settled();
    expect((await call('GET', `${path}/configmaps`)).body.items).toHaveLength(
      1,
    );
    await call(
      'PATCH',
      `${path}/configmaps/held`,
      { metadata: { finalizers: null } },
      { 'Content-Type': 'application/merge-patch+json' },
    );
    await settled();
    expect((await call('GET', path)).status).toBe(404);
  });

  it('takes dependents along as the propagation says', async () => {
    const { call } = await start();
    const owned = async (policy: string) => {
      const name = `owner-${policy.toLowerCase()}`;
      const owner = await call('POST', MAPS, map(name));
      const reference = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name,
        uid: owner.body.metadata.uid,
      };
      const child = `child-${policy.toLowerCase()}`;
      const created = await call(
        'POST',
        MAPS,
        map(child, { ownerReferences: [reference] }),
      );
      expect(created.status).toBe(201);
      await call('DELETE', `${MAPS}/${name}?propagationPolicy=${policy}`);
      await settled();
      await settled();
      expect((await call('GET', `${MAPS}/${name}`)).status).toBe(404);
      return call('GET', `${MAPS}/${child}`);
    };
    expect((await owned('Background')).status).toBe(404);
    expect((await owned('Foreground')).status).toBe(404);
    const orphan = await owned('Orphan');
    expect(orphan.status).toBe(200);
    expect(orphan.body.metadata.ownerReferences).toBeUndefined();
  });

  it('refuses unknown fields where validation is strict', async () => {
    const { call } = await start();
    const body = { ...map('a'), typo: 1 };
    const strict = await call('POST', `${MAPS}?fieldValidation=Strict`, body);
    expect(strict.status).toBe(400);
    expect(strict.body.message).toBe(
      'strict decoding error: unknown field "typo"',
    );
    const loose = await call('POST', `${MAPS}?fieldValidation=Ignore`, body);
    expect(loose.status).toBe(201);
  });

  it('serves autoscalers in both versions', async () => {
    const { call } = await start();
    const path = (version: string) =>
      `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
    const scaleTargetRef = { kind: 'Deployment', name: 'x' };
    await call('POST', path('v1'), {
      metadata: { name: 'x' },
      spec: {
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 70,
        scaleTargetRef,
      },
    });
    const { body } = await call('GET', `${path('v2')}/x`);
    expect(body.spec).toEqual({
      minReplicas: 1,
      maxReplicas: 3,
      scaleTargetRef,
      metrics: [
        {
          type: 'Resource',
          resource: {
            name: 'cpu',
            target: { type: 'Utilization', averageUtilization: 70 },
          },
        },
      ],
    });
    const back = await call('GET', `${path('v1')}/x`);
    expect(back.body.spec).toMatchObject({
      targetCPUUtilizationPercentage: 70,
    });
  });

  it('serves the newer versions of cron jobs and budgets', async () => {
    const { call } = await start();
    const template = {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'a', image: 'a:1' }],
      },
    };
    const cron = await call(
      'POST',
      '/apis/batch/v1/namespaces/default/cronjobs',
      {
        metadata: { name: 'c' },
        spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } },
      },
    );
    expect(cron.body.spec).toMatchObject({
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    const budget = await call('POST', budgets, {
      metadata: { name: 'b' },
      spec: { maxUnavailable: '50%' },
    });
    expect(budget.body).toMatchObject({
      apiVersion: 'policy/v1',
      spec: { maxUnavailable: '50%' },
    });
  });

  it('runs its middleware before everything else', async () => {
    const { call } = await start({
      middleware: [
        (_request, response) => {
          response.status(503).end();
        },
      ],
    });
    expect((await call('GET', MAPS)).status).toBe(503);
  });

  it('ends watches when it is closed', async () => {
    const sandbox: KubernetesSandbox = createKubernetesSandbox();
    const { url, close } = await sandbox.listen();
    const response = await fetch(`${url}${MAPS}?watch=1`, {
      headers: { Authorization: 'Bearer sandbox-admin' },
    });
    const ended = response.text().catch(() => 'ended');
    await close();
    expect(['', 'ended']).toContain(await ended);
  });

  it('writes a kubeconfig that client libraries take', async () => {
    const { sandbox, url } = await start();
    expect(sandbox.kubeconfig(url)).toMatchObject({
      'current-context': 'sandbox',
      clusters: [
        { cluster: { server: url, 'insecure-skip-tls-verify': true } },
      ],
      users: [{ user: { token: 'sandbox-admin' } }],
    });
  });
});
