// Runs a noisy command with its output in a file; shows the end of it only when the command fails.
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { ToolchainError } from './errors.mjs';
import { exitCodeOf, runInGroup } from './group.mjs';

const LINES_SHOWN = 60;

/**
 * @param options.log - file that receives the output
 * @param options.failure - how the error message starts when the command fails
 * @param options.onLine - receives each line of output
 * @returns all of the output
 * @throws ToolchainError with the last lines of output when the command fails or was interrupted
 */
export async function runLogged(command, args, options) {
  const { cwd, env, log, failure, onLine } = options;
  mkdirSync(path.dirname(log), { recursive: true });
  const file = openSync(log, 'w');
  let output = '';
  let rest = '';
  let outcome;
  try {
    outcome = await runInGroup(command, args, {
      cwd,
      env,
      onOutput: chunk => {
        writeSync(file, chunk);
        output += chunk;
        const lines = (rest + chunk).split('\n');
        rest = lines.pop();
        if (onLine) lines.forEach(onLine);
      },
    });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new ToolchainError(
      `${failure}: the command "${command}" is not on the PATH.`,
    );
  } finally {
    closeSync(file);
  }
  if (outcome.interrupted) {
    throw new ToolchainError('Stopped.', exitCodeOf(outcome));
  }
  if (outcome.code !== 0) {
    const end = output.trimEnd().split('\n').slice(-LINES_SHOWN).join('\n');
    throw new ToolchainError(
      `${failure} (exit code ${exitCodeOf(
        outcome,
      )}). The end of ${log}:\n${end}`,
    );
  }
  return output;
}
