/** The workers: take due resources under lease, renew the lease while a pass lasts, and let no failure stop the others. */
import { recordUnreadable } from '../pass/failures';
import { jittered, REST_MS } from '../pass/backoff';
import { readStatements, type PassContext } from '../pass/context';
import { runPass } from '../pass/runPass';
import type { PassResult } from '../pass/steps';
import { policyInForce } from '../policy/policy';
import { describeFailure } from '../pass/observe';
import { LeaseLostError, type ResourceLease } from '../store/driftStore';
import type { ResourceRow } from '../store/rows';
import { Wakeup, withDeadline } from './wakeup';

const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** A pass that takes longer hangs. */
const PASS_DEADLINE_MS = 5 * 60_000;
/** Somebody else may have brought a pass forward: the store is asked this often. */
const POLL_MS = 1_000;

export class Workers {
  private readonly running = new Set<Promise<void>>();
  private readonly wakeup: Wakeup;
  /** When the queue was last asked, for health. */
  askedAt = 0;

  constructor(
    private readonly context: PassContext,
    private readonly passed: (result: PassResult) => void,
  ) {
    this.wakeup = new Wakeup(context.clock);
  }

  wake(): void {
    this.wakeup.wake();
  }

  /** Works until `signal` ends; returns when the last pass has come to its end. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, clock, config, owner, logger } = this.context;
    while (!signal.aborted) {
      const free = config.concurrency - this.running.size;
      let leases: ResourceLease[] = [];
      if (free > 0) {
        try {
          leases = await store.leaseDue({
            owner,
            limit: free,
            now: clock.now(),
            leaseMs: LEASE_MS,
          });
          this.askedAt = clock.now();
        } catch (error) {
          logger.error(
            'The queue could not be read; it is asked again',
            asError(error),
          );
        }
      }
      for (const lease of leases) {
        const work = this.work(lease, signal).finally(() => {
          this.running.delete(work);
          this.wakeup.wake();
        });
        this.running.add(work);
      }
      if (leases.length < free || free <= 0)
        await this.wakeup.wait(POLL_MS, signal);
    }
    await Promise.all(this.running);
  }

  /** One pass under its lease. Never throws. */
  private async work(lease: ResourceLease, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.context;
    const ended = new AbortController();
    const lost = new AbortController();
    const renewing = this.renew(lease, ended.signal, lost);
    const both = AbortSignal.any([signal, lost.signal]);
    try {
      if (await this.isVouchedFor(lease)) return;
      const result = await withDeadline(
        clock,
        { ms: PASS_DEADLINE_MS, signal: both, what: 'The pass' },
        within =>
          runPass(this.context, lease, {
            trigger: 'due',
            priority: 'pass',
            signal: within,
          }),
      );
      this.passed(result);
    } catch (error) {
      if (error instanceof LeaseLostError || lost.signal.aborted) {
        logger.info(`Another process took over resource ${lease.resourceId}`);
      } else if (signal.aborted) {
        await this.handOver(lease);
      } else {
        await this.recordTrouble(lease, error);
      }
    } finally {
      ended.abort();
      await renewing;
    }
  }

  private async renew(
    lease: ResourceLease,
    ended: AbortSignal,
    lost: AbortController,
  ): Promise<void> {
    const { store, clock, logger } = this.context;
    for (;;) {
      await clock.sleep(RENEW_MS, ended);
      if (ended.aborted) return;
      try {
        await store.renewLease(lease, { now: clock.now(), leaseMs: LEASE_MS });
      } catch (error) {
        if (error instanceof LeaseLostError) {
          lost.abort(error);
          return;
        }
        logger.warn(
          'A lease could not be renewed; it is tried again',
          asError(error),
        );
      }
    }
  }

  /**
   * Rows at rest come up now and then as a safety net. Where sweeps of both sides are complete and fresh and the policy is the same,
   * they have looked already, and nothing needs to be read.
   */
  private async isVouchedFor(lease: ResourceLease): Promise<boolean> {
    const { store, clock, config, random } = this.context;
    const row = await store.getResource(lease.resourceId);
    const now = clock.now();
    if (!row || !isAtRest(row, now)) return false;
    const scopes = await store.listScopes();
    const readAt = [row.ref.platform, row.source].map(
      id => scopes.find(scope => scope.id === id)?.lastCompleteAt ?? 0,
    );
    const verifiedAt = Math.min(...readAt);
    if (now - verifiedAt > 2 * config.resyncMs) return false;
    const { policy } = policyInForce({
      ref: row.ref,
      statements: await readStatements(this.context),
      defaults: config.defaults,
      maxStalenessMs: config.maxStalenessMs,
      controller: row.controller,
      readOnly: row.readOnly,
      now,
    });
    if (JSON.stringify(policy) !== JSON.stringify(row.policy)) return false;
    await store.finishPass(lease, {
      row: { ...row, verifiedAt, dueAt: now + jittered(REST_MS, random) },
      states: {},
    });
    return true;
  }

  private async handOver(lease: ResourceLease): Promise<void> {
    try {
      await this.context.store.releaseLease(lease);
    } catch (error) {
      // it runs out by itself
      this.context.logger.warn('A lease could not be given up', asError(error));
    }
  }

  /** Something went wrong that no step has foreseen: it is shown, and tried again later. */
  private async recordTrouble(
    lease: ResourceLease,
    error: unknown,
  ): Promise<void> {
    const { store, clock, logger } = this.context;
    logger.error(
      `The pass of resource ${lease.resourceId} failed`,
      asError(error),
    );
    try {
      const row = await store.getResource(lease.resourceId);
      if (!row) return;
      await store.finishPass(
        lease,
        recordUnreadable(this.context, {
          before: { row, kept: [], statements: [] },
          failure: {
            at: clock.now(),
            classification: 'transient',
            reason: 'PassFailed',
            message: `The pass failed: ${describeFailure(error).message}`,
          },
          trigger: 'due',
        }),
      );
    } catch (second) {
      // the lease runs out by itself, and the row is still due
      logger.error('The failure could not be recorded', asError(second));
    }
  }
}

function isAtRest(row: ResourceRow, now: number): boolean {
  return (
    !row.dirty &&
    row.attempts === 0 &&
    row.verdict !== 'Unknown' &&
    row.source !== undefined &&
    row.liveKey !== undefined &&
    !row.next.mayWrite &&
    // brought forward by somebody who wants a real look
    row.verifiedAt !== undefined &&
    now - row.verifiedAt >= 0.85 * REST_MS
  );
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
