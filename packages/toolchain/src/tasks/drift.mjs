// The `drift` command, from its sources: the engine's, and `replay`, which reads the backend's database.
import { runFirstOf } from './optional.mjs';

export function run(args) {
  const [command, ...rest] = args;
  if (command === 'replay') {
    return runFirstOf(
      ['plugins/drift-backend/bin/drift-replay.cjs'],
      rest,
      'Replaying decisions',
    );
  }
  return runFirstOf(
    ['packages/engine/bin/drift.cjs'],
    args,
    "The engine's CLI",
  );
}
