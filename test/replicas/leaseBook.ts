/** Who held what and when, by the triggers' notes; and how long it took until another took over. */
import type { LeaseEvent } from './audit';
import type { Blow } from './crew';

/** The lease on sweeping and watching. */
const OBSERVER = 'lease:observer';

export class LeaseBook {
  private readonly events = new Map<string, LeaseEvent[]>();

  constructor(events: LeaseEvent[]) {
    for (const event of events) {
      const list = this.events.get(event.subject);
      if (list) list.push(event);
      else this.events.set(event.subject, [event]);
    }
  }

  at(subject: string, time: number): LeaseEvent | undefined {
    return this.events
      .get(subject)
      ?.filter(event => event.at <= time)
      .at(-1);
  }

  ownerOf(subject: string, token: number): string | undefined {
    return (
      this.events
        .get(subject)
        ?.find(event => event.token === token && event.owner !== null)?.owner ??
      undefined
    );
  }

  /** When the holder itself gave this lease up; undefined where it never did. */
  releasedAt(subject: string, token: number): number | undefined {
    return this.events
      .get(subject)
      ?.find(event => event.token === token && event.owner === null)?.at;
  }

  /** Milliseconds from the blow until another process held what the struck one had held, for each such thing. */
  takeovers(blow: Blow): { resources: number[]; observer?: number } {
    const resources: number[] = [];
    let observer: number | undefined;
    for (const { subject, held, next } of this.heldAt(blow)) {
      // a stopped process that went on in time gave it up itself
      const taken =
        subject === OBSERVER || next?.owner !== null
          ? this.takenFrom(subject, held.owner, blow.at)
          : undefined;
      if (!taken) continue;
      const took = taken.at - blow.at;
      if (subject === OBSERVER) observer = took;
      else resources.push(took);
    }
    return { resources, ...(observer === undefined ? {} : { observer }) };
  }

  /**
   * After a clean shutdown: milliseconds until the process gave each lease on a resource up, and what was kept so long that it had to
   * run out.
   */
  handovers(blow: Blow): { resources: number[]; late: string[] } {
    const resources: number[] = [];
    const late: string[] = [];
    for (const { subject, held, next } of this.heldAt(blow)) {
      const until = held.until ?? 0;
      const over =
        subject === OBSERVER
          ? this.takenFrom(subject, held.owner, blow.at)
          : next;
      if (!over || over.at >= until) {
        late.push(
          `${subject}, held by ${blow.replica}, was ${
            over ? `over ${over.at - blow.at} ms` : 'never over'
          } after SIGTERM; the lease ran for ${until - blow.at} ms`,
        );
      }
      if (over && subject !== OBSERVER) resources.push(over.at - blow.at);
    }
    return { resources, late };
  }

  /** What the process held, and what became of each lease next. */
  private *heldAt(blow: Blow) {
    for (const [subject, events] of this.events) {
      const held = this.at(subject, blow.at);
      if (held?.owner !== blow.instanceId || (held.until ?? 0) <= blow.at) {
        continue;
      }
      const next = events.find(
        event => event.at > blow.at && event.owner !== held.owner,
      );
      yield { subject, held, next };
    }
  }

  private takenFrom(subject: string, owner: string | null, since: number) {
    return this.events
      .get(subject)
      ?.find(
        event =>
          event.at > since && event.owner !== null && event.owner !== owner,
      );
  }
}
