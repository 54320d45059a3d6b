// The simulation of the loop.
import { runFirstOf } from './optional.mjs';

export function run(args) {
  return runFirstOf(['test/simulation/main.ts'], args, 'The simulation');
}
