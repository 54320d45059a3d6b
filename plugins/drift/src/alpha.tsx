/**
 * The plugin for the new frontend system.
 *
 * @packageDocumentation
 */
import {
  ApiBlueprint,
  PageBlueprint,
  SubPageBlueprint,
  createFrontendPlugin,
  fetchApiRef,
} from '@backstage/frontend-plugin-api';
import {
  EntityCardBlueprint,
  EntityContentBlueprint,
} from '@backstage/plugin-catalog-react/alpha';
import { RiScales3Line } from '@remixicon/react';
import { createDriftApi, driftApiRef } from './api/driftApi';
import { isDriftAvailable } from './entity/availability';
import {
  conflictsRouteRef,
  fleetRouteRef,
  policiesRouteRef,
  resourcesRouteRef,
  rootRouteRef,
} from './newRoutes';

const driftApi = ApiBlueprint.make({
  params: defineParams =>
    defineParams({
      api: driftApiRef,
      deps: { fetchApi: fetchApiRef },
      factory: ({ fetchApi }) => createDriftApi(fetchApi),
    }),
});

const driftPage = PageBlueprint.make({
  params: {
    path: '/drift',
    title: 'Drift',
    icon: <RiScales3Line />,
    routeRef: rootRouteRef,
  },
});

const SUB_PAGE_OF = { id: 'page:drift', input: 'pages' } as const;

const conflictsPage = SubPageBlueprint.make({
  name: 'conflicts',
  attachTo: SUB_PAGE_OF,
  params: {
    path: 'conflicts',
    title: 'Conflicts',
    routeRef: conflictsRouteRef,
    loader: () => import('./NewPages').then(m => <m.MountedConflicts />),
  },
});

const fleetPage = SubPageBlueprint.make({
  name: 'fleet',
  attachTo: SUB_PAGE_OF,
  params: {
    path: 'fleet',
    title: 'Fleet',
    routeRef: fleetRouteRef,
    loader: () => import('./NewPages').then(m => <m.MountedFleet />),
  },
});

const resourcesPage = SubPageBlueprint.make({
  name: 'resources',
  attachTo: SUB_PAGE_OF,
  params: {
    path: 'resources',
    title: 'Resources',
    routeRef: resourcesRouteRef,
    loader: () => import('./NewPages').then(m => <m.MountedResources />),
  },
});

const policiesPage = SubPageBlueprint.make({
  name: 'policies',
  attachTo: SUB_PAGE_OF,
  params: {
    path: 'policies',
    title: 'Policies',
    routeRef: policiesRouteRef,
    loader: () => import('./NewPages').then(m => <m.MountedPolicies />),
  },
});

const entityContent = EntityContentBlueprint.make({
  params: {
    path: '/drift',
    title: 'Drift',
    group: 'operation',
    icon: <RiScales3Line />,
    filter: isDriftAvailable,
    loader: () => import('./NewPages').then(m => <m.MountedEntityContent />),
  },
});

const entityCard = EntityCardBlueprint.make({
  params: {
    type: 'content',
    filter: isDriftAvailable,
    loader: () => import('./NewPages').then(m => <m.MountedEntityCard />),
  },
});

/** @public */
export default createFrontendPlugin({
  pluginId: 'drift',
  title: 'Drift',
  icon: <RiScales3Line />,
  info: { packageJson: () => import('../package.json') },
  routes: { root: rootRouteRef },
  extensions: [
    driftApi,
    driftPage,
    conflictsPage,
    fleetPage,
    resourcesPage,
    policiesPage,
    entityContent,
    entityCard,
  ],
});
