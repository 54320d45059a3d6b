import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { FakeDriftApi } from '../testing/fakeApi';
import { ORDERS, renderPage } from '../__testUtils__/render';
import { EntityDriftContent } from './EntityDriftContent';

const content = <EntityDriftContent />;

describe('EntityDriftContent', () => {
  it('shows the counts, the resources worst first, and the worst one open', async () => {
    renderPage(content, { entity: ORDERS });

    const strip = await screen.findByRole('group', {
      name: 'Resources by verdict',
    });
    expect(
      within(strip).getByRole('button', { name: /Drifted 2/ }),
    ).toBeInTheDocument();
    const rows = await screen.findAllByRole('row');
    expect(rows[1]).toHaveTextContent('KongRoute shop/checkout');
    expect(rows[1]).toHaveTextContent('Conflicted');
    expect(
      await screen.findByRole('region', { name: 'KongRoute shop/checkout' }),
    ).toBeInTheDocument();
  });

  it('keeps the worst one open when it is put right', async () => {
    const { fake, signals } = renderPage(content, { entity: ORDERS });
    await screen.findByRole('region', { name: 'KongRoute shop/checkout' });
    const conflicted = fake.resources.find(item => item.id === 'conflicted')!;
    conflicted.verdict = 'InSync';
    conflicted.openConflictId = undefined;
    conflicted.message = 'Every declared field equals its live value.';
    signals.send({ ids: ['conflicted'] });
    const details = within(
      screen.getByRole('region', { name: 'KongRoute shop/checkout' }),
    );
    expect(
      await details.findByText('Every declared field equals its live value.'),
    ).toBeVisible();
  });

  it('says what could not be read', async () => {
    renderPage(content, { entity: ORDERS });
    expect(
      await screen.findByText(/Something could not be read/),
    ).toBeInTheDocument();
    expect(screen.getByText(/connect ECONNREFUSED/)).toBeInTheDocument();
  });

  it('opens a resource in place, takes the focus there and gives it back', async () => {
    const user = userEvent.setup();
    renderPage(content, { entity: ORDERS });

    await user.click(
      await screen.findByRole('row', { name: /KongService shop\/orders/ }),
    );
    const details = await screen.findByRole('region', {
      name: 'KongService shop/orders',
    });
    expect(
      within(details).getByRole('heading', { name: 'KongService shop/orders' }),
    ).toHaveFocus();
    expect(
      await within(details).findByText(/put back within 40 s/),
    ).toBeInTheDocument();
    expect(
      within(details).getByRole('row', { name: '/retries' }),
    ).toHaveTextContent('/retries393Live movedkay@example.com, 5 min ago');

    await user.keyboard('{Escape}');
    await waitFor(() =>
      expect(
        screen.queryByRole('region', { name: 'KongService shop/orders' }),
      ).not.toBeInTheDocument(),
    );
    expect(
      screen.getByRole('row', { name: /KongService shop\/orders/ }),
    ).toHaveFocus();
  });

  it('opens the resource that the URL names', async () => {
    renderPage(content, {
      entity: ORDERS,
      at: '/catalog/default/component/orders?resource=unknown',
    });
    const details = await screen.findByRole('region', {
      name: 'ConfigMap shop/orders-config',
    });
    expect(
      await within(details).findByText('Not verified lately'),
    ).toBeVisible();
    expect(
      await within(details).findByText(/does not mean that they are equal/),
    ).toBeVisible();
  });

  it('filters by verdict', async () => {
    const user = userEvent.setup();
    renderPage(content, { entity: ORDERS });
    await user.click(
      await screen.findByRole('button', { name: /Missing 1 ?: show only/ }),
    );
    await waitFor(() =>
      expect(screen.getAllByRole('row')[1]).toHaveTextContent('mobile-app'),
    );
    expect(screen.queryByRole('row', { name: /rate-limit/ })).toBeNull();
  });

  it('pages through long lists by cursor', async () => {
    const user = userEvent.setup();
    const fake = new FakeDriftApi();
    const last = fake.resources.at(-2)!;
    for (let index = 0; index < 600; index++) {
      fake.resources.push({
        ...last,
        id: `many-${index}`,
        title: `KongRoute shop/route-${index}`,
      });
    }
    renderPage(content, { entity: ORDERS, fake });
    expect(await screen.findByText('1–10 of 612 resources')).toBeVisible();
    await user.click(screen.getByRole('button', { name: /next/i }));
    expect(await screen.findByText('11–20 of 612 resources')).toBeVisible();
    expect(
      await screen.findByRole('row', { name: /shop\/route-0/ }),
    ).toBeVisible();
    await user.click(screen.getByRole('button', { name: /previous/i }));
    expect(await screen.findByText('1–10 of 612 resources')).toBeVisible();
  });

  it('brings the next check forward', async () => {
    const user = userEvent.setup();
    const { fake } = renderPage(content, { entity: ORDERS });
    const [checkNow] = await screen.findAllByRole('button', {
      name: 'Check now',
    });
    await user.click(checkNow);
    expect(await screen.findByText('13 due now')).toBeInTheDocument();
    expect(fake.lastBody('POST /v1/check')).toEqual({
      entity: 'component:default/orders',
    });
  });

  it('loads again when a signal comes', async () => {
    const { fake, signals } = renderPage(content, { entity: ORDERS });
    await screen.findByRole('row', { name: /mobile-app/ });
    fake.resources = fake.resources.filter(item => item.id !== 'missing');
    signals.send({ ids: ['missing'] });
    await waitFor(() =>
      expect(screen.queryByRole('row', { name: /mobile-app/ })).toBeNull(),
    );
  });

  it('says how to link resources where none belongs to the entity', async () => {
    const fake = new FakeDriftApi();
    fake.resources = [];
    fake.platforms = [];
    renderPage(content, { entity: ORDERS, fake });
    expect(
      await screen.findByText('No resource belongs to this entity'),
    ).toBeVisible();
    expect(
      screen.getAllByText(/backstage.io\/kubernetes-id: orders/)[0],
    ).toBeVisible();
  });

  it('does not say that nothing belongs to it while a platform is unreachable', async () => {
    const fake = new FakeDriftApi();
    fake.resources = [];
    renderPage(content, { entity: ORDERS, fake });
    expect(
      await screen.findByText(
        'Not known whether anything belongs to this entity',
      ),
    ).toBeVisible();
    expect(screen.queryByText('No resource belongs to this entity')).toBeNull();
  });

  it('shows that it loads', async () => {
    const fake = new FakeDriftApi();
    fake.fail('GET /v1/summary', { never: true });
    renderPage(content, { entity: ORDERS, fake });
    expect(
      await screen.findByRole('status', { name: 'Loading drift' }),
    ).toBeInTheDocument();
  });

  it('shows why it could not be loaded, and tries again', async () => {
    const user = userEvent.setup();
    const fake = new FakeDriftApi();
    fake.fail('GET /v1/summary', { status: 503, message: 'database is away' });
    renderPage(content, { entity: ORDERS, fake });
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'database is away',
    );
    fake.heal('GET /v1/summary');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(
      await screen.findByRole('group', { name: 'Resources by verdict' }),
    ).toBeVisible();
  });

  it('keeps what it has when a refresh fails, and says so', async () => {
    const { fake, signals } = renderPage(content, { entity: ORDERS });
    await screen.findByRole('row', { name: /mobile-app/ });
    fake.fail('GET /v1/summary', { status: 500, message: 'down' });
    signals.send({ ids: [] });
    expect(
      await screen.findByText(/Drift could not be refreshed/),
    ).toBeVisible();
    expect(screen.getByRole('row', { name: /mobile-app/ })).toBeVisible();
  });
});
