// One benchmark by its name; a list of the names without one.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { paths } from '../project.mjs';
import { runFirstOf } from './optional.mjs';

function benchNames() {
  const folder = path.join(paths.root, 'test', 'bench');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(file => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map(file => file.slice(0, -3));
}

export function run([name, ...args]) {
  if (name && /^[a-z][a-z0-9-]*$/.test(name)) {
    return runFirstOf([`test/bench/${name}.ts`], args, `The benchmark ${name}`);
  }
  const names = benchNames();
  process.stderr.write(
    `Name a benchmark: ${
      names.length ? names.join(', ') : 'there is none yet'
    }.\n`,
  );
  return 2;
}
