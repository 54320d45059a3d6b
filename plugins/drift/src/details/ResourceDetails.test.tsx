import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { ResourcePage } from '../resources/ResourcePage';
import { FakeDriftApi } from '../testing/fakeApi';
import { manyFields } from '../testing/fixtures';
import { renderPage } from '../__testUtils__/render';

function renderResource(
  id: string,
  options: Parameters<typeof renderPage>[1] = {},
) {
  return renderPage(<ResourcePage id={id} />, options);
}

async function openDialog(name: string) {
  const user = userEvent.setup();
  const button = await screen.findByRole('button', { name });
  await waitFor(() => expect(button).toBeEnabled());
  await user.click(button);
  return {
    user,
    button,
    dialog: within(await screen.findByRole('dialog')),
  };
}

describe('reconcile', () => {
  it('shows what would be written before anything is', async () => {
    const { fake } = renderResource('drifted');
    const { dialog } = await openDialog('Preview and reconcile');
    expect(
      await dialog.findByRole('row', { name: '/retries' }),
    ).toHaveTextContent('/retries93');
    expect(
      dialog.getByRole('row', { name: '/client_certificate/key' }),
    ).toHaveTextContent('secret (digest 91bb20aa)secret (digest 3fa9c01b)');
    expect(
      dialog.getByRole('row', { name: '/tags/[=legacy]' }),
    ).toHaveTextContent('removed');
    expect(dialog.getByRole('listitem')).toHaveTextContent(
      'writeBudget lets it pass',
    );
    expect(fake.count('POST /v1/resources/*/preview')).toBe(1);
    expect(fake.count('POST /v1/resources/*/reconcile')).toBe(0);
  });

  it('writes what was previewed, says what came of it, and gives the focus back', async () => {
    const { fake } = renderResource('drifted');
    const { dialog, user, button } = await openDialog('Preview and reconcile');
    await user.click(
      await dialog.findByRole('button', { name: 'Write these fields' }),
    );
    expect(
      await screen.findByText('Written, and a fresh read shows it.'),
    ).toBeInTheDocument();
    expect(fake.lastBody('POST /v1/resources/*/reconcile')).toEqual({
      seen: { declared: 'd-drifted', live: 'l-drifted' },
    });
    expect(screen.getAllByText('In sync')[0]).toBeVisible();
    // Nothing is left to reconcile, so the button is gone; the focus must not stay on nothing in the dialog.
    expect(button).not.toBeInTheDocument();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('gives the focus back to its button when it is closed', async () => {
    renderResource('drifted');
    const { dialog, user, button } = await openDialog('Preview and reconcile');
    await dialog.findByRole('row', { name: '/retries' });
    await user.keyboard('{Escape}');
    await waitFor(() => expect(button).toHaveFocus());
  });

  it('writes nothing after a change in between, and previews again', async () => {
    const { fake } = renderResource('drifted');
    const { dialog, user } = await openDialog('Preview and reconcile');
    const confirm = await dialog.findByRole('button', {
      name: 'Write these fields',
    });
    fake.moveLive('drifted', 'Konnect has `retries` 12 now.');
    await user.click(confirm);
    expect(
      await dialog.findByText(/changed while you were looking/),
    ).toBeVisible();
    await waitFor(() =>
      expect(fake.count('POST /v1/resources/*/preview')).toBe(2),
    );
    await user.click(
      await dialog.findByRole('button', { name: 'Write these fields' }),
    );
    expect(
      await screen.findByText('Written, and a fresh read shows it.'),
    ).toBeInTheDocument();
  });

  it('cannot be confirmed while a guard holds', async () => {
    renderResource('blocked');
    const { dialog } = await openDialog('Preview');
    expect(await dialog.findByText('Nothing may be written now')).toBeVisible();
    expect(dialog.getByText(/holds the write/)).toBeVisible();
    expect(
      dialog.queryByRole('button', { name: 'Write these fields' }),
    ).toBeNull();
  });

  it('is only a preview where the mode is observe, and says why', async () => {
    const fake = new FakeDriftApi();
    const drifted = fake.resources.find(item => item.id === 'drifted')!;
    drifted.policy = { ...drifted.policy, mode: 'observe' };
    renderResource('drifted', { fake });
    const { dialog } = await openDialog('Preview');
    expect(await dialog.findByText('Nothing may be written now')).toBeVisible();
    expect(
      dialog.getByText(/the mode is observe, which never writes/),
    ).toBeVisible();
    expect(
      dialog.queryByRole('button', { name: 'Write these fields' }),
    ).toBeNull();
  });

  it('names a deletion as one', async () => {
    renderResource('orphaned');
    const { dialog } = await openDialog('Preview and reconcile');
    expect(
      await dialog.findByRole('button', { name: 'Delete it' }),
    ).toBeVisible();
  });

  it('asks the controller where an operator writes', async () => {
    renderResource('pending');
    const { dialog } = await openDialog('Preview and reconcile');
    expect(
      await dialog.findByRole('button', { name: 'Ask the controller' }),
    ).toBeVisible();
  });

  it('only previews without the permission, and says why', async () => {
    renderResource('drifted', { denied: ['drift.resource.reconcile'] });
    const { dialog } = await openDialog('Preview');
    expect(await dialog.findByRole('row', { name: '/retries' })).toBeVisible();
    expect(
      dialog.getByText(/do not have the permission to reconcile/),
    ).toBeVisible();
    expect(
      dialog.queryByRole('button', { name: 'Write these fields' }),
    ).toBeNull();
  });

  it('says why a preview failed', async () => {
    const fake = new FakeDriftApi();
    fake.fail('POST /v1/resources/*/preview', {
      status: 502,
      message: 'Konnect EU does not answer.',
    });
    renderResource('drifted', { fake });
    const { dialog } = await openDialog('Preview and reconcile');
    expect(await dialog.findByRole('alert')).toHaveTextContent(
      'Konnect EU does not answer.',
    );
  });
});

describe('single fields', () => {
  async function choose(...paths: string[]) {
    const user = userEvent.setup();
    const group = within(
      await screen.findByRole('group', { name: 'Chosen fields' }),
    );
    for (const path of paths) {
      await user.click(
        screen.getByRole('checkbox', { name: `Choose ${path}` }),
      );
    }
    return { user, group };
  }

  it('can be ticked with the keyboard, and are counted', async () => {
    renderResource('drifted');
    const { user, group } = await choose();
    expect(group.getByRole('status')).toHaveTextContent(
      'Choose fields to decide about these alone.',
    );
    const only = group.getByRole('button', {
      name: 'Preview and reconcile only these',
    });
    expect(only).toBeDisabled();
    const box = screen.getByRole('checkbox', { name: 'Choose /retries' });
    act(() => box.focus());
    await user.keyboard(' ');
    expect(box).toBeChecked();
    expect(box).toHaveFocus();
    expect(group.getByRole('status')).toHaveTextContent('1 of 3 fields chosen');
    await waitFor(() => expect(only).toBeEnabled());
    await user.click(group.getByRole('button', { name: 'Choose none' }));
    expect(box).not.toBeChecked();
    expect(only).toBeDisabled();
  });

  it('are reconciled alone, as the preview shows it', async () => {
    const { fake } = renderResource('drifted');
    const { user, group } = await choose('/retries');
    await user.click(
      group.getByRole('button', { name: 'Preview and reconcile only these' }),
    );
    const dialog = within(await screen.findByRole('dialog'));
    expect(
      dialog.getByText('Reconcile 1 field of KongService shop/orders'),
    ).toBeVisible();
    expect(
      await dialog.findByRole('row', { name: '/retries' }),
    ).not.toHaveTextContent('by policy');
    expect(
      dialog.getByRole('row', { name: /client_certificate/ }),
    ).toHaveTextContent('by policy');
    expect(
      dialog.getByRole('list', { name: '1 field stays as it is live' }),
    ).toHaveTextContent('/tags/[=legacy]');
    expect(fake.lastBody('POST /v1/resources/*/preview')).toEqual({
      side: 'declared',
      paths: ['/retries'],
    });
    await user.click(
      dialog.getByRole('button', { name: 'Write these fields' }),
    );
    expect(
      await screen.findByText('Written, and a fresh read shows it.'),
    ).toBeInTheDocument();
    expect(fake.lastBody('POST /v1/resources/*/reconcile')).toEqual({
      seen: { declared: 'd-drifted', live: 'l-drifted' },
      paths: ['/retries'],
    });
    expect(screen.queryByRole('row', { name: /\/retries/ })).toBeNull();
    expect(screen.getByRole('row', { name: /legacy/ })).toBeVisible();
  });

  it('are the whole resource where all are chosen', async () => {
    const { fake } = renderResource('drifted');
    const { user, group } = await choose(
      '/retries',
      '/client_certificate/key',
      '/tags/[=legacy]',
    );
    await user.click(
      group.getByRole('button', { name: 'Preview and reconcile only these' }),
    );
    const dialog = within(await screen.findByRole('dialog'));
    await dialog.findByRole('row', { name: /legacy/ });
    expect(fake.lastBody('POST /v1/resources/*/preview')).toEqual({
      side: 'declared',
    });
  });

  it('are kept live alone, and what becomes of the others is said before', async () => {
    const { fake } = renderResource('drifted');
    const { user, group } = await choose('/retries');
    await user.click(
      group.getByRole('button', { name: 'Keep only these live…' }),
    );
    const dialog = within(await screen.findByRole('dialog'));
    const rest = within(
      await dialog.findByRole('region', { name: 'What becomes of the rest' }),
    );
    expect(
      rest.getByRole('row', { name: '/client_certificate/key' }),
    ).toBeVisible();
    expect(rest.queryByRole('row', { name: '/retries' })).toBeNull();
    await user.click(dialog.getByRole('button', { name: 'Keep live' }));
    expect(
      await screen.findByText('The live values are kept.'),
    ).toBeInTheDocument();
    expect(fake.lastBody('POST /v1/resources/*/keep-live')).toEqual({
      seen: { declared: 'd-drifted', live: 'l-drifted' },
      paths: ['/retries'],
    });
    expect(screen.getByRole('row', { name: /\/retries/ })).toHaveTextContent(
      'kept live',
    );
  });

  it('cannot be written once they agree', async () => {
    const { fake } = renderResource('drifted');
    const { user, group } = await choose('/retries');
    const drifted = fake.resources.find(item => item.id === 'drifted')!;
    drifted.changes = drifted.changes.filter(({ path }) => path !== '/retries');
    await user.click(
      group.getByRole('button', { name: 'Preview and reconcile only these' }),
    );
    const dialog = within(await screen.findByRole('dialog'));
    expect(
      await dialog.findByText('No difference any more: /retries'),
    ).toBeVisible();
    expect(
      dialog.queryByRole('button', { name: 'Write these fields' }),
    ).toBeNull();
  });

  it('need no choice where there is one alone', async () => {
    renderResource('conflicted');
    await screen.findByRole('row', { name: /\/paths/ });
    expect(screen.queryByRole('checkbox')).toBeNull();
  });
});

describe('keep live', () => {
  it('keeps what was seen, with a note', async () => {
    const { fake } = renderResource('drifted');
    const { dialog, user } = await openDialog('Keep live…');
    await user.type(dialog.getByRole('textbox', { name: /Note/ }), 'for May');
    await user.click(dialog.getByRole('button', { name: 'Keep live' }));
    expect(
      await screen.findByText('The live values are kept.'),
    ).toBeInTheDocument();
    expect(fake.lastBody('POST /v1/resources/*/keep-live')).toEqual({
      seen: { declared: 'd-drifted', live: 'l-drifted' },
      note: 'for May',
    });
  });

  it('keeps nothing after a change in between', async () => {
    const { fake } = renderResource('drifted');
    const { dialog, user } = await openDialog('Keep live…');
    fake.moveLive('drifted', 'Konnect has `retries` 12 now.');
    await user.click(dialog.getByRole('button', { name: 'Keep live' }));
    expect(
      await dialog.findByText(/changed while you were looking/),
    ).toBeVisible();
    await user.click(dialog.getByRole('button', { name: 'Keep live' }));
    expect(
      await screen.findByText('The live values are kept.'),
    ).toBeInTheDocument();
    expect(fake.lastBody('POST /v1/resources/*/keep-live')).toMatchObject({
      seen: { live: 'l-drifted+' },
    });
  });
});

describe('pause', () => {
  it('pauses exactly this resource, with reason and end', async () => {
    const { fake } = renderResource('drifted');
    const { dialog, user } = await openDialog('Pause…');
    const pause = dialog.getByRole('button', { name: 'Pause' });
    expect(pause).toBeDisabled();
    await user.type(dialog.getByRole('textbox', { name: /Reason/ }), 'trial');
    const before = Date.now();
    await user.click(pause);
    expect(await screen.findByText('Paused.')).toBeInTheDocument();
    const rule = fake.lastBody('POST /v1/policies') as { until: string };
    expect(rule).toEqual({
      scope: {
        platform: 'konnect/eu',
        kind: 'KongService',
        namespace: 'shop',
        name: 'orders',
      },
      settings: { paused: true },
      reason: 'trial',
      until: expect.any(String),
    });
    const seconds = (Date.parse(rule.until) - before) / 1000;
    expect(seconds).toBeGreaterThanOrEqual(3600);
    expect(seconds).toBeLessThan(3700);
  });

  it('shows who paused, why and until when', async () => {
    renderResource('blocked');
    expect(
      await screen.findByText(
        'Paused by user:default/jo: migration to the new cluster',
      ),
    ).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Pause…' })).toBeNull();
  });
});

describe('what is shown', () => {
  it('marks kept, contested, secret and left-over fields', async () => {
    renderResource('drifted');
    const kept = await screen.findByRole('row', { name: /legacy/ });
    expect(kept).toHaveTextContent('kept live');
    expect(kept).toHaveTextContent('left over');
    expect(kept).toHaveTextContent('not declared');
    expect(
      screen.getByRole('row', { name: /client_certificate/ }),
    ).toHaveTextContent('secret (digest 3fa9c01b)');
  });

  it('shows extras without the defaults, and with them on demand', async () => {
    const user = userEvent.setup();
    renderResource('drifted');
    await user.click(
      await screen.findByRole('button', {
        name: /Live fields that nobody declared \(2\)/,
      }),
    );
    expect(
      screen.getByRole('row', { name: '/tags/[=edited-by-hand]' }),
    ).toBeVisible();
    expect(screen.queryByRole('row', { name: '/write_timeout' })).toBeNull();
    await user.click(
      screen.getByRole('switch', { name: 'Show 2 defaults of the platform' }),
    );
    expect(
      await screen.findByRole('row', { name: '/write_timeout' }),
    ).toHaveTextContent('default of the platform');
  });

  it('calls defaults what they are where there is nothing else', async () => {
    const user = userEvent.setup();
    const fake = new FakeDriftApi();
    const drifted = fake.resources.find(item => item.id === 'drifted')!;
    drifted.extras = drifted.extras.filter(extra => extra.isDefault);
    renderResource('drifted', { fake });
    await user.click(
      await screen.findByRole('button', {
        name: /Defaults of the platform \(2\)/,
      }),
    );
    expect(screen.getByRole('row', { name: '/write_timeout' })).toBeVisible();
  });

  it('cuts a long value, and shows all of it on demand', async () => {
    const user = userEvent.setup();
    renderResource('drifted');
    await user.click(
      await screen.findByRole('button', { name: /Live fields that nobody/ }),
    );
    const more = screen.getByRole('button', {
      name: /Show all \d+ characters/,
    });
    expect(more).toHaveAttribute('aria-expanded', 'false');
    await user.click(more);
    expect(screen.getByRole('button', { name: 'Show less' })).toHaveAttribute(
      'aria-expanded',
      'true',
    );
  });

  it('pages and searches 200 fields', async () => {
    const user = userEvent.setup();
    const fake = new FakeDriftApi();
    Object.assign(fake.resources.find(item => item.id === 'drifted')!, {
      changes: manyFields(),
      fields: 200,
    });
    renderResource('drifted', { fake });
    await screen.findByRole('row', { name: /SETTING_0\]/ });
    expect(screen.queryByRole('row', { name: /SETTING_30\]/ })).toBeNull();
    await user.type(
      screen.getByRole('searchbox', { name: 'Find a field' }),
      'setting_199',
    );
    expect(
      await screen.findByRole('row', { name: /SETTING_199\]/ }),
    ).toBeVisible();
  });

  it('shows problems of a declaration', async () => {
    renderResource('invalid');
    expect(await screen.findByText('The declaration is wrong')).toBeVisible();
    expect(screen.getByText(/There is no KongService/)).toBeVisible();
  });

  it('compares the two sides as YAML, secrets described', async () => {
    const user = userEvent.setup();
    renderResource('drifted');
    await user.click(await screen.findByRole('tab', { name: 'YAML' }));
    const diff = await screen.findByRole('region', {
      name: 'Declared and Live as YAML',
    });
    expect(diff).toHaveTextContent('retries: 3');
    expect(diff).toHaveTextContent('retries: 9');
    expect(diff).toHaveTextContent('key: secret (digest 3fa9c01b)');
  });

  it('tells what was wrong, why it was decided so, and how it ended', async () => {
    const user = userEvent.setup();
    renderResource('drifted');
    await user.click(await screen.findByRole('tab', { name: 'Episodes' }));
    await user.click(
      await screen.findByRole('button', { name: /corrected by our write/ }),
    );
    expect(
      screen.getByText(
        'Only the live side had moved, and the policy says revert.',
      ),
    ).toBeVisible();
    expect(screen.getByText('enforce.liveOnly.revert')).toBeVisible();
    expect(
      screen.getByText(
        'The declared host was written, and a fresh read shows it.',
      ),
    ).toBeVisible();
  });

  it('tells every decision with its digests and guards', async () => {
    const user = userEvent.setup();
    renderResource('drifted');
    await user.click(await screen.findByRole('tab', { name: 'Decisions' }));
    await user.click(
      await screen.findByRole('button', { name: /the write budget/ }),
    );
    expect(screen.getByText('sha256:77aa')).toBeVisible();
    expect(screen.getByText(/holds the write/)).toBeVisible();
  });

  it('says that nothing is known under an address', async () => {
    renderResource('nowhere');
    expect(await screen.findByText('There is no such resource')).toBeVisible();
  });

  it('answers its open question in place', async () => {
    const user = userEvent.setup();
    const { fake } = renderResource('conflicted');
    const question = within(
      await screen.findByRole('region', {
        name: 'A question waits for a person',
      }),
    );
    const choose = await question.findByRole('button', {
      name: 'Choose: Put /pay in place',
    });
    await waitFor(() => expect(choose).toBeEnabled());
    await user.click(choose);
    await user.click(
      await screen.findByRole('button', { name: 'Confirm: Put /pay in place' }),
    );
    expect(await screen.findByText('Done as chosen.')).toBeInTheDocument();
    expect(fake.count('POST /v1/conflicts/*/resolve')).toBe(1);
  });

  it('checks now, with fresh reads', async () => {
    const { fake } = renderResource('unknown');
    const user = userEvent.setup();
    const check = await screen.findByRole('button', { name: 'Check now' });
    await waitFor(() => expect(check).toBeEnabled());
    await user.click(check);
    expect(
      await screen.findByText('Checked: both sides were read freshly.'),
    ).toBeInTheDocument();
    expect(fake.count('POST /v1/resources/*/check')).toBe(1);
  });
});
