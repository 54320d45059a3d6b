import type {
  LiveObject,
  LiveRead,
  PlatformError,
} from '@plumbline/backstage-plugin-drift-node';
import {
  anySignal,
  declare,
  planOf,
  startHarness,
  UID,
  type Harness,
} from './__testUtils__/harness';

const signal = anySignal();

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error('It did not fail');
    },
    (error: PlatformError) => error,
  );

function liveOf(read: LiveRead): LiveObject {
  if (read.found !== true) {
    throw new Error(`Not found: ${JSON.stringify(read)}`);
  }
  return read.live;
}

describe('write and remove', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await startHarness();
  });
  afterEach(() => harness.close());

  it('creates under the uid, with what is declared and the ownership tags, and nothing else', async () => {
    const { platform } = harness;
    const declared = declare('services', {
      name: 'orders',
      host: 'orders.internal',
      tags: ['gold'],
    });
    const plan = await planOf(platform, declared, null, []);
    const receipt = await platform.write(plan, { signal });
    expect(receipt).toMatchObject({
      key: `services/${UID}`,
      id: UID,
      requests: ['PUT services/{id}'],
    });
    expect(harness.sent.find(({ method }) => method === 'PUT')).toEqual({
      method: 'PUT',
      path: `services/${UID}`,
      query: '',
      body: {
        name: 'orders',
        host: 'orders.internal',
        tags: [
          'gold',
          `k8s-uid:${UID}`,
          'k8s-kind:KongService',
          'k8s-namespace:shop',
          'k8s-name:orders',
          'k8s-group:configuration.konghq.com',
          'k8s-version:v1alpha1',
        ],
      },
    });
    const live = liveOf(await platform.find(declared, { signal }));
    expect(live.version).toBe(receipt.version);
    expect(live.marks).toHaveLength(1);
  });

  it('is idempotent: a create whose answer was lost is found again and makes no second one', async () => {
    const { platform, faults } = harness;
    // Nameless: nothing but the id tells it from another.
    const declared = declare('routes', { paths: ['/x'] });
    faults.add({ kind: 'drop', when: 'after', method: 'PUT', times: 1 });
    const plan = await planOf(platform, declared, null, []);
    const lost = await failure(platform.write(plan, { signal }));
    expect(lost).toMatchObject({
      classification: 'transient',
      mayHaveTakenEffect: true,
    });
    expect(liveOf(await platform.find(declared, { signal })).id).toBe(UID);
    await platform.write(plan, { signal });
    const all = harness.sandbox.store.list(harness.controlPlaneId, 'routes');
    expect(all).toHaveLength(1);
  });

  it('finds by its mark what was created by POST when the answer was lost', async () => {
    const { platform, faults } = harness;
    const declared = declare(
      'routes',
      { paths: ['/x'] },
      { deterministicId: undefined, locators: [`mark:k8s-uid:${UID}`] },
    );
    faults.add({ kind: 'drop', when: 'after', method: 'POST', times: 1 });
    const plan = await planOf(platform, declared, null, []);
    await failure(platform.write(plan, { signal }));
    const live = liveOf(await platform.find(declared, { signal }));
    expect(live.marks[0].value).toBe(UID);
  });

  it('says that a request which was never sent has had no effect', async () => {
    const declared = declare('services', { name: 'orders', host: 'x' });
    const closed = await startHarness();
    await closed.close();
    const plan = await planOf(closed.platform, declared, null, []);
    const error = await failure(closed.platform.write(plan, { signal }));
    expect(error).toMatchObject({
      classification: 'transient',
      mayHaveTakenEffect: false,
    });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('calls a name that is taken a conflict', async () => {
    harness.seed('services', { name: 'orders', host: 'other' });
    const { platform } = harness;
    const declared = declare(
      'services',
      { name: 'orders', host: 'x' },
      { deterministicId: undefined },
    );
    const plan = await planOf(platform, declared, null, []);
    const error = await failure(platform.write(plan, { signal }));
    expect(error).toMatchObject({ classification: 'conflict', status: 400 });
  });

  it('calls a reference to what is not there invalid', async () => {
    const { platform } = harness;
    const declared = declare('routes', {
      paths: ['/x'],
      service: { id: '99999999-9999-4999-8999-999999999999' },
    });
    const plan = await planOf(platform, declared, null, []);
    const error = await failure(platform.write(plan, { signal }));
    expect(error).toMatchObject({ classification: 'invalid', status: 400 });
  });

  it('lays an update over the live entity: what nobody declared keeps its value', async () => {
    const { platform } = harness;
    const entity = harness.seed('services', {
      id: UID,
      name: 'orders',
      host: 'orders.internal',
      retries: 9,
      read_timeout: 15_000,
      path: '/v1',
      tags: ['by-hand', `k8s-uid:${UID}`, 'k8s-generation:3'],
    });
    const declared = declare('services', {
      name: 'orders',
      url: 'https://orders-v2.internal:8443',
      retries: 3,
    });
    const live = liveOf(await platform.find(declared, { signal }));
    const plan = await planOf(platform, declared, live, ['/retries', '/host']);
    const receipt = await platform.write(plan, { signal });
    const stored = harness.stored('services', UID);
    expect(stored).toMatchObject({
      retries: 3,
      host: 'orders-v2.internal',
      // Declared as well, but not planned: kept.
      port: 80,
      protocol: 'http',
      read_timeout: 15_000,
      path: '/v1',
      tags: ['by-hand', `k8s-uid:${UID}`, 'k8s-generation:3'],
      created_at: entity.created_at,
    });
    expect(receipt.requests).toEqual(['PUT services/{id}']);
    const body = harness.sent.find(({ method }) => method === 'PUT')?.body;
    expect(Object.keys(body ?? {})).not.toEqual(expect.arrayContaining(['id']));
    const after = liveOf(await platform.get(receipt.key, { signal }));
    expect(after.version).toBe(receipt.version);
  });

  it('takes away what the plan removes', async () => {
    const { platform } = harness;
    harness.seed('services', {
      id: UID,
      name: 'orders',
      host: 'x',
      path: '/v1',
    });
    const declared = declare('services', { name: 'orders', host: 'x' });
    const live = liveOf(await platform.find(declared, { signal }));
    await platform.write(
      await planOf(platform, declared, live, [], ['/path']),
      { signal },
    );
    expect(harness.stored('services', UID)).not.toHaveProperty('path');
  });

  it('writes nothing where the plan changes nothing', async () => {
    const { platform } = harness;
    harness.seed('services', {
      id: UID,
      name: 'orders',
      host: 'x',
      tags: [`k8s-uid:${UID}`],
    });
    const declared = declare('services', { name: 'orders', host: 'x' });
    const live = liveOf(await platform.find(declared, { signal }));
    for (const fields of [[], ['/host']]) {
      const receipt = await platform.write(
        await planOf(platform, declared, live, fields),
        { signal },
      );
      expect(receipt.requests).toEqual([]);
      expect(receipt.version).toBe(live.version);
    }
    expect(harness.writes()).toEqual([]);
  });

  it('never writes over an entity that bears another mark', async () => {
    const { platform } = harness;
    harness.seed('services', {
      id: UID,
      name: 'orders',
      host: 'x',
      tags: [
        'k8s-uid:00000000-0000-4000-8000-000000000000',
        'k8s-kind:KongService',
        'k8s-name:theirs',
      ],
    });
    const declared = declare('services', { name: 'orders', host: 'y' });
    const live = liveOf(await platform.find(declared, { signal }));
    const error = await failure(
      platform.write(await planOf(platform, declared, live, ['/host']), {
        signal,
      }),
    );
    expect(error).toMatchObject({ classification: 'conflict' });
    expect(error.message).toContain('KongService theirs');
    expect(harness.writes()).toEqual([]);
  });

  it('reads and writes targets under their upstream', async () => {
    const { platform } = harness;
    const upstream = harness.seed('upstreams', { name: 'orders.shop' });
    const declared = declare(
      'targets',
      { target: '10.0.0.1', weight: 50, upstream: { id: upstream.id } },
      { locators: [`id:${UID}`, 'name:orders.shop/10.0.0.1:8000'] },
    );
    const created = await platform.write(
      await planOf(platform, declared, null, []),
      { signal },
    );
    expect(created.key).toBe(`upstreams/${upstream.id}/targets/${UID}`);
    expect(harness.writes()).toEqual([
      `PUT upstreams/${upstream.id}/targets/${UID}`,
    ]);
    expect(harness.sent.at(-1)?.body).not.toHaveProperty('upstream');
    const live = liveOf(await platform.get(created.key, { signal }));
    await platform.write(
      await planOf(
        platform,
        { ...declared, document: { target: '10.0.0.1', weight: 70 } },
        live,
        ['/weight'],
      ),
      { signal },
    );
    expect(harness.stored('targets', UID)).toMatchObject({
      weight: 70,
      upstream: { id: upstream.id },
    });
    await platform.remove({ ref: declared.ref, live }, { signal });
    expect(await platform.get(created.key, { signal })).toEqual({
      found: false,
    });
  });

  it('finds a target by name before the reference to its upstream is filled in', async () => {
    const { platform } = harness;
    const [one, other] = ['orders.shop', 'other.shop'].map(name =>
      harness.seed('upstreams', { name }),
    );
    for (const upstream of [other, one]) {
      harness.seed('targets', {
        target: '10.0.0.1:8000',
        upstream: { id: upstream.id },
      });
    }
    const declared = declare(
      'targets',
      { target: '10.0.0.1' },
      { locators: [`id:${UID}`, 'name:orders.shop/10.0.0.1:8000'] },
    );
    const live = liveOf(await platform.find(declared, { signal }));
    expect(live.document).toMatchObject({ upstream: { id: one.id } });
  });

  it('adds and removes memberships, and waits for a group that is not there', async () => {
    const { platform } = harness;
    const [gold, silver] = ['gold', 'silver'].map(name =>
      harness.seed('consumer_groups', { name }),
    );
    const declared = declare('consumers', {
      username: 'alice',
      groups: ['gold'],
    });
    const created = await platform.write(
      await planOf(platform, declared, null, []),
      { signal },
    );
    expect(created.requests).toEqual([
      'PUT consumers/{id}',
      'POST consumer_groups/{id}/consumers',
    ]);
    let live = liveOf(await platform.get(created.key, { signal }));
    expect(live.document).toMatchObject({ groups: ['gold'] });
    expect(live.version).toBe(created.version);

    const moved = {
      ...declared,
      document: { username: 'alice', groups: ['silver'] },
    };
    const update = await platform.write(
      await planOf(platform, moved, live, ['/groups']),
      { signal },
    );
    expect(update.requests).toEqual([
      'POST consumer_groups/{id}/consumers',
      'DELETE consumer_groups/{id}/consumers/{id}',
    ]);
    live = liveOf(await platform.get(created.key, { signal }));
    expect(live.document).toMatchObject({ groups: ['silver'] });
    expect(live.version).toBe(update.version);
    expect([gold.id, silver.id]).toHaveLength(2);

    const before = harness.writes().length;
    const waiting = {
      ...declared,
      document: { username: 'alice', groups: ['bronze'] },
    };
    const error = await failure(
      platform.write(await planOf(platform, waiting, live, ['/groups']), {
        signal,
      }),
    );
    expect(error).toMatchObject({ classification: 'transient' });
    expect(error.message).toContain("'bronze'");
    expect(harness.writes()).toHaveLength(before);
  });

  it('leaves memberships alone that the plan does not name', async () => {
    const { platform, sandbox, controlPlaneId } = harness;
    const group = harness.seed('consumer_groups', { name: 'gold' });
    harness.seed('consumers', { id: UID, username: 'alice' });
    sandbox.store.setMember(controlPlaneId, group.id, UID, true, 'test');
    const declared = declare('consumers', {
      username: 'alice',
      custom_id: '7',
    });
    const live = liveOf(await platform.find(declared, { signal }));
    const receipt = await platform.write(
      await planOf(platform, declared, live, ['/custom_id']),
      { signal },
    );
    expect(receipt.requests).toEqual(['PUT consumers/{id}']);
    const after = liveOf(await platform.get(receipt.key, { signal }));
    expect(after.document).toMatchObject({ groups: ['gold'], custom_id: '7' });
  });

  it('keeps every field of a plugin’s configuration that nobody declared', async () => {
    const { platform } = harness;
    harness.seed('plugins', {
      id: UID,
      name: 'rate-limiting',
      config: { minute: 9, hour: 100, policy: 'local' },
    });
    const declared = declare('plugins', {
      name: 'rate-limiting',
      enabled: true,
      config: { minute: 5 },
    });
    const live = liveOf(await platform.find(declared, { signal }));
    await platform.write(
      await planOf(platform, declared, live, ['/config/minute']),
      { signal },
    );
    expect(harness.stored('plugins', UID)).toMatchObject({
      config: { minute: 5, hour: 100, policy: 'local' },
    });
  });

  it('finds a plugin that has the same name and targets, and no other', async () => {
    const { platform } = harness;
    const service = harness.seed('services', { name: 'orders', host: 'x' });
    harness.seed('plugins', { name: 'key-auth' });
    const bound = harness.seed('plugins', {
      name: 'key-auth',
      service: { id: service.id },
    });
    const declared = declare('plugins', {
      name: 'key-auth',
      service: { id: service.id },
    });
    expect(liveOf(await platform.find(declared, { signal })).id).toBe(bound.id);
    const other = declare('plugins', { name: 'cors' });
    expect(await platform.find(other, { signal })).toEqual({ found: false });
  });

  it('reports several entities with the same mark instead of picking one', async () => {
    const { platform } = harness;
    const tags = [`k8s-uid:${UID}`];
    const keys = ['a', 'b']
      .map(name => harness.seed('services', { name, host: 'x', tags }))
      .map(({ id }) => `services/${id}`)
      .sort();
    const declared = declare('services', { name: 'orders', host: 'x' });
    expect(await platform.find(declared, { signal })).toEqual({
      found: 'several',
      keys,
    });
  });

  it('finds by unique name what nobody has marked', async () => {
    const { platform } = harness;
    const service = harness.seed('services', { name: 'orders', host: 'x' });
    harness.seed('consumers', { username: 'someone', custom_id: '77' });
    harness.seed('consumer_groups', { name: 'gold' });
    const find = async (...args: Parameters<typeof declare>) =>
      liveOf(await platform.find(declare(...args), { signal }));
    expect((await find('services', { name: 'orders', host: 'y' })).id).toBe(
      service.id,
    );
    expect(
      (await find('consumers', { username: 'new', custom_id: '77' })).locators,
    ).toContain('name:custom_id=77');
    expect((await find('consumer_groups', { name: 'gold' })).kind).toBe(
      'consumer_groups',
    );
  });

  it('does not make what it was told to adopt', async () => {
    const { platform } = harness;
    harness.seed('services', { name: 'orders', host: 'x' });
    const declared = declare(
      'services',
      { name: 'orders', host: 'x' },
      { deterministicId: undefined, locators: [`id:${UID}`, `adopt:${UID}`] },
    );
    expect(await platform.find(declared, { signal })).toEqual({ found: false });
    const error = await failure(
      platform.write(await planOf(platform, declared, null, []), { signal }),
    );
    expect(error).toMatchObject({ classification: 'invalid' });
    expect(error.message).toContain('spec.adopt');
    expect(harness.writes()).toEqual([]);
  });

  it('says "not there" only when the control plane answers that it is there', async () => {
    const { platform, sandbox } = harness;
    const declared = declare('services', { name: 'orders', host: 'x' });
    expect(await platform.get(`services/${UID}`, { signal })).toEqual({
      found: false,
    });
    sandbox.store.deleteControlPlane(harness.controlPlaneId, 'test');
    for (const read of [
      platform.get(`services/${UID}`, { signal }),
      platform.find(declared, { signal }),
    ]) {
      expect(await failure(read)).toMatchObject({ classification: 'gone' });
    }
  });

  it('confirms a removal by a read', async () => {
    const { platform, faults } = harness;
    harness.seed('services', { id: UID, name: 'orders', host: 'x' });
    const declared = declare('services', { name: 'orders', host: 'x' });
    const live = liveOf(await platform.find(declared, { signal }));
    const plan = { ref: declared.ref, live };
    // The read after the removal is answered as it was before.
    faults.add({ kind: 'stale', method: 'GET', path: `*/services/${UID}` });
    const error = await failure(platform.remove(plan, { signal }));
    expect(error).toMatchObject({
      classification: 'transient',
      mayHaveTakenEffect: true,
    });
    faults.clear();
    await platform.remove(plan, { signal });
    expect(harness.stored('services', UID)).toBeUndefined();
  });

  it('waits with the removal of what is still referred to', async () => {
    const { platform } = harness;
    harness.seed('services', { id: UID, name: 'orders', host: 'x' });
    harness.seed('routes', { paths: ['/x'], service: { id: UID } });
    const declared = declare('services', { name: 'orders', host: 'x' });
    const live = liveOf(await platform.find(declared, { signal }));
    const error = await failure(
      platform.remove({ ref: declared.ref, live }, { signal }),
    );
    expect(error).toMatchObject({ classification: 'transient', status: 400 });
  });

  it('does not send a throttled or failed write again', async () => {
    const { platform, faults } = harness;
    const declared = declare('services', { name: 'orders', host: 'x' });
    const plan = await planOf(platform, declared, null, []);
    faults.add({ kind: 'throttle', retryAfter: 3, times: 1 });
    expect(await failure(platform.write(plan, { signal }))).toMatchObject({
      classification: 'throttled',
      retryAfterMs: 3000,
      mayHaveTakenEffect: false,
    });
    faults.add({ kind: 'status', status: 502, when: 'after', times: 1 });
    expect(await failure(platform.write(plan, { signal }))).toMatchObject({
      classification: 'transient',
      mayHaveTakenEffect: true,
    });
    expect(harness.writes()).toHaveLength(2);
  });

  it('gives up waiting for an answer', async () => {
    const platform = harness.platformWith({ requestTimeoutMs: 40 });
    harness.faults.add({ kind: 'latency', ms: 300, times: 1 });
    const declared = declare('services', { name: 'orders', host: 'x' });
    const plan = await planOf(platform, declared, null, []);
    const error = await failure(platform.write(plan, { signal }));
    expect(error).toMatchObject({
      classification: 'transient',
      mayHaveTakenEffect: true,
    });
    expect(error.message).toContain('within 40 ms');
  });

  it('keeps all digits of long integers, sent and received', async () => {
    const text = `{"id":"${UID}","name":"rate-limiting","config":{"minute":9007199254740993}}`;
    const bodies: unknown[] = [];
    const platform = harness.platformWith({}, async (_input, init) => {
      bodies.push(init?.body);
      return new Response(text);
    });
    const declared = declare(
      'plugins',
      { name: 'rate-limiting', config: { minute: 9007199254740993n } },
      { mark: undefined },
    );
    const plan = await planOf(harness.platform, declared, null, []);
    await platform.write(plan, { signal });
    expect(bodies).toEqual([
      '{"config":{"minute":9007199254740993},"name":"rate-limiting"}',
    ]);
    const live = liveOf(await platform.get(`plugins/${UID}`, { signal }));
    expect(live.document).toMatchObject({
      config: { minute: 9007199254740993n },
    });
  });
});
