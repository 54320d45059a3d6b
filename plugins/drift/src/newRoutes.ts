/** Routes of the new frontend system. */
import { createRouteRef } from '@backstage/frontend-plugin-api';

export const rootRouteRef = createRouteRef();
export const conflictsRouteRef = createRouteRef();
export const fleetRouteRef = createRouteRef();
export const resourcesRouteRef = createRouteRef();
export const policiesRouteRef = createRouteRef();
