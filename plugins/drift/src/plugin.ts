/** The plugin for the old frontend system. */
import {
  createApiFactory,
  createComponentExtension,
  createPlugin,
  createRoutableExtension,
  fetchApiRef,
} from '@backstage/core-plugin-api';
import { createDriftApi, driftApiRef } from './api/driftApi';
import { driftPageRouteRef, entityDriftRouteRef } from './routes';

/** @public */
export const driftPlugin = createPlugin({
  id: 'drift',
  apis: [
    createApiFactory({
      api: driftApiRef,
      deps: { fetchApi: fetchApiRef },
      factory: ({ fetchApi }) => createDriftApi(fetchApi),
    }),
  ],
  routes: { root: driftPageRouteRef, entityContent: entityDriftRouteRef },
});

/** The pages of the plugin: conflict queue, fleet, resources, policies. @public */
export const DriftPage = driftPlugin.provide(
  createRoutableExtension({
    name: 'DriftPage',
    component: () => import('./LegacyPages').then(m => m.DriftPage),
    mountPoint: driftPageRouteRef,
  }),
);

/** The content of an entity's Drift tab. @public */
export const EntityDriftContent = driftPlugin.provide(
  createRoutableExtension({
    name: 'EntityDriftContent',
    component: () =>
      import('./entity/EntityDriftContent').then(m => m.EntityDriftContent),
    mountPoint: entityDriftRouteRef,
  }),
);

/** The card on an entity's overview. @public */
export const EntityDriftCard = driftPlugin.provide(
  createComponentExtension({
    name: 'EntityDriftCard',
    component: {
      lazy: () =>
        import('./entity/EntityDriftCard').then(m => m.EntityDriftCard),
    },
  }),
);
