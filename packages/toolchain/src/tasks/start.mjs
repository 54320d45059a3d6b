// The example portal for development, with the embedded sandbox: npm start. Ends with Ctrl-C.
//
//   --no-sandbox     without the sandbox; app-config.local.yaml then says where the platforms are
//   --config FILE    one more configuration file, laid over the others
import { parseArgs } from 'node:util';
import { say } from '../launch/progress.mjs';
import { findTaken } from '../start/ports.mjs';
import { startPortal } from '../start/portal.mjs';
import { startSandbox } from '../start/sandbox.mjs';
import { portalLayout } from '../start/layout.mjs';

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
  const layout = portalLayout();
  const parts = layout.ports.filter(
    ({ part }) => options.sandbox || !part.startsWith('sandbox'),
  );
  const taken = await findTaken(parts);
  for (const { part, port, variable } of taken) {
    say(
      `Port ${port}, which the ${part} needs, is taken. Is the portal running already? End what holds it, or set ${variable} to another port.`,
    );
  }
  if (taken.length) return 1;

  return options.sandbox
    ? runWithSandbox(layout, options, stopped)
    : startPortal(layout, options, stopped);
}

async function runWithSandbox(layout, options, stopped) {
  const sandbox = startSandbox(layout);
  if (!(await sandbox.ready)) {
    say('The sandbox did not start; see above.');
    return 1;
  }
  // Nobody needs a portal whose platforms are gone: the launcher ends what is left once this returns.
  const first = await Promise.race([
    startPortal(layout, options, stopped).then(code => ({
      part: 'portal',
      code,
    })),
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
