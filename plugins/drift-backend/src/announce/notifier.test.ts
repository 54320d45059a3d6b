/** Owners hear of each question once, and of many as one. */
import { mockServices, TestDatabases } from '@backstage/backend-test-utils';
import type { NotificationSendOptions } from '@backstage/plugin-notifications-node';
import type { Knex } from 'knex';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import { createWorld, type World } from '../__testUtils__/world';
import { createAnnouncer, silentAnnouncer } from './announcer';
import { createConflictNotifier } from './notifier';

const OWNER = 'group:default/shop';
const HALF_A_MINUTE = 30_000;
const databases = TestDatabases.create({ ids: ['SQLITE_3'] });

describe('notifications', () => {
  const suite = new SuiteDatabase(databases, 'SQLITE_3');
  const logger = mockServices.logger.mock();
  let knex: Knex;
  let world: World;
  let sent: NotificationSendOptions[];
  let away: boolean;
  let flush: () => Promise<void>;

  beforeEach(async () => {
    jest.clearAllMocks();
    knex = await suite.empty();
    world = await createWorld(knex, { drift: { defaults: { mode: 'ask' } } });
    sent = [];
    away = false;
    const notifier = createConflictNotifier({
      store: world.store,
      notifications: {
        send: async options => {
          if (away) throw new Error('status 404');
          sent.push(options);
        },
      },
      logger,
      now: () => world.clock.now(),
    });
    const announcer = createAnnouncer({
      signals: { publish: async () => {} },
      events: mockServices.events.mock(),
      recorder: { ...silentAnnouncer, verdictChanged: () => {} },
      notifier,
      logger,
    });
    world.context.announcer = announcer;
    flush = () => announcer.flush();
  });

  /** Services on which both sides agree, of one owner. */
  async function agreed(...names: string[]) {
    for (const name of names) {
      const ref = { kind: 'services', namespace: 'shop', name };
      world.source.declare(ref, { host: 'h', retries: 3 });
      world.platform.put(
        'services',
        { name, host: 'h', retries: 3 },
        { uid: `uid-${name}`, id: name },
      );
    }
    await world.turn();
    await own();
  }

  async function own() {
    const rows = await knex('resources').select('id');
    await world.store.setEntities(
      rows.map(({ id }) => ({
        resourceId: id,
        entities: [{ ref: 'component:default/shop', owner: OWNER }],
      })),
    );
  }

  async function edit(...names: string[]) {
    for (const name of names) {
      world.platform.edit(`services/${name}`, { retries: 9 });
    }
    await world.turn();
  }

  it('tells the owner once, with the question and a link to it', async () => {
    await agreed('orders');
    await edit('orders');
    await flush();
    expect(sent).toEqual([]);
    world.clock.advance(HALF_A_MINUTE);
    await flush();
    const { id } = await world.row('orders');
    const conflict = await world.store.getOpenConflict(id);
    expect(sent).toEqual([
      {
        recipients: { type: 'entity', entityRef: OWNER },
        payload: expect.objectContaining({
          topic: 'drift.conflict',
          scope: `drift-conflict-${conflict?.id}`,
          description: conflict?.question,
          link: `/drift/resources/${id}`,
        }),
      },
    ]);
    // the same question, asked about another value
    world.platform.edit('services/orders', { retries: 10 });
    await world.turn();
    world.clock.advance(HALF_A_MINUTE);
    await flush();
    expect(sent).toHaveLength(1);
  });

  it('makes one of many', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    await agreed(...names);
    await edit(...names);
    world.clock.advance(HALF_A_MINUTE);
    await flush();
    expect(sent).toHaveLength(1);
    expect(sent[0].payload).toMatchObject({
      title: '5 resources wait for your decision',
      link: '/drift/conflicts',
    });
  });

  it('says nothing of what was there before anybody looked', async () => {
    const ref = { kind: 'services', namespace: 'shop', name: 'old' };
    world.source.declare(ref, { host: 'h', retries: 3 });
    world.platform.put('services', { name: 'old', host: 'h', retries: 9 });
    await world.turn();
    await own();
    const { id } = await world.row('old');
    expect(await world.store.getOpenConflict(id)).toMatchObject({
      kindOfQuestion: 'firstSight',
    });
    world.clock.advance(HALF_A_MINUTE);
    await flush();
    expect(sent).toEqual([]);
  });

  it('says nothing of what was settled meanwhile', async () => {
    await agreed('orders');
    await edit('orders');
    world.platform.edit('services/orders', { retries: 3 });
    await world.turn();
    world.clock.advance(HALF_A_MINUTE);
    await flush();
    expect(sent).toEqual([]);
  });

  it('does without the service: one warning, and another try later', async () => {
    await agreed('orders');
    await edit('orders');
    away = true;
    for (let i = 0; i < 3; i++) {
      world.clock.advance(HALF_A_MINUTE);
      await flush();
    }
    expect(logger.warn).toHaveBeenCalledTimes(1);
    away = false;
    world.clock.advance(HALF_A_MINUTE);
    await flush();
    expect(sent).toHaveLength(1);
  });

  it('waits a while for an owner', async () => {
    await agreed('orders');
    await knex('resource_entities').delete();
    await knex('resources').update({ owner: null });
    await edit('orders');
    world.clock.advance(HALF_A_MINUTE);
    await flush();
    expect(sent).toEqual([]);
    await own();
    world.clock.advance(HALF_A_MINUTE);
    await flush();
    expect(sent).toHaveLength(1);
  });
});
