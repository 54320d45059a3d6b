// The sandbox's CLI, from its sources.
import { runFirstOf } from './optional.mjs';

export function run(args) {
  return runFirstOf(
    ['packages/sandbox/bin/sandbox.cjs', 'packages/sandbox/src/cli/main.ts'],
    args,
    "The sandbox's CLI",
  );
}
