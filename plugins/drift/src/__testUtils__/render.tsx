/** Renders one of our pages inside a test app, on top of the API in memory. */
import {
  mockApis,
  renderInTestApp,
  attachMockApiFactory,
} from '@backstage/frontend-test-utils';
import {
  EntityProvider,
  entityRouteRef,
} from '@backstage/plugin-catalog-react';
import type { Entity } from '@backstage/catalog-model';
import {
  AuthorizeResult,
  type EvaluatePermissionRequest,
} from '@backstage/plugin-permission-common';
import { signalApiRef, type SignalApi } from '@backstage/plugin-signals-react';
import { ReactRouterV6PageRouter } from '@backstage/frontend-adapter-react-router-v6';
import { act, type JSX } from 'react';
import { SWRConfig } from 'swr';
import { createDriftApi, driftApiRef } from '../api/driftApi';
import { DriftPathsProvider, pathsUnder } from '../routes';
import { FakeDriftApi } from '../testing/fakeApi';

/** Signals that a test sends by hand. */
export class FakeSignals implements SignalApi {
  readonly #listeners = new Set<(message: never) => void>();

  subscribe(_channel: string, onMessage: (message: never) => void) {
    this.#listeners.add(onMessage);
    return { unsubscribe: () => this.#listeners.delete(onMessage) };
  }

  send(message: object): void {
    act(() => this.#listeners.forEach(listener => listener(message as never)));
  }
}

export const ORDERS: Entity = {
  apiVersion: 'backstage.io/v1alpha1',
  kind: 'Component',
  metadata: { name: 'orders', namespace: 'default' },
  spec: { type: 'service', owner: 'team-shop' },
};

export function renderPage(
  element: JSX.Element,
  options: {
    fake?: FakeDriftApi;
    entity?: Entity;
    /** Path and query of the page, default `/drift`. */
    at?: string;
    /** Names of permissions that the reader does not have. */
    denied?: string[];
  } = {},
): ReturnType<typeof renderInTestApp> & {
  fake: FakeDriftApi;
  signals: FakeSignals;
} {
  const fake = options.fake ?? new FakeDriftApi();
  const signals = new FakeSignals();
  const denied = new Set(options.denied);
  const page = (
    // Permissions are cached for the whole page: each test starts without what another was allowed.
    <SWRConfig value={{ provider: () => new Map() }}>
      <ReactRouterV6PageRouter>
        <DriftPathsProvider paths={pathsUnder('/drift')}>
          {element}
        </DriftPathsProvider>
      </ReactRouterV6PageRouter>
    </SWRConfig>
  );
  const at = options.at ?? '/drift';
  const result = renderInTestApp(
    options.entity ? (
      <EntityProvider entity={options.entity}>{page}</EntityProvider>
    ) : (
      page
    ),
    {
      mountPath: at.split('?')[0],
      initialRouteEntries: [at],
      mountedRoutes: { '/catalog/:namespace/:kind/:name': entityRouteRef },
      apis: [
        attachMockApiFactory(
          driftApiRef,
          createDriftApi({ fetch: fake.fetch }),
        ),
        attachMockApiFactory(signalApiRef, signals),
        mockApis.permission({
          authorize: (request: EvaluatePermissionRequest) =>
            denied.has(request.permission.name)
              ? AuthorizeResult.DENY
              : AuthorizeResult.ALLOW,
        }),
      ],
    },
  );
  return { ...result, fake, signals };
}
