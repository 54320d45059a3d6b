// The example portal for development, with the embedded sandbox: npm start. Ends with Ctrl-C.
//
//   --no-sandbox     without the sandbox; app-config.local.yaml then says where the platforms are
//   --config FILE    one more configuration file, laid over the others
import { parseArgs } from 'node:util';
import { say } from '../launch/progress.mjs';
import { findTakenPorts } from '../start/ports.mjs';
import { startPortal } from '../start/portal.mjs';
import { startSandbox } from '../start/sandbox.mjs';
import { PORTS } from '../start/layout.mjs';

function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      sandbox: { type: 'boolean', default: true },
      config: { type: 'string', multiple: true, default: [] },
    },
    allowNegative: true,
  });
  return values;
}

export async function run(args, { stopped }) {
  let options;
  try {
    options = readOptions(args);
  } catch (error) {
    if (!error.code?.startsWith('ERR_PARSE_ARGS')) throw error;
    say(`${error.message} Usage: npm start -- [--no-sandbox] [--config FILE]…`);
    return 2;
  }
  const ports = Object.entries(PORTS).filter(
    ([name]) => options.sandbox || !name.startsWith('sandbox'),
  );
  const taken = await findTakenPorts(ports);
  for (const [name, port] of taken) {
    say(
      `Port ${port}, which the ${name} needs, is taken. Is the portal running already? End what holds it, then start again.`,
    );
  }
  if (taken.length) return 1;

  return options.sandbox
    ? runWithSandbox(options, stopped)
    : startPortal(options, stopped);
}

async function runWithSandbox(options, stopped) {
  const sandbox = startSandbox();
  if (!(await sandbox.ready)) {
    say('The sandbox did not start; see above.');
    return 1;
  }
  // Nobody needs a portal whose platforms are gone: the launcher ends what is left once this returns.
  const first = await Promise.race([
    startPortal(options, stopped).then(code => ({ part: 'portal', code })),
    sandbox.exited.then(code => ({ part: 'sandbox', code })),
  ]);
  if (first.part === 'sandbox') {
    say(
      `The sandbox has ended by itself (exit code ${first.code}); see above.`,
    );
    return 1;
  }
  await sandbox.stop();
  return first.code;
}
