import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { FakeDriftApi } from '../testing/fakeApi';
import { renderPage } from '../__testUtils__/render';
import { PoliciesPage } from './PoliciesPage';

const region = async (name: string) =>
  within(await screen.findByRole('region', { name }));

describe('PoliciesPage', () => {
  it('shows pauses with author, reason and end', async () => {
    renderPage(<PoliciesPage />);
    const row = (await region('Pauses')).getByRole('row', {
      name: /kind NetworkPolicy/,
    });
    expect(row).toHaveTextContent('migration to the new cluster');
    expect(row).toHaveTextContent('user:default/jo');
    expect(row).toHaveTextContent(/in [23] h/);
  });

  it('lets nobody remove what comes from app-config', async () => {
    renderPage(<PoliciesPage />);
    const rules = await region('Rules');
    const row = within(rules.getByRole('row', { name: 'platform konnect/eu' }));
    expect(row.getByText('app-config')).toBeVisible();
    expect(row.getByText('mode: enforce')).toBeVisible();
    expect(row.queryByRole('button')).toBeNull();
  });

  it('adds a rule', async () => {
    const user = userEvent.setup();
    const { fake } = renderPage(<PoliciesPage />);
    const add = await screen.findByRole('button', { name: 'Add a rule' });
    await waitFor(() => expect(add).toBeEnabled());
    await user.click(add);
    const dialog = within(await screen.findByRole('dialog'));
    const save = dialog.getByRole('button', { name: 'Set the rule' });
    expect(save).toBeDisabled();
    await user.type(
      dialog.getByRole('textbox', { name: 'Namespace' }),
      ' shop ',
    );
    await user.type(dialog.getByRole('textbox', { name: /Reason/ }), 'calm');
    await user.click(dialog.getByRole('button', { name: /Mode/ }));
    await user.click(
      await screen.findByRole('option', { name: 'enforce: correct by itself' }),
    );
    await waitFor(() => expect(save).toBeEnabled());
    await user.click(save);
    expect(
      await screen.findByText('Set for namespace shop.'),
    ).toBeInTheDocument();
    expect(fake.lastBody('POST /v1/policies')).toEqual({
      scope: { namespace: 'shop' },
      settings: { mode: 'enforce' },
      reason: 'calm',
    });
    expect(
      (await region('Rules')).getByRole('row', { name: 'namespace shop' }),
    ).toBeVisible();
  });

  it('takes times as people write them, and says their bounds', async () => {
    const user = userEvent.setup();
    const { fake } = renderPage(<PoliciesPage />);
    const add = await screen.findByRole('button', { name: 'Add a rule' });
    await waitFor(() => expect(add).toBeEnabled());
    await user.click(add);
    const dialog = within(await screen.findByRole('dialog'));
    const save = dialog.getByRole('button', { name: 'Set the rule' });
    const every = dialog.getByRole('textbox', {
      name: /Verify at least every/,
    });
    const unknown = dialog.getByRole('textbox', {
      name: /Unknown when not verified for/,
    });
    const rewrite = async (box: HTMLElement, text: string) => {
      await user.clear(box);
      await user.type(box, text);
    };
    await user.type(dialog.getByRole('textbox', { name: /Reason/ }), 'calm');
    await rewrite(every, '3 s');
    expect(every).toBeInvalid();
    expect(every).toHaveAccessibleDescription(/It must be from 5 s to 7 d/);
    expect(save).toBeDisabled();
    await rewrite(every, '10');
    expect(every).toHaveAccessibleDescription(/with s, min, h or d/);
    await rewrite(every, '10 min');
    expect(every).toBeValid();
    expect(save).toBeEnabled();
    await rewrite(unknown, '600 s');
    expect(unknown).toHaveAccessibleDescription(/longer than the 10 min/);
    expect(save).toBeDisabled();
    await rewrite(unknown, '1 h 30 min');
    await user.click(save);
    await screen.findByText('Set for everything.');
    expect(fake.lastBody('POST /v1/policies')).toEqual({
      scope: {},
      settings: { resyncSeconds: 600, maxStalenessSeconds: 5400 },
      reason: 'calm',
    });
    const row = (await region('Rules')).getByRole('row', {
      name: 'everything',
    });
    expect(row).toHaveTextContent('verify every: 10 min');
    expect(row).toHaveTextContent('unknown after: 1 h 30 min');
  });

  it('removes a rule after a confirmation', async () => {
    const user = userEvent.setup();
    const { fake } = renderPage(<PoliciesPage />);
    await user.click(
      await screen.findByRole('button', { name: /^End the pause for/ }),
    );
    const dialog = within(await screen.findByRole('dialog'));
    expect(fake.count('DELETE /v1/policies/*')).toBe(0);
    await user.click(dialog.getByRole('button', { name: 'End the pause' }));
    expect(await screen.findByText('Nothing is paused.')).toBeVisible();
    expect(fake.count('DELETE /v1/policies/*')).toBe(1);
  });

  it('says why a rule was refused', async () => {
    const user = userEvent.setup();
    const fake = new FakeDriftApi();
    fake.fail('DELETE /v1/policies/*', { status: 500, message: 'no luck' });
    renderPage(<PoliciesPage />, { fake });
    await user.click(
      await screen.findByRole('button', { name: /^Remove the rule for/ }),
    );
    const dialog = within(await screen.findByRole('dialog'));
    await user.click(dialog.getByRole('button', { name: 'Remove' }));
    expect(await dialog.findByRole('alert')).toHaveTextContent('no luck');
  });

  it('only shows them without the permission', async () => {
    renderPage(<PoliciesPage />, { denied: ['drift.policy.update'] });
    expect(
      await screen.findByText(/do not have the permission to change policies/),
    ).toBeVisible();
    expect(screen.getByRole('button', { name: 'Add a rule' })).toBeDisabled();
    await region('Pauses');
    expect(screen.queryByRole('button', { name: /^End the pause/ })).toBeNull();
  });

  it('says that there is no rule', async () => {
    const fake = new FakeDriftApi();
    fake.policies = [];
    renderPage(<PoliciesPage />, { fake });
    expect(
      await screen.findByText('No rule: every resource is only observed.'),
    ).toBeVisible();
    expect(screen.getByText('Nothing is paused.')).toBeVisible();
  });

  it('shows that it loads, and why it could not', async () => {
    const fake = new FakeDriftApi();
    fake.fail('GET /v1/policies', { status: 500, message: 'no database' });
    renderPage(<PoliciesPage />, { fake });
    expect(
      screen.getByRole('status', { name: 'Loading policies' }),
    ).toBeInTheDocument();
    expect(await screen.findByRole('alert')).toHaveTextContent('no database');
  });
});
