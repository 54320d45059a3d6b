// The example portal's backend: the catalog, the Kubernetes plugin, the scaffolder, and Plumbline's plugins.
import { createBackend } from '@backstage/backend-defaults';
import {
  catalogModulePortalEntities,
  scaffolderModulePortalEntities,
} from './portalEntities/modules';

const backend = createBackend();

backend.add(import('@backstage/plugin-app-backend'));

backend.add(import('@backstage/plugin-auth-backend'));
backend.add(import('@backstage/plugin-auth-backend-module-guest-provider'));

backend.add(import('@backstage/plugin-catalog-backend'));
backend.add(
  import('@backstage/plugin-catalog-backend-module-scaffolder-entity-model'),
);
backend.add(catalogModulePortalEntities);

backend.add(import('@backstage/plugin-permission-backend'));
backend.add(
  import('@backstage/plugin-permission-backend-module-allow-all-policy'),
);

backend.add(import('@backstage/plugin-scaffolder-backend'));
backend.add(scaffolderModulePortalEntities);
backend.add(import('@backstage/plugin-kubernetes-backend'));

backend.add(import('@backstage/plugin-events-backend'));
backend.add(import('@backstage/plugin-signals-backend'));
backend.add(import('@backstage/plugin-notifications-backend'));

backend.add(import('@plumbline/backstage-plugin-drift-backend'));
backend.add(import('@plumbline/backstage-plugin-drift-backend-module-konnect'));
backend.add(
  import('@plumbline/backstage-plugin-drift-backend-module-kubernetes'),
);
backend.add(
  import('@plumbline/backstage-plugin-scaffolder-backend-module-drift'),
);

backend.start();
