/* What becomes of a failing API server: never an absence, always one of the classes that the loop knows. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createFaults,
  createKubernetesSandbox,
  type FaultOrder,
} from '@plumbline/drift-sandbox';
import { type Gvk, parseKind } from '../gvk';
import { openGate, testContext } from '../__testUtils__/context';
import { type ClusterAccess, kubeconfigAccess, staticAccess } from './access';
import { Cluster } from './cluster';

const signal = new AbortController().signal;
const options = { signal, priority: 'pass' } as const;
const CONFIG_MAP = parseKind('v1/ConfigMap') as Gvk;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('a cluster that fails', () => {
  const faults = createFaults();
  const sandbox = createKubernetesSandbox({
    middleware: [faults.middleware],
    historyLimit: 5,
  });
  let url: string;
  let close: () => Promise<void>;
  let cluster: Cluster;

  const accessTo = (address: string): ClusterAccess =>
    staticAccess(
      { name: 'test', title: 'Test', requestsPerMinute: 1000 },
      { url: address, serviceAccountToken: 'sandbox-admin' },
    );

  beforeAll(async () => {
    ({ url, close } = await sandbox.listen());
  });

  beforeEach(() => {
    cluster = new Cluster(accessTo(url), testContext());
  });

  afterEach(() => faults.clear());
  afterAll(async () => close());

  const get = (name: string) =>
    cluster.objects.get(
      { gvk: CONFIG_MAP, namespace: 'default', name },
      options,
    );

  async function list(): Promise<string[]> {
    const names: string[] = [];
    for await (const page of cluster.objects.list(CONFIG_MAP, options)) {
      names.push(...page.map(item => JSON.stringify(item.metadata)));
    }
    return names;
  }

  async function create(name: string): Promise<void> {
    await cluster.connection.send({
      method: 'POST',
      path: CONFIG_MAPS,
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
      ...options,
    });
  }

  it('takes only the word of the server itself for an absence', async () => {
    expect(await get('absent')).toBeUndefined();
    faults.add({ kind: 'status', status: 404, path: CONFIG_MAPS.concat('/*') });
    await expect(get('absent')).rejects.toMatchObject({
      classification: 'transient',
    });
  });

  it.each<[string, FaultOrder, object]>([
    [
      'a server error',
      { kind: 'status', status: 500 },
      { classification: 'transient', status: 500 },
    ],
    [
      'an overloaded proxy',
      { kind: 'status', status: 503, retryAfter: 7 },
      { classification: 'transient', retryAfterMs: 7000 },
    ],
    [
      'throttling',
      { kind: 'throttle', retryAfter: 3 },
      { classification: 'throttled', retryAfterMs: 3000 },
    ],
    [
      'throttling without a time',
      { kind: 'throttle' },
      { classification: 'throttled', retryAfterMs: 1000 },
    ],
    [
      'a cut connection',
      { kind: 'drop' },
      { classification: 'transient', mayHaveTakenEffect: false },
    ],
    [
      'half an answer',
      { kind: 'truncate', how: 'broken' },
      { classification: 'transient' },
    ],
    [
      'an answer cut off',
      { kind: 'truncate', how: 'cut' },
      { classification: 'transient' },
    ],
    [
      'a refusal',
      { kind: 'status', status: 403 },
      { classification: 'denied' },
    ],
    [
      'a wrong token',
      { kind: 'status', status: 401 },
      { classification: 'denied' },
    ],
  ])(
    '%s is neither an absence nor an empty list',
    async (_what, fault, expected) => {
      await create(`seen-${Math.random().toString(36).slice(2)}`);
      await list();
      faults.add({ ...fault, path: '/api/v1/*' });
      await expect(list()).rejects.toMatchObject(expected);
      await expect(get('absent')).rejects.toMatchObject(expected);
      faults.clear();
      faults.add(fault);
      const fresh = new Cluster(accessTo(url), testContext());
      await expect(
        fresh.objects.get(
          { gvk: CONFIG_MAP, namespace: 'default', name: 'x' },
          options,
        ),
      ).rejects.toMatchObject(expected);
    },
  );

  it('says that a write may have taken effect where its answer got lost', async () => {
    faults.add({ kind: 'drop', when: 'after', method: 'POST' });
    await expect(create('lost')).rejects.toMatchObject({
      classification: 'transient',
      mayHaveTakenEffect: true,
    });
    expect(await get('lost')).toBeDefined();
  });

  it('an address where nobody listens is unreachable, and nothing has happened', async () => {
    const gone = await createKubernetesSandbox().listen();
    await gone.close();
    const nobody = new Cluster(accessTo(gone.url), testContext());
    await expect(
      nobody.connection.send({
        method: 'POST',
        path: CONFIG_MAPS,
        body: {},
        ...options,
      }),
    ).rejects.toMatchObject({
      classification: 'transient',
      mayHaveTakenEffect: false,
      message: expect.stringContaining('the connection was refused'),
    });
  });

  it('gives up in the time that it is given', async () => {
    faults.add({ kind: 'latency', ms: 60_000, times: 1 });
    await expect(
      cluster.connection.get(CONFIG_MAPS, { ...options, timeout: 50 }),
    ).rejects.toMatchObject({
      classification: 'transient',
      message: expect.stringContaining('no answer in time'),
    });
  });

  it('ends with its caller', async () => {
    const caller = new AbortController();
    faults.add({ kind: 'latency', ms: 60_000, times: 1 });
    const read = cluster.connection.get(CONFIG_MAPS, {
      signal: caller.signal,
      priority: 'pass',
    });
    caller.abort(new Error('no longer wanted'));
    await expect(read).rejects.toThrow('no longer wanted');
  });

  it('says nothing about a group whose discovery fails', async () => {
    const gvk = parseKind('apps/v1/Deployment') as Gvk;
    faults.add({ kind: 'status', status: 404, path: '/apis/apps/v1' });
    await expect(cluster.discovery.find(gvk, options)).rejects.toMatchObject({
      classification: 'transient',
    });
    faults.clear();
    expect(await cluster.discovery.find(gvk, options)).toEqual({
      plural: 'deployments',
      namespaced: true,
    });
    expect(
      await cluster.discovery.find(
        parseKind('no.example/v1/Thing') as Gvk,
        options,
      ),
    ).toBeUndefined();
  });

  it('starts a list over where its cursor expires half way', async () => {
    const requests: string[] = [];
    const gate = {
      ...openGate,
      run: async <T>(_options: object, request: () => Promise<T>) => {
        const answer = await request();
        requests.push('request');
        if (requests.length === 3) {
          // After discovery and the first page: more changes than the history holds.
          for (let index = 0; index < 10; index++) {
            await create(`change-${index}`);
          }
        }
        return answer;
      },
    };
    for (let batch = 0; batch < 60; batch++) {
      await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          create(`page-${batch * 10 + index}`),
        ),
      );
    }
    const paged = new Cluster(accessTo(url), {
      ...testContext(),
      gate: () => gate,
    });
    requests.push('counts from here');
    const names = new Set<string>();
    for await (const page of paged.objects.list(CONFIG_MAP, options)) {
      page.forEach(item => names.add(JSON.stringify(item.metadata)));
    }
    expect(requests.length).toBeGreaterThan(4);
    expect([...names].filter(name => name.includes('page-'))).toHaveLength(600);
    expect([...names].some(name => name.includes('change-9'))).toBe(true);
  });

  describe('with a kubeconfig', () => {
    let folder: string;
    let file: string;

    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'kubeconfig-'));
      file = path.join(folder, 'config');
    });

    afterAll(async () => rm(folder, { recursive: true, force: true }));

    const cluster2 = (context?: string) =>
      new Cluster(
        kubeconfigAccess(
          { name: 'filed', title: 'Filed', requestsPerMinute: 1000 },
          file,
          context,
        ),
        testContext(),
      );

    it('reads it again whenever it changes', async () => {
      const filed = cluster2();
      const version = () => filed.connection.get('/api/v1', options);
      await expect(version()).rejects.toMatchObject({
        classification: 'denied',
        message: expect.stringContaining(
          'the kubeconfig of cluster filed cannot be read',
        ),
      });
      await writeFile(file, 'token: {hunter2');
      await expect(version()).rejects.toMatchObject({
        message: expect.not.stringContaining('hunter2'),
      });
      const config = sandbox.kubeconfig(url);
      await writeFile(file, JSON.stringify({ ...config, users: [] }));
      await expect(version()).rejects.toMatchObject({ status: 401 });
      await writeFile(file, JSON.stringify(config));
      expect((await version()).status).toBe(200);
      await expect(
        cluster2('nowhere').connection.get('/api/v1', options),
      ).rejects.toMatchObject({
        message: expect.stringContaining('has no context nowhere: use one of'),
      });
    });
  });
});
