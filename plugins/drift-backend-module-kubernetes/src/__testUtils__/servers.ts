/* The API servers that tests run against: the sandbox always, a real one where it is at hand. */
import { createKubernetesSandbox } from '@plumbline/drift-sandbox';
import type { StaticAccess } from '../cluster/access';
import {
  hasKubeApiserver,
  READER_TOKEN,
  startKubeApiserver,
} from './kubeApiserver';

export interface TestServer {
  access: StaticAccess;
  /** A token whose user may discover, and nothing else. */
  readerToken: string;
  stop(): Promise<void>;
}

async function startSandbox(): Promise<TestServer> {
  const sandbox = createKubernetesSandbox({
    tokens: {
      'admin-token': { user: 'admin', access: 'admin' },
      [READER_TOKEN]: { user: 'reader', access: [] },
    },
  });
  const { url, close } = await sandbox.listen();
  return {
    access: { url, serviceAccountToken: 'admin-token' },
    readerToken: READER_TOKEN,
    stop: close,
  };
}

async function startReal(): Promise<TestServer> {
  const { url, caFile, token, stop } = await startKubeApiserver();
  return {
    access: { url, caFile, serviceAccountToken: token },
    readerToken: READER_TOKEN,
    stop,
  };
}

/** Runs the same tests against every server; those that are not at hand are skipped, and jest says so. */
export function describeOnServers(
  title: string,
  body: (start: () => Promise<TestServer>) => void,
): void {
  describe(`${title} (sandbox)`, () => {
    body(startSandbox);
  });
  const real = hasKubeApiserver ? describe : describe.skip;
  real(`${title} (real kube-apiserver of KUBEBUILDER_ASSETS)`, () => {
    body(startReal);
  });
}
