// The sandbox's CLI, from its sources, on the sandbox of this project's portal.
import { portalLayout } from '../start/layout.mjs';
import { runFirstOf } from './optional.mjs';

export function run(args) {
  return runFirstOf(
    ['packages/sandbox/bin/sandbox.cjs'],
    args,
    "The sandbox's CLI",
    { env: { ...process.env, SANDBOX_DATA_DIR: portalLayout().sandboxDir } },
  );
}
