/** Tells owners that a question waits for them, through Backstage's notifications: once for each question, and never in a flood. */
import type { LoggerService } from '@backstage/backend-plugin-api';
import type {
  NotificationSendOptions,
  NotificationService,
} from '@backstage/plugin-notifications-node';
import type { DriftStore, ResourceView } from '../store/driftStore';
import type { ConflictRow, Millis } from '../store/rows';

/** Topic of the notifications, by which people can switch them off. */
export const NOTIFICATION_TOPIC = 'drift.conflict';

/** Where the pages are mounted by default. */
const PAGES = '/drift';
/** What comes within this time goes out together. */
const GATHER_MS = 30_000;
/** An owner gets so many at once; more become one. */
const AT_ONCE = 3;
/** A new resource gets its owner a little later, and the service may be away for a while: it is tried for so long. */
const PATIENCE_MS = 10 * 60_000;

export interface ConflictNotifier {
  opened(conflict: ConflictRow): void;
  /** Sends what is ready; never throws. */
  flush(): Promise<void>;
}

interface Waiting {
  conflict: ConflictRow;
  resource: ResourceView;
}

/**
 * Questions about what was there before anybody looked come in bulk on a new installation: the queue shows them, and nobody is
 * notified.
 */
export function createConflictNotifier(options: {
  store: Pick<DriftStore, 'getConflict' | 'viewResource'>;
  notifications: NotificationService;
  logger: LoggerService;
  now: () => Millis;
}): ConflictNotifier {
  const { store, notifications, logger, now } = options;
  /** Ids of questions, and since when they wait to be told. */
  const pending = new Map<string, Millis>();
  let nextAt = 0;
  let failing = false;

  /** Questions that are still open, by the owner of their resource; what is settled or has waited too long is dropped. */
  async function byOwner(): Promise<Map<string, Waiting[]>> {
    const owners = new Map<string, Waiting[]>();
    for (const [id, since] of pending) {
      const conflict = await store.getConflict(id);
      if (conflict?.status !== 'open' || now() - since > PATIENCE_MS) {
        pending.delete(id);
        continue;
      }
      const resource = await store.viewResource(conflict.resourceId, now());
      // nobody is known yet to whom it could be told
      if (!resource?.owner) continue;
      const others = owners.get(resource.owner) ?? [];
      owners.set(resource.owner, [...others, { conflict, resource }]);
    }
    return owners;
  }

  async function tell(owner: string, waiting: Waiting[]): Promise<void> {
    const recipients = { type: 'entity' as const, entityRef: owner };
    const payloads =
      waiting.length > AT_ONCE
        ? [severalPayload(owner, waiting)]
        : waiting.map(onePayload);
    for (const payload of payloads) {
      await notifications.send({ recipients, payload });
    }
    for (const { conflict } of waiting) pending.delete(conflict.id);
  }

  return {
    opened({ id, kindOfQuestion }) {
      if (kindOfQuestion === 'firstSight') return;
      if (!pending.size) nextAt = now() + GATHER_MS;
      pending.set(id, now());
    },
    async flush() {
      if (!pending.size || now() < nextAt) return;
      nextAt = now() + GATHER_MS;
      try {
        for (const [owner, waiting] of await byOwner()) {
          await tell(owner, waiting);
        }
        failing = false;
      } catch (error) {
        // the queue shows them in any case; a portal without notifications is told so once
        if (!failing) {
          logger.warn(
            'Owners could not be notified of open questions; the conflict queue shows them',
            { error: String(error) },
          );
        }
        failing = true;
      }
    },
  };
}

type Payload = NotificationSendOptions['payload'];

function onePayload({ conflict, resource }: Waiting): Payload {
  return {
    topic: NOTIFICATION_TOPIC,
    // sent twice, it is still one notification
    scope: `drift-conflict-${conflict.id}`,
    severity: conflict.kindOfQuestion === 'conflict' ? 'high' : 'normal',
    title: `${resource.title} waits for your decision`,
    description: conflict.question,
    link: `${PAGES}/resources/${encodeURIComponent(resource.id)}`,
  };
}

function severalPayload(owner: string, waiting: Waiting[]): Payload {
  const names = waiting.slice(0, AT_ONCE).map(({ resource }) => resource.title);
  return {
    topic: NOTIFICATION_TOPIC,
    scope: `drift-conflicts-${owner}`,
    severity: waiting.some(
      ({ conflict }) => conflict.kindOfQuestion === 'conflict',
    )
      ? 'high'
      : 'normal',
    title: `${waiting.length} resources wait for your decision`,
    description: `${names.join(', ')} and ${waiting.length - AT_ONCE} more.`,
    link: `${PAGES}/conflicts`,
  };
}
