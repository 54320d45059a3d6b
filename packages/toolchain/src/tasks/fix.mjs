// Repairs what can be repaired by machine.
import { bin, runCommand } from './command.mjs';

export async function run() {
  const described = await runCommand(bin('backstage-cli'), [
    'repo',
    'fix',
    '--publish',
  ]);
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
  return described || linted || formatted;
}
