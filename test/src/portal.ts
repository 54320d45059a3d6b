/** The example portal as a newcomer starts it: the project's own start task, on free ports, with a data folder of its own. */
import { resolvePackagePath } from '@backstage/backend-plugin-api';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LAUNCHER = resolvePackagePath('@plumbline/toolchain', 'run.mjs');

export interface Portal {
  url: string;
  backendUrl: string;
  konnectUrl: string;
  kubernetesUrl: string;
  manifestsDir: string;
  /** Everything that the portal has printed. */
  log(): string;
  /** Ends it as Ctrl-C does, waits until it is gone and returns its exit code. */
  stop(): Promise<number | null>;
}

/** @throws Error with the end of its output where it does not become ready. */
export async function startPortal(): Promise<Portal> {
  const dataDir = await mkdtemp(join(tmpdir(), 'plumbline-portal-'));
  const [portal, backend, konnect, kubernetes] = await freePorts(4);
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: 'development',
    PORTAL_DATA: dataDir,
    SANDBOX_DATA_DIR: join(dataDir, 'sandbox'),
    PORTAL_PORT: String(portal),
    BACKEND_PORT: String(backend),
    SANDBOX_KONNECT_PORT: String(konnect),
    SANDBOX_KUBERNETES_PORT: String(kubernetes),
  };
  // Jest's own settings are not the portal's
  delete env.NODE_OPTIONS;
  delete env.JEST_WORKER_ID;
  const child = spawn(process.execPath, [LAUNCHER, 'start'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = new Promise<void>(done => child.once('exit', () => done()));
  const stop = async () => {
    if (child.exitCode === null) child.kill('SIGINT');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
    return child.exitCode;
  };
  try {
    await new Promise<void>((ready, failed) => {
      const read = (chunk: Buffer) => {
        output += chunk.toString('utf8');
        if (output.includes('Portal ready:')) ready();
      };
      child.stdout?.on('data', read);
      child.stderr?.on('data', read);
      child.once('error', failed);
      child.once('exit', code =>
        failed(new Error(`The portal ended with ${code}:\n${tail(output)}`)),
      );
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `http://localhost:${portal}`,
    backendUrl: `http://localhost:${backend}`,
    konnectUrl: `http://127.0.0.1:${konnect}`,
    kubernetesUrl: `http://127.0.0.1:${kubernetes}`,
    manifestsDir: join(dataDir, 'sandbox/manifests'),
    log: () => output,
    stop,
  };
}

function tail(text: string): string {
  return text.split('\n').slice(-40).join('\n');
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
      return server;
    }),
  );
  const ports = servers.map(s => (s.address() as AddressInfo).port);
  await Promise.all(
    servers.map(s => new Promise<void>(done => s.close(() => done()))),
  );
  return ports;
}
