// Where the project's things lie, and what its package.json pins.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export const paths = {
  root,
  tools: path.join(root, '.tools'),
  data: path.join(root, '.data'),
  bin: path.join(root, 'node_modules', '.bin'),
  leader: fileURLToPath(new URL('./leader.mjs', import.meta.url)),
};

/** The root package.json, read when asked for. */
export function readRootManifest() {
  return JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
}

/**
 * The versions of Node and Yarn to work with.
 *
 * `DRIFT_NODE_VERSION` tries another Node than the pinned one.
 */
export function pinnedVersions(env = process.env) {
  const manifest = readRootManifest();
  return {
    nodeVersion: env.DRIFT_NODE_VERSION || manifest.toolchain.node,
    yarnVersion: manifest.packageManager
      .replace(/^yarn@/, '')
      .replace(/\+.*$/, ''),
  };
}
