// Dispatches to a part of the project, and says plainly where that part is not there.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { paths } from '../project.mjs';
import { runSource } from './command.mjs';

/** Runs the first of the files (relative to the root) that exists; exit code 2 where none does. */
export function runFirstOf(files, args, what, options) {
  const file = files
    .map(name => path.join(paths.root, name))
    .find(candidate => existsSync(candidate));
  if (file) return runSource(file, args, options);
  process.stderr.write(`${what} is not there yet (${files.join(' or ')}).\n`);
  return 2;
}
