/*
 * A real kube-apiserver for tests, where one is at hand: KUBEBUILDER_ASSETS names a folder with `etcd` and
 * `kube-apiserver` (the ecosystem's convention). Elsewhere the tests that need it say that they were left out.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface TestApiserver {
  url: string;
  caFile: string;
  token: string;
  stop(): Promise<void>;
}

/** A token whose user has no rights beyond everybody's. */
export const READER_TOKEN = 'reader-token';

const assets = process.env.KUBEBUILDER_ASSETS;

export const hasKubeApiserver =
  assets !== undefined && existsSync(path.join(assets, 'kube-apiserver'));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}

export async function startKubeApiserver(): Promise<TestApiserver> {
  if (!assets) {
    throw new Error('KUBEBUILDER_ASSETS is not set');
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'apiserver-'));
  const [port, etcdPort, peerPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const token = randomBytes(24).toString('hex');
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const at = (name: string) => path.join(folder, name);
  await writeFile(at('sa.pub'), publicKey);
  await writeFile(at('sa.key'), privateKey, { mode: 0o600 });
  await writeFile(
    at('tokens.csv'),
    `${token},admin,admin,"system:masters"\n${READER_TOKEN},reader,reader\n`,
  );
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const children: ChildProcess[] = [];
  const start = (program: string, args: string[]) => {
    const child = spawn(path.join(assets, program), args, {
      stdio: 'ignore',
    });
    children.push(child);
    return child;
  };
  // A test run that is cut off must not leave servers behind.
  const onExit = () => children.forEach(child => child.kill('SIGKILL'));
  process.once('exit', onExit);
  const stop = async () => {
    process.off('exit', onExit);
    await Promise.all(children.map(end));
    await rm(folder, { recursive: true, force: true });
  };
  start('etcd', [
    ...['--name', 't', '--data-dir', at('etcd'), '--unsafe-no-fsync'],
    ...['--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl],
    ...['--listen-peer-urls', peerUrl, '--initial-cluster', `t=${peerUrl}`],
    ...['--initial-advertise-peer-urls', peerUrl],
  ]);
  const server = start('kube-apiserver', [
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    '--insecure-port=0',
    '--endpoint-reconciler-type=none',
    `--cert-dir=${at('certs')}`,
    `--token-auth-file=${at('tokens.csv')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${at('sa.pub')}`,
    `--service-account-signing-key-file=${at('sa.key')}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--disable-admission-plugins=ServiceAccount',
  ]);
  const url = `https://127.0.0.1:${port}`;
  const caFile = at('certs/apiserver.crt');
  try {
    await untilReady({ url, caFile, token }, server);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, caFile, token, stop };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) {
    return;
  }
  const gone = new Promise(resolve => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

async function untilReady(
  server: Pick<TestApiserver, 'url' | 'caFile' | 'token'>,
  child: ChildProcess,
): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) {
      throw new Error(`kube-apiserver ended with exit code ${child.exitCode}`);
    }
    if (await isReady(server)) {
      return;
    }
    await sleep(200);
  }
  throw new Error('kube-apiserver is not ready after 60 s');
}

async function isReady(
  server: Pick<TestApiserver, 'url' | 'caFile' | 'token'>,
): Promise<boolean> {
  if (!existsSync(server.caFile)) {
    return false;
  }
  const ca = await readFile(server.caFile);
  // the namespace that tests write to is made by a hook that readiness does not wait for
  return (
    (await answersOk('/readyz', server, ca)) &&
    answersOk('/api/v1/namespaces/default', server, ca)
  );
}

function answersOk(
  where: string,
  server: Pick<TestApiserver, 'url' | 'token'>,
  ca: Buffer,
): Promise<boolean> {
  return new Promise(resolve => {
    const request = get(
      `${server.url}${where}`,
      { ca, headers: { Authorization: `Bearer ${server.token}` } },
      response => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    request.on('error', () => resolve(false));
  });
}
