import { FakeDriftApi } from '../testing/fakeApi';
import { createDriftApi } from './driftApi';
import { isChangedMeanwhile, messageOf, statusOf } from './errors';

const SEEN = { declared: 'd-drifted', live: 'l-drifted' };

describe('createDriftApi', () => {
  it('asks plugin://drift, with bodies as text', async () => {
    const fake = new FakeDriftApi();
    const fetchFn = jest.fn(fake.fetch);
    const api = createDriftApi({ fetch: fetchFn });
    await api.reconcile('drifted', { seen: SEEN });
    expect(fetchFn).toHaveBeenCalledWith(
      'plugin://drift/v1/resources/drifted/reconcile',
      expect.objectContaining({
        method: 'POST',
        body: JSON.stringify({ seen: SEEN }),
      }),
    );
    const [, init] = fetchFn.mock.calls[0];
    expect(new Headers(init?.headers).get('content-type')).toBe(
      'application/json',
    );
  });

  it('sends filters as the API names them', async () => {
    const fake = new FakeDriftApi();
    const api = createDriftApi({ fetch: fake.fetch });
    const page = await api.listResources({
      verdict: ['Missing', 'Unknown'],
      limit: 1,
    });
    expect(page).toMatchObject({ total: 2, nextCursor: '1' });
  });

  it('tells a change in between from other failures', async () => {
    const fake = new FakeDriftApi();
    const api = createDriftApi({ fetch: fake.fetch });
    const changed = await api
      .reconcile('drifted', { seen: { declared: 'd', live: 'other' } })
      .catch(error => error);
    expect(isChangedMeanwhile(changed)).toBe(true);
    expect(messageOf(changed)).toBe('The live side moved since.');
    const missing = await api.getResource('nowhere').catch(error => error);
    expect(isChangedMeanwhile(missing)).toBe(false);
    expect(statusOf(missing)).toBe(404);
  });

  it('says that the backend could not be reached', () => {
    expect(messageOf(new TypeError('Failed to fetch'))).toBe(
      'The portal’s backend could not be reached.',
    );
  });
});
