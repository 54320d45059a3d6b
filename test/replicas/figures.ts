/** What was measured, in words. */
import type { Judgement } from './checks';
import type { Blow } from './crew';
import type { LeaseBook } from './leaseBook';

/** What it is, and how much. */
export type Figure = [string, string];

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Median and maximum in words. */
function spread(values: number[]): string {
  if (!values.length) return 'none';
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  const longest = sorted[sorted.length - 1];
  const say = (ms: number) => (longest < 1_000 ? `${ms} ms` : seconds(ms));
  return `${values.length} times, median ${say(median)}, longest ${say(
    longest,
  )}`;
}

export function figuresOf(judgement: Judgement): Figure[] {
  const { writes, window } = judgement;
  return [
    [
      'writes of the replicas',
      Object.entries(writes)
        .map(([what, count]) => `${what} ${count}`)
        .join(', ') || 'none',
    ],
    [
      'in the window that Konnect leaves open',
      `${window.overwritten} live edits overwritten, ${window.undeclaredReset} undeclared fields reset, ${window.declarationMoved} declarations moved`,
    ],
    ['from the last read to the write on Konnect', spread(window.lengths)],
    [
      'writes of a stopped process after its lease',
      `${judgement.afterLease}, ${judgement.besideAnother} of them while another held the resource`,
    ],
    [
      'passes cut off between write and record, without an episode',
      String(judgement.cutOff),
    ],
  ];
}

export function takeoverFigures(blows: Blow[], book: LeaseBook): Figure[] {
  const titles = [
    ['killed', 'SIGKILL'],
    ['stopped', 'SIGSTOP'],
    ['handedOver', 'SIGTERM'],
  ] as const;
  return titles.flatMap(([what, title]): Figure[] => {
    const struck = blows.filter(blow => blow.what === what);
    const taken = struck.map(blow => book.takeovers(blow));
    return [
      what === 'handedOver'
        ? [
            `leases on resources given up after ${title}`,
            spread(struck.flatMap(blow => book.handovers(blow).resources)),
          ]
        : [
            `takeover of resources after ${title}`,
            spread(taken.flatMap(({ resources }) => resources)),
          ],
      [
        `takeover of sweeping and watching after ${title}`,
        spread(
          taken.flatMap(({ observer }) =>
            observer === undefined ? [] : [observer],
          ),
        ),
      ],
    ];
  });
}
