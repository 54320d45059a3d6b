import {
  attachMockApiFactory,
  mockApis,
  renderTestApp,
} from '@backstage/frontend-test-utils';
import type { ExtensionDefinition } from '@backstage/frontend-plugin-api';
import { entityRouteRef } from '@backstage/plugin-catalog-react';
import {
  catalogApiMock,
  createTestEntityPage,
} from '@backstage/plugin-catalog-react/testUtils';
import { AuthorizeResult } from '@backstage/plugin-permission-common';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createDriftApi, driftApiRef } from './api/driftApi';
import drift from './alpha';
import { FakeDriftApi } from './testing/fakeApi';
import { ORDERS } from './__testUtils__/render';

function renderApp(at: string, extensions?: ExtensionDefinition[]) {
  const fake = new FakeDriftApi();
  return renderTestApp({
    features: [drift],
    extensions,
    // The test entity page brings the route of entities with it.
    mountedRoutes: extensions
      ? undefined
      : { '/catalog/:namespace/:kind/:name': entityRouteRef },
    initialRouteEntries: [at],
    apis: [
      attachMockApiFactory(driftApiRef, createDriftApi({ fetch: fake.fetch })),
      mockApis.permission({ authorize: AuthorizeResult.ALLOW }),
      catalogApiMock({ entities: [ORDERS] }),
    ],
  });
}

describe('the plugin in the new frontend system', () => {
  it('leads /drift to the conflict queue, with tabs to the other pages', async () => {
    const user = userEvent.setup();
    renderApp('/drift');
    const question = await screen.findByRole('article', {
      name: /KongRoute shop\/checkout/,
    });
    expect(screen.getByRole('main')).toContainElement(question);
    await user.click(await screen.findByRole('tab', { name: 'Fleet' }));
    expect(
      await screen.findByRole('region', { name: 'By owner' }),
    ).toBeVisible();
    await user.click(screen.getByRole('tab', { name: 'Policies' }));
    expect(await screen.findByRole('region', { name: 'Pauses' })).toBeVisible();
  });

  it('has a page for one resource, with a way back', async () => {
    const user = userEvent.setup();
    renderApp('/drift/resources/drifted');
    await screen.findByRole('heading', { name: 'KongService shop/orders' });
    await user.click(screen.getByRole('link', { name: 'All resources' }));
    expect(await screen.findByText('1–13 of 13 resources')).toBeVisible();
  });

  it('adds the card and the tab to an entity', async () => {
    renderApp('/', [createTestEntityPage({ entity: ORDERS })]);
    expect(
      await screen.findByRole('link', { name: 'All 12 resources' }),
    ).toBeVisible();
    expect(
      await screen.findByRole('group', { name: 'Resources by verdict' }),
    ).toBeVisible();
  });
});
