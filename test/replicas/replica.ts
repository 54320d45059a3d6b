/**
 * One backend process: the drift plugin with both modules and as little else as possible. Its argument is a JSON file with the
 * configuration. Says its instance ID to whoever started it once it has started.
 */
import { createBackend } from '@backstage/backend-defaults';
import {
  coreServices,
  createBackendModule,
} from '@backstage/backend-plugin-api';
import { mockServices } from '@backstage/backend-test-utils';
import { catalogServiceMock } from '@backstage/plugin-catalog-node/testUtils';
import driftPlugin from '@plumbline/backstage-plugin-drift-backend';
import konnectModule from '@plumbline/backstage-plugin-drift-backend-module-konnect';
import { driftModuleKubernetes } from '@plumbline/backstage-plugin-drift-backend-module-kubernetes';
import { readFileSync } from 'node:fs';

const [, , configFile] = process.argv;

const reporter = createBackendModule({
  pluginId: 'drift',
  moduleId: 'replica',
  register(env) {
    env.registerInit({
      deps: {
        instance: coreServices.rootInstanceMetadata,
        lifecycle: coreServices.lifecycle,
      },
      async init({ instance, lifecycle }) {
        lifecycle.addStartupHook(() => {
          process.send?.({ instanceId: instance.getId() });
        });
      },
    });
  },
});

async function main() {
  // whoever started it is gone
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  const backend = createBackend();
  backend.add(
    mockServices.rootConfig.factory({
      data: JSON.parse(readFileSync(configFile, 'utf8')),
    }),
  );
  backend.add(catalogServiceMock.factory({ entities: [] }));
  backend.add(driftPlugin);
  backend.add(konnectModule);
  backend.add(driftModuleKubernetes);
  backend.add(reporter);
  await backend.start();
}

main().catch(error => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
