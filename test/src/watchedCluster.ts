/** A drift backend that watches ConfigMaps of a cluster, declared by a manifest, and the hands of those who edit them. */
import { driftModuleKubernetes } from '@plumbline/backstage-plugin-drift-backend-module-kubernetes';
import type { ApiResourceDetail } from '@plumbline/backstage-plugin-drift-common';
import { createKubernetesSandbox } from '@plumbline/drift-sandbox';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '../contract/kubernetes/client';
import { startDriftBackend, waitFor, type DriftBackend } from './driftBackend';
import { startKubeApiserver } from './kubeApiserver';
import { startRelay, type Relay } from './relay';

/** An API server that can be restarted and made to forget its history. */
export interface TestCluster {
  url: string;
  token: string;
  /** PEM; absent over plain HTTP. */
  ca?: string;
  /** Ends it, and starts it again with the same data at the same address. */
  restart(): Promise<void>;
  /** Makes it forget all but its present state. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}

/** A cluster that a test may use, where it is at hand. */
export interface ClusterCandidate {
  name: string;
  present: boolean;
  /** It keeps recent events itself, beside its store. */
  answersFromMemory: boolean;
  start(): Promise<TestCluster>;
}

const assets = process.env.KUBEBUILDER_ASSETS;

export const clusterCandidates: ClusterCandidate[] = [
  {
    name: 'the sandbox',
    present: true,
    answersFromMemory: false,
    start: startSandboxCluster,
  },
  {
    name: 'a real API server',
    present: Boolean(assets),
    answersFromMemory: true,
    start: () => startKubeApiserver(assets ?? ''),
  },
  {
    // Then each watch is etcd's own.
    name: 'a real API server without a watch cache',
    present: Boolean(assets),
    answersFromMemory: false,
    start: () => startKubeApiserver(assets ?? '', ['--watch-cache=false']),
  },
];

async function startSandboxCluster(): Promise<TestCluster> {
  const token = 'editor';
  const sandbox = createKubernetesSandbox({
    tokens: { [token]: { user: 'editor', access: 'admin' } },
  });
  let running = await sandbox.listen();
  const { url } = running;
  return {
    url,
    token,
    async restart() {
      await running.close();
      running = await sandbox.listen(Number(new URL(url).port));
    },
    compact: async () => sandbox.store.compact(),
    stop: () => running.close(),
  };
}

export interface WatchedCluster {
  backend: DriftBackend;
  /** Goes to the cluster directly. */
  editor: Client;
  cluster: TestCluster;
  /** What the backend reaches the cluster through. */
  relay: Relay;
  names: string[];
  /** Path of a ConfigMap, or of all of them. */
  pathOf(name?: string): string;
  /** Gives a ConfigMap's field another value. */
  edit(name: string, value: string): Promise<void>;
  /** The resource as the API shows it now. */
  look(name: string): Promise<ApiResourceDetail>;
  /** Waits until the API shows that value as the live one. */
  untilShown(name: string, value: string): Promise<ApiResourceDetail>;
  stop(): Promise<void>;
}

const NAMESPACE = 'watched';
const KIND = 'v1/ConfigMap';

/** Whether the API shows `value` as the live one. */
export function shows(resource: ApiResourceDetail, value: string): boolean {
  return resource.changes.some(
    change => change.path === '/data/value' && change.live === value,
  );
}

/** Starts the backend, in mode `observe` and with the next sweep an hour away, and waits until its watch is at work. */
export async function startWatchedCluster(
  candidate: ClusterCandidate,
  names: string[],
): Promise<WatchedCluster> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const one of stops.reverse()) await one();
  };
  try {
    const cluster = await candidate.start();
    stops.push(cluster.stop);
    const editor = new Client(cluster);
    const pathOf = (name?: string) =>
      [
        `/api/v1/namespaces/${NAMESPACE}/configmaps`,
        ...(name ? [name] : []),
      ].join('/');
    const folder = await mkdtemp(join(tmpdir(), 'watched-'));
    stops.push(() => rm(folder, { recursive: true, force: true }));
    await declare(editor, folder, pathOf, names);

    const url = new URL(cluster.url);
    const relay = await startRelay(Number(url.port));
    stops.push(relay.stop);
    url.port = `${relay.port}`;
    const backend = await startDriftBackend({
      modules: [driftModuleKubernetes],
      drift: {
        resync: '1h',
        maxStaleness: '2h',
        defaults: { mode: 'observe' },
        kubernetes: {
          useKubernetesPlugin: false,
          clusters: [
            {
              name: 'watched',
              url: url.origin,
              serviceAccountToken: cluster.token,
              requestsPerMinute: 100_000,
              ...(cluster.ca && {
                caData: Buffer.from(cluster.ca).toString('base64'),
              }),
            },
          ],
          kinds: [KIND],
          manifests: [{ cluster: 'watched', type: 'file', target: folder }],
        },
      },
    });
    stops.push(backend.stop);

    const ids = new Map<string, string>();
    for (const name of names) {
      const { id } = await backend.until(
        KIND,
        name,
        ({ verdict }) => verdict === 'InSync',
      );
      ids.set(name, id);
    }
    const watched: WatchedCluster = {
      backend,
      editor,
      cluster,
      relay,
      names,
      pathOf,
      async edit(name, value) {
        const answer = await editor.patch('merge', pathOf(name), {
          data: { value },
        });
        if (answer.status !== 200) {
          throw new Error(`The edit was answered ${answer.status}`);
        }
      },
      look: name => backend.client.getResource(ids.get(name) ?? ''),
      untilShown: (name, value) =>
        waitFor(
          () => watched.look(name),
          resource => shows(resource, value),
          resource =>
            `${name} is ${resource?.verdict}: ${JSON.stringify(
              resource?.changes,
            )}`,
        ),
      stop,
    };
    await untilWatching(watched);
    return watched;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function declare(
  editor: Client,
  folder: string,
  pathOf: (name?: string) => string,
  names: string[],
): Promise<void> {
  const ensure = async (path: string, body: object) => {
    const { status } = await editor.post(path, body);
    if (status !== 201) throw new Error(`POST ${path} answered ${status}`);
  };
  await ensure('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE },
  });
  for (const name of names) {
    const manifest = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: NAMESPACE },
      data: { value: 'declared' },
    };
    await ensure(pathOf(), manifest);
    // JSON is YAML.
    await writeFile(join(folder, `${name}.yaml`), JSON.stringify(manifest));
  }
}

/** The watch may have begun after the first edit; a later one is seen in any case. */
async function untilWatching(watched: WatchedCluster): Promise<void> {
  const [name] = watched.names;
  for (let round = 0; ; round += 1) {
    const value = `warm-up ${round}`;
    await watched.edit(name, value);
    for (let looks = 0; looks < 20; looks += 1) {
      if (shows(await watched.look(name), value)) return;
      await pause(100);
    }
  }
}
