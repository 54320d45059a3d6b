/** Makes the parts without a Backstage backend around them, from the same configuration: for tests and tools. */
import type { Config } from '@backstage/config';
import type {
  CustomResourceMapper,
  Platform,
} from '@plumbline/backstage-plugin-drift-node';
import { readKonnectConfig } from './config';
import { ControlPlaneDirectory } from './mapper/directory';
import { KonnectMapper } from './mapper/mapper';
import { KonnectPlatform, type KonnectPlatformOptions } from './platform';

/** What {@link createKonnectParts} makes. @public */
export interface KonnectParts {
  /** In the order of the configuration. */
  platforms: {
    id: string;
    /** To be called once, when the gate of the shared budget can be had. */
    create(options: Omit<KonnectPlatformOptions, 'config'>): Platform;
  }[];
  /** Needs the platforms to be created where only names of control planes are configured. */
  mapper: CustomResourceMapper;
}

/**
 * Reads `drift.konnect` and makes a platform for each control plane, and the mapper for all of them.
 *
 * @throws InputError where the configuration is wrong.
 * @public
 */
export function createKonnectParts(config: Config): KonnectParts {
  const configs = readKonnectConfig(config);
  const directory = new ControlPlaneDirectory(configs);
  return {
    platforms: configs.map(controlPlane => ({
      id: controlPlane.platformId,
      create(options) {
        const platform = new KonnectPlatform({
          ...options,
          config: controlPlane,
        });
        directory.connect(
          platform.id,
          platform.controlPlane,
          platform.versionKey,
        );
        return platform;
      },
    })),
    mapper: new KonnectMapper(directory),
  };
}
