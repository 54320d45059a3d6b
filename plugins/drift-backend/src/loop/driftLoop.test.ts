/** The whole loop of one or two processes, on a clock that the test turns. */
import type { TracingServiceSpanOptions } from '@backstage/backend-plugin-api/alpha';
import { TestDatabases } from '@backstage/backend-test-utils';
import { tracingServiceMock } from '@backstage/backend-test-utils/alpha';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import type { Knex } from 'knex';
import {
  PLATFORM,
  SOURCE,
  unreachable,
} from '../__testUtils__/scriptedPlatform';
import { createWorld, type World } from '../__testUtils__/world';
import { DriftLoop } from './driftLoop';

const databases = TestDatabases.create();
const orders = { kind: 'services', namespace: 'shop', name: 'orders' };
const SERVICE = { host: 'orders.shop.svc', retries: 3 };

describe.each(databases.eachSupportedId())(
  'the loop of a process on %s',
  databaseId => {
    const suite = new SuiteDatabase(databases, databaseId);
    let knex: Knex;
    let world: World;
    let loop: DriftLoop;

    beforeEach(async () => {
      knex = await suite.empty();
      world = await createWorld(knex, {
        drift: { defaults: { mode: 'enforce' }, resync: '10s' },
      });
      loop = new DriftLoop(world.context, async () => undefined);
    });

    afterEach(async () => {
      await loop.stop();
    });

    /** Turns the clock until it is so; fails after `ms` of the test's time. */
    async function until(
      ms: number,
      isSo: () => Promise<boolean> | boolean,
      stepMs = 50,
    ) {
      const end = world.clock.now() + ms;
      while (!(await isSo())) {
        if (world.clock.now() > end)
          throw new Error(`It was not so within ${ms} ms`);
        world.clock.advance(stepMs);
        await world.quiet.settled();
      }
    }

    async function isInSync(name = 'orders') {
      const row = await world.store.listResources(
        { q: name },
        { limit: 1 },
        world.clock.now(),
      );
      return row.items[0]?.shownVerdict === 'InSync';
    }

    it('creates, corrects and goes on correcting, within a resync and a pass', async () => {
      world.source.declare(orders, SERVICE);
      loop.start();
      await until(60_000, () => isInSync());
      const [key] = [...world.platform.objects.keys()];
      const isPutBack = () => world.platform.field(key, 'retries') === 3;
      for (const retries of [20, 21]) {
        world.platform.edit(key, { retries });
        await until(15_000, isPutBack);
      }
      expect(world.platform.objects.size).toBe(1);
    });

    it('looks at once at what a watch tells', async () => {
      let tell: (key: string) => void = () => {};
      world.platform.watch = (_scope, { signal, onChange }) =>
        new Promise(resolve => {
          tell = key => onChange([{ key, locators: [], version: 'new' }]);
          signal.addEventListener('abort', () => resolve());
        });
      world.source.declare(orders, SERVICE);
      loop.start();
      await until(60_000, () => isInSync());
      const [key] = [...world.platform.objects.keys()];
      const sweeps = world.platform.script.count('sweep');
      world.platform.edit(key, { retries: 9 });
      tell(key);
      await until(1_000, () => world.platform.field(key, 'retries') === 3);
      expect(world.platform.script.count('sweep')).toBe(sweeps);
    });

    describe('with sweeps that are far between', () => {
      beforeEach(async () => {
        world = await createWorld(await suite.empty(), {
          drift: {
            defaults: { mode: 'enforce' },
            resync: '10m',
            maxStaleness: '1h',
          },
        });
        loop = new DriftLoop(world.context, async () => undefined);
      });

      const MINUTE = 60_000;
      const sweeps = () => world.platform.script.count('sweep');
      const within = (ms: number, isSo: () => Promise<boolean> | boolean) =>
        until(ms, isSo, 500);

      /** Edits what is in sync, and tells what it takes until that is put back. */
      async function correction(ms: number) {
        const [key] = [...world.platform.objects.keys()];
        const before = sweeps();
        world.platform.edit(key, { retries: 9 });
        const editedAt = world.clock.now();
        await within(ms, () => world.platform.field(key, 'retries') === 3);
        return {
          sweeps: sweeps() - before,
          minutes: (world.clock.now() - editedAt) / MINUTE,
        };
      }

      it('sweeps once for all that is declared at the start', async () => {
        const names = Array.from({ length: 20 }, (_name, i) => `orders-${i}`);
        for (const name of names) {
          world.source.declare({ ...orders, name }, SERVICE);
          world.platform.put('services', { name, ...SERVICE });
        }
        const begunAt = world.clock.now();
        loop.start();
        await within(MINUTE, async () => {
          const { items } = await world.store.listResources(
            { verdicts: ['InSync'] },
            { limit: 50 },
            world.clock.now(),
          );
          return items.length === names.length;
        });
        expect(sweeps()).toBe(1);
        await within(11 * MINUTE, () => sweeps() === 2);
        // the wish of the first listing is not fulfilled twice
        expect(world.clock.now() - begunAt).toBeGreaterThan(8 * MINUTE);
      });

      it('sees an edit when the next sweep is due', async () => {
        world.source.declare(orders, SERVICE);
        loop.start();
        await within(9 * MINUTE, () => isInSync());
        await within(11 * MINUTE, () => sweeps() === 2);
        const found = await correction(11 * MINUTE);
        expect(found.sweeps).toBe(1);
        expect(found.minutes).toBeGreaterThan(9);
      });

      it('sees an edit at the next question where a probe tells, and sweeps once more for it', async () => {
        let asked = 0;
        world.platform.probe = {
          everyMs: 30_000,
          ask: async () => {
            asked += 1;
            return JSON.stringify([...world.platform.objects.values()]);
          },
        };
        world.source.declare(orders, SERVICE);
        loop.start();
        await within(9 * MINUTE, () => isInSync());
        expect(sweeps()).toBe(1);
        // what we created ourselves is told too: one sweep more, and none again before a resync is over
        await within(MINUTE, () => sweeps() === 2);
        await within(11 * MINUTE, () => sweeps() === 3);

        asked = 0;
        const found = await correction(MINUTE);
        expect(found.sweeps).toBe(1);
        expect(found.minutes).toBeLessThan(0.6);
        expect(asked).toBe(1);
        // putting it back has changed the answer once more
        await within(11 * MINUTE, () => sweeps() === 5);
        expect(asked).toBeGreaterThan(19);
      });
    });

    it('lets one resource fail without stopping the others', async () => {
      world.source.declare({ ...orders, name: 'bad' }, SERVICE);
      world.source.declare(orders, SERVICE);
      world.platform.script.on(
        'find',
        { fails: unreachable() },
        { fails: unreachable() },
      );
      loop.start();
      await until(60_000, async () => (await isInSync()) && isInSync('bad'));
      expect(world.platform.objects.size).toBe(2);
    });

    it('ends cleanly: nothing goes on, and every lease is handed over', async () => {
      world.source.declare(orders, SERVICE);
      loop.start();
      await until(60_000, () => isInSync());
      await loop.stop();
      const calls = world.platform.script.calls.length;
      for (let i = 0; i < 50; i++) {
        world.clock.advance(10_000);
        await world.quiet.settled();
      }
      expect(world.platform.script.calls).toHaveLength(calls);
      expect(
        await knex('leases').where('until', '>', world.clock.now()),
      ).toEqual([]);
      expect(await knex('resources').whereNotNull('lease_owner')).toEqual([]);
    });

    it('takes over from a process that is dead', async () => {
      // the other one held everything and was killed
      world.source.declare(orders, SERVICE);
      await world.sweep();
      const now = world.clock.now();
      await world.store.takeNamedLease('observer', {
        owner: 'dead',
        now,
        ms: 15_000,
      });
      const dead = await world.store.leaseDue({
        owner: 'dead',
        limit: 10,
        now,
        leaseMs: 30_000,
      });
      expect(dead).toHaveLength(1);
      loop.start();
      await until(60_000, () => isInSync());
      const takenAfter = world.clock.now() - now;
      expect(takenAfter).toBeGreaterThanOrEqual(30_000);
      expect(takenAfter).toBeLessThan(50_000);
    });

    it('is observed by one process at a time', async () => {
      const other = await createWorld(knex, {
        drift: { defaults: { mode: 'enforce' }, resync: '10s' },
        owner: 'two',
        clock: world.clock,
      });
      const second = new DriftLoop(
        {
          ...other.context,
          store: world.store,
          platforms: world.context.platforms,
          sources: world.context.sources,
        },
        async () => undefined,
      );
      let sweeping = 0;
      let most = 0;
      const sweep = world.platform.sweep.bind(world.platform);
      world.platform.sweep = async function* one() {
        sweeping += 1;
        most = Math.max(most, sweeping);
        yield* sweep();
        sweeping -= 1;
      };
      world.source.declare(orders, SERVICE);
      loop.start();
      second.start();
      try {
        await until(60_000, () => isInSync());
        const begun = world.platform.script.count('sweep');
        await until(
          60_000,
          () => world.platform.script.count('sweep') >= begun + 3,
        );
        expect(most).toBe(1);
        // the first hands over at once, the second goes on
        await loop.stop();
        const before = world.platform.script.count('sweep');
        await until(
          30_000,
          () => world.platform.script.count('sweep') > before,
        );
      } finally {
        await second.stop();
      }
    });

    it('is traced: each pass and each read in bulk, with what came of it', async () => {
      const tracing = tracingServiceMock.mock();
      world.context.tracing = tracing;
      world.source.declare(orders, SERVICE);
      loop.start();
      await until(60_000, () => isInSync());
      const spans = tracing.startActiveSpan.mock.calls.map(
        ([name, options], i) => ({
          name,
          ...(options as TracingServiceSpanOptions).attributes,
          ...Object.fromEntries(tracing.spans[i].setAttribute.mock.calls),
        }),
      );
      for (const scope of [PLATFORM, SOURCE]) {
        expect(spans).toContainEqual({
          name: 'drift.sweep',
          'drift.scope': scope,
          'drift.complete': true,
        });
      }
      expect(spans).toContainEqual({
        name: 'drift.pass',
        'drift.resource.id': expect.any(String),
        'drift.trigger': 'due',
        'drift.platform': PLATFORM,
        'drift.kind': 'services',
        'drift.verdict': 'InSync',
        'drift.applied': true,
      });
    });

    it('says so when it stands still, and when it was told to end', async () => {
      // nothing has had a chance to turn
      world.clock.advance(600_000);
      expect(loop.health().healthy).toBe(true);
      loop.start();
      expect(loop.health().healthy).toBe(true);
      await until(5_000, () => loop.health().healthy);
      // nobody turns the loop while the clock goes on
      world.clock.advance(0);
      jest
        .spyOn(world.clock, 'now')
        .mockReturnValue(world.clock.now() + 120_000);
      const still = loop.health();
      expect(still).toMatchObject({ healthy: false });
      expect(still.stopped).toBeUndefined();
      jest.restoreAllMocks();
      await loop.stop();
      expect(loop.health()).toMatchObject({ healthy: false, stopped: true });
    });
  },
);
