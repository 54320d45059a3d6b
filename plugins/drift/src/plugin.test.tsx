import {
  EntityProvider,
  entityRouteRef,
} from '@backstage/plugin-catalog-react';
import { permissionApiRef } from '@backstage/plugin-permission-react';
import {
  mockApis,
  renderInTestApp,
  TestApiProvider,
} from '@backstage/test-utils';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { JSX } from 'react';
import { Route, Routes } from 'react-router-dom';
import { createDriftApi } from './api/driftApi';
import {
  DriftPage,
  EntityDriftCard,
  EntityDriftContent,
  driftApiRef,
  driftPlugin,
  isDriftAvailable,
} from './index';
import { FakeDriftApi } from './testing/fakeApi';
import { ORDERS } from './__testUtils__/render';

async function renderLegacy(element: JSX.Element, at: string) {
  const fake = new FakeDriftApi();
  return renderInTestApp(
    <TestApiProvider
      apis={[
        [driftApiRef, createDriftApi({ fetch: fake.fetch })],
        [permissionApiRef, mockApis.permission()],
      ]}
    >
      <EntityProvider entity={ORDERS}>
        <Routes>
          <Route path={`${at}/*`} element={element} />
        </Routes>
      </EntityProvider>
    </TestApiProvider>,
    {
      routeEntries: [at],
      mountedRoutes: {
        '/catalog/:namespace/:kind/:name': entityRouteRef,
      },
    },
  );
}

describe('the plugin in the old frontend system', () => {
  it('brings its API', () => {
    expect([...driftPlugin.getApis()].map(factory => factory.api.id)).toEqual([
      'plugin.drift',
    ]);
  });

  it('knows which entities it is for', () => {
    expect(isDriftAvailable(ORDERS)).toBe(true);
    expect(isDriftAvailable({ ...ORDERS, kind: 'API' })).toBe(true);
    expect(isDriftAvailable({ ...ORDERS, kind: 'Group' })).toBe(false);
  });

  it('shows the tab of an entity', async () => {
    await renderLegacy(<EntityDriftContent />, '/tab');
    expect(
      await screen.findByRole('group', { name: 'Resources by verdict' }),
    ).toBeVisible();
    expect(
      await screen.findByRole('region', { name: 'KongRoute shop/checkout' }),
    ).toBeVisible();
  });

  it('shows the card of an entity', async () => {
    await renderLegacy(<EntityDriftCard />, '/card');
    expect(
      await screen.findByRole('link', { name: 'All 12 resources' }),
    ).toHaveAttribute('href', '/catalog/default/component/orders/drift');
  });

  it('shows the pages under tabs', async () => {
    const user = userEvent.setup();
    await renderLegacy(<DriftPage />, '/drift');
    await screen.findByRole('article', { name: /KongRoute shop\/checkout/ });
    await user.click(screen.getByRole('tab', { name: 'Fleet' }));
    expect(
      await screen.findByRole('region', { name: 'By owner' }),
    ).toBeVisible();
  });
});
