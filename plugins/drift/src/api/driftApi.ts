/** The drift API as a utility API, the same for the new and the old frontend system. */
import { createApiRef } from '@backstage/core-plugin-api';
import { DriftClient } from '@plumbline/backstage-plugin-drift-common';

/** What the pages may ask of the backend. @public */
export type DriftApi = Pick<DriftClient, keyof DriftClient>;

/** @public */
export const driftApiRef = createApiRef<DriftApi>({ id: 'plugin.drift' });

/**
 * The client on top of the app's fetch, which resolves `plugin://drift` and adds the user's credentials.
 *
 * Bodies are handed on as text: a `Request` that goes through fetch middlewares becomes a streaming upload, which
 * browsers refuse over HTTP/1.1.
 */
export function createDriftApi(fetchApi: { fetch: typeof fetch }): DriftApi {
  return new DriftClient({
    baseUrl: 'plugin://drift',
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const body = await request.text();
      return fetchApi.fetch(request.url, {
        method: request.method,
        headers: Object.fromEntries(request.headers),
        body: body || undefined,
      });
    },
  });
}
