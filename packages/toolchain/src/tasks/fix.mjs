// Repairs what can be repaired by machine.
import { bin, runCommand } from './command.mjs';

export async function run() {
  const linted = await runCommand(bin('backstage-cli'), [
    'repo',
    'lint',
    '--fix',
  ]);
  const formatted = await runCommand(bin('prettier'), [
    '--write',
    '--loglevel',
    'warn',
    '.',
  ]);
  return linted || formatted;
}
