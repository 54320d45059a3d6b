// Runs the sandbox for the portal, in a process of its own. It ends when the task that started it lets go of it, not on
// signals: those reach the whole group, and the backend shall not see its platforms vanish while it is shutting down.
const { startSandbox } = require('@plumbline/drift-sandbox');

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {});
}

async function main() {
  const sandbox = await startSandbox({
    ...JSON.parse(process.argv[2]),
    log: line => process.stderr.write(`[sandbox] ${line}\n`),
  });
  process.once('disconnect', () => {
    sandbox.close().then(
      () => process.exit(0),
      error => fail(error),
    );
  });
  process.send('ready');
}

function fail(error) {
  process.stderr.write(`[sandbox] ${error.stack}\n`);
  process.exit(1);
}

main().catch(fail);
