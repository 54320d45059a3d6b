/** The store on every database that is at hand: SQLite always, PostgreSQL where one is named. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { State } from '@plumbline/drift-engine';
import type { Knex } from 'knex';
import { randomUUID } from 'node:crypto';
import { LeaseLostError, migrationsDir, storeOn } from '.';
import type { DriftStore, PassOutcome, ResourceLease } from './driftStore';
import type { ConflictRow, DecisionRow, EpisodeRow, ResourceRow } from './rows';

const NOW = 1_800_000_000_000;

function row(name: string, over: Partial<ResourceRow> = {}): ResourceRow {
  return {
    id: randomUUID(),
    ref: {
      platform: 'konnect/prod',
      kind: 'services',
      namespace: 'shop',
      name,
    },
    title: `KongService shop/${name}`,
    verdict: 'InSync',
    reason: 'Equal',
    message: 'Both sides are equal.',
    since: NOW,
    verifiedAt: NOW,
    dirty: false,
    source: 'kubernetes/prod/customResources',
    ownedBefore: [],
    createdBefore: false,
    orphanSightings: 0,
    maxStalenessMs: 300_000,
    resyncMs: 60_000,
    policy: {
      mode: 'observe',
      onLiveEdit: 'revert',
      onFirstSight: 'ask',
      actuator: 'direct',
      prune: false,
      paused: false,
    },
    next: { message: 'It is looked at again.', mayWrite: false },
    dueAt: NOW,
    attempts: 0,
    convergence: { heat: 0, heatAt: NOW, digests: [], sameDiffAfterWrites: 0 },
    ...over,
  };
}

function state(value: State['value'], digest: string): State {
  return { value, digest, problems: [], warnings: [] };
}

function episode(resourceId: string, startedAt: number): EpisodeRow {
  return {
    id: randomUUID(),
    resourceId,
    verdict: 'Drifted',
    reason: 'LiveMoved',
    message: 'Live moved.',
    startedAt,
    fields: [
      {
        path: '/retries',
        kind: 'differs',
        movedBy: 'live',
        declared: 3,
        live: 9,
      },
    ],
  };
}

function conflict(resourceId: string, openedAt: number): ConflictRow {
  return {
    id: randomUUID(),
    resourceId,
    kindOfQuestion: 'conflict',
    status: 'open',
    question: 'Which side stands?',
    answers: [
      { choice: 'declared', label: 'Declared', consequence: 'It is written.' },
      { choice: 'live', label: 'Live', consequence: 'It stays.' },
    ],
    ifNobodyDecides: 'Nothing is written.',
    openedAt,
    fields: [],
    seen: { declared: 'd', live: 'l' },
  };
}

function decision(resourceId: string, at: number): DecisionRow {
  const { policy } = row('x');
  return {
    id: randomUUID(),
    resourceId,
    at,
    trigger: 'sweep',
    verdict: 'Drifted',
    reason: 'LiveMoved',
    rule: 'enforce-live-moved',
    action: 'update',
    message: 'It is put back.',
    plan: ['/retries'],
    guards: [],
    engineVersion: '0.1.0',
    inputs: {
      schemaDigest: 's',
      declared: state({ big: 9007199254740993n }, 'd'),
      live: null,
      ownedBefore: [],
      facts: {},
      policy,
      accepted: [],
    },
  };
}

const databases = TestDatabases.create();

describe.each(databases.eachSupportedId())('the store on %s', databaseId => {
  let knex: Knex;
  let store: DriftStore;
  let now = NOW;

  beforeEach(async () => {
    knex = await databases.init(databaseId);
    await knex.migrate.latest({ directory: migrationsDir });
    now = NOW;
    store = storeOn(knex, () => now);
  });

  async function lease(id: string): Promise<ResourceLease> {
    const taken = await store.leaseOne(id, {
      owner: 'a',
      now,
      leaseMs: 30_000,
    });
    if (!taken) throw new Error('the lease is held by somebody else');
    return taken;
  }

  async function finish(resource: ResourceRow, outcome: Partial<PassOutcome>) {
    await store.finishPass(await lease(resource.id), {
      row: resource,
      states: {},
      ...outcome,
    });
  }

  it('adds a resource once, whoever finds it first', async () => {
    const first = row('orders');
    await store.addResources([first]);
    const again = await store.addResources([row('orders'), row('carts')]);
    expect(again).toHaveLength(2);
    expect(again.map(r => r.id)).toContain(first.id);
    expect(await store.getResourceByRef(first.ref)).toEqual(first);
  });

  it('tells which identities have changed of late', async () => {
    const rows = ['orders', 'carts', 'stock'].map(name => row(name));
    await store.addResources(rows);
    await knex('resources').update({ noted_at: 0 });
    const changed = async () => {
      const names: string[] = [];
      for await (const { ref } of store.listIdentities('konnect/prod', {
        changedWithin: 60_000,
      })) {
        names.push(ref.name);
      }
      return names.sort();
    };
    expect(await changed()).toEqual([]);

    await finish(rows[0], { row: { ...rows[0], liveKey: 'services/1' } });
    expect(await changed()).toEqual(['orders']);
    await store.bringForward([rows[1].id], { dueAt: NOW, dirty: false });
    expect(await changed()).toEqual(['orders']);
    await store.bringForward([rows[1].id], { dueAt: NOW, dirty: true });
    await store.addResources([row('prices')]);
    expect(await changed()).toEqual(['carts', 'orders', 'prices']);
  });

  it('leases each due resource to one worker only, oldest first', async () => {
    await store.addResources([
      row('late', { dueAt: NOW - 1 }),
      row('later', { dueAt: NOW + 1 }),
      row('latest', { dueAt: NOW - 2 }),
    ]);
    const options = { limit: 10, now, leaseMs: 30_000 };
    const [a, b] = await Promise.all([
      store.leaseDue({ owner: 'a', ...options, limit: 1 }),
      store.leaseDue({ owner: 'b', ...options }),
    ]);
    const names = await Promise.all(
      [...a, ...b].map(
        async l => (await store.getResource(l.resourceId))?.ref.name,
      ),
    );
    expect(names.sort()).toEqual(['late', 'latest']);
    expect(await store.leaseDue({ owner: 'c', ...options })).toEqual([]);
  });

  it('takes over from a worker whose lease ran out and refuses the old one', async () => {
    const resource = row('orders');
    await store.addResources([resource]);
    const old = await lease(resource.id);
    await expect(store.assertLease(old, now)).resolves.toBeUndefined();
    now += 30_000;
    await expect(store.assertLease(old, now)).rejects.toThrow(LeaseLostError);
    const taken = await store.leaseOne(resource.id, {
      owner: 'b',
      now,
      leaseMs: 30_000,
    });
    expect(taken?.token).toBe(old.token + 1);
    const late = { row: { ...resource, message: 'late' }, states: {} };
    await expect(store.finishPass(old, late)).rejects.toThrow(LeaseLostError);
    await expect(store.renewLease(old, { now, leaseMs: 1 })).rejects.toThrow(
      LeaseLostError,
    );
    await expect(
      store.addIntent(
        old,
        {
          id: randomUUID(),
          resourceId: resource.id,
          decisionId: randomUUID(),
          action: 'create',
          createdAt: now,
          leaseToken: old.token,
          locators: [],
          liveDigest: 'none',
        },
        decision(resource.id, now),
        now,
      ),
    ).rejects.toThrow(LeaseLostError);
    expect(
      (await store.listDecisions(resource.id, { limit: 5 })).items,
    ).toEqual([]);
    expect((await store.getResource(resource.id))?.message).toBe(
      resource.message,
    );
  });

  it('does not swallow a wish that came while a pass was running', async () => {
    const resource = row('orders');
    await store.addResources([resource]);
    const held = await lease(resource.id);
    await store.bringForward([resource.id], { dueAt: NOW + 5, dirty: true });
    await store.finishPass(held, {
      row: { ...resource, dueAt: NOW + 60_000 },
      states: {},
    });
    const after = await store.getResource(resource.id);
    expect(after).toMatchObject({ dueAt: NOW, dirty: true });
    await finish({ ...resource, dueAt: NOW + 60_000 }, {});
    expect(await store.getResource(resource.id)).toMatchObject({
      dueAt: NOW + 60_000,
      dirty: false,
    });
  });

  it('never puts a due time later by a wish', async () => {
    const resource = row('orders', { dueAt: NOW - 10 });
    await store.addResources([resource]);
    await store.bringForward([resource.id], { dueAt: NOW, dirty: false });
    expect((await store.getResource(resource.id))?.dueAt).toBe(NOW - 10);
  });

  it('writes all that a pass found, or nothing', async () => {
    const resource = row('orders');
    await store.addResources([resource]);
    const opened = episode(resource.id, NOW);
    const asked = conflict(resource.id, NOW);
    const decided = decision(resource.id, NOW);
    const kept = [
      {
        path: '/retries',
        declared: 3,
        live: 9,
        by: 'user:default/ann',
        at: NOW,
      },
    ];
    await finish(
      { ...resource, verdict: 'Conflicted', dirty: true },
      {
        states: { agreed: state({ a: 1 }, 'a'), live: state({ a: 2 }, 'b') },
        episode: { open: opened },
        conflict: { open: asked },
        decision: decided,
        kept,
      },
    );
    expect(await store.getStates(resource.id)).toEqual({
      agreed: state({ a: 1 }, 'a'),
      live: state({ a: 2 }, 'b'),
    });
    expect(await store.getOpenEpisode(resource.id)).toEqual(opened);
    expect(await store.getOpenConflict(resource.id)).toEqual(asked);
    expect(await store.getKept(resource.id)).toEqual(kept);
    expect(await store.getDecision(decided.id)).toMatchObject(decided);
    await finish(resource, {
      states: { live: null },
      episode: { close: { ...opened, endedAt: NOW + 1, ending: 'corrected' } },
      conflict: { close: { ...asked, status: 'withdrawn' } },
      kept: [],
    });
    expect(await store.getStates(resource.id)).toEqual({
      agreed: state({ a: 1 }, 'a'),
    });
    expect(await store.getOpenEpisode(resource.id)).toBeUndefined();
    expect(await store.getOpenConflict(resource.id)).toBeUndefined();
    expect((await store.listEpisodes(resource.id, { limit: 5 })).items).toEqual(
      [{ ...opened, endedAt: NOW + 1, ending: 'corrected' }],
    );
  });

  describe('many at once', () => {
    const options = { owner: 'a', leaseMs: 30_000 };

    it('leases what nobody holds, and gives back what still holds', async () => {
      const rows = ['one', 'two', 'three'].map(name => row(name));
      await store.addResources(rows);
      const [first] = rows;
      const own = await lease(first.id);
      const ids = rows.map(({ id }) => id);
      const leases = await store.leaseMany(ids, { ...options, now });
      expect(leases.map(one => one.resourceId).sort()).toEqual(
        ids.slice(1).sort(),
      );
      now += 30_000;
      const [taken] = await store.leaseMany([leases[0].resourceId], {
        ...options,
        now,
      });
      await store.releaseMany(leases);
      await expect(store.assertLease(taken, now)).resolves.toBeUndefined();
      await expect(store.assertLease(own, NOW)).resolves.toBeUndefined();
      await expect(store.assertLease(leases[1], NOW)).rejects.toThrow(
        LeaseLostError,
      );
    });

    it('reads what is stored of each', async () => {
      const [full, bare] = ['full', 'bare'].map(name => row(name));
      await store.addResources([full, bare]);
      const opened = episode(full.id, NOW);
      const asked = conflict(full.id, NOW);
      const agreed = state({ a: 1 }, 'a');
      const kept = [{ path: '/b', by: 'user:default/ann', at: NOW }];
      await finish(full, {
        states: { agreed, live: state({ a: 2 }, 'b') },
        episode: { open: opened },
        conflict: { open: asked },
        kept,
      });
      const intent = {
        id: randomUUID(),
        resourceId: full.id,
        decisionId: randomUUID(),
        action: 'create' as const,
        createdAt: now,
        leaseToken: 2,
        liveDigest: 'none',
        locators: ['name:full'],
      };
      await store.addIntent(
        await lease(full.id),
        intent,
        decision(full.id, now),
        now,
      );
      const before = await store.readBefore([full.id, bare.id, randomUUID()]);
      expect([...before.keys()].sort()).toEqual([full.id, bare.id].sort());
      expect(before.get(full.id)).toMatchObject({
        ...{ agreed, kept, episode: opened, conflict: asked },
        row: await store.getResource(full.id),
        intents: [intent],
      });
      expect(before.get(bare.id)).toEqual({
        ...{ row: await store.getResource(bare.id), kept: [], intents: [] },
      });
    });

    it('writes what passes found, but of those whose lease is over', async () => {
      const rows = ['one', 'two', 'three', 'four', 'five'].map(name =>
        row(name),
      );
      await store.addResources(rows);
      const leases = await store.leaseMany(
        rows.map(({ id }) => id),
        { ...options, now },
      );
      const [first, byOther, wished, byMyself, released] = leases;
      await store.bringForward([wished.resourceId], {
        dueAt: NOW - 1,
        dirty: true,
      });
      now += 30_000;
      for (const [{ resourceId }, owner] of [
        [byOther, 'b'],
        [byMyself, 'a'],
      ] as const) {
        await store.leaseOne(resourceId, { owner, now, leaseMs: 30_000 });
      }
      await store.releaseLease(released);
      const finished = leases.map(one => {
        const id = one.resourceId;
        const stored = rows.find(other => other.id === id)!;
        return {
          lease: one,
          outcome: {
            row: { ...stored, message: `found ${id}`, dueAt: NOW + 60_000 },
            states: { agreed: state({ id }, id), live: null },
            decision: decision(id, NOW),
            episode: { open: episode(id, NOW) },
            conflict: { open: conflict(id, NOW) },
          },
        };
      });
      const written = await store.finishMany(finished);
      expect(written.map(one => one.lease)).toEqual([first, wished]);
      for (const { lease: one, outcome } of [finished[0], finished[2]]) {
        const id = one.resourceId;
        expect(await store.getResource(id)).toMatchObject({
          message: `found ${id}`,
        });
        expect(await store.getStates(id)).toEqual({
          agreed: state({ id }, id),
        });
        expect(await store.getOpenEpisode(id)).toEqual(outcome.episode.open);
        expect(await store.getOpenConflict(id)).toEqual(outcome.conflict.open);
        expect(await store.getDecision(outcome.decision.id)).toMatchObject({
          inputs: outcome.decision.inputs,
        });
        await expect(store.assertLease(one, NOW)).rejects.toThrow(
          LeaseLostError,
        );
      }
      // the wish that came while they were judged
      expect(await store.getResource(wished.resourceId)).toMatchObject({
        dueAt: NOW - 1,
        dirty: true,
      });
      for (const { resourceId: id } of [byOther, byMyself, released]) {
        expect((await store.getResource(id))?.message).toBe(rows[0].message);
        expect(await store.getStates(id)).toEqual({});
        expect(await store.getOpenEpisode(id)).toBeUndefined();
        expect(await store.getOpenConflict(id)).toBeUndefined();
        expect((await store.listDecisions(id, { limit: 5 })).items).toEqual([]);
      }
    });

    // SQLite has one connection, and with it no two transactions at once
    if (databaseId.startsWith('POSTGRES')) {
      it('waits for nobody who is changing one of them', async () => {
        const rows = ['one', 'two'].map(name => row(name));
        await store.addResources(rows);
        const leases = await store.leaseMany(
          rows.map(({ id }) => id),
          { ...options, now },
        );
        const [busy, free] = leases;
        await knex.transaction(async trx => {
          await trx('resources')
            .where({ id: busy.resourceId })
            .update({ title: 'busy' });
          const finished = leases.map(one => ({
            lease: one,
            outcome: {
              row: rows.find(({ id }) => id === one.resourceId)!,
              states: {},
            },
          }));
          expect(await store.finishMany(finished)).toEqual([finished[1]]);
        });
        await expect(store.assertLease(busy, now)).resolves.toBeUndefined();
        await expect(store.assertLease(free, now)).rejects.toThrow(
          LeaseLostError,
        );
      });
    }
  });

  it('brings forward what refers to something that appears, moves or goes', async () => {
    const parent = row('parent');
    const [child, other] = ['child', 'other'].map(name =>
      row(name, { dueAt: NOW + 60_000 }),
    );
    await store.addResources([parent, child, other]);
    const refersTo = async (liveId?: string) =>
      finish(child, { dependencies: [{ ref: parent.ref, liveId }] });
    await finish(other, { dependencies: [{ ref: child.ref }] });
    const forward = (refs?: ResourceRow['ref'][]) =>
      store.bringDependentsForward({ refs, dueAt: NOW });

    await refersTo(undefined);
    expect(await forward([parent.ref])).toBe(0);
    await finish({ ...parent, liveId: '1' }, {});
    expect(await forward([other.ref])).toBe(0);
    expect(await forward([parent.ref])).toBe(1);
    expect(await store.getResource(child.id)).toMatchObject({
      dueAt: NOW,
      dirty: true,
    });
    await refersTo('1');
    expect(await forward()).toBe(0);
    await finish({ ...parent, liveId: '2' }, {});
    expect(await forward()).toBe(1);
    await refersTo('2');
    await store.removeResource(await lease(parent.id), NOW);
    expect(await forward([parent.ref])).toBe(1);
    // it refers to nothing any more
    await finish(child, { dependencies: [] });
    expect(await forward()).toBe(0);
  });

  it('counts looks that did not find a declaration, and says how many a complete read came after', async () => {
    const source = { id: 'source', kind: 'source' as const, title: 'Source' };
    await store.putScope(source);
    expect(await store.countAbsence('source')).toBe(1);
    expect(await store.countAbsence('source')).toBe(2);
    expect(await store.countAbsence('unknown')).toBeUndefined();
    const read = { at: NOW, status: 'ok' as const, through: 2 };
    await store.recordRead('source', { ...read, complete: true });
    await store.recordRead('source', { ...read, complete: false, through: 9 });
    expect(await store.listScopes()).toEqual([
      expect.objectContaining({ absences: 2, completeThrough: 2 }),
    ]);
  });

  it('deletes old decisions, and the schemas and settled intents that only they needed', async () => {
    const resource = row('orders');
    await store.addResources([resource]);
    const DAY = 24 * 60 * 60_000;
    const schema = (kind: string) => ({ kind, platform: 'konnect', root: {} });
    const decide = async (at: number, digest: string) => {
      const made = decision(resource.id, at);
      await store.addDecision({
        ...made,
        inputs: { ...made.inputs, schemaDigest: digest },
        schema: schema(digest),
      });
      return made.id;
    };
    const old = await decide(NOW, 'old');
    await decide(NOW, 'used again');
    const late = await decide(NOW + 30 * DAY, 'used again');
    const made = decision(resource.id, NOW);
    const held = await lease(resource.id);
    for (const id of ['settled', 'open']) {
      await store.addIntent(
        held,
        {
          ...{ id, resourceId: resource.id, decisionId: made.id },
          ...{ action: 'update', createdAt: NOW, leaseToken: held.token },
          ...{ liveDigest: 'l', locators: [] },
        },
        made,
        NOW,
      );
    }
    await store.finishPass(held, {
      row: resource,
      states: {},
      finishedIntents: [{ id: 'settled', outcome: 'Seen.' }],
    });
    const digests = () => knex('schemas').orderBy('digest').pluck('digest');

    // its last use may be a day later than noted
    expect(await store.deleteDecisionsBefore(NOW + DAY)).toBe(3);
    expect(await store.getDecision(old)).toBeUndefined();
    expect(await digests()).toEqual(['old', 'used again']);
    await store.deleteDecisionsBefore(NOW + 2 * DAY);
    expect(await digests()).toEqual(['used again']);
    expect(await store.getDecision(late)).toBeDefined();
    expect(await knex('intents').pluck('id')).toEqual(['open']);
  });

  it('resolves no reference to what an unsettled create was about', async () => {
    const [resource] = await store.addResources([
      row('orders', { liveKey: 'services/1', liveId: '1' }),
    ]);
    const { ref } = resource;
    expect([...(await store.resolveLiveIds([ref])).values()]).toEqual(['1']);
    const held = await lease(resource.id);
    const decided = decision(resource.id, NOW);
    await store.addIntent(
      held,
      {
        id: randomUUID(),
        resourceId: resource.id,
        decisionId: decided.id,
        action: 'create',
        createdAt: NOW,
        leaseToken: held.token,
        liveDigest: 'none',
        locators: [],
      },
      decided,
      now,
    );
    expect([...(await store.resolveLiveIds([ref])).values()]).toEqual([]);
  });

  it('keeps intents until they are finished, and gives their decision its result', async () => {
    const resource = row('orders');
    await store.addResources([resource]);
    const held = await lease(resource.id);
    const decided = decision(resource.id, NOW);
    const intent = {
      id: randomUUID(),
      resourceId: resource.id,
      decisionId: decided.id,
      action: 'create' as const,
      createdAt: NOW,
      leaseToken: held.token,
      locators: ['mark:1'],
      liveDigest: 'none',
    };
    await store.addIntent(held, intent, decided, now);
    expect(await store.listOpenIntents(resource.id)).toMatchObject([intent]);
    await store.finishPass(held, {
      row: resource,
      states: {},
      decision: { ...decided, result: 'verified' },
      finishedIntents: [{ id: intent.id, outcome: 'verified' }],
    });
    expect(await store.listOpenIntents(resource.id)).toEqual([]);
    expect(await store.getDecision(decided.id)).toMatchObject({
      result: 'verified',
    });
  });

  it('turns a verdict Unknown by itself when it grows old, and only then', async () => {
    const platform = 'konnect/prod';
    const source = 'kubernetes/prod/customResources';
    await store.putScope({ id: platform, kind: 'platform', title: 'Prod' });
    await store.putScope({ id: source, kind: 'source', title: 'CRs' });
    const clean = row('clean');
    const dirty = row('dirty', { dirty: true });
    await store.addResources([clean, dirty]);
    const shown = async (at: number) =>
      (await store.listResources({}, { limit: 10 }, at)).items
        .map(view => [view.ref.name, view.shownVerdict])
        .sort();
    expect(await shown(NOW + 300_000)).toEqual([
      ['clean', 'InSync'],
      ['dirty', 'InSync'],
    ]);
    expect(await shown(NOW + 300_001)).toEqual([
      ['clean', 'Unknown'],
      ['dirty', 'Unknown'],
    ]);
    const ok = { status: 'ok' as const, complete: true };
    await store.recordRead(platform, { ...ok, at: NOW + 300_000 });
    // one side alone verifies nothing
    expect(await shown(NOW + 300_001)).toEqual([
      ['clean', 'Unknown'],
      ['dirty', 'Unknown'],
    ]);
    await store.recordRead(source, { ...ok, at: NOW + 200_000 });
    expect(await shown(NOW + 500_000)).toEqual([
      ['clean', 'InSync'],
      ['dirty', 'Unknown'],
    ]);
    expect(await shown(NOW + 500_001)).toEqual([
      ['clean', 'Unknown'],
      ['dirty', 'Unknown'],
    ]);
    await store.recordRead(source, {
      status: 'unreachable',
      complete: false,
      at: NOW + 600_000,
      message: 'no answer',
    });
    expect((await store.listScopes()).find(s => s.id === source)).toMatchObject(
      {
        lastCompleteAt: NOW + 200_000,
        failures: 1,
        message: 'no answer',
      },
    );
    const [view] = (
      await store.listResources({ q: 'CLEAN' }, { limit: 1 }, NOW + 900_000)
    ).items;
    expect(view).toMatchObject({ shownReason: 'Stale', verdict: 'InSync' });
  });

  it('lists worst first, page by page, without gap or double', async () => {
    await store.addResources([
      ...Array.from({ length: 7 }, (_, i) => row(`ok-${i}`)),
      row('bad', { verdict: 'Drifted' }),
      row('worst', { verdict: 'Conflicted' }),
      row('new', { verdict: 'Pending' }),
    ]);
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.listResources({}, { limit: 3, cursor }, NOW);
      expect(page.total).toBe(10);
      names.push(...page.items.map(view => view.ref.name));
      cursor = page.nextCursor;
    } while (cursor);
    expect(names).toEqual([
      'worst',
      'bad',
      'new',
      ...Array.from({ length: 7 }, (_, i) => `ok-${i}`),
    ]);
    await expect(
      store.listResources({}, { limit: 3, cursor: 'bogus' }, NOW),
    ).rejects.toThrow('"cursor"');
  });

  it('filters and counts by what a caller may see', async () => {
    const [orders, carts] = await store.addResources([
      row('orders', { verdict: 'Drifted', since: NOW - 5 }),
      row('carts'),
    ]);
    await store.setEntities([
      {
        resourceId: orders.id,
        entities: [
          { ref: 'component:default/orders', owner: 'group:default/a' },
        ],
      },
      { resourceId: carts.id, entities: [] },
    ]);
    const names = async (filter: Parameters<DriftStore['listResources']>[0]) =>
      (await store.listResources(filter, { limit: 10 }, NOW)).items.map(
        view => view.ref.name,
      );
    expect(await names({ entity: 'component:default/orders' })).toEqual([
      'orders',
    ]);
    expect(await names({ unassigned: true })).toEqual(['carts']);
    expect(await names({ verdicts: ['InSync'] })).toEqual(['carts']);
    expect(await names({ q: '%' })).toEqual([]);
    expect(await names({ visible: { anyOf: [] } })).toEqual([]);
    expect(
      await names({
        visible: { not: { property: 'owner', values: ['group:default/a'] } },
      }),
    ).toEqual(['carts']);
    expect(
      await names({
        visible: {
          allOf: [
            { property: 'owner', values: ['group:default/a'] },
            { anyOf: [{ property: 'namespace', values: ['shop'] }] },
          ],
        },
      }),
    ).toEqual(['orders']);
    expect(await store.countByVerdict({}, NOW, 'owner')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          group: 'group:default/a',
          byVerdict: { Drifted: 1 },
          oldestDriftSince: NOW - 5,
        }),
        expect.objectContaining({ byVerdict: { InSync: 1 }, total: 1 }),
      ]),
    );
    expect(
      await store.bringForwardWhere(
        { entity: 'component:default/orders' },
        NOW - 100,
      ),
    ).toBe(1);
    expect((await store.getResource(orders.id))?.dueAt).toBe(NOW - 100);
  });

  it('lists open conflicts oldest first, for their owners', async () => {
    const [a, b] = await store.addResources([row('a'), row('b')]);
    await finish(a, { conflict: { open: conflict(a.id, NOW + 2) } });
    await finish(b, { conflict: { open: conflict(b.id, NOW + 1) } });
    await store.setEntities([
      {
        resourceId: a.id,
        entities: [{ ref: 'component:default/a', owner: 'group:default/a' }],
      },
    ]);
    const all = await store.listConflicts({ status: 'open' }, { limit: 1 });
    expect(all.total).toBe(2);
    expect(all.items[0].resource.ref.name).toBe('b');
    const rest = await store.listConflicts(
      { status: 'open' },
      { limit: 1, cursor: all.nextCursor },
    );
    expect(rest.items[0].resource.ref.name).toBe('a');
    expect(rest.nextCursor).toBeUndefined();
    const mine = await store.listConflicts(
      { status: 'open', owners: ['group:default/a'] },
      { limit: 5 },
    );
    expect(mine.items.map(c => c.resource.ref.name)).toEqual(['a']);
  });

  it('removes a resource whole and ends what was open', async () => {
    const [resource] = await store.addResources([row('orders')]);
    const opened = episode(resource.id, NOW);
    const asked = conflict(resource.id, NOW);
    await finish(resource, {
      states: { agreed: state({}, 'a') },
      episode: { open: opened },
      conflict: { open: asked },
    });
    await store.removeResource(await lease(resource.id), NOW + 9);
    expect(await store.getResource(resource.id)).toBeUndefined();
    expect(await store.getStates(resource.id)).toEqual({});
    expect(await store.listEpisodes(resource.id, { limit: 5 })).toMatchObject({
      items: [{ ending: 'resourceGone', endedAt: NOW + 9 }],
    });
    expect(await store.getConflict(asked.id)).toMatchObject({
      status: 'withdrawn',
    });
  });

  it('keeps a resource for which a pass was wished while it was being removed', async () => {
    const [resource] = await store.addResources([row('orders')]);
    const held = await lease(resource.id);
    await store.bringForward([resource.id], { dueAt: NOW, dirty: true });
    expect(await store.removeResource(held, NOW + 9)).toBe(false);
    await store.finishPass(held, { row: resource, states: {} });
    const again = await lease(resource.id);
    expect(await store.removeResource(again, NOW + 9)).toBe(true);
    await expect(store.removeResource(again, NOW + 9)).rejects.toThrow(
      LeaseLostError,
    );
  });

  it('lets one process hold a named lease until it drops it or it runs out', async () => {
    const take = (owner: string, at: number) =>
      store.takeNamedLease('sweep', { owner, now: at, ms: 100 });
    expect(await take('a', NOW)).toBe(true);
    expect(await take('b', NOW + 99)).toBe(false);
    expect(await take('a', NOW + 99)).toBe(true);
    expect(await take('b', NOW + 199)).toBe(true);
    await store.releaseAll('b');
    expect(await take('a', NOW + 199)).toBe(true);
  });

  it('lets one of two replicas change a budget', async () => {
    const budget = { platform: 'p', revision: 1, tokens: 10, refilledAt: NOW };
    expect(await store.writeBudget(budget, undefined)).toBe(true);
    expect(await store.writeBudget(budget, undefined)).toBe(false);
    expect(
      await store.writeBudget({ ...budget, revision: 2, tokens: 9.5 }, 1),
    ).toBe(true);
    expect(await store.writeBudget({ ...budget, revision: 2 }, 1)).toBe(false);
    expect(await store.readBudget('p')).toMatchObject({
      tokens: 9.5,
      revision: 2,
    });
  });

  it('forgets rules whose time is over', async () => {
    const rule = {
      id: randomUUID(),
      scope: { platform: 'konnect/prod' },
      settings: { paused: true },
      reason: 'incident',
      by: 'user:default/ann',
      createdAt: NOW,
      until: NOW + 10,
    };
    await store.addRule(rule);
    expect(await store.listRules(NOW + 9)).toEqual([rule]);
    expect(await store.listRules(NOW + 10)).toEqual([]);
    expect(await store.removeRule(rule.id)).toEqual(rule);
    expect(await store.removeRule(rule.id)).toBeUndefined();
  });
});
