/** The API over HTTP, on a real database, with scripted actions and a scripted permission policy. */
import {
  mockCredentials,
  mockErrorHandler,
  mockServices,
  TestDatabases,
} from '@backstage/backend-test-utils';
import { ConflictError } from '@backstage/errors';
import {
  AuthorizeResult,
  type PolicyDecision,
} from '@backstage/plugin-permission-common';
import { openApiDocument } from '@plumbline/backstage-plugin-drift-common';
import express from 'express';
import { randomUUID } from 'node:crypto';
import request from 'supertest';
import type { DriftActions } from '../actions';
import {
  migrationsDir,
  storeOn,
  type DriftStore,
  type ResourceRow,
} from '../store';
import { createRouter } from './router';

const NOW = 1_800_000_000_000;
const SEEN = { declared: 'd1', live: 'l1' };

function resource(name: string, over: Partial<ResourceRow> = {}): ResourceRow {
  return {
    id: randomUUID(),
    ref: {
      platform: 'konnect/prod',
      kind: 'services',
      namespace: 'shop',
      name,
    },
    title: `KongService shop/${name}`,
    verdict: 'Drifted',
    reason: 'LiveMoved',
    message: 'Konnect has retries 9; the KongService declares 3.',
    since: NOW - 60_000,
    verifiedAt: NOW - 1_000,
    dirty: false,
    source: 'kubernetes/prod/customResources',
    declaredDigest: 'd1',
    liveDigest: 'l1',
    liveKey: 'services/1',
    liveId: '1',
    evaluation: {
      rule: 'live-moved',
      changes: [
        {
          path: '/retries',
          kind: 'differs',
          movedBy: 'live',
          declared: 3,
          live: 9007199254740993n,
        },
      ],
      extras: [],
      reordered: [],
      warnings: [],
      problems: [],
    },
    ownedBefore: [],
    createdBefore: true,
    orphanSightings: 0,
    maxStalenessMs: 300_000,
    resyncMs: 60_000,
    policy: {
      mode: 'enforce',
      onLiveEdit: 'ask',
      onFirstSight: 'ask',
      actuator: 'direct',
      prune: false,
      paused: false,
    },
    next: { message: 'It waits for a person.', mayWrite: false },
    dueAt: NOW + 30_000,
    attempts: 0,
    convergence: { heat: 0, heatAt: NOW, digests: [], sameDiffAfterWrites: 0 },
    ...over,
  };
}

const databases = TestDatabases.create({ ids: ['SQLITE_3'] });

describe('the drift API', () => {
  let store: DriftStore;
  let app: express.Express;
  let decide: (permission: string) => PolicyDecision;
  let health: { healthy: boolean; message?: string };
  /** Audit events, as they ended. */
  let audits: string[];
  const actions: jest.Mocked<DriftActions> = {
    check: jest.fn(),
    preview: jest.fn(),
    reconcile: jest.fn(),
    keepLive: jest.fn(),
    resolve: jest.fn(),
    apply: jest.fn(),
    link: jest.fn(),
    policyChanged: jest.fn(),
  };

  beforeEach(async () => {
    jest.resetAllMocks();
    health = { healthy: true };
    audits = [];
    const knex = await databases.init('SQLITE_3');
    await knex.migrate.latest({ directory: migrationsDir });
    store = storeOn(knex, () => NOW);
    decide = () => ({ result: AuthorizeResult.ALLOW });
    const registry = mockServices.permissionsRegistry.mock();
    registry.getPermissionRuleset.mockReturnValue({
      getRuleByName: (name: string) => {
        const rule = registry.addResourceType.mock.calls[0][0].rules.find(
          candidate => candidate.name === name,
        );
        if (!rule) throw new Error(`no rule ${name}`);
        return rule;
      },
    } as ReturnType<typeof registry.getPermissionRuleset>);
    const router = await createRouter({
      store,
      actions,
      httpAuth: mockServices.httpAuth(),
      userInfo: mockServices.userInfo(),
      permissions: mockServices.permissions.mock({
        authorize: async queries =>
          queries.map(({ permission }) => {
            const { result } = decide(permission.name);
            if (result === AuthorizeResult.CONDITIONAL) {
              throw new Error('a basic permission cannot be conditional');
            }
            return { result };
          }),
        authorizeConditional: async queries =>
          queries.map(({ permission }) => decide(permission.name)),
      }),
      permissionsRegistry: registry,
      auditor: mockServices.auditor.mock({
        createEvent: async ({ eventId }) => {
          const end = (outcome: string) => async () => {
            audits.push(`${eventId} ${outcome}`);
          };
          return { success: end('succeeded'), fail: end('failed') };
        },
      }),
      logger: mockServices.logger.mock(),
      now: () => NOW,
      platforms: () => [
        { id: 'konnect/prod', title: 'Production', requestsPerMinute: 1000 },
      ],
      health: () => health,
      // app-config may set shorter times than the portal
      configRules: [
        { scope: {}, settings: { mode: 'enforce', resyncSeconds: 1 } },
      ],
    });
    app = express().use(router).use(mockErrorHandler());
  });

  it('lists, with what each resource is and what comes next', async () => {
    const [row] = await store.addResources([resource('orders')]);
    const response = await request(app).get(
      '/v1/resources?verdict=Drifted&verdict=Missing&kind=services&limit=5',
    );
    expect(response.body).toMatchObject({
      total: 1,
      items: [
        {
          id: row.id,
          verdict: 'Drifted',
          platformTitle: 'Production',
          fields: 1,
          stale: false,
          verifiedAt: new Date(NOW - 1_000).toISOString(),
          next: { at: new Date(NOW + 30_000).toISOString(), mayWrite: false },
          policy: { mode: 'enforce', resyncSeconds: 60 },
        },
      ],
    });
  });

  it.each([
    ['/v1/resources?verdict=Fine', '/query/verdict/0'],
    ['/v1/resources?limit=0', '/query/limit'],
    ['/v1/resources?limit=many', '/query/limit'],
    ['/v1/resources?colour=red', 'colour'],
    ['/v1/resources?cursor=x', '"cursor"'],
  ])('says what is wrong with %s', async (url, place) => {
    const response = await request(app).get(url);
    expect(response.status).toBe(400);
    expect(response.body.error.message).toContain(place);
  });

  it('shows one resource with its fields, long integers with all their digits', async () => {
    const [row] = await store.addResources([resource('orders')]);
    const { status, body } = await request(app).get(`/v1/resources/${row.id}`);
    expect(status).toBe(200);
    expect(body.changes).toEqual([
      expect.objectContaining({
        path: '/retries',
        declared: 3,
        live: '9007199254740993',
      }),
    ]);
    expect(body.seen).toEqual(SEEN);
    const byRef = await request(app).post('/v1/resources/by-ref').send(row.ref);
    expect(byRef.body.id).toBe(row.id);
    const unknown = await request(app)
      .post('/v1/resources/by-ref')
      .send({ ...row.ref, name: 'other' });
    expect(unknown.status).toBe(404);
  });

  it('keeps to itself what a controller has shown besides', async () => {
    const controller = { name: 'kong-operator', evidence: 'A condition.' };
    const [row] = await store.addResources([
      resource('orders', { controller: { ...controller, upToDate: true } }),
    ]);
    const { status, body } = await request(app).get(`/v1/resources/${row.id}`);
    expect(status).toBe(200);
    expect(body.controller).toEqual(controller);
  });

  it('does not tell what may not be seen from what is not there', async () => {
    const [row] = await store.addResources([resource('orders')]);
    decide = () => ({
      result: AuthorizeResult.CONDITIONAL,
      pluginId: 'drift',
      resourceType: 'drift-resource',
      conditions: {
        rule: 'IS_ON_PLATFORM',
        resourceType: 'drift-resource',
        params: { platforms: ['konnect/other'] },
      },
    });
    expect((await request(app).get('/v1/resources')).body).toEqual({
      items: [],
      total: 0,
    });
    const hidden = await request(app).get(`/v1/resources/${row.id}`);
    const absent = await request(app).get('/v1/resources/nothing');
    expect([hidden.status, absent.status]).toEqual([404, 404]);
    expect((await request(app).get('/v1/fleet')).body.summary.total).toBe(0);
  });

  it('lets a person see but not act', async () => {
    const [row] = await store.addResources([resource('orders')]);
    decide = name => ({
      result:
        name === 'drift.resource.read'
          ? AuthorizeResult.ALLOW
          : AuthorizeResult.DENY,
    });
    const response = await request(app)
      .post(`/v1/resources/${row.id}/reconcile`)
      .send({ seen: SEEN });
    expect(response.status).toBe(403);
    expect(response.body.error.message).toContain('drift.resource.reconcile');
    expect(actions.reconcile).not.toHaveBeenCalled();
    const policy = await request(app)
      .post('/v1/policies')
      .send({ scope: {}, settings: { paused: true }, reason: 'x' });
    expect(policy.status).toBe(403);
  });

  it('lets only people decide', async () => {
    const [row] = await store.addResources([resource('orders')]);
    const response = await request(app)
      .post(`/v1/resources/${row.id}/keep-live`)
      .set('Authorization', mockCredentials.service.header())
      .send({ seen: SEEN });
    expect(response.status).toBe(403);
  });

  it('hands an action what the person saw, and answers with the resource', async () => {
    const [row] = await store.addResources([resource('orders')]);
    actions.reconcile.mockResolvedValue({ applied: true, message: 'Done.' });
    const response = await request(app)
      .post(`/v1/resources/${row.id}/reconcile`)
      .send({ seen: SEEN, paths: ['/retries'], note: 'as agreed' });
    expect(response.body).toMatchObject({
      applied: true,
      message: 'Done.',
      resource: { id: row.id },
    });
    expect(actions.reconcile).toHaveBeenCalledWith(
      row.id,
      { seen: SEEN, paths: ['/retries'], note: 'as agreed' },
      { ref: mockCredentials.user().principal.userEntityRef },
    );
    actions.reconcile.mockRejectedValue(new ConflictError('live moved'));
    const moved = await request(app)
      .post(`/v1/resources/${row.id}/reconcile`)
      .send({ seen: SEEN });
    expect(moved.status).toBe(409);
    const unseen = await request(app)
      .post(`/v1/resources/${row.id}/reconcile`)
      .send({});
    expect(unseen.status).toBe(400);
    expect(unseen.body.error.message).toContain('seen');
  });

  it('hands a preview the choice, by default the declared side for all fields', async () => {
    const [row] = await store.addResources([resource('orders')]);
    const url = `/v1/resources/${row.id}/preview`;
    const by = { ref: mockCredentials.user().principal.userEntityRef };
    await request(app).post(url);
    expect(actions.preview).toHaveBeenLastCalledWith(
      row.id,
      { side: 'declared' },
      by,
    );
    await request(app)
      .post(url)
      .send({ side: 'live', paths: ['/host'] });
    expect(actions.preview).toHaveBeenLastCalledWith(
      row.id,
      { side: 'live', paths: ['/host'] },
      by,
    );
    const none = await request(app).post(url).send({ paths: [] });
    expect(none.status).toBe(400);
    expect(none.body.error.message).toContain('paths');
  });

  it('answers several questions, each on its own', async () => {
    const [a] = await store.addResources([resource('a')]);
    const lease = await store.leaseOne(a.id, {
      owner: 'x',
      now: NOW,
      leaseMs: 1,
    });
    const id = randomUUID();
    await store.finishPass(lease!, {
      row: a,
      states: {},
      conflict: {
        open: {
          id,
          resourceId: a.id,
          kindOfQuestion: 'firstSight',
          status: 'open',
          question: 'Which side stands?',
          answers: [
            { choice: 'live', label: 'Live', consequence: 'It stays.' },
          ],
          ifNobodyDecides: 'Nothing is written.',
          openedAt: NOW,
          fields: a.evaluation!.changes,
          seen: SEEN,
        },
      },
    });
    const queue = await request(app).get('/v1/conflicts');
    expect(queue.body).toMatchObject({
      total: 1,
      items: [{ id, title: a.title, fields: [{ live: '9007199254740993' }] }],
    });
    expect((await request(app).get('/v1/conflicts?mine=true')).body.total).toBe(
      0,
    );
    actions.resolve.mockResolvedValue({ applied: true, message: 'Kept.' });
    const response = await request(app)
      .post('/v1/conflicts/resolve-many')
      .send({
        choice: 'live',
        conflicts: [
          { id, seen: SEEN },
          { id: 'other', seen: SEEN },
        ],
      });
    expect(response.body.results).toEqual([
      { id, applied: true, message: 'Kept.' },
      {
        id: 'other',
        applied: false,
        message: expect.stringContaining('other'),
      },
    ]);
  });

  it('sets and removes policies, and says when the time is over', async () => {
    const input = {
      scope: { platform: 'konnect/prod' },
      settings: { paused: true },
      reason: 'incident',
      until: new Date(NOW + 1000).toISOString(),
    };
    const created = await request(app).post('/v1/policies').send(input);
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ ...input, origin: 'portal' });
    expect(actions.policyChanged).toHaveBeenCalledWith(input.scope);
    const list = await request(app).get('/v1/policies');
    expect(
      list.body.items.map((rule: { origin: string }) => rule.origin),
    ).toEqual(['config', 'portal']);
    const removed = await request(app).delete(
      `/v1/policies/${created.body.id}`,
    );
    expect(removed.status).toBe(204);
    const fromConfig = await request(app).delete('/v1/policies/config-0');
    expect(fromConfig.body.error.message).toContain('app-config');
    const past = await request(app)
      .post('/v1/policies')
      .send({ ...input, until: new Date(NOW - 1).toISOString() });
    expect(past.body.error.message).toContain('until');
    const empty = await request(app)
      .post('/v1/policies')
      .send({ ...input, settings: {} });
    expect(empty.status).toBe(400);
    const hasty = await request(app)
      .post('/v1/policies')
      .send({ ...input, settings: { resyncSeconds: 1 } });
    expect(hasty.status).toBe(400);
    expect(hasty.body.error.message).toContain('>= 5');
    const unknownInBetween = await request(app)
      .post('/v1/policies')
      .send({
        ...input,
        settings: { resyncSeconds: 600, maxStalenessSeconds: 600 },
      });
    expect(unknownInBetween.status).toBe(400);
    expect(unknownInBetween.body.error.message).toContain(
      'longer than resyncSeconds',
    );
  });

  it('says which platforms could not be read, so that nothing is taken for all well', async () => {
    await store.putScope({
      id: 'konnect/prod',
      kind: 'platform',
      title: 'Production',
    });
    const never = await request(app).get('/v1/summary');
    expect(never.body).toMatchObject({
      total: 0,
      unavailable: [{ id: 'konnect/prod', status: 'unknown' }],
    });
    await store.recordRead('konnect/prod', {
      status: 'ok',
      complete: true,
      at: NOW,
    });
    await store.writeBudget(
      { platform: 'konnect/prod', revision: 1, tokens: 12.7, refilledAt: NOW },
      undefined,
    );
    const { body } = await request(app).get('/v1/fleet');
    expect(body.summary.unavailable).toBeUndefined();
    expect(body.platforms).toEqual([
      expect.objectContaining({ requestsLeft: 12, requestsPerMinute: 1000 }),
    ]);
  });

  it('shows how long drifts of the last day lived, to those who may see them', async () => {
    const rows = await store.addResources(
      ['a', 'b', 'c', 'd'].map(name => resource(name)),
    );
    for (const [i, row] of rows.entries()) {
      const lease = await store.leaseOne(row.id, {
        owner: 'x',
        now: NOW,
        leaseMs: 1,
      });
      // the last one is older than a day
      const startedAt = i === 3 ? NOW - 90_000_000 : NOW - 60_000;
      await store.finishPass(lease!, {
        row,
        states: {},
        episode: {
          close: {
            id: randomUUID(),
            resourceId: row.id,
            verdict: 'Drifted',
            reason: 'LiveMoved',
            message: 'It moved.',
            startedAt,
            // the first does not tell when it changed
            changedAt: i === 0 ? undefined : startedAt - i * 1000,
            endedAt: startedAt + 10_000,
            ending: i === 2 ? 'correctedElsewhere' : 'corrected',
            fields: [],
          },
        },
      });
    }
    const fleet = await request(app).get('/v1/fleet');
    expect(fleet.body).toMatchObject({
      timeToDetectSeconds: { median: 1, p95: 2 },
      timeToCorrectSeconds: { median: 11, p95: 12 },
    });
    decide = () => ({ result: AuthorizeResult.DENY });
    const nothing = await request(app).get('/v1/fleet');
    expect(nothing.status).toBe(200);
    expect(nothing.body.timeToCorrectSeconds).toBeUndefined();
  });

  it('says whether the loop turns', async () => {
    const well = await request(app).get('/v1/health');
    expect([well.status, well.body]).toEqual([200, { status: 'ok' }]);
    health = { healthy: false, message: 'The queue was last asked 70 s ago' };
    const still = await request(app).get('/v1/health');
    expect([still.status, still.body]).toEqual([
      503,
      { status: 'error', message: 'The queue was last asked 70 s ago' },
    ]);
  });

  describe('audit', () => {
    const writes = (id: string, conflict: string) =>
      [
        ['post', `/v1/resources/${id}/check`, {}, 'resource-check'],
        ['post', '/v1/check', { platform: 'konnect/prod' }, 'resources-check'],
        ['post', `/v1/resources/${id}/preview`, {}, 'resource-preview'],
        [
          'post',
          `/v1/resources/${id}/reconcile`,
          { seen: SEEN },
          'resource-reconcile',
        ],
        [
          'post',
          `/v1/resources/${id}/keep-live`,
          { seen: SEEN },
          'resource-keep-live',
        ],
        [
          'post',
          `/v1/conflicts/${conflict}/resolve`,
          { choice: 'live', seen: SEEN },
          'conflict-resolve',
        ],
        [
          'post',
          '/v1/conflicts/resolve-many',
          { choice: 'live', conflicts: [{ id: conflict, seen: SEEN }] },
          'conflict-resolve',
        ],
        [
          'post',
          '/v1/policies',
          { scope: {}, settings: { paused: true }, reason: 'x' },
          'policy-set',
        ],
        ['delete', '/v1/policies/some', undefined, 'policy-remove'],
        [
          'post',
          '/v1/declarations/apply',
          { source: 's', manifest: { kind: 'A' } },
          'declaration-apply',
        ],
      ] as const;

    it('has an event for every operation that does something', () => {
      const reads = ['/v1/resources/by-ref'];
      const paths = openApiDocument.paths as Record<string, object>;
      const inDocument = Object.entries(paths).flatMap(([path, operations]) =>
        ['post', 'put', 'patch', 'delete']
          .filter(method => method in operations && !reads.includes(path))
          .map(method => `${method} ${path.replace(/{\w+}/g, '*')}`),
      );
      const here = writes('*', '*').map(
        ([method, path]) => `${method} ${path.replace('some', '*')}`,
      );
      expect(here.sort()).toEqual(inDocument.sort());
    });

    it('records what was done, and what was tried without the right to it', async () => {
      const [row] = await store.addResources([resource('orders')]);
      const done = { applied: true, message: 'Done.' };
      actions.reconcile.mockResolvedValue(done);
      actions.keepLive.mockResolvedValue(done);
      actions.resolve.mockResolvedValue(done);
      for (const [method, path, body, eventId] of writes(row.id, 'none')) {
        audits = [];
        await request(app)[method](path).send(body);
        expect(audits).toEqual([expect.stringMatching(`^${eventId} `)]);
        decide = () => ({ result: AuthorizeResult.DENY });
        audits = [];
        await request(app)[method](path).send(body);
        // nothing that may be checked is no failure, and nothing is checked
        const outcome = path === '/v1/check' ? 'succeeded' : 'failed';
        expect(audits).toEqual([`${eventId} ${outcome}`]);
        decide = () => ({ result: AuthorizeResult.ALLOW });
      }
    });
  });

  it('declares for a template', async () => {
    actions.apply.mockResolvedValue({
      outcome: 'created',
      version: '1',
      resources: [],
    });
    const response = await request(app)
      .post('/v1/declarations/apply')
      .send({ source: 's', manifest: { kind: 'A' } });
    expect(response.body.outcome).toBe('created');
    expect(actions.apply).toHaveBeenCalledWith(
      {
        source: 's',
        manifest: { kind: 'A' },
        entityRef: undefined,
        dryRun: false,
      },
      expect.anything(),
    );
  });
});
