// Runs one command for a task, in the task's own process group, with its output on the terminal.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { paths } from '../project.mjs';

/** Path of a dependency's command. */
export function bin(name) {
  return path.join(paths.bin, name);
}

/** Waits for a child and returns its exit code, by the shell's convention where a signal ended it. */
export function exitOf(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      resolve(signal ? 128 + constants.signals[signal] : code),
    );
  });
}

/** Runs a command to its end, from the project's root unless told otherwise, and returns its exit code. */
export function runCommand(command, args, options = {}) {
  const { env = process.env, cwd = paths.root } = options;
  return exitOf(spawn(command, args, { cwd, env, stdio: 'inherit' }));
}

/** Options of Node that resolve workspace packages to their TypeScript sources. */
export const sourceOptions = [
  '--require',
  '@backstage/cli/config/nodeTransform.cjs',
];

/** Runs a script of the workspace from its sources. */
export function runSource(file, args, options) {
  return runCommand(
    process.execPath,
    [...sourceOptions, file, ...args],
    options,
  );
}
