// Starts the embedded sandbox beside the portal and waits until it answers.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { exitOf, sourceOptions } from '../tasks/command.mjs';

const SERVER = fileURLToPath(new URL('./sandbox-server.cjs', import.meta.url));

/**
 * @returns `exited`: resolves to the exit code, also when the sandbox could not be started; `ready`: resolves to whether
 * it was; `stop`: lets it save its state and end
 */
export function startSandbox({ sandboxDir, konnectPort, kubernetesPort }) {
  const settings = {
    dataDir: sandboxDir,
    ports: { konnect: konnectPort, kubernetes: kubernetesPort },
  };
  const child = fork(SERVER, [JSON.stringify(settings)], {
    execArgv: sourceOptions,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = exitOf(child);
  const ready = new Promise(resolve => {
    child.once('message', () => resolve(true));
    child.once('exit', () => resolve(false));
  });
  return {
    exited,
    ready,
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
