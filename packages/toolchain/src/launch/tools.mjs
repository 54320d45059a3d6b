// Brings the pinned Node and Yarn from the npm registry into the project's own folder. Nothing else is touched.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { paths, pinnedVersions } from '../project.mjs';
import { cleanEnvironment } from './environment.mjs';
import { ToolchainError } from './errors.mjs';
import { withLock } from './lock.mjs';
import { withProgress } from './progress.mjs';
import { runLogged } from './run-logged.mjs';

const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

function thisPlatform() {
  const name = `${process.platform}-${process.arch}`;
  if (PLATFORMS.includes(name)) return name;
  const hint =
    process.platform === 'win32' ? ' On Windows, work inside WSL.' : '';
  throw new ToolchainError(
    `No Node for ${name}: the tasks run on ${PLATFORMS.join(', ')}.${hint}`,
  );
}

/** How to start npm: the one that runs this script, else the first on the PATH. */
export function npmCommand(env = process.env) {
  const running = env.npm_execpath;
  return running && /^npm-cli\.c?js$/.test(path.basename(running))
    ? [process.execPath, running]
    : ['npm'];
}

function layout(versions, platform) {
  const folder = path.join(
    paths.tools,
    `node-${versions.nodeVersion}-yarn-${versions.yarnVersion}`,
  );
  const modules = path.join(folder, 'node_modules');
  return {
    ...versions,
    folder,
    bin: path.join(folder, 'bin'),
    stamp: path.join(folder, 'complete'),
    node: path.join(modules, `node-${platform}`, 'bin', 'node'),
    yarn: path.join(modules, '@yarnpkg', 'cli-dist', 'bin', 'yarn.js'),
  };
}

function isComplete(tools) {
  return (
    existsSync(tools.stamp) &&
    readFileSync(tools.stamp, 'utf8') === tools.folder &&
    existsSync(tools.node)
  );
}

function writeShims(tools) {
  mkdirSync(tools.bin, { recursive: true });
  const node = path.join(tools.bin, 'node');
  rmSync(node, { force: true });
  symlinkSync(tools.node, node);
  const yarn = path.join(tools.bin, 'yarn');
  writeFileSync(yarn, `#!/bin/sh\nexec '${tools.node}' '${tools.yarn}' "$@"\n`);
  chmodSync(yarn, 0o755);
}

/** Makes `.tools/bin` the folder that people can put on their PATH. */
function linkForPeople(tools) {
  const link = path.join(paths.tools, 'bin');
  rmSync(link, { recursive: true, force: true });
  symlinkSync(path.basename(tools.folder) + path.sep + 'bin', link);
}

async function download(tools, platform) {
  rmSync(tools.folder, { recursive: true, force: true });
  mkdirSync(tools.folder, { recursive: true });
  const [command, ...prefixArgs] = npmCommand();
  await runLogged(
    command,
    [
      ...prefixArgs,
      'install',
      '--prefix',
      tools.folder,
      '--no-save',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      `node-${platform}@${tools.nodeVersion}`,
      `@yarnpkg/cli-dist@${tools.yarnVersion}`,
    ],
    {
      cwd: tools.folder,
      env: cleanEnvironment(),
      log: path.join(paths.tools, 'tools.log'),
      failure: 'npm could not bring Node and Yarn',
    },
  );
}

/**
 * The tools of the project, brought first where they are not there yet.
 *
 * @returns `node` and `yarn` (paths), `bin` (a folder with both as commands), and their versions
 */
export async function bringTools() {
  const platform = thisPlatform();
  const tools = layout(pinnedVersions(), platform);
  if (isComplete(tools)) return tools;
  await withLock(
    path.join(paths.tools, 'tools.lock'),
    'bringing Node and Yarn',
    async () => {
      if (isComplete(tools)) return; // the run that we waited for brought them
      await withProgress(
        `Bringing Node ${tools.nodeVersion} and Yarn ${tools.yarnVersion} into .tools/ (once; usually under a minute)`,
        () => download(tools, platform),
      );
      writeShims(tools);
      if (!process.env.DRIFT_NODE_VERSION) linkForPeople(tools);
      writeFileSync(tools.stamp, tools.folder);
    },
  );
  return tools;
}
