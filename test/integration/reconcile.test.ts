/**
 * What users were promised, seen from outside: the whole backend, both platforms over HTTP, a real database; on SQLite
 * always, on PostgreSQL where one is named.
 */
import { TestDatabases } from '@backstage/backend-test-utils';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startPlumbline, waitFor, type Plumbline } from '../src/plumbline';

jest.setTimeout(180_000);

const databases = TestDatabases.create();

describe.each(databases.eachSupportedId())('Plumbline on %s', databaseId => {
  let plumbline: Plumbline;

  beforeAll(async () => {
    plumbline = await startPlumbline({
      knex: await databases.init(databaseId),
    });
    await waitFor(
      () => plumbline.client.getSummary(),
      summary =>
        summary.total > 50 && summary.byVerdict.InSync === summary.total,
      summary => `verdicts: ${JSON.stringify(summary?.byVerdict)}`,
      120_000,
    );
  });

  afterAll(() => plumbline?.stop());

  afterEach(() => {
    plumbline?.sandbox.konnect.faults.clear();
    plumbline?.sandbox.kubernetes.faults.clear();
  });

  async function editLive(
    plane: string,
    name: string,
    change: Record<string, number | string | boolean>,
  ) {
    const entity = await plumbline.konnect.find(plane, 'services', name);
    await plumbline.konnect.replace(plane, 'services', {
      ...entity,
      ...change,
    });
  }

  async function declare(name: string, change: Record<string, number>) {
    const kind = await plumbline.kube.kind('KongService');
    const object = await plumbline.kube.get(kind, name, 'shop');
    await plumbline.kube.replace(
      { ...object, spec: { ...(object.spec as object), ...change } },
      'kubectl-edit',
    );
  }

  // the platform shows a correction before the pass has recorded it
  async function lastEpisode(kind: string, name: string) {
    const { id } = await plumbline.find(kind, name);
    return waitFor(
      async () => (await plumbline.client.listEpisodes(id)).items[0],
      episode => episode?.endedAt !== undefined,
      episode => `the last episode is ${JSON.stringify(episode)}`,
    );
  }

  const inSync = ({ verdict }: { verdict: string }) => verdict === 'InSync';

  describe('under enforce, on Konnect', () => {
    it('puts an edited field back, leaves what nobody declared, and says why', async () => {
      await editLive('prod-gateway', 'payments', {
        retries: 8,
        connect_timeout: 12_345,
      });
      const resource = await waitFor(
        async () =>
          plumbline.konnect.find('prod-gateway', 'services', 'payments'),
        live => live.retries !== 8,
        live => `retries are ${live?.retries}`,
      );
      expect(resource.connect_timeout).toBe(12_345);
      const corrected = await lastEpisode('services', 'payments');
      const done = await plumbline.until('services', 'payments', inSync);
      expect(done.extras).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ path: '/connect_timeout', live: 12_345 }),
        ]),
      );
      expect(corrected).toMatchObject({
        verdict: 'Drifted',
        ending: 'corrected',
        startedAt: expect.any(String),
        endedAt: expect.any(String),
        why: expect.stringMatching(/./),
        fields: [
          expect.objectContaining({
            path: '/retries',
            live: 8,
            movedBy: 'live',
          }),
        ],
      });
    });

    it('makes a deleted entity again, once', async () => {
      const entity = await plumbline.konnect.find(
        'prod-gateway',
        'routes',
        'payments',
      );
      await plumbline.konnect.remove('prod-gateway', 'routes', entity);
      await waitFor(
        () => plumbline.konnect.list('prod-gateway', 'routes'),
        routes => routes.some(route => route.name === 'payments'),
        routes => `routes: ${routes?.map(route => route.name)}`,
      );
      await plumbline.until('routes', 'payments', inSync);
      expect(await lastEpisode('routes', 'payments')).toMatchObject({
        verdict: 'Missing',
        ending: 'corrected',
      });
      const routes = await plumbline.konnect.list('prod-gateway', 'routes');
      expect(routes.filter(route => route.name === 'payments')).toHaveLength(1);
    });

    it('brings a changed declaration to Konnect', async () => {
      await declare('checkout', { read_timeout: 31_000 });
      await waitFor(
        () => plumbline.konnect.find('prod-gateway', 'services', 'checkout'),
        live => live.read_timeout === 31_000,
        live => `read_timeout is ${live?.read_timeout}`,
      );
      await plumbline.until('services', 'checkout', inSync);
      expect(await lastEpisode('services', 'checkout')).toMatchObject({
        verdict: 'Pending',
        ending: 'corrected',
      });
    });
  });

  describe('under enforce, on Kubernetes', () => {
    const configMap = async () =>
      plumbline.kube.get(
        await plumbline.kube.kind('ConfigMap'),
        'orders-config',
        'shop',
      );

    it('puts an edited field back, leaves what nobody declared, and says who moved it', async () => {
      const object = await configMap();
      await plumbline.kube.replace(
        {
          ...object,
          data: {
            ...(object.data as object),
            STOCK_CHECK: 'off',
            EXTRA: 'mine',
          },
        },
        'kubectl-edit',
      );
      const after = await waitFor(
        configMap,
        live => (live.data as Record<string, string>).STOCK_CHECK === 'strict',
        live => JSON.stringify(live?.data),
      );
      expect((after.data as Record<string, string>).EXTRA).toBe('mine');
      await plumbline.until('v1/ConfigMap', 'orders-config', inSync);
      expect(await lastEpisode('v1/ConfigMap', 'orders-config')).toMatchObject({
        verdict: 'Drifted',
        ending: 'corrected',
        fields: [
          expect.objectContaining({
            path: '/data/STOCK_CHECK',
            owners: [expect.objectContaining({ manager: 'kubectl-edit' })],
          }),
        ],
      });
    });

    it('makes a deleted object again', async () => {
      await plumbline.kube.remove(
        await plumbline.kube.kind('Service'),
        'payments',
        'shop',
      );
      await waitFor(
        async () =>
          plumbline.kube.get(
            await plumbline.kube.kind('Service'),
            'payments',
            'shop',
          ),
        live => Boolean(live),
        () => 'it is not there',
      );
      await plumbline.until('v1/Service', 'payments', inSync);
      expect(await lastEpisode('v1/Service', 'payments')).toMatchObject({
        verdict: 'Missing',
        ending: 'corrected',
      });
    });

    it('brings a changed manifest to the cluster', async () => {
      const file = join(plumbline.sandbox.manifestsDir, 'orders.yaml');
      const text = await readFile(file, 'utf8');
      await writeFile(file, text.replace("'45s'", "'50s'"));
      await waitFor(
        configMap,
        live => (live.data as Record<string, string>).ORDER_TIMEOUT === '50s',
        live => JSON.stringify(live?.data),
      );
      const done = await plumbline.until(
        'v1/ConfigMap',
        'orders-config',
        inSync,
      );
      expect(done.changes).toEqual([]);
    });
  });

  it('writes nothing while everything is in sync', async () => {
    await waitFor(
      () => plumbline.client.getSummary(),
      summary => summary.byVerdict.InSync === summary.total,
      summary => JSON.stringify(summary?.byVerdict),
    );
    const before = plumbline.writes();
    await plumbline.sweeps(3);
    expect(plumbline.writes()).toEqual(before);
  });

  it('asks before it touches a live edit where policy says so', async () => {
    await editLive('edge-gateway', 'search', { retries: 7 });
    const asked = await plumbline.until(
      'services',
      'search',
      ({ conflict }) => conflict !== undefined,
    );
    expect(asked.verdict).toBe('Drifted');
    expect(asked.conflict).toMatchObject({ kindOfQuestion: 'liveEdit' });
    await plumbline.sweeps(2);
    expect(
      await plumbline.konnect.find('edge-gateway', 'services', 'search'),
    ).toMatchObject({ retries: 7 });
    const kept = await plumbline.client.resolveConflict(asked.conflict!.id, {
      choice: 'live',
      seen: asked.conflict!.seen,
      note: 'load test',
    });
    expect(kept.applied).toBe(true);
    // kept is not in sync
    expect(kept.resource).toMatchObject({
      verdict: 'Drifted',
      changes: [expect.objectContaining({ kept: true })],
    });
    await editLive('edge-gateway', 'search', { retries: 5 });
    const declared = await plumbline.kube.get(
      await plumbline.kube.kind('KongService'),
      'search',
      'shop',
    );
    const { retries } = declared.spec as { retries?: number };
    await editLive('edge-gateway', 'search', { retries: retries ?? 5 });
    await plumbline.until('services', 'search', inSync);
  });

  it('leaves a conflict to a person and applies the choice only to what was seen', async () => {
    // neither side can be corrected while both move
    plumbline.sandbox.konnect.faults.add({
      kind: 'status',
      status: 503,
      method: 'GET',
    });
    const { store } = plumbline.sandbox.konnect.sandbox;
    const plane = store.controlPlanes().find(p => p.name === 'prod-gateway')!;
    const live = store
      .list(plane.id, 'services')
      .find(entity => entity.name === 'identity')!;
    const rewrite = (change: Record<string, number>) => {
      const { id, created_at: _c, updated_at: _u, ...rest } = live;
      store.upsert(
        plane.id,
        'services',
        id as string,
        { ...rest, ...change },
        'ben',
      );
    };
    rewrite({ read_timeout: 11_000 });
    await declare('identity', { read_timeout: 22_000 });
    plumbline.sandbox.konnect.faults.clear();

    const conflicted = await plumbline.until(
      'services',
      'identity',
      ({ verdict, conflict }) =>
        verdict === 'Conflicted' && conflict !== undefined,
    );
    expect(conflicted.conflict!.fields).toEqual([
      expect.objectContaining({
        path: '/read_timeout',
        declared: 22_000,
        live: 11_000,
        lastAgreed: 60_000,
        movedBy: 'both',
      }),
    ]);
    const before = plumbline.writes();
    await plumbline.sweeps(2);
    expect(plumbline.writes().konnect).toBe(before.konnect);

    const { id, seen } = conflicted.conflict!;
    rewrite({ read_timeout: 12_000 });
    await expect(
      plumbline.client.resolveConflict(id, { choice: 'declared', seen }),
    ).rejects.toMatchObject({ statusCode: 409 });
    expect(
      store
        .list(plane.id, 'services')
        .find(entity => entity.name === 'identity'),
    ).toMatchObject({ read_timeout: 12_000 });

    const again = await plumbline.until(
      'services',
      'identity',
      ({ conflict }) => conflict?.fields[0].live === 12_000,
    );
    const result = await plumbline.client.resolveConflict(again.conflict!.id, {
      choice: 'declared',
      seen: again.conflict!.seen,
    });
    expect(result).toMatchObject({
      applied: true,
      resource: { verdict: 'InSync' },
    });
    expect(
      store
        .list(plane.id, 'services')
        .find(entity => entity.name === 'identity'),
    ).toMatchObject({ read_timeout: 22_000 });
  });

  describe.each([
    ['does not answer', { kind: 'drop' as const }],
    ['answers 500', { kind: 'status' as const, status: 500 }],
    [
      'breaks off in the middle of a list',
      { kind: 'truncate' as const, how: 'cut' as const },
    ],
    ['gives half a list as broken JSON', { kind: 'truncate' as const }],
  ])('when Konnect %s', (_, fault) => {
    it('knows nothing, writes nothing, calls nothing missing, and recovers by itself', async () => {
      const { resource } = {
        resource: await plumbline.find('services', 'payments'),
      };
      expect(resource.verdict).toBe('InSync');
      plumbline.sandbox.konnect.faults.add(fault);
      const before = plumbline.writes();
      await waitFor(
        () => plumbline.client.getSummary({ platform: 'konnect/prod-gateway' }),
        summary => summary.byVerdict.Unknown === summary.total,
        summary => JSON.stringify(summary?.byVerdict),
      );
      const summary = await plumbline.client.getSummary();
      expect(summary.unavailable).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ id: 'konnect/prod-gateway' }),
        ]),
      );
      expect(plumbline.writes()).toEqual(before);
      plumbline.sandbox.konnect.faults.clear();
      await waitFor(
        () => plumbline.client.getSummary({ platform: 'konnect/prod-gateway' }),
        after => after.byVerdict.InSync === after.total,
        after => JSON.stringify(after?.byVerdict),
      );
      expect(plumbline.writes()).toEqual(before);
    });
  });

  describe.each([
    [
      'half a list, and says nothing of it',
      { kind: 'truncate' as const, how: 'short' as const },
    ],
    ['an empty list', { kind: 'empty' as const }],
  ])('when Konnect gives %s', (_, fault) => {
    it('asks for each before it calls it missing', async () => {
      const before = plumbline.writes();
      plumbline.sandbox.konnect.faults.add({ ...fault, path: '*/services' });
      await plumbline.sweeps(3);
      const { items } = await plumbline.client.listResources({
        kind: ['services'],
        limit: 100,
      });
      expect(items.map(item => item.verdict)).not.toContain('Missing');
      expect(items.map(item => item.verdict)).not.toContain('Orphaned');
      expect(plumbline.writes()).toEqual(before);
    });
  });
});
