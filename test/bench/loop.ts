/*
 * `yarn bench loop`: what it costs to know that nothing has changed, and how soon a change is known. Everything is real but
 * Konnect itself, which is the stand-in in another process. Ratios, because machines differ; both sides of a ratio are measured
 * in turn, in one run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { divided } from './loop/product';
import {
  costOf,
  heapUsed,
  medianCost,
  met,
  say,
  whole,
  type Cost,
} from './loop/measure';
import { liveService, PLATFORM, serviceId } from './loop/services';
import {
  CORE_ENTITIES,
  createWorld,
  fetchAndParse,
  HEADERS,
  type World,
} from './loop/world';

const COUNT = 10_000;
const SIZES = [1_000, 10_000, 100_000];
/** Sweep over pages alone. */
const MOST = 2;
const AIM = 1.5;
/** Bytes for each tracked resource. */
const MOST_HEAP = 1024;
/** For ten times as many, an entity may cost so much more, beyond what its bare pages cost more: quadratic parts would make it ten. */
const MOST_GROWTH = 1.5;
/** Requests a minute, as of a control plane whose configuration says nothing. */
const USUAL_BUDGET = 1000;
const ROUNDS = 15;
const WARM_UP = 5;

interface Compared {
  pages: Cost;
  sweep: Cost;
  listing: Cost;
}

/** Sweeps, listings and bare pages in turn. */
async function compare(world: World, rounds: number): Promise<Compared> {
  const costs: Record<keyof Compared, Cost[]> = {
    pages: [],
    sweep: [],
    listing: [],
  };
  const urls = await urlsOfSweep(world);
  for (let round = 0; round < rounds + WARM_UP; round += 1) {
    const measured = {
      sweep: await costOf(world.sweep),
      pages: await costOf(() => fetchAndParse(urls)),
      listing: await costOf(world.list),
    };
    if (round < WARM_UP) continue;
    for (const key of ['sweep', 'pages', 'listing'] as const) {
      costs[key].push(measured[key]);
    }
  }
  return {
    pages: medianCost(costs.pages),
    sweep: medianCost(costs.sweep),
    listing: medianCost(costs.listing),
  };
}

async function urlsOfSweep(world: World): Promise<string[]> {
  world.asked.length = 0;
  await world.sweep();
  return world.asked.map(({ url }) => url);
}

function ratioLine(what: string, cost: Cost, pages: Cost): string {
  const ratios = (['cpu', 'wall'] as const).map(
    key =>
      `${whole(cost[key]).padStart(6)} ms ${(cost[key] / pages[key])
        .toFixed(2)
        .padStart(6)}`,
  );
  return `   ${what.padEnd(46)}${ratios.join('   ')}`;
}

async function sweepAgainstPages(world: World): Promise<void> {
  const { pages, sweep, listing } = await compare(world, ROUNDS);
  say(
    `1. An unchanged sweep of ${whole(
      world.count,
    )} entities, against its pages alone (medians of ${ROUNDS}):`,
  );
  say(`${' '.repeat(49)}   CPU  ratio        wall  ratio`);
  say(ratioLine('fetching and JSON.parse-ing the pages', pages, pages));
  say(ratioLine('sweep', sweep, pages));
  const cpu = sweep.cpu / pages.cpu;
  const wall = sweep.wall / pages.wall;
  say(
    `   at most ${MOST}: ${met(cpu <= MOST && wall <= MOST)}; aim ${AIM}: ${met(
      cpu <= AIM && wall <= AIM,
    )}`,
  );
  const touched: Cost[] = [];
  for (let round = 0; round < 5; round += 1) {
    await world.putAll();
    touched.push(await costOf(world.sweep));
  }
  say('   For comparison:');
  say(
    ratioLine(
      'sweep after every updated_at has moved',
      medianCost(touched),
      pages,
    ),
  );
  say(ratioLine('unchanged listing of the declarations', listing, pages));
}

async function requestsAndRows(world: World): Promise<void> {
  const asked = await urlsOfSweep(world);
  const pages = asked.filter(url => url.includes(CORE_ENTITIES));
  say();
  say(
    `2. Requests of a sweep: ${asked.length}, of which ${
      pages.length
    } are pages: ${met(
      asked.length === pages.length,
    )}; an operator that PUTs each entity sends ${whole(world.count)}`,
  );
  const rows = await world.rowsWritten(world.sweep);
  const state = [...rows].map(([table, count]) => `${count} of ${table}`);
  const total = [...rows.values()].reduce((sum, count) => sum + count, 0);
  const { sweeps } = divided({ requestsPerMinute: USUAL_BUDGET });
  say(
    `   Rows written by it: ${state.join(', ')}: ${met(
      total === 1,
    )}; sweeps alone may send ${whole(
      sweeps.capacity,
    )} requests at once, and ${whole(
      sweeps.perMs * 60_000,
    )} a minute, of ${whole(USUAL_BUDGET)}: enough for it: ${met(
      asked.length <= sweeps.capacity,
    )}`,
  );
}

async function oneEdit(world: World): Promise<void> {
  const loop = world.createLoop();
  const { store, asked } = world;
  const shown = async () =>
    (
      await store.listResources(
        { verdicts: ['Drifted'] },
        { limit: 10 },
        Date.now(),
      )
    ).total;
  const sweptAt = async () =>
    (await store.listScopes()).find(({ id }) => id === PLATFORM)
      ?.lastCompleteAt ?? 0;
  loop.start();
  const sweeps: number[] = [];
  const seconds: number[] = [];
  try {
    for (let edit = 1; edit <= 5; edit += 1) {
      const before = await sweptAt();
      while ((await sweptAt()) === before) await sleep(20);
      // anywhere between two sweeps
      await sleep(800 * edit);
      asked.length = 0;
      const i = edit * 1_777;
      await put(world, serviceId(i), { ...liveService(i), retries: 9 });
      const from = performance.now();
      while ((await shown()) < edit) await sleep(20);
      seconds.push((performance.now() - from) / 1000);
      sweeps.push(
        asked.filter(
          ({ method, url }) =>
            method === 'GET' &&
            url.includes('/services?') &&
            !url.includes('offset='),
        ).length,
      );
    }
  } finally {
    await loop.stop();
  }
  const most = Math.max(...sweeps);
  say();
  say(
    `4. One edit among ${whole(
      world.count,
    )} is in the API after at most ${most} sweep: ${met(most <= 1)} (${
      sweeps.length
    } edits; sweeps every 5 s here; seen after ${Math.min(...seconds).toFixed(
      1,
    )} to ${Math.max(...seconds).toFixed(1)} s)`,
  );
}

async function put(world: World, id: string, body: object): Promise<void> {
  const answer = await fetch(`${world.url}${CORE_ENTITIES}/services/${id}`, {
    method: 'PUT',
    headers: { ...HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`PUT was answered with ${answer.status}`);
}

interface Size {
  count: number;
  pages: Cost;
  sweep: Cost;
  heap: number;
}

async function measureSize(world: World): Promise<Size> {
  const costs: Cost[] = [];
  const bare: Cost[] = [];
  const urls = await urlsOfSweep(world);
  for (let round = 0; round < 2 + 5; round += 1) {
    const cost = await costOf(world.sweep);
    const alone = await costOf(() => fetchAndParse(urls));
    if (round < 2) continue;
    costs.push(cost);
    bare.push(alone);
  }
  await world.list();
  await world.sweep();
  return {
    count: world.count,
    pages: medianCost(bare),
    sweep: medianCost(costs),
    heap: heapUsed(),
  };
}

function heapAndGrowth(sizes: Size[]): void {
  const first = sizes[0];
  const last = sizes[sizes.length - 1];
  const each = (last.heap - first.heap) / (last.count - first.count);
  say();
  say(
    `3. Heap per tracked resource, from ${whole(first.count)} to ${whole(
      last.count,
    )}: ${whole(each)} bytes (at most ${MOST_HEAP}): ${met(each <= MOST_HEAP)}`,
  );
  say();
  say('5. Time of an unchanged sweep, by size:');
  say(
    '   entities        CPU  per entity       wall  per entity   CPU/pages   heap',
  );
  const micro = (cost: number, count: number) =>
    `${((cost * 1000) / count).toFixed(1)} µs`.padStart(11);
  for (const { count, pages, sweep, heap } of sizes) {
    say(
      `   ${whole(count).padStart(8)} ${whole(sweep.cpu).padStart(7)} ms${micro(
        sweep.cpu,
        count,
      )} ${whole(sweep.wall).padStart(7)} ms${micro(sweep.wall, count)} ${(
        sweep.cpu / pages.cpu
      )
        .toFixed(2)
        .padStart(11)} ${whole(heap / 1e6).padStart(3)} MB`,
    );
  }
  const [middle] = sizes.slice(-2);
  const own = last.sweep.cpu / last.count / (middle.sweep.cpu / middle.count);
  const pages = last.pages.cpu / last.count / (middle.pages.cpu / middle.count);
  say(
    `   CPU time per entity, ${whole(last.count)} over ${whole(
      middle.count,
    )}: ${own.toFixed(2)}, of the pages alone ${pages.toFixed(
      2,
    )}; linear (at most ${MOST_GROWTH}, or of the pages' growth if they grow): ${met(
      own <= MOST_GROWTH * Math.max(1, pages),
    )}`,
  );
}

async function main(): Promise<void> {
  const sizes: Size[] = [];
  for (const count of SIZES) {
    const world = await createWorld(count);
    try {
      if (count === COUNT) {
        await sweepAgainstPages(world);
        await requestsAndRows(world);
      }
      sizes.push(await measureSize(world));
      // last: it leaves drifts behind
      if (count === COUNT) await oneEdit(world);
    } finally {
      await world.close();
    }
  }
  heapAndGrowth(sizes);
}

main().catch(error => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
});
