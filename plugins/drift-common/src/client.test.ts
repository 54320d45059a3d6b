/** What the client sends, and what it makes of an answer. */
import { ResponseError } from '@backstage/errors';
import { DriftClient } from './client';

const BASE = 'http://localhost/api/drift';

function answering(body: unknown, status = 200) {
  const fetchFn = jest.fn<
    Promise<Response>,
    [input: RequestInfo | URL, init?: RequestInit]
  >(async () => Response.json(body, { status }));
  const client = new DriftClient({
    baseUrl: BASE,
    fetch: fetchFn,
    token: 'a-token',
  });
  return { client, fetchFn };
}

describe('DriftClient', () => {
  it('hands on addresses and bodies as text, never a Request', async () => {
    const { client, fetchFn } = answering({ due: 2 });
    await client.checkMany({ platform: 'konnect/prod' });
    const [input, init] = fetchFn.mock.calls[0];
    expect(input).toBe(`${BASE}/v1/check`);
    expect(init).toMatchObject({
      method: 'POST',
      body: JSON.stringify({ platform: 'konnect/prod' }),
    });
    const headers = new Headers(init?.headers);
    expect(headers.get('authorization')).toBe('Bearer a-token');
    expect(headers.get('content-type')).toBe('application/json');
  });

  it('writes lists into the query as the API names them', async () => {
    const { client, fetchFn } = answering({ items: [], total: 0 });
    await client.listResources({ verdict: ['Missing', 'Drifted'], limit: 5 });
    expect(fetchFn.mock.calls[0][0]).toBe(
      `${BASE}/v1/resources?verdict=Missing&verdict=Drifted&limit=5`,
    );
  });

  it('throws what the API says', async () => {
    const { client } = answering(
      {
        error: { name: 'ConflictError', message: 'Live moved since.' },
        response: { statusCode: 409 },
      },
      409,
    );
    const error = await client
      .reconcile('a', { seen: { declared: 'd', live: 'l' } })
      .catch(thrown => thrown);
    expect(error).toBeInstanceOf(ResponseError);
    expect(error.cause.message).toBe('Live moved since.');
    expect(error.response.status).toBe(409);
  });
});
