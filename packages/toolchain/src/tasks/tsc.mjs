// Type-checks everything; nothing is written but the incremental state.
import { bin, runCommand } from './command.mjs';

export function run(args) {
  return runCommand(bin('tsc'), args.length ? args : ['--noEmit']);
}
