import { screen } from '@testing-library/react';
import { FakeDriftApi } from '../testing/fakeApi';
import { ORDERS, renderPage } from '../__testUtils__/render';
import { EntityDriftCard } from './EntityDriftCard';

const card = <EntityDriftCard />;

describe('EntityDriftCard', () => {
  it('shows the counts, the worst, and the way to the tab', async () => {
    renderPage(card, { entity: ORDERS });
    expect(
      await screen.findByRole('link', { name: 'KongRoute shop/checkout' }),
    ).toHaveAttribute(
      'href',
      '/catalog/default/component/orders/drift?resource=conflicted',
    );
    expect(
      screen.getByRole('link', { name: 'All 12 resources' }),
    ).toHaveAttribute('href', '/catalog/default/component/orders/drift');
    expect(screen.getByText(/Oldest verification/)).toHaveTextContent(
      'Oldest verification 12 min ago; 2 questions wait for a person.',
    );
  });

  it('says what could not be read', async () => {
    renderPage(card, { entity: ORDERS });
    expect(
      await screen.findByText(/what is shown may be incomplete/),
    ).toBeVisible();
  });

  it('does not count nothing as well', async () => {
    const fake = new FakeDriftApi();
    fake.resources = [];
    renderPage(card, { entity: ORDERS, fake });
    expect(
      await screen.findByText(
        'Not known whether anything belongs to this entity.',
      ),
    ).toBeVisible();
    expect(screen.queryByText(/No resource belongs/)).toBeNull();
  });

  it('says how resources are linked where there are none', async () => {
    const fake = new FakeDriftApi();
    fake.resources = [];
    fake.platforms = [];
    renderPage(card, { entity: ORDERS, fake });
    expect(await screen.findByText(/No resource belongs/)).toHaveTextContent(
      'backstage.io/kubernetes-id',
    );
    expect(
      screen.getByRole('link', { name: 'How to link resources' }),
    ).toBeVisible();
  });

  it('shows that it loads, and why it could not', async () => {
    const fake = new FakeDriftApi();
    fake.fail('GET /v1/summary', { status: 500, message: 'no database' });
    renderPage(card, { entity: ORDERS, fake });
    expect(
      screen.getByRole('status', { name: 'Loading drift' }),
    ).toBeInTheDocument();
    expect(await screen.findByRole('alert')).toHaveTextContent('no database');
  });
});
