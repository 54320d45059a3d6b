// Starts both stand-ins on fixed ports, with their state in files and the demonstration shop in them.
import { rmSync, writeFileSync } from 'node:fs';
import { RequestHandler, Router } from 'express';
import { createFaults, Faults } from '../faults';
import {
  createKonnectSandbox,
  KonnectSandbox,
  KonnectSnapshot,
} from '../konnect';
import {
  createKubernetesSandbox,
  KubernetesSandbox,
  StoreSnapshot,
} from '../kubernetes';
import {
  CATALOG_FILE,
  DEFAULT_PORTS,
  filesOf,
  prepareDataDir,
  readManifests,
  TOKENS,
} from './layout';
import { SeededState, seededState } from './seeded';
import { createStateFile } from './stateFile';

/** How the sandbox is started. */
export interface SandboxOptions {
  /** Holds the state, the kubeconfig and the manifests; created where it is not there. */
  dataDir: string;
  /** 0 takes a free one. @defaultValue 7651 for Konnect, 7652 for Kubernetes */
  ports?: { konnect?: number; kubernetes?: number };
  /** One line at a time. @defaultValue nothing is said */
  log?: (line: string) => void;
  /** Seed without drifts, where the data folder is new. */
  clean?: boolean;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** A sandbox that runs. */
export interface Sandbox {
  konnect: {
    url: string;
    token: string;
    sandbox: KonnectSandbox;
    faults: Faults;
  };
  kubernetes: {
    url: string;
    token: string;
    /** Path of a kubeconfig with the same token. */
    kubeconfig: string;
    sandbox: KubernetesSandbox;
    faults: Faults;
  };
  /** The folder with the manifests that declare what should run in the cluster. They may be edited. */
  manifestsDir: string;
  /** A catalog location with everything in it. */
  catalogFile: string;
  /** Puts everything back to the seed. Connections to the cluster are cut, as in an API server's restart. */
  reset(options?: { clean?: boolean }): Promise<void>;
  /** Saves the state and ends all connections. A second call does nothing. */
  close(): Promise<void>;
}

/** Where the running servers are, for the command line. */
export interface Endpoints {
  konnect: string;
  kubernetes: string;
}

interface Listening {
  url: string;
  close(): Promise<void>;
}

type Reset = (options: { clean?: boolean }) => Promise<void>;

const notYet: Reset = async () => {
  throw new Error('The sandbox is still starting');
};

/**
 * Starts the sandbox. Its state is in `dataDir` when it starts again; a new folder is seeded.
 *
 * @throws Error when a port is taken, or a state file cannot be read
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { dataDir, ports = {}, log = () => {}, now = Date.now } = options;
  prepareDataDir(dataDir);
  const files = filesOf(dataDir);
  const handlers = { reset: notYet };
  const konnectFaults = createFaults();
  const kubernetesFaults = createFaults();

  const konnectState = createStateFile<KonnectSnapshot>(files.konnectState);
  const konnect = createKonnectSandbox({
    now,
    tokens: [
      { token: TOKENS.konnect.portal, principal: 'portal' },
      { token: TOKENS.konnect.console, principal: 'console' },
      { token: TOKENS.konnect.readonly, principal: 'readonly', readOnly: true },
    ],
    middleware: [
      resetRouter(resetOptions => handlers.reset(resetOptions)),
      konnectFaults.middleware,
      konnectState.middleware,
    ],
  });
  const kubernetesState = createStateFile<StoreSnapshot>(files.kubernetesState);
  const kubernetes = createKubernetesSandbox({
    now: () => new Date(now()),
    tokens: {
      [TOKENS.kubernetes.portal]: { user: 'portal', access: 'admin' },
      [TOKENS.kubernetes.console]: { user: 'console', access: 'admin' },
      [TOKENS.kubernetes.readonly]: { user: 'readonly', access: 'read-only' },
    },
    middleware: [kubernetesFaults.middleware, kubernetesState.middleware],
  });

  konnectState.keep(() => konnect.store.snapshot());
  kubernetesState.keep(() => kubernetes.snapshot());

  const seeds = new Map<string, SeededState>();
  async function seed(clean = false): Promise<void> {
    const manifests = readManifests(files.manifests);
    const key = JSON.stringify([clean, manifests]);
    const state =
      seeds.get(key) ??
      (await seededState({
        manifests,
        konnectToken: TOKENS.konnect.portal,
        now,
        clean,
      }));
    seeds.set(key, state);
    konnect.store.restore(state.konnect);
    // Versions go on from where they were: what a client remembers is expired, never from the future.
    const version =
      Math.max(state.kubernetes.version, kubernetes.store.version) + 1;
    kubernetes.restore({ ...state.kubernetes, version });
    konnectState.save();
    kubernetesState.save();
  }

  const savedKonnect = konnectState.load();
  const savedKubernetes = kubernetesState.load();
  if (savedKonnect && savedKubernetes) {
    konnect.store.restore(savedKonnect);
    kubernetes.restore(savedKubernetes);
  } else {
    await seed(options.clean);
    log('The sandbox has been seeded with the demonstration shop.');
  }

  const konnectServer = await listen(
    konnect,
    ports.konnect ?? DEFAULT_PORTS.konnect,
    'Konnect',
  );
  let kubernetesServer: Listening;
  try {
    kubernetesServer = await listen(
      kubernetes,
      ports.kubernetes ?? DEFAULT_PORTS.kubernetes,
      'Kubernetes',
    );
  } catch (error) {
    await konnectServer.close();
    throw error;
  }
  const { url: kubernetesUrl } = kubernetesServer;
  const endpoints: Endpoints = {
    konnect: konnectServer.url,
    kubernetes: kubernetesUrl,
  };
  writeFileSync(files.endpoints, JSON.stringify(endpoints, null, 2));
  const kubeconfig = kubernetes.kubeconfig(
    kubernetesUrl,
    TOKENS.kubernetes.portal,
  );
  // JSON is YAML.
  writeFileSync(files.kubeconfig, JSON.stringify(kubeconfig, null, 2));
  log(
    `Konnect stand-in:    ${endpoints.konnect} (token ${TOKENS.konnect.portal})`,
  );
  log(
    `Kubernetes stand-in: ${endpoints.kubernetes} (kubeconfig ${files.kubeconfig})`,
  );

  const reset = async (resetOptions: { clean?: boolean } = {}) => {
    // A restored store has nothing to tell to watches that are open.
    await kubernetesServer.close();
    konnectFaults.clear();
    kubernetesFaults.clear();
    rmSync(files.manifests, { recursive: true, force: true });
    prepareDataDir(dataDir);
    await seed(resetOptions.clean);
    konnect.requests.reset();
    kubernetes.requests.reset();
    kubernetesServer = await kubernetes.listen(
      Number(new URL(kubernetesUrl).port),
    );
    log('The sandbox is as it was at first.');
  };
  handlers.reset = reset;
  let closed = false;

  return {
    konnect: {
      url: endpoints.konnect,
      token: TOKENS.konnect.portal,
      sandbox: konnect,
      faults: konnectFaults,
    },
    kubernetes: {
      url: kubernetesUrl,
      token: TOKENS.kubernetes.portal,
      kubeconfig: files.kubeconfig,
      sandbox: kubernetes,
      faults: kubernetesFaults,
    },
    manifestsDir: files.manifests,
    catalogFile: CATALOG_FILE,
    reset,
    async close() {
      if (closed) return;
      closed = true;
      await Promise.all([konnectServer.close(), kubernetesServer.close()]);
      konnectState.close();
      kubernetesState.close();
      rmSync(files.endpoints, { force: true });
    },
  };
}

async function listen(
  server: { listen(port: number): Promise<Listening> },
  port: number,
  name: string,
): Promise<Listening> {
  try {
    return await server.listen(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(
      `Port ${port} for the ${name} stand-in is taken, perhaps by another sandbox: stop that one or choose another port`,
    );
  }
}

function resetRouter(reset: Reset): RequestHandler {
  const router = Router();
  router.post('/sandbox/reset', (request, response, next) => {
    reset({ clean: request.query.clean === 'true' })
      .then(() => response.status(204).end())
      .catch(next);
  });
  return router;
}
