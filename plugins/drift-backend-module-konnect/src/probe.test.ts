import type { PlatformError } from '@plumbline/backstage-plugin-drift-node';
import { anySignal, startHarness, type Harness } from './__testUtils__/harness';

describe('the probe', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await startHarness();
  });
  afterEach(() => harness.close());

  const ask = async (platform = harness.platform) =>
    platform.probe?.ask({ signal: anySignal() });
  const failure = () =>
    ask().then(
      () => {
        throw new Error('It did not fail');
      },
      (error: PlatformError) => error,
    );

  it('is one request behind all others', async () => {
    await ask();
    expect(harness.sent.map(({ method, path }) => `${method} ${path}`)).toEqual(
      [`GET /v2/control-planes/${harness.controlPlaneId}/expected-config-hash`],
    );
    expect(harness.gate.priorities).toEqual(['probe']);
  });

  it('answers another text after a change of whatever is swept, and the same after none', async () => {
    const answers: (string | undefined)[] = [await ask()];
    const { store } = harness.sandbox;
    const { controlPlaneId: plane } = harness;
    const next = async () => {
      answers.push(await ask());
    };
    const service = harness.seed('services', { name: 's', host: 'x' });
    await next();
    const upstream = harness.seed('upstreams', { name: 'u' });
    await next();
    const group = harness.seed('consumer_groups', { name: 'g' });
    await next();
    harness.seed('routes', { name: 'r', paths: ['/'] });
    await next();
    harness.seed('targets', {
      target: '10.0.0.1',
      upstream: { id: upstream.id },
    });
    await next();
    const consumer = harness.seed('consumers', { username: 'c' });
    await next();
    store.setMember(plane, group.id, consumer.id, true, 'test');
    await next();
    harness.seed('plugins', { name: 'key-auth' });
    await next();
    store.upsert(plane, 'services', service.id, { name: 's', host: 'y' }, 'x');
    await next();
    expect(new Set(answers).size).toBe(answers.length);
    expect(answers).not.toContain(undefined);

    store.upsert(plane, 'services', service.id, { name: 's', host: 'y' }, 'x');
    expect(await ask()).toBe(answers.at(-1));
    store.delete(plane, 'services', service.id, 'test');
    expect(answers).not.toContain(await ask());
  });

  it.each([
    ['denied', { kind: 'status', status: 403 }],
    ['gone', { kind: 'status', status: 404 }],
    ['transient', { kind: 'status', status: 503 }],
    ['throttled', { kind: 'throttle', retryAfter: 7 }],
    ['transient', { kind: 'truncate', how: 'broken' }],
  ] as const)(
    'fails as %s, and is not sent again: %p',
    async (classification, fault) => {
      harness.faults.add(fault);
      expect(await failure()).toMatchObject({
        name: 'PlatformError',
        classification,
        ...(fault.kind === 'throttle' && { retryAfterMs: 7_000 }),
      });
      expect(harness.sent).toHaveLength(1);
    },
  );

  it.each(['{}', '[]', 'null', '{"expected_hash":""}', '{"expected_hash":1}'])(
    'takes no other answer for a hash: %s',
    async body => {
      const platform = harness.platformWith({}, async () => new Response(body));
      await expect(ask(platform)).rejects.toMatchObject({
        name: 'PlatformError',
        classification: 'transient',
        message:
          "Konnect's answer to GET expected-config-hash has no expected_hash",
      });
    },
  );

  it('can be switched off', () => {
    expect(harness.platform.probe?.everyMs).toBe(30_000);
    expect(
      harness.platformWith({ probeEveryMs: undefined }).probe,
    ).toBeUndefined();
  });
});
