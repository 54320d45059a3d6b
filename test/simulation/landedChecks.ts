/** What must hold when a write or removal lands at a platform. */
import type { JsonObject } from '@plumbline/drift-engine';
import type { ResourceRef } from '@plumbline/backstage-plugin-drift-common';
import type {
  RemovePlan,
  WritePlan,
} from '@plumbline/backstage-plugin-drift-node';
import { sameJson } from './oracle';
import { SOMEBODY, type LiveServer, type LiveState } from './servers';
import type { Simulation } from './simulation';
import type { Worker } from './worker';

export class LandedChecks {
  constructor(private readonly sim: Simulation) {}

  writeLanded(
    worker: Worker,
    server: LiveServer,
    plan: WritePlan,
    { before, after }: { before?: LiveState; after: LiveState },
  ): void {
    const { ref, live } = plan;
    const planned = (live?.document ?? {}) as JsonObject;
    const was = before?.document ?? {};
    const allowed = new Set(
      [...plan.fields, ...plan.removals].map(path => path.split('/')[1]),
    );
    let inWindow = (before === undefined) !== (live === null);
    for (const field of new Set([
      ...Object.keys(was),
      ...Object.keys(after.document),
    ])) {
      if (field === 'id' || sameJson(was[field], after.document[field]))
        continue;
      if (!sameJson(was[field], planned[field])) inWindow = true;
      else if (live && !allowed.has(field)) {
        this.sim.violate(
          'undeclared-reset',
          ref,
          `${field} was ${JSON.stringify(was[field])} and is ${JSON.stringify(
            after.document[field],
          )}`,
        );
      }
    }
    if (inWindow) this.inWindow(worker, server, ref, before?.by);
    this.noDuplicate(server, ref);
  }

  removeLanded(
    worker: Worker,
    server: LiveServer,
    plan: RemovePlan,
    before: LiveState | undefined,
  ): void {
    if (before && before.version !== plan.live.version) {
      this.inWindow(worker, server, plan.ref, before.by);
    }
  }

  /** What a platform without preconditions leaves open is counted; one with them leaves nothing open. */
  private inWindow(
    worker: Worker,
    server: LiveServer,
    ref: ResourceRef,
    by: string | undefined,
  ): void {
    if (server.preconditions) {
      this.sim.violate(
        'unseen-edit',
        ref,
        `an edit by ${by ?? 'nobody'} came after the last read`,
      );
      return;
    }
    this.sim.window += 1;
    worker.say(
      `overwrites an edit by ${by ?? 'somebody'} of ${
        ref.name
      } inside the window`,
    );
  }

  private noDuplicate(server: LiveServer, ref: ResourceRef): void {
    const marks = new Map<string, string>();
    for (const { mark, key } of server.objects.values()) {
      if (!mark || mark === SOMEBODY) continue;
      const other = marks.get(mark);
      if (other)
        this.sim.violate(
          'no-duplicate',
          ref,
          `${other} and ${key} bear ${mark}`,
        );
      marks.set(mark, key);
    }
  }
}
