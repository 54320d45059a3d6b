/** What is measured, under which names and labels: docs/operating.md shows the same table. */
import { mockServices, TestDatabases } from '@backstage/backend-test-utils';
import type {
  MetricsService,
  MetricsServiceObservableCallback,
} from '@backstage/backend-plugin-api/alpha';
import type { Knex } from 'knex';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SuiteDatabase } from '../__testUtils__/suiteDatabase';
import { PLATFORM } from '../__testUtils__/scriptedPlatform';
import { createWorld, type World } from '../__testUtils__/world';
import { createAnnouncer } from './announcer';
import { createRecorder, observeState } from './metrics';

type Labels = Record<string, unknown>;

/** Keeps what is recorded, and collects what is observed. */
class Collector implements MetricsService {
  readonly names = new Map<string, string>();
  readonly recorded: { name: string; value: number; labels: Labels }[] = [];
  private readonly callbacks: [string, MetricsServiceObservableCallback][] = [];

  private instrument(type: string, name: string, unit: string | undefined) {
    if (this.names.has(name)) throw new Error(`There are two of ${name}`);
    this.names.set(name, `${type} ${unit ?? ''}`.trim());
    const keep = (value: number, labels: Labels = {}) => {
      this.recorded.push({ name, value, labels });
    };
    return { add: keep, record: keep };
  }

  private observable(type: string, name: string, unit: string | undefined) {
    this.instrument(type, name, unit);
    return {
      addCallback: (callback: MetricsServiceObservableCallback) => {
        this.callbacks.push([name, callback]);
      },
      removeCallback: () => {},
    };
  }

  createCounter: MetricsService['createCounter'] = (name, options) =>
    this.instrument('counter', name, options?.unit);
  createUpDownCounter: MetricsService['createUpDownCounter'] = (
    name,
    options,
  ) => this.instrument('upDownCounter', name, options?.unit);
  createHistogram: MetricsService['createHistogram'] = (name, options) =>
    this.instrument('histogram', name, options?.unit);
  createGauge: MetricsService['createGauge'] = (name, options) =>
    this.instrument('gauge', name, options?.unit);
  createObservableCounter: MetricsService['createObservableCounter'] = (
    name,
    options,
  ) => this.observable('counter', name, options?.unit) as never;
  createObservableUpDownCounter: MetricsService['createObservableUpDownCounter'] =
    (name, options) =>
      this.observable('upDownCounter', name, options?.unit) as never;
  createObservableGauge: MetricsService['createObservableGauge'] = (
    name,
    options,
  ) => this.observable('gauge', name, options?.unit) as never;

  /** What a scrape would get. */
  async collect(): Promise<{ name: string; value: number; labels: Labels }[]> {
    const found: { name: string; value: number; labels: Labels }[] = [];
    await Promise.all(
      this.callbacks.map(async ([name, callback]) =>
        callback({
          observe: (value, labels = {}) => found.push({ name, value, labels }),
        }),
      ),
    );
    return found;
  }

  of(name: string) {
    return this.recorded
      .filter(one => one.name === name)
      .map(({ value, labels }) => ({ value, labels }));
  }
}

const orders = { kind: 'services', namespace: 'shop', name: 'orders' };
const databases = TestDatabases.create();

describe.each(databases.eachSupportedId())('metrics on %s', databaseId => {
  const suite = new SuiteDatabase(databases, databaseId);
  let knex: Knex;
  let world: World;
  let metrics: Collector;
  let looks: number;

  async function start(mode: string) {
    knex = await suite.empty();
    world = await createWorld(knex, { drift: { defaults: { mode } } });
    metrics = new Collector();
    looks = 0;
    world.context.announcer = createAnnouncer({
      signals: { publish: async () => {} },
      events: mockServices.events.mock(),
      recorder: createRecorder(metrics),
      notifier: { opened: () => {}, flush: async () => {} },
      logger: mockServices.logger.mock(),
    });
    observeState(metrics, {
      store: {
        measure: now => {
          looks += 1;
          return world.store.measure(now);
        },
        readBudget: id => world.store.readBudget(id),
      },
      platforms: () => [world.platform],
      healthy: () => true,
      now: () => world.clock.now(),
    });
  }

  async function agreed() {
    world.source.declare(orders, { host: 'h', retries: 3 });
    const live = world.platform.put(
      'services',
      { name: 'orders', host: 'h', retries: 3 },
      { uid: 'uid-orders' },
    );
    await world.turn();
    return live;
  }

  it('tells how long it took to see a change and to put it right, and what was written', async () => {
    await start('enforce');
    const live = await agreed();
    const edited = world.platform.edit(live.key, { retries: 9 }, 'ann');
    const changedAt = new Date(world.clock.now()).toISOString();
    world.platform.objects.set(live.key, { ...edited, changedAt });
    world.clock.advance(20_000);
    await world.turn();
    expect(world.platform.field(live.key, 'retries')).toBe(3);
    const [detect] = metrics.of('drift.time_to_detect');
    expect(detect.labels).toEqual({ platform: PLATFORM, verdict: 'Drifted' });
    expect(detect.value).toBeGreaterThanOrEqual(20);
    expect(detect.value).toBeLessThan(23);
    const [correct] = metrics.of('drift.time_to_correct');
    expect(correct.labels).toEqual({ platform: PLATFORM, ending: 'corrected' });
    expect(correct.value).toBeGreaterThanOrEqual(detect.value);
    expect(correct.value).toBeLessThan(24);
    expect(metrics.of('drift.writes')).toEqual([
      {
        value: 1,
        labels: { platform: PLATFORM, action: 'update', result: 'verified' },
      },
    ]);
    expect(metrics.of('drift.verdict.changes').length).toBeGreaterThan(0);
    expect(metrics.of('drift.sweep.duration')).toContainEqual({
      value: expect.any(Number),
      labels: { scope: PLATFORM, complete: true },
    });
  });

  it('does not take the age of what was there before for a time to detect', async () => {
    await start('observe');
    world.source.declare(orders, { host: 'h', retries: 3 });
    const live = world.platform.put(
      'services',
      { name: 'orders', host: 'h', retries: 9 },
      { uid: 'uid-orders' },
    );
    const changedAt = '2001-01-01T00:00:00Z';
    world.platform.objects.set(live.key, { ...live, changedAt });
    await world.turn();
    expect((await world.row('orders')).reason).toBe('FirstSight');
    expect(metrics.of('drift.time_to_detect')).toEqual([]);
  });

  it('observes verdicts, questions, the queue and budgets with one look for all', async () => {
    await start('ask');
    const live = await agreed();
    world.platform.edit(live.key, { retries: 9 });
    await world.turn();
    await world.store.writeBudget(
      {
        platform: PLATFORM,
        revision: 1,
        tokens: 7.5,
        refilledAt: world.clock.now(),
      },
      undefined,
    );
    const collected = await metrics.collect();
    expect(looks).toBe(1);
    expect(collected).toEqual(
      expect.arrayContaining([
        {
          name: 'drift.resources',
          value: 1,
          labels: { platform: PLATFORM, kind: 'services', verdict: 'Drifted' },
        },
        {
          name: 'drift.conflicts.open',
          value: 1,
          labels: { platform: PLATFORM, question: 'plan' },
        },
        { name: 'drift.queue.age', value: 0, labels: {} },
        { name: 'drift.queue.due', value: 0, labels: {} },
        { name: 'drift.budget.left', value: 7, labels: { platform: PLATFORM } },
        { name: 'drift.loop.healthy', value: 1, labels: {} },
      ]),
    );
    const { id } = await world.row('orders');
    const dueAt = world.clock.now();
    await world.store.bringForward([id], { dueAt, dirty: true });
    world.clock.advance(90_000);
    const later = await metrics.collect();
    expect(later).toContainEqual({
      name: 'drift.queue.age',
      value: 90,
      labels: {},
    });
    expect(later).toContainEqual({
      name: 'drift.queue.due',
      value: 1,
      labels: {},
    });
  });

  it('is what the documentation says', async () => {
    await start('observe');
    const docs = readFileSync(
      path.resolve(__dirname, '../../../../docs/operating.md'),
      'utf8',
    );
    const table = new Map(
      [...docs.matchAll(/^\| `(drift\.[\w.]+)` +\| (\w+) +\| ([^|]*)\|/gm)].map(
        ([, name, type, unit]) => [
          name,
          `${type} ${unit.trim().replace('`', '').replace('`', '')}`.trim(),
        ],
      ),
    );
    expect(table).toEqual(metrics.names);
  });
});
