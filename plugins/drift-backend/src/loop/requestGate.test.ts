/** The request budget: shared, honoured, and people first (rule 10). */
import { mockServices, TestDatabases } from '@backstage/backend-test-utils';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import { PlatformError } from '@plumbline/backstage-plugin-drift-node';
import { storeOn, type DriftStore } from '../store';
import { ManualClock } from '../__testUtils__/manualClock';
import { Quiet } from '../__testUtils__/quiet';
import { withPriority } from './priority';
import { createRequestGate } from './requestGate';

const databases = TestDatabases.create();
const { signal } = new AbortController();

describe.each(databases.eachSupportedId())(
  'rule 10: bounded, the request budget on %s',
  databaseId => {
    const suite = new SuiteDatabase(databases, databaseId);
    let clock: ManualClock;
    let store: DriftStore;
    let quiet: Quiet;

    beforeEach(async () => {
      const knex = await suite.empty();
      clock = new ManualClock();
      quiet = new Quiet();
      store = quiet.track(storeOn(knex, () => clock.now()));
    });

    /** One gate of one replica: 60 requests a minute, a burst of ten, of which sweeps have three. */
    function gate(reserve = 0.2, requested?: (result: string) => void) {
      return createRequestGate({
        platform: {
          id: 'konnect/prod',
          budget: { requestsPerMinute: 60, reserve },
        },
        store,
        clock,
        random: () => 0,
        logger: mockServices.logger.mock(),
        requested,
      });
    }

    async function flow(ms: number) {
      for (let passed = 0; passed < ms; passed += 100) {
        clock.advance(100);
        await quiet.settled();
      }
    }

    it('lets all replicas together have no more than the budget', async () => {
      const gates = [gate(0), gate(0)];
      let done = 0;
      const all = Array.from({ length: 60 }, (_, i) =>
        gates[i % 2].run({ signal, priority: 'person' }, async () => {
          done += 1;
        }),
      );
      await flow(20_000);
      // the burst of ten, and one a second, but for the share of sweeps
      expect(done).toBeGreaterThanOrEqual(23);
      expect(done).toBeLessThanOrEqual(31);
      await flow(45_000);
      await Promise.all(all);
      expect(done).toBe(60);
    });

    it('tells what became of each request', async () => {
      const told: string[] = [];
      const one = gate(0, result => told.push(result));
      const fail = (error: Error) =>
        one.run({ signal }, async () => {
          throw error;
        });
      await one.run({ signal }, async () => 'answer');
      await expect(
        fail(new PlatformError('denied', 'no right')),
      ).rejects.toThrow('no right');
      await expect(fail(new Error('a fault'))).rejects.toThrow('a fault');
      const ended = new AbortController();
      const aborted = one.run({ signal: ended.signal }, async () => {
        ended.abort();
        throw new Error('aborted');
      });
      await expect(aborted).rejects.toThrow('aborted');
      const patient = one.run({ signal }, async () => {
        if (told.at(-1) === 'throttled') return 'answer';
        throw new PlatformError('throttled', 'slow', { retryAfterMs: 1000 });
      });
      await flow(3_000);
      await patient;
      expect(told).toEqual([
        'ok',
        'denied',
        'error',
        'aborted',
        'throttled',
        'ok',
      ]);
    });

    it('closes for all replicas until Retry-After is over, and sends again what was refused', async () => {
      const [one, two] = [gate(), gate()];
      const sent: number[] = [];
      const started = clock.now();
      let refused = false;
      const first = one.run({ signal }, async () => {
        sent.push(clock.now() - started);
        if (!refused) {
          refused = true;
          throw new PlatformError('throttled', 'slow down', {
            retryAfterMs: 7_000,
          });
        }
        return 'answer';
      });
      await flow(200);
      const second = two.run({ signal }, async () => {
        sent.push(clock.now() - started);
      });
      await flow(9_000);
      expect(await first).toBe('answer');
      await second;
      expect(sent[0]).toBeLessThan(1_000);
      expect(sent.slice(1).every(at => at >= 7_000)).toBe(true);
    });

    it('gives up where the platform goes on refusing', async () => {
      let tries = 0;
      const asked = gate().run({ signal }, async () => {
        tries += 1;
        throw new PlatformError('throttled', 'slow down', {
          retryAfterMs: 1_000,
        });
      });
      const ended = asked.catch(error => error.message);
      await flow(20_000);
      expect(await ended).toBe('slow down');
      expect(tries).toBe(3);
    });

    it('lets people’s actions go ahead of passes and sweeps, and keeps a share for them', async () => {
      const one = gate(0.5);
      const order: string[] = [];
      const ask = (priority: 'person' | 'pass' | 'sweep') =>
        one.run({ signal, priority }, async () => {
          order.push(priority);
        });
      const all = [...Array(8).fill('sweep'), ...Array(3).fill('pass')].map(
        ask,
      );
      await flow(200);
      const before = order.length;
      all.push(ask('person'), ask('person'));
      await flow(200);
      expect(order.slice(before, before + 2)).toEqual(['person', 'person']);
      await flow(60_000);
      await Promise.all(all);
    });

    describe('sweeps', () => {
      let writes = 0;

      beforeEach(() => {
        writes = 0;
        const { writeBudget } = store;
        store.writeBudget = (row, revision) => {
          writes += 1;
          return writeBudget(row, revision);
        };
      });

      /** Asks for so many at once, and says how many were sent within so long. */
      async function sentBy(
        one: ReturnType<typeof gate>,
        count: number,
        ms: number,
      ): Promise<number> {
        let sent = 0;
        const end = new AbortController();
        const all = Array.from({ length: count }, () =>
          one.run({ signal: end.signal, priority: 'sweep' }, async () => {
            sent += 1;
          }),
        );
        await quiet.settled();
        await flow(ms);
        end.abort();
        await Promise.allSettled(all);
        return sent;
      }

      it('write nothing as long as they stay in their share', async () => {
        const one = gate();
        // nobody has the share yet
        expect(await sentBy(one, 1, 0)).toBe(1);
        expect(writes).toBe(1);
        // one in ten seconds comes back for them alone
        for (let i = 0; i < 5; i += 1) {
          await flow(31_000);
          expect(await sentBy(one, 3, 0)).toBe(3);
        }
        expect(writes).toBe(1);
        // more than that is taken from what all share, several at once
        expect(await sentBy(one, 2, 0)).toBe(2);
        expect(writes).toBe(2);
      });

      it('leave something of it to probes, which write nothing either', async () => {
        const one = gate();
        await sentBy(one, 1, 0);
        const probe = () =>
          one.run({ signal, priority: 'probe' }, async () => {});
        for (let i = 0; i < 5; i += 1) {
          await flow(31_000);
          await probe();
        }
        expect(writes).toBe(1);
        expect(await sentBy(one, 2, 0)).toBe(2);
        expect(writes).toBe(1);
      });

      it('have one share, whoever of the replicas has it', async () => {
        const gates = [gate(0), gate(0)];
        let sent = 0;
        // they take it from each other all the time
        for (let i = 0; i < 60; i += 1) {
          sent += await sentBy(gates[i % 2], 5, 1_000);
        }
        // the burst of ten, and one a second
        expect(sent).toBeLessThanOrEqual(70);
        expect(sent).toBeGreaterThan(50);
      });

      it('lose what gathered for one replica when another takes the share', async () => {
        const [one, other] = [gate(0), gate(0)];
        await sentBy(one, 1, 0);
        await flow(60_000);
        // all that is shared
        expect(await sentBy(other, 10, 0)).toBe(7);
        expect(await sentBy(one, 9, 2_000)).toBeLessThanOrEqual(2);
      });

      it('have no more than the budget together with the others', async () => {
        const one = gate(0);
        let sent = 0;
        const end = new AbortController();
        const ask = (priority: 'person' | 'sweep') =>
          one
            .run({ signal: end.signal, priority }, async () => {
              sent += 1;
            })
            .catch(() => {});
        for (let i = 0; i < 100; i += 1) ask(i % 2 ? 'person' : 'sweep');
        await flow(30_000);
        expect(sent).toBeLessThanOrEqual(40);
        expect(sent).toBeGreaterThanOrEqual(28);
        end.abort();
        await quiet.settled();
      });

      it('stop when the gate closes, and keep nothing for when it opens', async () => {
        const sweeping = gate();
        await sentBy(sweeping, 1, 0);
        await flow(60_000);
        gate().observe({ remaining: 0, resetSeconds: 5 });
        await quiet.settled();
        expect(await sentBy(sweeping, 1, 4_000)).toBe(0);
        await flow(1_000);
        writes = 0;
        expect(await sentBy(sweeping, 1, 300)).toBe(1);
        expect(writes).toBe(1);
      });
    });

    it('lets probes wait for everybody, and asks no throttled one again', async () => {
      const one = gate();
      const order: string[] = [];
      const ask = (priority: 'pass' | 'sweep' | 'probe') =>
        one.run({ signal, priority }, async () => {
          order.push(priority);
        });
      // they leave more to the others than others do
      const all = Array.from({ length: 8 }, () => ask('probe'));
      await flow(300);
      expect(order.length).toBeGreaterThan(0);
      expect(order.length).toBeLessThan(5);
      const before = order.length;
      all.push(ask('sweep'), ask('pass'));
      await flow(300);
      expect(order.slice(before)).toEqual(['pass', 'sweep']);
      await flow(120_000);
      await Promise.all(all);

      let tries = 0;
      const throttled = one.run({ signal, priority: 'probe' }, async () => {
        tries += 1;
        throw new PlatformError('throttled', 'slow', { retryAfterMs: 9_000 });
      });
      const ended = throttled.catch(error => error.message);
      await flow(300);
      expect(await ended).toBe('slow');
      expect(tries).toBe(1);
      // what it was told counts for all
      expect(
        (await store.readBudget('konnect/prod'))?.closedUntil,
      ).toBeGreaterThan(clock.now());
    });

    it.each(['person', 'pass', 'sweep', 'probe'] as const)(
      'lets a %s through in the end, however small the budget',
      async priority => {
        const one = createRequestGate({
          platform: {
            id: 'konnect/prod',
            budget: { requestsPerMinute: 1, reserve: 0.5 },
          },
          store,
          clock,
          random: () => 0,
          logger: mockServices.logger.mock(),
        });
        let sent = 0;
        const both = [1, 2].map(() =>
          one.run({ signal, priority }, async () => {
            sent += 1;
          }),
        );
        await flow(61_000);
        await Promise.all(both);
        expect(sent).toBe(2);
      },
    );

    it('knows whose request it is, whatever the module says', async () => {
      const one = gate(0.5);
      const order: string[] = [];
      const sweeps = Array.from({ length: 8 }, () =>
        one.run({ signal, priority: 'sweep' }, async () => {
          order.push('sweep');
        }),
      );
      await flow(200);
      const before = order.length;
      expect(before).toBeLessThan(8);
      const person = withPriority('person', () =>
        one.run({ signal, priority: 'pass' }, async () => {
          order.push('person');
        }),
      );
      await flow(200);
      await person;
      expect(order[before]).toBe('person');
      await flow(60_000);
      await Promise.all(sweeps);
    });

    it('lets go of whoever does not want to wait any more', async () => {
      const one = gate(0);
      const leave = new AbortController();
      const all = Array.from({ length: 7 }, () =>
        one.run({ signal }, async () => undefined),
      );
      await flow(500);
      await Promise.all(all);
      const left = one.run({ signal: leave.signal }, async () => 'never');
      const ended = left.catch(error => error.message);
      leave.abort(new Error('gone'));
      await flow(300);
      expect(await ended).toBe('gone');
    });
  },
);
