// Leads the process group of one task, under the project's Node: runs the task, and ends the group should the
// launcher die without a word.
import { Socket } from 'node:net';
import { ToolchainError } from './launch/errors.mjs';
import { say } from './launch/progress.mjs';
import { findTask } from './tasks.mjs';

const LAUNCHER_PIPE = 3;
const GRACE_MS = 10_000;

// The launcher sends signals to the whole group. The leader stays until its children are gone, or tasks that run
// inside it have come to their end.
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => stopping.abort(signal));
}

function watchLauncher() {
  const pipe = new Socket({ fd: LAUNCHER_PIPE, readable: true });
  pipe.on('error', () => pipe.destroy());
  pipe.once('close', () => {
    process.kill(0, 'SIGTERM');
    setTimeout(() => process.kill(0, 'SIGKILL'), GRACE_MS).unref();
  });
  pipe.resume();
  pipe.unref();
}

async function runTask([name, ...args]) {
  const { run } = await findTask(name).load();
  try {
    return await run(args, { stopped: stopping.signal });
  } catch (error) {
    if (!(error instanceof ToolchainError)) throw error;
    say(error.message);
    return error.exitCode;
  }
}

watchLauncher();
// What the task left running is no reason to stay; the launcher ends it.
process.exit(await runTask(process.argv.slice(2)));
