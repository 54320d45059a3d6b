// The API servers that the contract is held against: the sandbox always, a real one where one is named.
import { readFileSync } from 'node:fs';
import { KubeConfig } from '@kubernetes/client-node';
import { createKubernetesSandbox } from '@plumbline/drift-sandbox';
import { startKubeApiserver } from '../../src/kubeApiserver';
import { Client, Endpoint } from './client';

/** One server under test. */
export interface Server {
  client: Client;
  kubeconfig: KubeConfig;
  /** The token of a user without rights to write, where the server has one. */
  readerToken?: string;
  /** Forgets the history of versions, where that can be ordered. */
  compact?: () => Promise<void>;
  /** The minor version of Kubernetes 1.x that the server says it is. */
  minor: number;
  stop(): Promise<void>;
}

/** A server that the contract may be held against. */
export interface Candidate {
  name: string;
  isSandbox: boolean;
  start(): Promise<Server>;
}

const sandbox: Candidate = {
  name: 'the sandbox',
  isSandbox: true,
  start: async () => {
    const stand = createKubernetesSandbox({
      tokens: {
        'contract-admin': { user: 'admin', access: 'admin' },
        'contract-reader': { user: 'reader', access: 'read-only' },
      },
      bookmarkInterval: 200,
    });
    const { url, close } = await stand.listen();
    return {
      ...(await connect({ url, token: 'contract-admin' })),
      readerToken: 'contract-reader',
      compact: async () => stand.store.compact(),
      stop: close,
    };
  },
};

const assets = process.env.KUBEBUILDER_ASSETS;
const kubeconfigFile = process.env.DRIFT_TEST_KUBECONFIG;

const named: Candidate = {
  name: 'the cluster that DRIFT_TEST_KUBECONFIG names',
  isSandbox: false,
  start: async () => {
    const kubeconfig = new KubeConfig();
    kubeconfig.loadFromFile(kubeconfigFile ?? '');
    return { ...(await connect(endpointOf(kubeconfig))), stop: async () => {} };
  },
};

const started: Candidate = {
  name: 'the kube-apiserver that KUBEBUILDER_ASSETS names',
  isSandbox: false,
  start: async () => {
    const real = await startKubeApiserver(assets ?? '');
    return {
      ...(await connect(real)),
      readerToken: real.readerToken,
      compact: real.compact,
      stop: real.stop,
    };
  },
};

/** The real server, where one is named. */
export const realServer: Candidate | undefined =
  (kubeconfigFile && named) || (assets && started) || undefined;

/** All servers that this run can reach. */
export const candidates: Candidate[] = realServer
  ? [sandbox, realServer]
  : [sandbox];

/** What is missing where no real server is named. */
export const REAL_SERVER =
  'a real API server (named by KUBEBUILDER_ASSETS or DRIFT_TEST_KUBECONFIG)';

async function connect(
  endpoint: Endpoint,
): Promise<Pick<Server, 'client' | 'kubeconfig' | 'minor'>> {
  const client = new Client(endpoint);
  const version = await client.get('/version');
  const kubeconfig = new KubeConfig();
  const { url, token, ca, cert, key } = endpoint;
  const encoded = (text: string | undefined) =>
    text === undefined ? undefined : Buffer.from(text).toString('base64');
  kubeconfig.loadFromOptions({
    clusters: [
      {
        name: 'contract',
        server: url,
        caData: encoded(ca),
        // The client refuses plain HTTP unless it is told that there is no certificate to look at.
        skipTLSVerify: url.startsWith('http:'),
      },
    ],
    users: [
      {
        name: 'contract',
        token,
        certData: encoded(cert),
        keyData: encoded(key),
      },
    ],
    contexts: [{ name: 'contract', cluster: 'contract', user: 'contract' }],
    currentContext: 'contract',
  });
  return { client, kubeconfig, minor: parseInt(version.body.minor, 10) };
}

function endpointOf(kubeconfig: KubeConfig): Endpoint {
  const cluster = kubeconfig.getCurrentCluster();
  const user = kubeconfig.getCurrentUser();
  if (!cluster || !user) {
    throw new Error(
      `DRIFT_TEST_KUBECONFIG names ${kubeconfigFile}, whose current context has no cluster or no user`,
    );
  }
  const text = (data: string | undefined, file: string | undefined) => {
    if (data) {
      return Buffer.from(data, 'base64').toString('utf8');
    }
    return file ? readFileSync(file, 'utf8') : undefined;
  };
  return {
    url: cluster.server,
    token: user.token,
    ca: text(cluster.caData, cluster.caFile),
    cert: text(user.certData, user.certFile),
    key: text(user.keyData, user.keyFile),
  };
}
