/** Metrics through Backstage's metrics service: what happens is recorded, what is so is asked for when somebody collects. */
import type { MetricsService } from '@backstage/backend-plugin-api/alpha';
import type { ErrorClass } from '@plumbline/backstage-plugin-drift-node';
import { requestsLeft } from '../loop/budget';
import { timeToCorrect, timeToDetect } from '../store/episodeTimes';
import type { Measures } from '../store/measures';
import type { DriftStore } from '../store/driftStore';
import type { EpisodeRow, Millis, ResourceRow } from '../store/rows';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const LIFE_BUCKETS = [
  1,
  2,
  5,
  10,
  30,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  4 * HOUR,
  24 * HOUR,
];
const SWEEP_BUCKETS = [0.1, 0.3, 1, 3, 10, 30, MINUTE, 2 * MINUTE, 5 * MINUTE];

/** What became of one request to a platform: an answer, a failure as it was classified, an end from our side, or anything else. */
export type RequestResult = 'ok' | ErrorClass | 'aborted' | 'error';

/** What is recorded when it happens. */
export interface Recorder {
  verdictChanged(after: ResourceRow): void;
  episodeBegan(episode: EpisodeRow, platform: string): void;
  episodeEnded(episode: EpisodeRow, platform: string): void;
  wrote(platform: string, action: string, result: string): void;
  requested(platform: string, result: RequestResult): void;
  sweepFinished(scope: string, milliseconds: number, complete: boolean): void;
}

export function createRecorder(metrics: MetricsService): Recorder {
  const verdictChanges = metrics.createCounter('drift.verdict.changes', {
    description: 'Verdicts that changed, by the new one',
    unit: '{change}',
  });
  const detect = metrics.createHistogram('drift.time_to_detect', {
    description: 'From the change of a live object to the moment it was seen',
    unit: 's',
    advice: { explicitBucketBoundaries: LIFE_BUCKETS },
  });
  const correct = metrics.createHistogram('drift.time_to_correct', {
    description:
      'From the change (where it is not told when: from the moment it was seen) to the moment it was put right',
    unit: 's',
    advice: { explicitBucketBoundaries: LIFE_BUCKETS },
  });
  const writes = metrics.createCounter('drift.writes', {
    description: 'Writes to platforms',
    unit: '{write}',
  });
  const requests = metrics.createCounter('drift.requests', {
    description: 'Requests to platforms',
    unit: '{request}',
  });
  const sweeps = metrics.createHistogram('drift.sweep.duration', {
    description: 'Time of one read in bulk of a platform or a source',
    unit: 's',
    advice: { explicitBucketBoundaries: SWEEP_BUCKETS },
  });
  return {
    verdictChanged({ ref: { platform, kind }, verdict }) {
      verdictChanges.add(1, { platform, kind, verdict });
    },
    episodeBegan(episode, platform) {
      const took = timeToDetect(episode);
      if (took === undefined) return;
      detect.record(took / 1000, { platform, verdict: episode.verdict });
    },
    episodeEnded(episode, platform) {
      const took = timeToCorrect(episode);
      if (took === undefined) return;
      correct.record(took / 1000, { platform, ending: episode.ending });
    },
    wrote(platform, action, result) {
      writes.add(1, { platform, action, result });
    },
    requested(platform, result) {
      requests.add(1, { platform, result });
    },
    sweepFinished(scope, milliseconds, complete) {
      sweeps.record(milliseconds / 1000, { scope, complete });
    },
  };
}

/** What is so at the moment of a collection. The same for all replicas, except for `drift.loop.healthy`. */
export function observeState(
  metrics: MetricsService,
  state: {
    store: Pick<DriftStore, 'measure' | 'readBudget'>;
    platforms: () => { id: string; budget: { requestsPerMinute: number } }[];
    healthy: () => boolean;
    now: () => Millis;
  },
): void {
  const { store, platforms, healthy, now } = state;
  // all gauges of one collection share one look
  let looking: Promise<Measures> | undefined;
  const look = (): Promise<Measures> => {
    looking ??= store.measure(now()).finally(() => {
      looking = undefined;
    });
    return looking;
  };

  metrics
    .createObservableGauge('drift.resources', {
      description: 'Resources by the verdict that is shown',
      unit: '{resource}',
    })
    .addCallback(async result => {
      for (const { count, ...labels } of (await look()).resources) {
        result.observe(count, labels);
      }
    });
  metrics
    .createObservableGauge('drift.conflicts.open', {
      description: 'Questions that wait for a person',
      unit: '{conflict}',
    })
    .addCallback(async result => {
      for (const one of (await look()).openConflicts) {
        const { platform, kindOfQuestion: question, count } = one;
        result.observe(count, { platform, question });
      }
    });
  metrics
    .createObservableGauge('drift.queue.age', {
      description: 'How long the oldest due resource has been waiting',
      unit: 's',
    })
    .addCallback(async result => {
      const { oldestDueAt } = (await look()).queue;
      const age = oldestDueAt === undefined ? 0 : now() - oldestDueAt;
      result.observe(Math.max(0, age) / 1000);
    });
  metrics
    .createObservableGauge('drift.queue.due', {
      description: 'Resources that are due and wait for a pass',
      unit: '{resource}',
    })
    .addCallback(async result => {
      result.observe((await look()).queue.due);
    });
  metrics
    .createObservableGauge('drift.budget.left', {
      description: 'Requests that a platform may get at once now',
      unit: '{request}',
    })
    .addCallback(async result => {
      for (const { id, budget } of platforms()) {
        const row = await store.readBudget(id);
        result.observe(requestsLeft(row, budget, now()), { platform: id });
      }
    });
  metrics
    .createObservableGauge('drift.loop.healthy', {
      description:
        '1 while the loop of this process turns, 0 while it stands still',
    })
    .addCallback(result => {
      result.observe(healthy() ? 1 : 0);
    });
}
