/*
 * `yarn bench watch`: how long after an edit on a cluster the drift API shows it, against a bare watch of the same
 * cluster that is told the same edits. The median of 50 edits, one after the other.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  clusterCandidates,
  shows,
  startWatchedCluster,
  type ClusterCandidate,
  type WatchedCluster,
} from '../src/watchedCluster';

const EDITS = 50;
/** The bar: milliseconds, median. */
const MOST = 1_000;
const NAME = 'orders';

interface Times {
  /** Until a bare watch tells. */
  told: number[];
  /** Until the API shows it. */
  shown: number[];
}

const median = (values: number[]) => quantile(values, 0.5);

function quantile(values: number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

async function measure(watched: WatchedCluster): Promise<Times> {
  const times: Times = { told: [], shown: [] };
  const { body } = await watched.editor.get(watched.pathOf());
  const bare = await watched.editor.watch(
    `${watched.pathOf()}?watch=true&resourceVersion=${
      body.metadata.resourceVersion
    }`,
  );
  const told = async (value: string) => {
    for (;;) {
      const { object } = await bare.next();
      if (object.data?.value === value) return performance.now();
    }
  };
  const shown = async (value: string) => {
    while (!shows(await watched.look(NAME), value)) await pause(5);
    return performance.now();
  };
  for (let edit = 0; edit < EDITS; edit += 1) {
    const value = `edit ${edit}`;
    const began = performance.now();
    const [, toldAt, shownAt] = await Promise.all([
      watched.edit(NAME, value),
      told(value),
      shown(value),
    ]);
    times.told.push(toldAt - began);
    times.shown.push(shownAt - began);
  }
  bare.close();
  return times;
}

/** Returns whether it is as fast as it must be. */
async function run(candidate: ClusterCandidate): Promise<boolean> {
  const watched = await startWatchedCluster(candidate, [NAME, 'payments']);
  try {
    const before = await watched.backend.lastSweeps();
    const { told, shown } = await measure(watched);
    const swept = `${await watched.backend.lastSweeps()}` !== `${before}`;
    const ms = (value: number) => `${value.toFixed(1)} ms`;
    process.stdout.write(
      [
        `${candidate.name}, ${EDITS} edits:`,
        `  in the API after        median ${ms(median(shown))}, 95 % ${ms(
          quantile(shown, 0.95),
        )}, worst ${ms(Math.max(...shown))}`,
        `  a bare watch tells after median ${ms(median(told))}`,
        `  API / bare watch        ${(median(shown) / median(told)).toFixed(
          1,
        )}`,
        `  bar                     ${MOST} ms: ${
          median(shown) <= MOST ? 'kept' : 'NOT KEPT'
        }${swept ? ' (a sweep fell into it, which makes it void)' : ''}`,
        '',
      ].join('\n'),
    );
    return median(shown) <= MOST && !swept;
  } finally {
    await watched.stop();
  }
}

async function main(): Promise<number> {
  let kept = true;
  for (const candidate of clusterCandidates) {
    if (candidate.present) kept = (await run(candidate)) && kept;
    else
      process.stdout.write(
        `LEFT OUT, no KUBEBUILDER_ASSETS: ${candidate.name}\n`,
      );
  }
  return kept ? 0 : 1;
}

main().then(
  code => process.exit(code),
  error => {
    process.stderr.write(`${error?.stack ?? error}\n`);
    process.exit(2);
  },
);
