// Starts frontend and backend with the configuration that the options ask for, and says when they are ready.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { say, seconds } from '../launch/progress.mjs';
import { paths } from '../project.mjs';
import { bin, exitOf } from '../tasks/command.mjs';
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

async function tellWhenReady(layout, started, stopped) {
  const { portalUrl, readinessUrl } = layout;
  const ready = await Promise.all(
    [readinessUrl, portalUrl].map(url => untilReady(url, stopped)),
  );
  if (ready.includes(false)) return;
  const took = seconds(Date.now() - started);
  say(`Portal ready: ${portalUrl} (after ${took}). Stop it with Ctrl-C.`);
}

/** Runs frontend and backend until they end, and resolves to their exit code. */
export async function startPortal(layout, options, stopped) {
  const started = Date.now();
  say('Starting the portal (usually 20 to 40 s)');
  mkdirSync(layout.dataDir, { recursive: true });
  const child = spawn(
    bin('backstage-cli'),
    [
      ...['repo', 'start'],
      ...configFiles(options).flatMap(file => ['--config', file]),
    ],
    {
      cwd: paths.root,
      env: {
        ...process.env,
        NODE_ENV: 'development',
        BROWSER: 'none',
        PORTAL_DATA: layout.dataDir,
      },
      // The CLI restarts the backend on any input.
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const ended = new AbortController();
  const until = AbortSignal.any([stopped, ended.signal]);
  const told = tellWhenReady(layout, started, until);
  const code = await exitOf(child);
  ended.abort();
  await told;
  return code;
}
