/** The pages as the new frontend system mounts them. */
import { ReactRouterV6PageRouter } from '@backstage/frontend-adapter-react-router-v6';
import { useRouteRef } from '@backstage/frontend-plugin-api';
import type { ReactNode } from 'react';
import { ConflictsPage } from './conflicts/ConflictsPage';
import { EntityDriftCard } from './entity/EntityDriftCard';
import { EntityDriftContent } from './entity/EntityDriftContent';
import { FleetPage } from './fleet/FleetPage';
import { PoliciesPage } from './policies/PoliciesPage';
import { ResourcesPage } from './resources/ResourcesPage';
import { DriftPathsProvider } from './routes';
import {
  conflictsRouteRef,
  fleetRouteRef,
  policiesRouteRef,
  resourcesRouteRef,
} from './newRoutes';

// Links to entities still come from components that expect React Router around them.
function Mounted(props: { children: ReactNode }) {
  const paths = {
    conflicts: useRouteRef(conflictsRouteRef)?.(),
    fleet: useRouteRef(fleetRouteRef)?.(),
    resources: useRouteRef(resourcesRouteRef)?.(),
    policies: useRouteRef(policiesRouteRef)?.(),
  };
  return (
    <ReactRouterV6PageRouter>
      <DriftPathsProvider paths={paths}>{props.children}</DriftPathsProvider>
    </ReactRouterV6PageRouter>
  );
}

// The app gives a page of the new system no landmark; one of the old system is inside of the app's own.
function MountedPage(props: { children: ReactNode }) {
  return (
    <Mounted>
      <main>{props.children}</main>
    </Mounted>
  );
}

export const MountedConflicts = () => (
  <MountedPage>
    <ConflictsPage />
  </MountedPage>
);

export const MountedFleet = () => (
  <MountedPage>
    <FleetPage />
  </MountedPage>
);

export const MountedResources = () => (
  <MountedPage>
    <ResourcesPage />
  </MountedPage>
);

export const MountedPolicies = () => (
  <MountedPage>
    <PoliciesPage />
  </MountedPage>
);

export const MountedEntityContent = () => (
  <Mounted>
    <EntityDriftContent />
  </Mounted>
);

export const MountedEntityCard = () => (
  <Mounted>
    <EntityDriftCard />
  </Mounted>
);
