import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { FakeDriftApi } from '../testing/fakeApi';
import { renderPage } from '../__testUtils__/render';
import { ResourcesPage } from './ResourcesPage';

const page = <ResourcesPage />;

describe('ResourcesPage', () => {
  it('lists all, each leading to its page', async () => {
    renderPage(page, { at: '/drift/resources' });
    expect(await screen.findByText('1–13 of 13 resources')).toBeVisible();
    expect(
      screen.getByRole('row', { name: /KongService shop\/orders/ }),
    ).toHaveAttribute('data-href', '/drift/resources/drifted');
  });

  it('filters by what stands in the URL', async () => {
    renderPage(page, {
      at: '/drift/resources?verdict=Drifted&platform=kubernetes%2Fprod&owner=group:default/team-shop',
    });
    expect(await screen.findByText('1–1 of 1 resources')).toBeVisible();
    expect(screen.getByRole('row', { name: /Deployment/ })).toBeVisible();
  });

  it('shows resources without an entity, and clears the filters', async () => {
    const user = userEvent.setup();
    renderPage(page, { at: '/drift/resources?unassigned=true' });
    expect(await screen.findByText('1–1 of 1 resources')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Clear the filters' }));
    expect(await screen.findByText('1–13 of 13 resources')).toBeVisible();
  });

  it('finds by a part of a name', async () => {
    const user = userEvent.setup();
    renderPage(page, { at: '/drift/resources' });
    await screen.findByText('1–13 of 13 resources');
    await user.type(screen.getByRole('searchbox', { name: 'Name' }), 'basket');
    expect(await screen.findByText('1–2 of 2 resources')).toBeVisible();
  });

  it('filters by a chosen verdict', async () => {
    const user = userEvent.setup();
    renderPage(page, { at: '/drift/resources' });
    await screen.findByText('1–13 of 13 resources');
    await user.click(screen.getByRole('button', { name: /Verdict/ }));
    await user.click(await screen.findByRole('option', { name: 'Unknown' }));
    expect(await screen.findByText('1–1 of 1 resources')).toBeVisible();
  });

  it('says that nothing matches', async () => {
    renderPage(page, { at: '/drift/resources?q=nothing-like-it' });
    expect(
      await screen.findByText(
        'No resource that you may see matches these filters.',
      ),
    ).toBeVisible();
  });

  it('shows the page of one resource under its address', async () => {
    renderPage(page, { at: '/drift/resources/unknown' });
    expect(
      await screen.findByRole('heading', {
        name: 'ConfigMap shop/orders-config',
      }),
    ).toBeVisible();
    expect(screen.getByRole('link', { name: 'All resources' })).toHaveAttribute(
      'href',
      '/drift/resources',
    );
  });

  it('says why the list could not be loaded', async () => {
    const fake = new FakeDriftApi();
    fake.fail('GET /v1/resources', { status: 500, message: 'no database' });
    renderPage(page, { fake, at: '/drift/resources' });
    expect(await screen.findByRole('alert')).toHaveTextContent('no database');
    await waitFor(() => expect(screen.queryByRole('grid')).toBeNull());
  });
});
