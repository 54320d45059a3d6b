// The engine's CLI, from its sources.
import { runFirstOf } from './optional.mjs';

export function run(args) {
  return runFirstOf(
    ['packages/engine/bin/drift.cjs'],
    args,
    "The engine's CLI",
  );
}
