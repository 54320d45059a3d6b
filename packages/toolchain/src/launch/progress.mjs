// Tells people what a long step does and that it is still alive. All of it goes to stderr: stdout is the task's own.

export function say(line) {
  process.stderr.write(`[plumbline] ${line}\n`);
}

export function seconds(milliseconds) {
  const whole = Math.round(milliseconds / 1000);
  return whole < 60
    ? `${whole} s`
    : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/**
 * Runs a step with a live line (terminal) or one line every 20 s (anything else).
 *
 * @param title - what happens, and how long it usually takes
 * @param work - gets a function that tells the current detail
 */
export async function withProgress(title, work) {
  const started = Date.now();
  const terminal = Boolean(process.stderr.isTTY);
  let detail = '';
  const line = () =>
    `${title}${detail ? `: ${detail}` : ''} [${seconds(Date.now() - started)}]`;
  say(title);
  const timer = setInterval(
    () => {
      if (terminal) {
        const width = Math.max(20, (process.stderr.columns ?? 80) - 1);
        const text = `[plumbline] ${line()}`.slice(0, width);
        process.stderr.write(`\r\u001b[2K${text}`);
      } else {
        say(line());
      }
    },
    terminal ? 1000 : 20_000,
  );
  try {
    const result = await work(next => {
      detail = next;
    });
    if (terminal) process.stderr.write('\r\u001b[2K');
    say(`${title}: done in ${seconds(Date.now() - started)}`);
    return result;
  } finally {
    clearInterval(timer);
  }
}
