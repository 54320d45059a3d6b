/** Brings Konnect to the drift backend: one platform for each configured control plane, and the mapper for Kong's custom resources. */
import {
  coreServices,
  createBackendModule,
} from '@backstage/backend-plugin-api';
import {
  driftDeclarationsExtensionPoint,
  driftPlatformsExtensionPoint,
} from '@plumbline/backstage-plugin-drift-node';
import { createKonnectParts } from './create';

/**
 * Kong Konnect for the drift backend; configured under `drift.konnect`.
 *
 * @public
 */
export const driftModuleKonnect = createBackendModule({
  pluginId: 'drift',
  moduleId: 'konnect',
  register(env) {
    env.registerInit({
      deps: {
        config: coreServices.rootConfig,
        logger: coreServices.logger,
        platforms: driftPlatformsExtensionPoint,
        declarations: driftDeclarationsExtensionPoint,
      },
      async init({ config, logger, platforms, declarations }) {
        const { platforms: configured, mapper } = createKonnectParts(config);
        if (configured.length === 0) {
          logger.info(
            'No Konnect control planes are configured (drift.konnect.controlPlanes)',
          );
          return;
        }
        for (const { create } of configured) {
          platforms.addPlatform(context =>
            create({
              gate: options => context.gate(options),
              now: () => context.now(),
              versionKey: context.keyFor('versions of Konnect entities'),
            }),
          );
        }
        declarations.addCustomResourceMapper(mapper);
      },
    });
  },
});
