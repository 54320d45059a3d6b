/** The drift API as a utility API, the same for the new and the old frontend system. */
import { createApiRef } from '@backstage/core-plugin-api';
import { DriftClient } from '@plumbline/backstage-plugin-drift-common';

/** What the pages may ask of the backend. @public */
export type DriftApi = Pick<DriftClient, keyof DriftClient>;

/** @public */
export const driftApiRef = createApiRef<DriftApi>({ id: 'plugin.drift' });

/** The client on top of the app's fetch, which resolves `plugin://drift` and adds the user's credentials. */
export function createDriftApi(fetchApi: { fetch: typeof fetch }): DriftApi {
  return new DriftClient({ baseUrl: 'plugin://drift', fetch: fetchApi.fetch });
}
