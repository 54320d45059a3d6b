// Installs the dependencies when, and only when, what decides about them has changed since the last time.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { paths, readRootManifest } from '../project.mjs';
import { taskEnvironment } from './environment.mjs';
import { withLock } from './lock.mjs';
import { withProgress } from './progress.mjs';
import { yarnRegistryVariables } from './registry.mjs';
import { runLogged } from './run-logged.mjs';

const stampFile = path.join(paths.root, 'node_modules', '.plumbline-installed');

function workspaceManifests() {
  return readRootManifest().workspaces.flatMap(pattern => {
    const folders = pattern.endsWith('/*')
      ? readdirSync(path.join(paths.root, pattern.slice(0, -2)), {
          withFileTypes: true,
        })
          .filter(entry => entry.isDirectory())
          .map(entry => path.join(pattern.slice(0, -2), entry.name))
      : [pattern];
    return folders
      .map(folder => path.join(folder, 'package.json'))
      .filter(file => existsSync(path.join(paths.root, file)));
  });
}

/** What an installation depends on: the lock file, Yarn's settings, every package.json, and the tools themselves. */
function fingerprint(tools) {
  const hash = createHash('sha256');
  hash.update(`${tools.nodeVersion} ${tools.yarnVersion} ${process.arch}\n`);
  const files = ['yarn.lock', '.yarnrc.yml', 'package.json'];
  for (const file of [...files, ...workspaceManifests().sort()]) {
    hash.update(`${file}\n`);
    hash.update(readFileSync(path.join(paths.root, file)));
  }
  return hash.digest('hex');
}

function isInstalled(tools) {
  return (
    existsSync(stampFile) &&
    readFileSync(stampFile, 'utf8') === fingerprint(tools)
  );
}

async function install(tools, tell) {
  await runLogged(tools.node, [tools.yarn, 'install', '--immutable'], {
    cwd: paths.root,
    env: { ...taskEnvironment(tools), ...yarnRegistryVariables(tools) },
    log: path.join(paths.tools, 'install.log'),
    failure:
      'The dependencies could not be installed. Where a package.json was changed, run .tools/bin/yarn install once and commit yarn.lock with it',
    onLine: line => {
      const step = /┌ (.+ step)/.exec(line)?.[1];
      if (step) tell(step.toLowerCase());
    },
  });
}

/**
 * Installs the dependencies with the versions of yarn.lock, unless they are there already.
 *
 * `DRIFT_SKIP_INSTALL=1` leaves node_modules as it is, for those who manage it themselves.
 */
export async function installDependencies(tools) {
  if (process.env.DRIFT_SKIP_INSTALL === '1' || isInstalled(tools)) return;
  await withLock(
    path.join(paths.tools, 'install.lock'),
    'installing the dependencies',
    async () => {
      if (isInstalled(tools)) return; // the run that we waited for installed them
      const title = existsSync(stampFile)
        ? 'Updating the dependencies (usually under a minute)'
        : 'Installing the dependencies (once; usually 2 to 4 minutes, about 2 GB)';
      await withProgress(title, tell => install(tools, tell));
      writeFileSync(stampFile, fingerprint(tools));
    },
  );
}
