// Mutation testing of the engine's verdicts; ends with a table of scores.
import path from 'node:path';
import { paths } from '../project.mjs';
import { bin, runCommand } from './command.mjs';

export function run(args) {
  return runCommand(bin('stryker'), ['run', ...args], {
    cwd: path.join(paths.root, 'packages', 'engine'),
  });
}
