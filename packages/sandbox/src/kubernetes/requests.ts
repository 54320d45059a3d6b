/** Counts requests, so that a test can say how often, and whether at all, a client wrote. */

/** How often requests of one method, verb and resource came. */
export interface RequestCount {
  method: string;
  /** The API verb: get, list, watch, create, update, patch, apply, delete, deletecollection; else the lower-case method. */
  verb: string;
  /** `group/plural` with `/subresource`, or the path of what is no resource. */
  resource: string;
  count: number;
  /** How many of these asked for a lasting change (no dry run). */
  writes: number;
}

const READS: readonly string[] = ['get', 'list', 'watch'];

/** Counters of one server, since its start or the last reset. */
export class RequestCounters {
  private readonly counts = new Map<string, RequestCount>();

  record(request: {
    method: string;
    verb: string;
    resource: string;
    dryRun: boolean;
  }): void {
    const { method, verb, resource } = request;
    const key = `${method} ${verb} ${resource}`;
    const entry = this.counts.get(key) ?? {
      method,
      verb,
      resource,
      count: 0,
      writes: 0,
    };
    entry.count += 1;
    if (!READS.includes(verb) && !request.dryRun) {
      entry.writes += 1;
    }
    this.counts.set(key, entry);
  }

  /** All counters. */
  all(): RequestCount[] {
    return [...this.counts.values()].map(entry => ({ ...entry }));
  }

  /** The number of requests that match all that is given. */
  total(filter: { verb?: string; resource?: string } = {}): number {
    return this.matching(filter).reduce((sum, entry) => sum + entry.count, 0);
  }

  /** The number of lasting changes that were asked for. */
  writes(filter: { verb?: string; resource?: string } = {}): number {
    return this.matching(filter).reduce((sum, entry) => sum + entry.writes, 0);
  }

  reset(): void {
    this.counts.clear();
  }

  private matching(filter: {
    verb?: string;
    resource?: string;
  }): RequestCount[] {
    return this.all().filter(
      entry =>
        (filter.verb === undefined || entry.verb === filter.verb) &&
        (filter.resource === undefined || entry.resource === filter.resource),
    );
  }
}
