// Runs a command in a process group of its own, hands signals on to it, and ends all of the group when it is over.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { say } from './progress.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

// How long a group may take to end before it is killed.
const GRACE_MS = 15_000;

// npm and the terminal both send one Ctrl-C; only a later one means that the person is tired of waiting.
const SECOND_SIGNAL_MS = 1_500;

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH' && error.code !== 'EPERM') throw error;
  }
}

function groupStateOnLinux(pid) {
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    let stat;
    try {
      stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
    } catch (error) {
      if (error.code === 'ENOENT' || error.code === 'ESRCH') continue;
      throw error;
    }
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(group) === pid && state !== 'Z') return true;
  }
  return false;
}

/** Whether anything in the group still runs. Dead processes that nobody has collected do not count. */
export function groupIsAlive(pid) {
  try {
    process.kill(-pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  return process.platform === 'linux' ? groupStateOnLinux(pid) : true;
}

/** Ends the group: first by asking, after the grace period by force. */
export async function endGroup(pid, graceMs = GRACE_MS) {
  const deadline = Date.now() + graceMs;
  signalGroup(pid, 'SIGTERM');
  while (groupIsAlive(pid)) {
    if (Date.now() >= deadline) {
      signalGroup(pid, 'SIGKILL');
      return;
    }
    await delay(50);
  }
}

/**
 * Runs a command and waits until its whole group is gone.
 *
 * @param options.env - environment of the command
 * @param options.cwd - folder to run in
 * @param options.onOutput - receives stdout and stderr; without it the command writes to this process's own
 * @param options.deadManPipe - opens a pipe as descriptor 3, which closes when this process dies in any way
 * @param options.graceMs - time to end after a signal
 * @returns `code` or `signal` of the command, and `interrupted`: the signal that this process was sent, if any
 */
export async function runInGroup(command, args, options = {}) {
  const { env, cwd, onOutput, deadManPipe, graceMs = GRACE_MS } = options;
  const output = onOutput ? 'pipe' : 'inherit';
  const input = onOutput ? 'ignore' : 'inherit';
  const child = spawn(command, args, {
    env,
    cwd,
    detached: true,
    stdio: [input, output, output, ...(deadManPipe ? ['pipe'] : [])],
  });
  child.stdout?.setEncoding('utf8').on('data', onOutput);
  child.stderr?.setEncoding('utf8').on('data', onOutput);

  let interrupted;
  let firstSignalAt = 0;
  let killTimer;
  const onSignal = signal => {
    if (!interrupted) {
      interrupted = signal;
      firstSignalAt = Date.now();
      signalGroup(child.pid, signal);
      killTimer = setTimeout(() => {
        say(`Still running ${graceMs / 1000} s after ${signal}; killing it.`);
        signalGroup(child.pid, 'SIGKILL');
      }, graceMs);
    } else if (Date.now() - firstSignalAt > SECOND_SIGNAL_MS) {
      signalGroup(child.pid, 'SIGKILL');
    }
  };
  const onExit = () => signalGroup(child.pid, 'SIGKILL');

  const closed = new Promise(resolve => child.once('close', resolve));
  try {
    const outcome = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve({ code, signal }));
      if (child.pid === undefined) return;
      for (const signal of SIGNALS) process.on(signal, onSignal);
      process.on('exit', onExit);
    });
    await endGroup(child.pid, graceMs);
    await closed; // all output has been handed over
    return { ...outcome, interrupted };
  } finally {
    clearTimeout(killTimer);
    for (const signal of SIGNALS) process.off(signal, onSignal);
    process.off('exit', onExit);
  }
}

/** The exit code by the shell's convention: 128 + number of the signal for what a signal ended. */
export function exitCodeOf({ code, signal, interrupted }) {
  const ender = interrupted ?? signal;
  return ender ? 128 + constants.signals[ender] : code ?? 1;
}
