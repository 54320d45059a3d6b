// Only one installer at a time, and none that waits for the dead.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { withLock } from './lock.mjs';

let folder;
let lock;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'plumbline-lock-'));
  lock = path.join(folder, 'x.lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a second holder waits for the first, and nothing is left in the end', async () => {
  const events = [];
  let release;
  const held = new Promise(resolve => {
    release = resolve;
  });
  const first = withLock(lock, 'working', async () => {
    events.push('first in');
    await held;
    events.push('first out');
  });
  const second = withLock(lock, 'working', async () => {
    events.push('second in');
  });
  release();
  await Promise.all([first, second]);
  assert.deepEqual(events, ['first in', 'first out', 'second in']);
  assert.equal(existsSync(lock), false);
});

test('a lock whose holder has died is taken over', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  mkdirSync(lock);
  writeFileSync(path.join(lock, 'pid'), String(pid));
  assert.equal(await withLock(lock, 'working', async () => 'done'), 'done');
});

test('is given back when the work fails', async () => {
  const work = withLock(lock, 'working', async () => {
    throw new Error('no');
  });
  await assert.rejects(work, /no/);
  assert.equal(existsSync(lock), false);
});
