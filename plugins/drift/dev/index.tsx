/**
 * All pages with the API in memory: `yarn start` in this folder. Every verdict is there; the in-memory platform
 * forgets everything at a reload. `?many` shows 600 resources and a resource with 200 fields.
 */
import { ConfigReader } from '@backstage/core-app-api';
import { createApp } from '@backstage/frontend-defaults';
import {
  ApiBlueprint,
  createFrontendModule,
  fetchApiRef,
} from '@backstage/frontend-plugin-api';
import {
  SignInPageBlueprint,
  type SignInPageProps,
} from '@backstage/plugin-app-react';
import catalogPlugin from '@backstage/plugin-catalog/alpha';
import { catalogApiRef } from '@backstage/plugin-catalog-react';
import { catalogApiMock } from '@backstage/plugin-catalog-react/testUtils';
import { permissionApiRef } from '@backstage/plugin-permission-react';
import { AuthorizeResult } from '@backstage/plugin-permission-common';
import { useEffect } from 'react';
import ReactDOM from 'react-dom/client';
// This is an app, although its package is a plugin.
// eslint-disable-next-line @backstage/no-ui-css-imports-in-non-frontend
import '@backstage/ui/css/styles.css';
import driftPlugin from '../src/alpha';
import { FakeDriftApi } from '../src/testing/fakeApi';
import { manyFields } from '../src/testing/fixtures';

const api = new FakeDriftApi();
if (window.location.search.includes('many')) {
  const [first] = api.resources;
  api.resources[0] = {
    ...first,
    changes: manyFields(),
    fields: 200,
    message: `${first.message} ${'A long story. '.repeat(30)}`,
  };
  for (let index = 0; index < 600; index++) {
    const ref = { ...first.ref, name: `route-${index}` };
    api.resources.push({
      ...api.resources.at(-1)!,
      id: `many-${index}`,
      ref,
      title: `KongRoute shop/${ref.name}`,
      entities: first.entities,
    });
  }
}

const entity = (name: string, annotations: Record<string, string> = {}) => ({
  apiVersion: 'backstage.io/v1alpha1',
  kind: 'Component',
  metadata: { name, namespace: 'default', annotations },
  spec: { type: 'service', lifecycle: 'production', owner: 'team-shop' },
});

function SignInPage({ onSignInSuccess }: SignInPageProps) {
  useEffect(
    () =>
      onSignInSuccess({
        getProfileInfo: async () => ({ displayName: 'Guest' }),
        getBackstageIdentity: async () => ({
          type: 'user',
          userEntityRef: 'user:default/guest',
          ownershipEntityRefs: ['group:default/team-shop'],
        }),
        getCredentials: async () => ({}),
        signOut: async () => {},
      }),
    [onSignInSuccess],
  );
  return null;
}

const fakes = createFrontendModule({
  pluginId: 'app',
  extensions: [
    SignInPageBlueprint.make({ params: { loader: async () => SignInPage } }),
    ApiBlueprint.make({
      name: 'fetch',
      params: defineParams =>
        defineParams({
          api: fetchApiRef,
          deps: {},
          factory: () => ({ fetch: api.fetch }),
        }),
    }),
    ApiBlueprint.make({
      name: 'permission',
      params: defineParams =>
        defineParams({
          api: permissionApiRef,
          deps: {},
          factory: () => ({
            authorize: async () => ({ result: AuthorizeResult.ALLOW }),
          }),
        }),
    }),
  ],
});

const catalogFake = createFrontendModule({
  pluginId: 'catalog',
  extensions: [
    ApiBlueprint.make({
      params: defineParams =>
        defineParams({
          api: catalogApiRef,
          deps: {},
          factory: () =>
            catalogApiMock({
              entities: [
                entity('orders', { 'backstage.io/kubernetes-id': 'orders' }),
                entity('unlinked'),
              ],
            }),
        }),
    }),
  ],
});

const app = createApp({
  features: [catalogPlugin, driftPlugin, fakes, catalogFake],
  advanced: {
    configLoader: async () => ({
      config: new ConfigReader({
        app: {
          title: 'Drift',
          baseUrl: window.location.origin,
          extensions: [
            { 'entity-card:drift': { config: { type: 'content' } } },
          ],
        },
        backend: { baseUrl: 'http://localhost:7007' },
      }),
    }),
  },
});

ReactDOM.createRoot(document.getElementById('root')!).render(app.createRoot());
