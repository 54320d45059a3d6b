import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { FakeDriftApi } from '../testing/fakeApi';
import { renderPage } from '../__testUtils__/render';
import { FleetPage } from './FleetPage';

describe('FleetPage', () => {
  it('counts verdicts by owner and platform, each leading to its resources', async () => {
    renderPage(<FleetPage />);
    const owners = within(
      await screen.findByRole('region', { name: 'By owner' }),
    );
    expect(
      owners.getByRole('link', {
        name: 'Drifted 2 of group:default/team-shop',
      }),
    ).toHaveAttribute(
      'href',
      '/drift/resources?owner=group%3Adefault%2Fteam-shop&verdict=Drifted',
    );
    expect(
      owners.getByRole('link', { name: 'In sync 1 of no owner' }),
    ).toHaveAttribute(
      'href',
      '/drift/resources?unassigned=true&verdict=InSync',
    );
    const platforms = within(
      screen.getByRole('region', { name: 'By platform' }),
    );
    expect(
      platforms.getByRole('link', { name: 'Unknown 1 of Kubernetes prod' }),
    ).toHaveAttribute(
      'href',
      '/drift/resources?platform=kubernetes%2Fprod&verdict=Unknown',
    );
    const all = within(screen.getByRole('group', { name: 'All resources' }));
    expect(all.getByRole('link', { name: 'In sync 2' })).toBeVisible();
  });

  it('says how each platform is, since when, and why', async () => {
    renderPage(<FleetPage />);
    const region = within(
      await screen.findByRole('region', { name: 'Platforms and sources' }),
    );
    const broken = region.getByRole('row', { name: /^Kubernetes prod/ });
    expect(broken).toHaveTextContent('Unreachable');
    expect(broken).toHaveTextContent('connect ECONNREFUSED');
    expect(broken).toHaveTextContent('12 min ago');
    const healthy = region.getByRole('row', { name: /^Konnect EU/ });
    expect(healthy).toHaveTextContent('600 a minute');
    expect(healthy).toHaveTextContent('571 free now');
  });

  it('says how long drifts of the last day lived, or that there were none', async () => {
    const fake = new FakeDriftApi();
    fake.timeToDetectSeconds = { median: 4.23, p95: 95 };
    renderPage(<FleetPage />, { fake });
    const region = await screen.findByRole('region', {
      name: 'Drifts of the last 24 hours',
    });
    const [detect, correct] = within(region).getAllByRole('definition');
    expect(detect).toHaveTextContent('half within 4.2 s');
    expect(detect).toHaveTextContent('95 of 100 within 1 min 35 s');
    expect(correct).toHaveTextContent('No drift was put right.');
  });

  it('says when nothing is known yet, without calling it well', async () => {
    const fake = new FakeDriftApi();
    fake.resources = [];
    renderPage(<FleetPage />, { fake });
    expect(await screen.findByText('No resource is known yet')).toBeVisible();
    expect(screen.getByText(/Something could not be read/)).toBeVisible();
  });

  it('says that no platform is configured', async () => {
    const fake = new FakeDriftApi();
    fake.resources = [];
    fake.platforms = [];
    renderPage(<FleetPage />, { fake });
    expect(
      await screen.findByText(/No platform is configured yet/),
    ).toBeVisible();
  });

  it('shows that it loads, why it could not, and tries again', async () => {
    const user = userEvent.setup();
    const fake = new FakeDriftApi();
    fake.fail('GET /v1/fleet', { status: 500, message: 'no database' });
    renderPage(<FleetPage />, { fake });
    expect(
      screen.getByRole('status', { name: 'Loading the fleet' }),
    ).toBeInTheDocument();
    expect(await screen.findByRole('alert')).toHaveTextContent('no database');
    fake.heal('GET /v1/fleet');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(
      await screen.findByRole('region', { name: 'By owner' }),
    ).toBeVisible();
  });
});
