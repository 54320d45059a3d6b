/** Tells others that something changed: signals to open pages (ids only), an event for other backends, metrics, owners. */
import type { LoggerService } from '@backstage/backend-plugin-api';
import type { EventsService } from '@backstage/plugin-events-node';
import type { SignalsService } from '@backstage/plugin-signals-node';
import type { ResourceRef } from '@plumbline/backstage-plugin-drift-common';
import type { Verdict } from '@plumbline/drift-engine';
import type { ConflictRow, ResourceRow } from '../store/rows';
import type { Recorder } from './metrics';
import type { ConflictNotifier } from './notifier';

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

export interface Announcer extends Omit<Recorder, 'verdictChanged'> {
  resourceChanged(before: ResourceRow | undefined, after: ResourceRow): void;
  conflictOpened(conflict: ConflictRow): void;
  /** Sends what was gathered. */
  flush(): Promise<void>;
}

/** Gathers changes, so that a sweep that finds a thousand does not send a thousand signals. */
export function createAnnouncer(options: {
  signals: SignalsService;
  events: EventsService;
  recorder: Recorder;
  notifier: ConflictNotifier;
  logger: LoggerService;
}): Announcer {
  const { signals, events, recorder, notifier, logger } = options;
  const changed = new Map<string, DriftResourceEvent>();

  async function signal(): Promise<void> {
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
  }

  return {
    ...recorder,
    resourceChanged(before, after) {
      const moved =
        !before ||
        before.verdict !== after.verdict ||
        before.reason !== after.reason ||
        before.message !== after.message ||
        before.verifiedAt !== after.verifiedAt;
      if (!moved) return;
      if (before?.verdict !== after.verdict) recorder.verdictChanged(after);
      changed.set(after.id, {
        resourceId: after.id,
        ref: after.ref,
        verdict: after.verdict,
        reason: after.reason,
        ...(before ? { previousVerdict: before.verdict } : {}),
      });
    },
    conflictOpened: conflict => notifier.opened(conflict),
    async flush() {
      await signal();
      await notifier.flush();
    },
  };
}

/** Announces to nobody. */
export const silentAnnouncer: Announcer = {
  resourceChanged: () => {},
  episodeBegan: () => {},
  episodeEnded: () => {},
  conflictOpened: () => {},
  wrote: () => {},
  requested: () => {},
  sweepFinished: () => {},
  flush: async () => {},
};
