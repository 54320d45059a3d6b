/** The scaffolder module: two actions that declare managed resources and wait for them. */
import {
  coreServices,
  createBackendModule,
} from '@backstage/backend-plugin-api';
import { scaffolderActionsExtensionPoint } from '@backstage/plugin-scaffolder-node';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDriftResourceApplyAction } from './actions/apply';
import { createDriftResourceWaitAction } from './actions/wait';
import { driftClientFor } from './client';

/** @public */
export const scaffolderModuleDrift = createBackendModule({
  pluginId: 'scaffolder',
  moduleId: 'drift',
  register(reg) {
    reg.registerInit({
      deps: {
        actions: scaffolderActionsExtensionPoint,
        auth: coreServices.auth,
        discovery: coreServices.discovery,
      },
      async init({ actions, auth, discovery }) {
        const clientFor = driftClientFor({ auth, discovery });
        actions.addActions(
          createDriftResourceApplyAction({ clientFor }),
          createDriftResourceWaitAction({
            clientFor,
            clock: {
              now: () => Date.now(),
              sleep: (ms, signal) => sleep(ms, undefined, { signal }),
            },
          }),
        );
      },
    });
  },
});
