// Signals reach the whole group, its exit code comes back, and nothing of it survives.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { exitCodeOf, groupIsAlive, runInGroup } from './group.mjs';

const GROUP_MODULE = new URL('./group.mjs', import.meta.url).href;

// A command that says its group's number, with a child that ignores being asked to end where told so.
const child = stubborn => `
  const { spawn } = require('node:child_process');
  spawn(process.execPath, ['-e', \`
    ${
      stubborn
        ? "for (const s of ['SIGINT', 'SIGTERM']) process.on(s, () => {});"
        : ''
    }
    console.log('group ' + process.ppid);
    setInterval(() => {}, 1000);
  \`], { stdio: 'inherit' });
  setInterval(() => {}, 1000);
`;

/** Starts a process that runs the command above in a group; resolves when all of it is up. */
async function startRunner(stubborn, graceMs) {
  const runner = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { exitCodeOf, runInGroup } from ${JSON.stringify(GROUP_MODULE)};
       const outcome = await runInGroup(process.execPath, ['-e', ${JSON.stringify(
         child(stubborn),
       )}], { graceMs: ${graceMs} });
       process.exit(exitCodeOf(outcome));`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = await once(runner.stdout, 'data');
  return { runner, group: Number(/group (\d+)/.exec(String(line))[1]) };
}

test('hands the exit code of the command back', async () => {
  const outcome = await runInGroup(process.execPath, ['-e', 'process.exit(7)']);
  assert.equal(exitCodeOf(outcome), 7);
});

test('ends what the command left running', async () => {
  let output = '';
  await runInGroup(
    process.execPath,
    [
      '-e',
      `const c = require('node:child_process').spawn('sleep', ['600'], { stdio: 'ignore' });
       c.unref(); console.log(process.pid);`,
    ],
    {
      onOutput: chunk => {
        output += chunk;
      },
    },
  );
  assert.equal(groupIsAlive(Number(output)), false);
});

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
]) {
  test(`${signal} ends the whole group, with exit code ${code}`, async () => {
    const { runner, group } = await startRunner(false, 10_000);
    runner.kill(signal);
    assert.deepEqual(await once(runner, 'exit'), [code, null]);
    assert.equal(groupIsAlive(group), false);
  });
}

test('kills what does not end when asked, after the grace period', async () => {
  const { runner, group } = await startRunner(true, 300);
  runner.kill('SIGTERM');
  assert.deepEqual(await once(runner, 'exit'), [143, null]);
  assert.equal(groupIsAlive(group), false);
});
