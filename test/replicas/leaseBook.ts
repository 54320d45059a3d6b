/** Who held what and when, by the triggers' notes; and how long it took until another took over. */
import type { LeaseEvent } from './audit';
import type { Blow } from './crew';

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
    for (const [subject, events] of this.events) {
      const held = this.at(subject, blow.at);
      if (held?.owner !== blow.instanceId || (held.until ?? 0) <= blow.at) {
        continue;
      }
      const next = events.find(
        event => event.at > blow.at && event.owner !== held.owner,
      );
      // a stopped process that went on in time gave it up itself
      const taken =
        next?.owner === null && blow.what !== 'handedOver'
          ? undefined
          : events.find(
              event =>
                event.at > blow.at &&
                event.owner !== null &&
                event.owner !== held.owner,
            );
      if (!taken) continue;
      const took = taken.at - blow.at;
      if (subject === 'lease:observer') observer = took;
      else resources.push(took);
    }
    return { resources, ...(observer === undefined ? {} : { observer }) };
  }
}
