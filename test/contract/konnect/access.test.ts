import { agreesWithDocuments, useKonnect } from './harness';

describe('Konnect contract: access and limits', () => {
  const { call, plane, sandbox, clock } = useKonnect({
    tokens: [
      { token: 'kpat_contract', principal: 'ann' },
      { token: 'spat_reader', principal: 'reader', readOnly: true },
    ],
  });
  const as = (token: string) => ({ authorization: `Bearer ${token}` });

  it('answers 401 in the dialect of the part that was asked', async () => {
    const base = await plane();
    for (const token of ['kpat_wrong', 'hello', '']) {
      const core = await call('GET', `${base}/services`, undefined, as(token));
      expect(core.status).toBe(401);
      expect(core.body).toEqual({ message: 'Unauthorized', status: 401 });
      const platform = await call(
        'GET',
        '/v2/control-planes',
        undefined,
        as(token),
      );
      expect(platform.status).toBe(401);
      expect(platform.headers.get('content-type')).toContain('problem+json');
      expect(platform.body).toMatchObject({
        status: 401,
        title: 'Unauthenticated',
        detail: 'A valid token is required',
      });
    }
  });

  it('lets a system account read, and a read-only token write nothing', async () => {
    const base = await plane();
    const reader = as('spat_reader');
    const read = await call('GET', `${base}/services`, undefined, reader);
    expect(read.status).toBe(200);
    const write = await call(
      'PUT',
      `${base}/services/orders`,
      { host: 'a' },
      reader,
    );
    expect(write.status).toBe(403);
    const create = await call(
      'POST',
      '/v2/control-planes',
      { name: 'mine' },
      reader,
    );
    expect(create.status).toBe(403);
    expect(create.body).toMatchObject({ title: 'Permission denied' });
    expect(sandbox().store.controlPlanes()).toHaveLength(1);
  });

  it('says who changed what', async () => {
    const base = await plane();
    await call('PUT', `${base}/services/orders`, { host: 'a' });
    expect(sandbox().store.journal.entries().at(-1)).toMatchObject({
      by: 'ann',
      at: '2026-11-02T09:12:00.250Z',
      action: 'create',
      collection: 'services',
    });
  });

  it('answers 429 with its headers above the limit, until the minute is over', async () => {
    sandbox().setRateLimit({ perMinute: 2 });
    const path = '/v2/control-planes';
    const first = await call('GET', path);
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-limit')).toBe('2');
    expect(first.headers.get('ratelimit-remaining')).toBe('1');
    await call('GET', path);
    clock.now += 20_000;
    const third = await call('GET', path);
    expect(third.status).toBe(429);
    expect(third.body).toEqual({ message: 'API rate limit exceeded' });
    expect(Object.fromEntries(third.headers)).toMatchObject({
      'retry-after': '40',
      'ratelimit-limit': '2',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '40',
      'x-ratelimit-limit-minute': '2',
    });
    sandbox().setRateLimit({ perMinute: 2, sendRetryAfter: false });
    const other = await call('GET', path);
    expect(other.status).toBe(429);
    expect(other.headers.get('retry-after')).toBeNull();
    clock.now += 40_000;
    expect((await call('GET', path)).status).toBe(200);
  });

  it('refuses a body that is no JSON', async () => {
    const base = await plane();
    const list = await call('POST', `${base}/services`, ['no object']);
    expect(list.status).toBe(400);
    expect(list.body).toMatchObject({ code: 3 });
  });

  agreesWithDocuments();
});
