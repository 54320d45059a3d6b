// Notices when the npm or Yarn that runs this script is gone. npm hands a SIGTERM only to the shell between it and
// the script, and a SIGKILL to nobody: without this the task would run on with no one waiting for it.
import { readFileSync } from 'node:fs';
import { isRunning } from './lock.mjs';

const INTERVAL_MS = 500;

function linuxProcess(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const end = stat.lastIndexOf(')');
  return {
    name: stat.slice(stat.indexOf('(') + 1, end),
    parent: Number(stat.slice(end + 2).split(' ')[1]),
  };
}

/** The shell that npm put between, and npm itself where the system says so. */
function ancestorsToWatch() {
  const parent = process.ppid;
  if (process.platform !== 'linux') return [parent];
  const { parent: grandparent } = linuxProcess(parent);
  return grandparent > 1 && linuxProcess(grandparent).name.startsWith('npm')
    ? [parent, grandparent]
    : [parent];
}

/** Sends this process a SIGTERM once the script runner that started it has died. */
export function stopWithScriptRunner(env = process.env) {
  if (!env.npm_lifecycle_event) return;
  const ancestors = ancestorsToWatch();
  const timer = setInterval(() => {
    if (process.ppid === ancestors[0] && ancestors.every(isRunning)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, INTERVAL_MS);
  timer.unref();
}
