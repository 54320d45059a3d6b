/** Tells others that something changed: signals to open pages (ids only), an event for other backends, metrics. */
import type { LoggerService } from '@backstage/backend-plugin-api';
import type { MetricsService } from '@backstage/backend-plugin-api/alpha';
import type { EventsService } from '@backstage/plugin-events-node';
import type { SignalsService } from '@backstage/plugin-signals-node';
import type { ResourceRef } from '@plumbline/backstage-plugin-drift-common';
import type { Verdict } from '@plumbline/drift-engine';
import type { EpisodeRow, ResourceRow } from '../store/types';

/** Channel of the signals, and topic of the events. */
export const SIGNAL_CHANNEL = 'drift';
export const EVENT_TOPIC = 'drift.resource';

/** Payload of `drift.resource` events. No states: whoever wants more asks the API, with permission. */
export interface DriftResourceEvent {
  resourceId: string;
  ref: ResourceRef;
  verdict: Verdict;
  reason: string;
  previousVerdict?: Verdict;
}

export interface Announcer {
  resourceChanged(before: ResourceRow | undefined, after: ResourceRow): void;
  episodeEnded(episode: EpisodeRow, platform: string): void;
  wrote(
    platform: string,
    action: string,
    result: 'verified' | 'unverified' | 'failed',
  ): void;
  sweepFinished(scope: string, milliseconds: number, complete: boolean): void;
  /** Sends what was gathered. */
  flush(): Promise<void>;
}

/** Gathers changes, so that a sweep that finds a thousand does not send a thousand signals. */
export function createAnnouncer(options: {
  signals: SignalsService;
  events: EventsService;
  metrics: MetricsService;
  logger: LoggerService;
}): Announcer {
  const { signals, events, metrics, logger } = options;
  const verdictChanges = metrics.createCounter('drift.verdict.changes', {
    description: 'Verdicts that changed, by kind and new verdict',
  });
  const writes = metrics.createCounter('drift.writes', {
    description: 'Writes to platforms, by action and result',
  });
  const timeToCorrect = metrics.createHistogram('drift.episode.duration', {
    description: 'From the moment a drift was seen to the moment it was gone',
    unit: 's',
  });
  const sweepTime = metrics.createHistogram('drift.sweep.duration', {
    description: 'Time of one read in bulk',
    unit: 's',
  });
  const changed = new Map<string, DriftResourceEvent>();

  return {
    resourceChanged(before, after) {
      const moved =
        !before ||
        before.verdict !== after.verdict ||
        before.reason !== after.reason ||
        before.message !== after.message ||
        before.verifiedAt !== after.verifiedAt;
      if (!moved) return;
      if (before?.verdict !== after.verdict) {
        verdictChanges.add(1, {
          platform: after.ref.platform,
          kind: after.ref.kind,
          verdict: after.verdict,
        });
      }
      changed.set(after.id, {
        resourceId: after.id,
        ref: after.ref,
        verdict: after.verdict,
        reason: after.reason,
        ...(before ? { previousVerdict: before.verdict } : {}),
      });
    },
    episodeEnded(episode, platform) {
      if (episode.endedAt === undefined) return;
      timeToCorrect.record((episode.endedAt - episode.startedAt) / 1000, {
        platform,
        ending: episode.ending ?? 'unknown',
      });
    },
    wrote(platform, action, result) {
      writes.add(1, { platform, action, result });
    },
    sweepFinished(scope, milliseconds, complete) {
      sweepTime.record(milliseconds / 1000, { scope, complete });
    },
    async flush() {
      if (!changed.size) return;
      const batch = [...changed.values()];
      changed.clear();
      try {
        await signals.publish({
          recipients: { type: 'broadcast' },
          channel: SIGNAL_CHANNEL,
          message: {
            resourceIds: batch.slice(0, 500).map(one => one.resourceId),
          },
        });
        for (const eventPayload of batch) {
          if (eventPayload.previousVerdict === eventPayload.verdict) continue;
          await events.publish({ topic: EVENT_TOPIC, eventPayload });
        }
      } catch (error) {
        // pages poll as well: a lost signal is a delay, no loss
        logger.warn('Signals about drift could not be sent', {
          error: String(error),
        });
      }
    },
  };
}

/** Announces to nobody. */
export const silentAnnouncer: Announcer = {
  resourceChanged: () => {},
  episodeEnded: () => {},
  wrote: () => {},
  sweepFinished: () => {},
  flush: async () => {},
};
