// Builds every package: declarations first, which the package builds pick up.
import { bin, runCommand } from './command.mjs';

export async function run(args) {
  const declarations = await runCommand(bin('tsc'), []);
  if (declarations !== 0) return declarations;
  return runCommand(bin('backstage-cli'), ['repo', 'build', '--all', ...args]);
}
