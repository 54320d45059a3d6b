// The checks that need no Jest, each one command. Their output is shown when they fail.
import { spawn } from 'node:child_process';
import { bin, exitOf } from '../tasks/command.mjs';
import { paths } from '../project.mjs';

export const staticSteps = [
  {
    title: 'Formatting (prettier)',
    command: bin('prettier'),
    args: ['--check', '--loglevel', 'warn', '.'],
  },
  {
    title: 'Lint (ESLint, all packages)',
    command: bin('backstage-cli'),
    args: ['repo', 'lint', '--max-warnings', '0'],
  },
  {
    title: 'Types (tsc)',
    command: bin('tsc'),
    args: ['--noEmit'],
  },
  {
    title: "The portal's configuration against the schemas of its packages",
    command: bin('backstage-cli'),
    args: ['config:check', '--strict', '--package', 'backend'],
  },
  {
    title: 'What the packages say of themselves, as publishing wants it',
    command: bin('backstage-cli'),
    args: ['repo', 'fix', '--publish', '--check'],
  },
  {
    title: "The toolchain's own tests",
    command: process.execPath,
    args: ['--test', 'packages/toolchain/src/**/*.test.mjs'],
  },
];

/** Runs one of the steps; resolves to whether it passed, and its output. */
export async function runStaticStep({ command, args }) {
  const child = spawn(command, args, {
    cwd: paths.root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', chunk => {
      output += chunk;
    });
  }
  const ended = new Promise(resolve => child.once('close', resolve));
  const code = await exitOf(child);
  await ended;
  return { ok: code === 0, output };
}
