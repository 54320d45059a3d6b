// Real backend processes on a real PostgreSQL, killed and stopped at random.
import { runFirstOf } from './optional.mjs';

export function run(args) {
  return runFirstOf(['test/replicas/main.ts'], args, 'The replicas');
}
