import {
  PlatformError,
  type SweepPage,
} from '@plumbline/backstage-plugin-drift-node';
import {
  anySignal,
  collect,
  startHarness,
  UID,
  type Harness,
} from './__testUtils__/harness';

describe('sweep', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await startHarness();
  });
  afterEach(() => harness.close());

  const signal = anySignal();
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => {
        throw new Error('It did not fail');
      },
      (error: PlatformError) => error,
    );

  it('reads every page of every collection, and asks for nothing else', async () => {
    for (let number = 0; number < 7; number += 1) {
      harness.seed('services', { name: `s${number}`, host: 'x' });
    }
    const platform = harness.platformWith({ pageSize: 3 });
    const items = await collect(
      platform.sweep({ kinds: ['services'] }, { signal }),
    );
    expect(items.map(({ locators }) => locators.at(-1)).sort()).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map(number => `name:s${number}`),
    );
    expect(harness.sent.map(({ path }) => path)).toEqual([
      'services',
      'services',
      'services',
    ]);
    expect(new Set(harness.gate.priorities)).toEqual(new Set(['sweep']));
  });

  it('reads parents before children, memberships once a group and targets as one list', async () => {
    const upstream = harness.seed('upstreams', { name: 'orders.shop' });
    harness.seed('targets', {
      target: '10.0.0.1',
      upstream: { id: upstream.id },
    });
    const group = harness.seed('consumer_groups', { name: 'gold' });
    const consumer = harness.seed('consumers', { username: 'alice' });
    harness.seed('consumers', { username: 'bob' });
    const { store } = harness.sandbox;
    store.setMember(
      harness.controlPlaneId,
      group.id,
      consumer.id,
      true,
      'test',
    );

    const items = await collect(
      harness.platform.sweep(
        { kinds: [...harness.platform.kinds].reverse() },
        { signal },
      ),
    );
    expect(harness.sent.map(({ path }) => path)).toEqual([
      'services',
      'upstreams',
      'consumer_groups',
      'routes',
      'targets',
      `consumer_groups/${group.id}/consumers`,
      'consumers',
      'plugins',
    ]);
    const byName = new Map(items.map(item => [item.locators.at(-1), item]));
    expect(byName.get('name:alice')?.document).toMatchObject({
      groups: ['gold'],
    });
    expect(byName.get('name:bob')?.document).toMatchObject({ groups: [] });
    expect(byName.get('name:orders.shop/10.0.0.1:8000')?.key).toMatch(
      `upstreams/${upstream.id}/targets/`,
    );
  });

  it('parses no page that is known, and finds the next one all the same', async () => {
    const services = [0, 1, 2, 3, 4, 5, 6].map(number =>
      harness.seed('services', { name: `s${number}`, host: 'x' }),
    );
    const platform = harness.platformWith({ pageSize: 3 });
    const sweep = async (known: ReadonlySet<string | undefined>) => {
      const pages: SweepPage[] = [];
      for await (const page of platform.sweep(
        { kinds: ['services'] },
        { signal, knows: digest => known.has(digest) },
      )) {
        pages.push(page);
      }
      return pages;
    };
    const first = await sweep(new Set());
    const digests = new Set(first.map(page => page.digest));
    expect(digests.size).toBe(3);
    expect(digests).not.toContain(undefined);

    const parse = jest.spyOn(JSON, 'parse');
    const second = await sweep(digests);
    const parsed = parse.mock.calls.map(([text]) => text);
    parse.mockRestore();
    expect(parsed.filter(text => text.includes('"host"'))).toEqual([]);
    expect(second.map(page => page.digest)).toEqual([...digests]);
    // and if somebody asks all the same
    expect(second.map(page => page.items)).toEqual(
      first.map(page => page.items),
    );

    harness.sandbox.store.upsert(
      harness.controlPlaneId,
      'services',
      services[0].id,
      { name: 's0', host: 'y' },
      'test',
    );
    const third = await sweep(digests);
    expect(third.filter(page => !digests.has(page.digest))).toHaveLength(1);
    expect(third.flatMap(page => page.items)).toHaveLength(7);
  });

  it.each([
    ['the next page stands before the data', ['offset', 'data']],
    ['another list stands behind it', ['data', 'offset', 'notes']],
    ['nothing else is there', ['data']],
  ])('reads all pages where %s', async (_what, order) => {
    const asked: string[] = [];
    const platform = harness.platformWith({}, async to => {
      const offset = new URL(String(to)).searchParams.get('offset') ?? '0';
      asked.push(offset);
      const last = order.length === 1 || offset === '2';
      const all: Record<string, unknown> = {
        data: [{ id: `id-${offset}`, name: `s${offset}`, tags: ['a]', '"}]'] }],
        offset: last ? undefined : String(Number(offset) + 1),
        notes: [1],
      };
      return new Response(
        JSON.stringify(Object.fromEntries(order.map(key => [key, all[key]]))),
      );
    });
    const known = new Set<string>();
    for (const round of [1, 2]) {
      const ids: string[] = [];
      for await (const page of platform.sweep(
        { kinds: ['services'] },
        { signal, knows: digest => known.has(digest) },
      )) {
        ids.push(...page.items.map(item => item.id));
        if (page.digest) {
          known.add(page.digest);
        }
      }
      expect([round, ids]).toEqual([
        round,
        order.length === 1 ? ['id-0'] : ['id-0', 'id-1', 'id-2'],
      ]);
    }
    expect(asked).toHaveLength(order.length === 1 ? 2 : 6);
  });

  it('does not take a consumer for known whose groups are others', async () => {
    const group = harness.seed('consumer_groups', { name: 'gold' });
    const consumer = harness.seed('consumers', { username: 'alice' });
    const digests = async () => {
      const found: (string | undefined)[] = [];
      for await (const page of harness.platform.sweep(
        { kinds: ['consumers'] },
        { signal, knows: () => false },
      )) {
        found.push(page.digest);
      }
      return found;
    };
    const before = await digests();
    expect(await digests()).toEqual(before);
    harness.sandbox.store.setMember(
      harness.controlPlaneId,
      group.id,
      consumer.id,
      true,
      'test',
    );
    expect(await digests()).not.toEqual(before);
  });

  it('knows the owner by its tags', async () => {
    harness.seed('services', {
      name: 'orders',
      host: 'x',
      tags: [
        'gold',
        `k8s-uid:${UID}`,
        'k8s-kind:KongService',
        'k8s-namespace:shop',
        'k8s-name:orders',
      ],
    });
    const [live] = await collect(
      harness.platform.sweep({ kinds: ['services'] }, { signal }),
    );
    expect(live).toMatchObject({
      kind: 'services',
      key: `services/${live.id}`,
      locators: [`id:${live.id}`, `mark:k8s-uid:${UID}`, 'name:orders'],
      marks: [
        { key: 'k8s-uid', value: UID, description: 'KongService shop/orders' },
      ],
    });
    expect(Date.parse(live.changedAt ?? '')).not.toBeNaN();
  });

  it('gives a version that follows the content and not the time of the last PUT', async () => {
    const service = harness.seed('services', { name: 'orders', host: 'x' });
    const version = async (token?: string) => {
      const platform = harness.platformWith(token ? { token } : {});
      const [live] = await collect(
        platform.sweep({ kinds: ['services'] }, { signal }),
      );
      return live.version;
    };
    const put = (host: string, updated_at: number) =>
      harness.sandbox.store.restore({
        ...harness.sandbox.store.snapshot(),
        controlPlanes: harness.sandbox.store
          .snapshot()
          .controlPlanes.map(plane => ({
            ...plane,
            entities: {
              ...plane.entities,
              services: [{ ...plane.entities.services[0], host, updated_at }],
            },
          })),
      });
    const first = await version();
    put('x', 1_900_000_000);
    expect(await version()).toBe(first);
    put('y', 1_900_000_000);
    expect(await version()).not.toBe(first);
    put('x', 1_900_000_000);
    expect(await version()).toBe(first);
    // Keyed, so that what is stored cannot be used to try out guesses.
    expect(await version('kpat_another')).not.toBe(first);
    expect(service.id).toBeTruthy();
  });

  it.each(['broken', 'cut'] as const)(
    'throws on a page that is %s and calls nothing complete',
    async how => {
      harness.seed('services', { name: 'orders', host: 'x' });
      harness.faults.add({ kind: 'truncate', how });
      const error = await failure(
        collect(harness.platform.sweep({ kinds: ['services'] }, { signal })),
      );
      expect(error).toMatchObject({ classification: 'transient' });
    },
  );

  it.each([
    ['no data', { next: null }, 'has no data'],
    ['data that is null', { data: null, next: null }, 'has no data'],
    ['something that is no entity', { data: [{}], next: null }, 'no entity'],
    [
      'a next page nowhere',
      { data: [], next: '/v2/x?size=1' },
      'a next one, not where',
    ],
    [
      'the same offset again',
      { data: [], next: '/v2/x?offset=a', offset: 'a' },
      'read before',
    ],
  ])('throws on a page with %s', async (_what, page, message) => {
    const platform = harness.platformWith(
      {},
      async () => new Response(JSON.stringify(page)),
    );
    const error = await failure(
      collect(platform.sweep({ kinds: ['services'] }, { signal })),
    );
    expect(error).toMatchObject({ classification: 'transient' });
    expect(error.message).toContain(message);
  });

  it.each([500, 503])('throws on %i', async status => {
    harness.faults.add({ kind: 'status', status });
    const error = await failure(
      collect(harness.platform.sweep({ kinds: ['services'] }, { signal })),
    );
    expect(error).toMatchObject({ classification: 'transient', status });
  });

  it('tells a control plane that is gone from a path that is not found', async () => {
    const sweep = () =>
      failure(
        collect(harness.platform.sweep({ kinds: ['services'] }, { signal })),
      );
    harness.faults.add({
      kind: 'status',
      status: 404,
      path: '*/services',
      times: 1,
    });
    expect(await sweep()).toMatchObject({ classification: 'transient' });
    harness.sandbox.store.deleteControlPlane(harness.controlPlaneId, 'test');
    const gone = await sweep();
    expect(gone).toMatchObject({ classification: 'gone' });
    expect(gone.message).toContain("id 'prod'");
  });

  it('sends a throttled read again through the gate, and gives up after three', async () => {
    harness.seed('services', { name: 'orders', host: 'x' });
    harness.faults.add({ kind: 'throttle', retryAfter: 7, times: 2 });
    const items = await collect(
      harness.platform.sweep({ kinds: ['services'] }, { signal }),
    );
    expect(items).toHaveLength(1);
    expect(harness.sent).toHaveLength(3);

    harness.faults.add({ kind: 'throttle', retryAfter: 7 });
    const error = await failure(
      collect(harness.platform.sweep({ kinds: ['services'] }, { signal })),
    );
    expect(error).toMatchObject({
      classification: 'throttled',
      retryAfterMs: 7000,
    });
    expect(harness.sent).toHaveLength(6);
  });

  it('tells the gate what the rate limit headers say', async () => {
    harness.sandbox.setRateLimit({ perMinute: 100 });
    await collect(harness.platform.sweep({ kinds: ['services'] }, { signal }));
    expect(harness.gate.observed.at(-1)).toMatchObject({
      limit: 100,
      remaining: 99,
      resetSeconds: expect.any(Number),
    });
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    await expect(
      collect(
        harness.platform.sweep(
          { kinds: ['services'] },
          { signal: controller.signal },
        ),
      ),
    ).rejects.toThrow('enough');
  });

  it('looks the control plane up by its name, once', async () => {
    harness.sandbox.store.createControlPlane({ name: 'prod-2' }, 'test');
    harness.seed('services', { name: 'orders', host: 'x' });
    const platform = harness.platformWith({
      controlPlaneId: undefined,
      controlPlaneName: 'prod',
    });
    for (const round of [1, 2]) {
      const items = await collect(
        platform.sweep({ kinds: ['services'] }, { signal }),
      );
      expect([round, items.length]).toEqual([round, 1]);
    }
    const lookups = harness.sent.filter(({ path }) =>
      path.endsWith('/control-planes'),
    );
    expect(lookups).toHaveLength(1);
    const unknown = harness.platformWith({
      controlPlaneId: undefined,
      controlPlaneName: 'nowhere',
    });
    const error = await failure(
      collect(unknown.sweep({ kinds: ['services'] }, { signal })),
    );
    expect(error).toMatchObject({ classification: 'gone' });
    expect(error.message).toContain("'nowhere'");
  });

  it('has nothing of a kind that it does not know, and does not ask for it', async () => {
    expect(
      await collect(
        harness.platform.sweep({ kinds: ['partials'] }, { signal }),
      ),
    ).toEqual([]);
    expect(harness.sent).toEqual([]);
  });

  it('answers how healthy the platform is', async () => {
    expect(await harness.platform.health({ signal })).toEqual({ status: 'ok' });
    harness.faults.add({ kind: 'status', status: 503, times: 1 });
    expect(await harness.platform.health({ signal })).toMatchObject({
      status: 'unreachable',
    });
    harness.faults.add({ kind: 'drop', times: 1 });
    expect(await harness.platform.health({ signal })).toMatchObject({
      status: 'unreachable',
    });
    const stranger = harness.platformWith({ token: 'nothing' });
    const health = await stranger.health({ signal });
    expect(health.status).toBe('degraded');
    expect(health.message).not.toContain('nothing');
  });
});
