/** What must hold when a process stores something: a pass that ended, a bulk read, a budget, a resource forgotten. */
import { resourceKey } from '@plumbline/backstage-plugin-drift-common';
import type { BudgetRow, PassOutcome, ResourceLease } from './product';
import type { Simulation } from './simulation';
import type { RawRow, Tables } from './tables';
import type { Worker } from './worker';

/** How far behind a bulk read may be, and then some. */
export const BEHIND_MS = 3_000;
const LONGEST_WAIT_MS = 6 * 60_000;
const LONGEST_REST_MS = 35 * 60_000;

export class RecordChecks {
  /** Passes of each resource since faults stopped. */
  readonly passes = new Map<string, number>();
  /** Passes that were recorded. */
  recorded = 0;

  constructor(private readonly sim: Simulation) {}

  private get tables(): Tables {
    return this.sim.tables;
  }

  stored(
    worker: Worker,
    method: string,
    args: unknown[],
    value: unknown,
  ): void {
    switch (method) {
      case 'leaseDue':
      case 'leaseMany':
        for (const lease of value as ResourceLease[])
          this.leased(worker, lease);
        break;
      case 'leaseOne':
        if (value) this.leased(worker, value as ResourceLease);
        break;
      case 'finishPass':
        this.passFinished(worker, args[1] as PassOutcome);
        break;
      case 'finishMany':
        for (const { outcome } of value as { outcome: PassOutcome }[])
          this.passFinished(worker, outcome);
        break;
      case 'removeResource':
        this.forgotten(worker, args[0] as ResourceLease);
        break;
      case 'writeBudget': {
        const { platform, closedUntil } = args[0] as BudgetRow;
        if (value && closedUntil !== undefined) {
          this.sim.checks.sent.closedUntil(platform, closedUntil);
        }
        break;
      }
      case 'recordRead': {
        const [scope, { complete }] = args as [string, { complete: boolean }];
        if (complete && worker.cut.get(scope)) {
          this.sim.violate(
            'complete-or-not-counted',
            undefined,
            `${worker.owner} counts a read of ${scope} that was cut`,
          );
        }
        break;
      }
      default:
    }
  }

  private leased(worker: Worker, lease: ResourceLease): void {
    worker.leasedAt.set(lease.resourceId, worker.nextNumber());
  }

  private passFinished(worker: Worker, outcome: PassOutcome): void {
    const { sim } = this;
    const { row, decision } = outcome;
    const refKey = resourceKey(row.ref);
    this.recorded += 1;
    this.passes.set(refKey, (this.passes.get(refKey) ?? 0) + 1);
    const after = this.tables.row(refKey);
    if (!after) return;
    worker.say(
      `records ${row.ref.name} ${row.verdict} (${row.reason})${
        decision
          ? `: ${decision.rule}, ${decision.action}${
              decision.by ? ` by ${decision.by}` : ''
            }${decision.result ? `, ${decision.result}` : ''}`
          : ''
      }`,
    );
    const wait = after.due_at - worker.now();
    const most =
      row.attempts > 0 || row.verdict === 'Unknown'
        ? LONGEST_WAIT_MS
        : LONGEST_REST_MS;
    if (!Number.isFinite(wait) || wait > most) {
      this.sim.violate('next-due', row.ref, `it is looked at in ${wait} ms`);
    }
    // a person has decided, and the controller that was asked acts by itself
    const isDecided = decision?.action === 'nudge' && decision.by !== undefined;
    if (!isDecided) this.conflictIsAsked(row, after);
    if (decision?.result && decision.action === 'nudge') {
      sim.checks.sent.nudgeRecorded(worker, refKey);
    }
    if (
      decision?.result &&
      row.verdict === 'InSync' &&
      row.source !== undefined &&
      ['create', 'update', 'nudge'].includes(decision.action)
    ) {
      const read = worker.lastRead('live', refKey, row.liveKey);
      if (
        !read ||
        read.failed ||
        read.number < (worker.answeredAt.get(refKey) ?? 0)
      ) {
        this.sim.violate(
          'verify-after-write',
          row.ref,
          'no fresh read came after the write',
        );
      }
    }
    for (const kept of outcome.kept ?? []) {
      const seen = sim.answers.get(kept.by);
      const isNew = kept.at >= worker.now() - 1_000 && decision?.by === kept.by;
      if (
        isNew &&
        seen &&
        (seen.declared !== (row.declaredDigest ?? 'none') ||
          seen.live !== (row.liveDigest ?? 'none'))
      ) {
        this.sim.violate(
          'seen',
          row.ref,
          `${kept.by} left another state as it is`,
        );
      }
    }
    if (
      row.verdict === 'InSync' &&
      row.source !== undefined &&
      row.verifiedAt !== undefined
    ) {
      const from = row.verifiedAt - worker.skew - BEHIND_MS - sim.maxSkew * 2;
      if (!sim.oracle.wasEqualSince(row.ref, from)) {
        this.sim.violate(
          'in-sync-is-true',
          row.ref,
          'it was recorded as in sync and was not',
        );
      }
    }
  }

  private conflictIsAsked(row: PassOutcome['row'], after: RawRow): void {
    const open = this.tables.openConflicts(after.id);
    if (open.length > 1) {
      this.sim.violate(
        'conflict-lost',
        row.ref,
        `${open.length} questions are open at once`,
      );
    }
    if (row.verdict !== 'Conflicted' || row.policy.paused) return;
    const kept = new Set(
      this.tables
        .all<{ path: string }>(
          'select path from kept_fields where resource_id = ?',
          after.id,
        )
        .map(one => one.path),
    );
    const changes = row.evaluation?.changes ?? [];
    const left =
      kept.has('') ||
      (changes.length > 0 && changes.every(change => kept.has(change.path)));
    if (!open.length && !left) {
      this.sim.violate(
        'conflict-lost',
        row.ref,
        'it is conflicted, and nobody is asked',
      );
    }
  }

  private forgotten(worker: Worker, lease: ResourceLease): void {
    const ref = this.sim.refOfRow(lease.resourceId);
    if (!ref) return;
    worker.say(`forgets ${ref.name}`);
    const read = worker.lastRead('declared', resourceKey(ref));
    if (
      !read ||
      read.failed ||
      read.found ||
      this.sim.oracle.wasDeclaredSince(ref, read.at - BEHIND_MS)
    ) {
      this.sim.violate('forgotten-on-doubt', ref, 'it is declared');
    }
  }
}
