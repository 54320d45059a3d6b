/** The folder's two ends: a catalog provider that reads it, a template action that writes to it. */
import {
  ANNOTATION_LOCATION,
  ANNOTATION_ORIGIN_LOCATION,
} from '@backstage/catalog-model';
import {
  coreServices,
  createBackendModule,
  type RootConfigService,
} from '@backstage/backend-plugin-api';
import {
  catalogProcessingExtensionPoint,
  type EntityProvider,
  type EntityProviderConnection,
} from '@backstage/plugin-catalog-node';
import { eventsServiceRef } from '@backstage/plugin-events-node';
import {
  createTemplateAction,
  scaffolderActionsExtensionPoint,
} from '@backstage/plugin-scaffolder-node';
import { resolve } from 'node:path';
import { EntityDirectory, PORTAL_ENTITIES_TOPIC, toEntity } from './directory';

function directoryOf(config: RootConfigService): EntityDirectory {
  return new EntityDirectory(
    resolve(config.getString('portal.entitiesDirectory')),
  );
}

class PortalEntityProvider implements EntityProvider {
  readonly #directory: EntityDirectory;
  #connection: EntityProviderConnection | undefined;

  constructor(directory: EntityDirectory) {
    this.#directory = directory;
  }

  getProviderName() {
    return 'portal-entities';
  }

  async connect(connection: EntityProviderConnection) {
    this.#connection = connection;
    await this.refresh();
  }

  async refresh() {
    const entities = await this.#directory.read();
    await this.#connection?.applyMutation({
      type: 'full',
      entities: entities.map(({ entity, file }) => ({
        locationKey: 'portal-entities',
        entity: {
          ...entity,
          metadata: {
            ...entity.metadata,
            annotations: {
              ...entity.metadata.annotations,
              [ANNOTATION_LOCATION]: `file:${file}`,
              [ANNOTATION_ORIGIN_LOCATION]: `file:${file}`,
            },
          },
        },
      })),
    });
  }
}

/** Gives the catalog what templates have registered. */
export const catalogModulePortalEntities = createBackendModule({
  pluginId: 'catalog',
  moduleId: 'portal-entities',
  register(reg) {
    reg.registerInit({
      deps: {
        catalog: catalogProcessingExtensionPoint,
        config: coreServices.rootConfig,
        events: eventsServiceRef,
      },
      async init({ catalog, config, events }) {
        const provider = new PortalEntityProvider(directoryOf(config));
        catalog.addEntityProvider(provider);
        await events.subscribe({
          id: 'portal-entities',
          topics: [PORTAL_ENTITIES_TOPIC],
          onEvent: () => provider.refresh(),
        });
      },
    });
  },
});

/** Adds `portal:entity:register`. A portal with a Git host uses `publish:…` and `catalog:register` instead. */
export const scaffolderModulePortalEntities = createBackendModule({
  pluginId: 'scaffolder',
  moduleId: 'portal-entities',
  register(reg) {
    reg.registerInit({
      deps: {
        actions: scaffolderActionsExtensionPoint,
        config: coreServices.rootConfig,
        events: eventsServiceRef,
      },
      async init({ actions, config, events }) {
        const directory = directoryOf(config);
        actions.addActions(
          createTemplateAction({
            id: 'portal:entity:register',
            description:
              'Registers an entity in this example portal’s own folder. The same entity twice is registered once.',
            supportsDryRun: true,
            schema: {
              input: {
                entity: z =>
                  z
                    .union([z.record(z.string(), z.any()), z.string()])
                    .describe('The entity, as an object or as YAML'),
              },
              output: { entityRef: z => z.string() },
            },
            async handler(ctx) {
              const entity = toEntity(ctx.input.entity);
              if (ctx.isDryRun) {
                ctx.logger.info('Dry run: the entity is not registered');
                return;
              }
              const ref = await directory.write(entity);
              await events.publish({
                topic: PORTAL_ENTITIES_TOPIC,
                eventPayload: { ref },
              });
              ctx.logger.info(`Registered ${ref}`);
              ctx.output('entityRef', ref);
            },
          }),
        );
      },
    });
  },
});
