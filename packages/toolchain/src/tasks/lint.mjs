// ESLint over all packages that have a lint script.
import { bin, runCommand } from './command.mjs';

export function run(args) {
  return runCommand(bin('backstage-cli'), ['repo', 'lint', ...args]);
}
