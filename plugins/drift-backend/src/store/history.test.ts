/** Conflicts, decisions and intents: what waits, and how long what is over is kept. */
import { TestDatabases } from '@backstage/backend-test-utils';
import type { Knex } from 'knex';
import { randomUUID } from 'node:crypto';
import {
  conflict,
  decision,
  finish,
  lease,
  NOW,
  row,
} from '../__testUtils__/rows';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import { storeOn, type DriftStore } from '.';

const databases = TestDatabases.create();

describe.each(databases.eachSupportedId())('the store on %s', databaseId => {
  const suite = new SuiteDatabase(databases, databaseId);
  let knex: Knex;
  let store: DriftStore;

  beforeEach(async () => {
    knex = await suite.empty();
    store = storeOn(knex, () => NOW);
  });

  it('lists open conflicts oldest first, for their owners', async () => {
    const [a, b] = await store.addResources([row('a'), row('b')]);
    await finish(store, a, { conflict: { open: conflict(a.id, NOW + 2) } });
    await finish(store, b, { conflict: { open: conflict(b.id, NOW + 1) } });
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
    const held = await lease(store, resource.id);
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

  it('keeps intents until they are finished, and gives their decision its result', async () => {
    const resource = row('orders');
    await store.addResources([resource]);
    const held = await lease(store, resource.id);
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
    await store.addIntent(held, intent, decided, NOW);
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
});
