// Starts frontend and backend with the configuration that the options ask for, and says when they are ready.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { say, seconds } from '../launch/progress.mjs';
import { paths } from '../project.mjs';
import { bin, exitOf } from '../tasks/command.mjs';
import { PORTAL_URL, READINESS_URL } from './layout.mjs';
import { untilReady } from './ready.mjs';

const LOCAL = 'app-config.local.yaml';

/** The configuration files, the later ones laid over the earlier. */
function configFiles({ sandbox, config }) {
  return [
    'app-config.yaml',
    ...(sandbox ? ['app-config.sandbox.yaml'] : []),
    ...(process.env.POSTGRES_URL ? ['app-config.postgres.yaml'] : []),
    ...(existsSync(path.join(paths.root, LOCAL)) ? [LOCAL] : []),
  ]
    .map(file => path.join(paths.root, file))
    .concat(config.map(file => path.resolve(paths.root, file)));
}

async function tellWhenReady(started, stopped) {
  if (!(await untilReady([READINESS_URL, PORTAL_URL], stopped))) return;
  say(
    `Portal ready: ${PORTAL_URL} (after ${seconds(
      Date.now() - started,
    )}). Stop it with Ctrl-C.`,
  );
}

/** Runs frontend and backend until they end, and resolves to their exit code. */
export async function startPortal(options, stopped) {
  const started = Date.now();
  say('Starting the portal (usually 20 to 40 s)');
  mkdirSync(paths.data, { recursive: true });
  const child = spawn(
    bin('backstage-cli'),
    [
      ...['repo', 'start'],
      ...configFiles(options).flatMap(file => ['--config', file]),
    ],
    {
      cwd: paths.root,
      env: { ...process.env, BROWSER: 'none' },
      // The CLI restarts the backend on any input.
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const ended = new AbortController();
  const told = tellWhenReady(started, AbortSignal.any([stopped, ended.signal]));
  const code = await exitOf(child);
  ended.abort();
  await told;
  return code;
}
