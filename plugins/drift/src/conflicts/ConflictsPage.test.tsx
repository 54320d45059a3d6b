import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { FakeDriftApi } from '../testing/fakeApi';
import { renderPage } from '../__testUtils__/render';
import { ConflictsPage } from './ConflictsPage';

const QUESTION = /has the paths \/checkout-v2 for KongRoute/;

async function findQuestion(name: RegExp) {
  return within(await screen.findByRole('article', { name }));
}

describe('ConflictsPage', () => {
  it('reads as questions with answers, consequences, and what happens otherwise', async () => {
    renderPage(<ConflictsPage />);
    const question = await findQuestion(QUESTION);
    expect(question.getByText(/calls to \/checkout-v2 end/)).toBeVisible();
    expect(
      question.getByRole('button', { name: 'Choose: Put /pay in place' }),
    ).toBeEnabled();
    expect(
      question.getByRole('button', { name: 'Choose: Keep /checkout-v2' }),
    ).toBeEnabled();
    expect(question.getByText(/If nobody decides:/)).toHaveTextContent(
      'Nothing is written, and the question stays open.',
    );
    expect(question.getByRole('row', { name: '/paths' })).toHaveTextContent(
      '/checkout-v2',
    );
    expect(
      question.getByRole('link', { name: 'KongRoute shop/checkout' }),
    ).toHaveAttribute('href', '/drift/resources/conflicted');
  });

  it('asks for mine first, and for all on demand', async () => {
    const user = userEvent.setup();
    renderPage(<ConflictsPage />);
    await findQuestion(QUESTION);
    expect(screen.queryByRole('article', { name: /pay\/cards/ })).toBeNull();
    await user.click(
      screen.getByRole('switch', { name: /Only those of my groups/ }),
    );
    await findQuestion(/pay\/cards/);
  });

  it('applies a confirmed answer to what was seen', async () => {
    const user = userEvent.setup();
    const { fake } = renderPage(<ConflictsPage />);
    const question = await findQuestion(QUESTION);
    await user.click(
      question.getByRole('button', { name: 'Choose: Put /pay in place' }),
    );
    const dialog = within(await screen.findByRole('dialog'));
    await user.type(dialog.getByRole('textbox', { name: /Note/ }), 'agreed');
    expect(fake.count('POST /v1/conflicts/*/resolve')).toBe(0);
    await user.click(
      dialog.getByRole('button', { name: 'Confirm: Put /pay in place' }),
    );
    expect(await screen.findByText('Done as chosen.')).toBeInTheDocument();
    expect(fake.lastBody('POST /v1/conflicts/*/resolve')).toEqual({
      choice: 'declared',
      seen: { declared: 'd-conflicted', live: 'l-conflicted' },
      note: 'agreed',
    });
    await waitFor(() =>
      expect(screen.queryByRole('article', { name: QUESTION })).toBeNull(),
    );
  });

  it('does nothing when it changed meanwhile, and shows how it is now', async () => {
    const user = userEvent.setup();
    const { fake } = renderPage(<ConflictsPage />);
    const question = await findQuestion(QUESTION);
    await user.click(
      question.getByRole('button', { name: 'Choose: Keep /checkout-v2' }),
    );
    fake.moveLive('conflicted', 'Konnect EU now has /checkout-v3.');
    const dialog = within(await screen.findByRole('dialog'));
    const confirm = () =>
      user.click(
        dialog.getByRole('button', { name: 'Confirm: Keep /checkout-v2' }),
      );
    await confirm();
    expect(
      await dialog.findByText(/changed while you were looking/),
    ).toBeVisible();
    expect(
      await dialog.findByText('Konnect EU now has /checkout-v3.'),
    ).toBeVisible();
    await confirm();
    expect(await screen.findByText('Done as chosen.')).toBeInTheDocument();
    expect(fake.lastBody('POST /v1/conflicts/*/resolve')).toMatchObject({
      seen: { live: 'l-conflicted+' },
    });
  });

  it('answers first-sight questions in bulk and says what came of each', async () => {
    const user = userEvent.setup();
    const { fake } = renderPage(<ConflictsPage />);
    await user.click(
      await screen.findByRole('button', { name: 'Select all 3' }),
    );
    expect(
      screen.getByText('3 of 3 first-sight questions selected'),
    ).toBeVisible();
    await user.click(
      screen.getByRole('button', { name: 'The live side stands…' }),
    );
    // Somebody moves one of the three while the dialog is open.
    fake.conflicts.find(item => item.id === 'c-firstsight-2')!.seen = {
      declared: 'd',
      live: 'moved',
    };
    const dialog = within(await screen.findByRole('dialog'));
    await user.click(dialog.getByRole('button', { name: 'Confirm for 3' }));
    expect(await dialog.findByText('2 of 3 applied.')).toBeVisible();
    const results = within(dialog.getByRole('list', { name: 'Results' }));
    expect(results.getByText(/Live moved since/)).toHaveTextContent(
      'Deployment shop/mailer not applied: Live moved since.',
    );
    await user.click(dialog.getByText('Close'));
    await waitFor(() =>
      expect(
        screen.queryByRole('article', { name: /shop\/search/ }),
      ).toBeNull(),
    );
  });

  it('lets a person decide about single fields', async () => {
    const user = userEvent.setup();
    const fake = new FakeDriftApi();
    const conflict = fake.conflicts.find(item => item.id === 'c-conflicted')!;
    const route = fake.resources.find(item => item.id === 'conflicted')!;
    route.changes = [
      ...route.changes,
      { ...route.changes[0], path: '/methods', declared: ['GET'], live: [] },
    ];
    conflict.fields = route.changes;
    renderPage(<ConflictsPage />, { fake });
    const question = await findQuestion(QUESTION);
    await user.click(
      question.getByRole('checkbox', { name: 'Choose /methods' }),
    );
    await user.click(
      question.getByRole('button', { name: 'Keep only these live…' }),
    );
    const dialog = within(await screen.findByRole('dialog'));
    expect(
      dialog.getByText('Keep live 1 field of KongRoute shop/checkout'),
    ).toBeVisible();
    await user.click(dialog.getByRole('button', { name: 'Keep live' }));
    expect(
      await screen.findByText('The live values are kept.'),
    ).toBeInTheDocument();
    expect(fake.lastBody('POST /v1/resources/*/keep-live')).toEqual({
      seen: conflict.seen,
      paths: ['/methods'],
    });
    expect(fake.count('POST /v1/conflicts/*/resolve')).toBe(0);
  });

  it('disables the answers, and says why, without the permission', async () => {
    renderPage(<ConflictsPage />, { denied: ['drift.conflict.resolve'] });
    const question = await findQuestion(QUESTION);
    expect(
      await question.findByText(/do not have the permission to decide/),
    ).toBeVisible();
    expect(
      question.getByRole('button', { name: 'Choose: Put /pay in place' }),
    ).toBeDisabled();
  });

  it('shows what came of resolved questions', async () => {
    const user = userEvent.setup();
    renderPage(<ConflictsPage />);
    await user.click(await screen.findByRole('tab', { name: 'Resolved' }));
    const question = await findQuestion(/3 or 9 retries/);
    expect(question.getByText('The live side stands')).toBeVisible();
    expect(question.getByText('the partner needs it until May')).toBeVisible();
    expect(question.queryByRole('button', { name: /Choose/ })).toBeNull();
  });

  it('tells an empty queue of mine from an empty queue', async () => {
    const user = userEvent.setup();
    const fake = new FakeDriftApi();
    fake.conflicts = [];
    renderPage(<ConflictsPage />, { fake });
    expect(
      await screen.findByText('No question waits for you or your groups'),
    ).toBeVisible();
    await user.click(
      screen.getByRole('switch', { name: /Only those of my groups/ }),
    );
    expect(
      await screen.findByText('No question waits for anybody'),
    ).toBeVisible();
  });

  it('shows that it loads, and why it could not', async () => {
    const fake = new FakeDriftApi();
    fake.fail('GET /v1/conflicts', { status: 403, message: 'not for you' });
    renderPage(<ConflictsPage />, { fake });
    expect(
      screen.getByRole('status', { name: 'Loading the questions' }),
    ).toBeInTheDocument();
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'You may not see this: not for you',
    );
  });
});
