// Lets Yarn reach the registry the way the user's npm does: Yarn reads no .npmrc by itself.
import { spawnSync } from 'node:child_process';
import { paths } from '../project.mjs';
import { cleanEnvironment } from './environment.mjs';
import { npmCommand } from './tools.mjs';

// npm's setting, and Yarn's setting of the same meaning.
const SAME_MEANING = {
  registry: 'npmRegistryServer',
  cafile: 'httpsCaFilePath',
  proxy: 'httpProxy',
  'https-proxy': 'httpsProxy',
  'strict-ssl': 'enableStrictSsl',
};

function readNpmSettings() {
  const [command, ...args] = npmCommand();
  const { stdout, status } = spawnSync(
    command,
    [...args, 'config', 'get', ...Object.keys(SAME_MEANING)],
    { cwd: paths.tools, env: cleanEnvironment(), encoding: 'utf8' },
  );
  // Yarn's own settings may do; if they do not, its error says more than npm's refusal.
  if (status !== 0) return {};
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map(line => [
        line.slice(0, line.indexOf('=')),
        line.slice(line.indexOf('=') + 1),
      ])
      .filter(([, value]) => value && !['null', 'undefined'].includes(value)),
  );
}

function settingsThatTheUserGaveToYarn(tools) {
  const { stdout, status } = spawnSync(
    tools.node,
    [tools.yarn, 'config', '--json'],
    { cwd: paths.root, env: cleanEnvironment(), encoding: 'utf8' },
  );
  if (status !== 0) return new Set();
  return new Set(
    stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
      .filter(({ effective, default: byDefault }) => effective !== byDefault)
      .map(({ key }) => key),
  );
}

function variableOf(setting) {
  return `YARN_${setting.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
}

/** Environment variables for Yarn: npm's network settings, except those that the user has given to Yarn itself. */
export function yarnRegistryVariables(tools) {
  const own = settingsThatTheUserGaveToYarn(tools);
  return Object.fromEntries(
    Object.entries(readNpmSettings())
      .map(([name, value]) => [SAME_MEANING[name], value])
      .filter(([setting]) => setting && !own.has(setting))
      .map(([setting, value]) => [variableOf(setting), value]),
  );
}
