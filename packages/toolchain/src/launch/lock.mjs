// One installer at a time: a folder that only one process can create, holding the number of the process that did.
import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { say } from './progress.mjs';

/** Whether a process of that number runs. */
export function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function holderOf(folder) {
  try {
    return Number(readFileSync(path.join(folder, 'pid'), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function take(folder) {
  mkdirSync(path.dirname(folder), { recursive: true });
  // The folder appears under its name with the number already inside.
  const draft = `${folder}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft);
  writeFileSync(path.join(draft, 'pid'), String(process.pid));
  try {
    renameSync(draft, folder);
    return true;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
    throw error;
  }
}

function clearLeftover(folder) {
  const aside = `${folder}.left-${process.pid}`;
  try {
    renameSync(folder, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return; // somebody else was quicker
    throw error;
  }
  rmSync(aside, { recursive: true, force: true });
}

/**
 * Runs `work` while this process holds the lock; waits for another holder, and takes over from one that died.
 *
 * @param folder - the lock's path
 * @param purpose - what the holder does, for the message to those who wait
 */
export async function withLock(folder, purpose, work) {
  let told = false;
  while (!take(folder)) {
    const holder = holderOf(folder);
    if (holder !== undefined && !isRunning(holder)) {
      clearLeftover(folder);
    } else if (!told) {
      told = true;
      say(
        `Another run (process ${
          holder ?? 'unknown'
        }) is ${purpose}; waiting for it.`,
      );
    }
    await delay(200);
  }
  try {
    return await work();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
