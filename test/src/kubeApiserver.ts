// Starts a real kube-apiserver with its etcd on free loopback ports, from the folder that KUBEBUILDER_ASSETS names.
import { ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import {
  access,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A running API server; whoever started it must stop it. */
export interface KubeApiserver {
  /** For example `https://127.0.0.1:41234`. */
  url: string;
  /** The certificate that the server shows, PEM. */
  ca: string;
  /** A bearer token with all rights. */
  token: string;
  /** A bearer token of a user `reader` without any rights of its own. */
  readerToken: string;
  /** Makes etcd forget all but its present state. */
  compact(): Promise<void>;
  /** Ends the API server, and starts it again with the same data at the same address. */
  restart(): Promise<void>;
  /** Ends both processes and removes their data. */
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;

/**
 * Starts etcd and kube-apiserver with fresh data.
 *
 * @param assets - the folder that holds the programs `etcd` and `kube-apiserver`
 * @param flags - further arguments for kube-apiserver
 * @throws Error where one is missing, dies, or is not ready within a minute; the message holds the end of its log
 */
export async function startKubeApiserver(
  assets: string,
  flags: string[] = [],
): Promise<KubeApiserver> {
  for (const program of ['etcd', 'kube-apiserver']) {
    await access(join(assets, program)).catch(() => {
      throw new Error(
        `KUBEBUILDER_ASSETS names ${assets}, which has no program ${program}. Name a folder that holds etcd and kube-apiserver.`,
      );
    });
  }
  const folder = await mkdtemp(join(tmpdir(), 'kube-apiserver-'));
  let etcd: Program | undefined;
  let apiserver: Program | undefined;
  const stop = async () => {
    await Promise.all([apiserver?.stop(), etcd?.stop()]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [port, etcdPort, peerPort] = await freePorts(3);
    const token = randomBytes(24).toString('hex');
    const readerToken = randomBytes(24).toString('hex');
    const etcdUrl = `http://127.0.0.1:${etcdPort}`;
    await writeKeys(folder, [
      `${token},admin,admin,"system:masters"`,
      `${readerToken},reader,reader`,
    ]);
    etcd = run(
      folder,
      join(assets, 'etcd'),
      etcdArguments(folder, etcdUrl, peerPort),
    );
    const url = `https://127.0.0.1:${port}`;
    const start = async (programs: Program[]) => {
      apiserver = run(folder, join(assets, 'kube-apiserver'), [
        ...apiserverArguments(folder, etcdUrl, port),
        ...flags,
      ]);
      return ready(folder, { url, token }, [...programs, apiserver]);
    };
    const store = etcd;
    return {
      url,
      ca: await start([store]),
      token,
      readerToken,
      compact: () => compactEtcd(etcdUrl),
      async restart() {
        await apiserver?.stop();
        await start([store]);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function etcdArguments(folder: string, url: string, peerPort: number) {
  const peer = `http://127.0.0.1:${peerPort}`;
  return [
    '--name=test',
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=test=${peer}`,
    '--unsafe-no-fsync',
  ];
}

function apiserverArguments(folder: string, etcdUrl: string, port: number) {
  return [
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    '--endpoint-reconciler-type=none',
    // Without a certificate given it makes one for itself here.
    `--cert-dir=${join(folder, 'certificates')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(folder, 'accounts.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'accounts.key')}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--allow-privileged=true',
    // Its controller does not run, so pods would wait for an account for ever.
    '--disable-admission-plugins=ServiceAccount',
  ];
}

/** Through its JSON gateway. */
async function compactEtcd(url: string): Promise<void> {
  const ask = async (path: string, body: object) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) {
      throw new Error(`etcd answered ${answer.status} to ${path}: ${text}`);
    }
    return JSON.parse(text);
  };
  const range = await ask('/v3/kv/range', { key: 'AA==' });
  await ask('/v3/kv/compaction', {
    revision: range.header.revision,
    physical: true,
  });
}

async function writeKeys(folder: string, tokens: string[]): Promise<void> {
  await mkdir(join(folder, 'certificates'));
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const secret = { mode: 0o600 };
  await writeFile(join(folder, 'accounts.key'), privateKey, secret);
  await writeFile(join(folder, 'accounts.pub'), publicKey);
  await writeFile(join(folder, 'tokens.csv'), tokens.join('\n'), secret);
}

interface Program {
  name: string;
  /** How it ended, or undefined while it runs. */
  ended(): string | undefined;
  stop(): Promise<void>;
}

function run(folder: string, path: string, args: string[]): Program {
  const name = path.split('/').pop() ?? path;
  const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(join(folder, `${name}.log`));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  let end: string | undefined;
  const exited = new Promise<void>(resolve => {
    child.once('error', error => {
      end = error.message;
      resolve();
    });
    child.once('exit', (code, signal) => {
      end ??= `it ended with ${signal ?? code}`;
      resolve();
    });
  });
  // A test run that is cut off must not leave servers behind.
  const onExit = () => child.kill('SIGKILL');
  process.once('exit', onExit);
  return {
    name,
    ended: () => end,
    stop: async () => {
      process.off('exit', onExit);
      await stopChild(child, exited);
      log.end();
    },
  };
}

async function stopChild(
  child: ChildProcess,
  exited: Promise<void>,
): Promise<void> {
  child.kill('SIGTERM');
  const patience = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await exited;
  clearTimeout(patience);
}

/** Waits until the server says that it is ready; returns the certificate that it made for itself. */
async function ready(
  folder: string,
  { url, token }: { url: string; token: string },
  programs: Program[],
): Promise<string> {
  // the namespace that tests write to is made by a hook that readiness does not wait for
  const isUp = async (ca: string) =>
    (await answersOk(`${url}/readyz`, ca, token)) &&
    answersOk(`${url}/api/v1/namespaces/default`, ca, token);
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const dead = programs.find(program => program.ended() !== undefined);
    if (dead) {
      const log = await readFile(join(folder, `${dead.name}.log`), 'utf8');
      throw new Error(
        `${dead.name} did not start: ${dead.ended()}\n${log.slice(-2000)}`,
      );
    }
    const ca = await readFile(
      join(folder, 'certificates', 'apiserver.crt'),
      'utf8',
    ).catch(() => undefined);
    if (ca !== undefined && (await isUp(ca))) {
      return ca;
    }
    if (Date.now() > deadline) {
      throw new Error('kube-apiserver was not ready within a minute');
    }
    await pause(100);
  }
}

function answersOk(url: string, ca: string, token: string): Promise<boolean> {
  const headers = { Authorization: `Bearer ${token}` };
  return new Promise(resolve => {
    get(url, { ca, headers }, response => {
      response.resume();
      resolve(response.statusCode === 200);
    }).once('error', () => resolve(false));
  });
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      server =>
        new Promise<number>((resolve, reject) => {
          server.once('error', reject);
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(
    servers.map(server => new Promise(resolve => server.close(resolve))),
  );
  return ports;
}
