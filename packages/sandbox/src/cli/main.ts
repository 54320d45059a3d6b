// Entry of the sandbox's command line.
import { run } from './run';

const controller = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => controller.abort());
}

// Who reads may stop early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

run(process.argv.slice(2), {
  print: text => process.stdout.write(`${text}\n`),
  printError: text => process.stderr.write(`${text}\n`),
  signal: controller.signal,
}).then(
  code => {
    process.exitCode = code;
  },
  error => {
    process.stderr.write(`${error.stack}\n`);
    process.exitCode = 1;
  },
);
