/** What must hold when a process sends something: a write, a removal, a wish to another controller, any request. */
import { normalise } from '@plumbline/drift-engine';
import {
  resourceKey,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import type {
  RemovePlan,
  WritePlan,
} from '@plumbline/backstage-plugin-drift-node';
import {
  decodeDecision,
  keyedDigest,
  OUR_MANAGER,
  type DecisionRow,
} from './product';
import type { Simulation } from './simulation';
import type { Tables } from './tables';
import type { Worker } from './worker';

/** A read is fresh for so long; a write that waits longer must read again. */
const FRESH_MS = 5_000;
/** A pause that was stored this long before a write holds it. */
const PAUSE_GRACE_MS = 4_000;
/** Complete listings that must lack a declaration before its object is deleted. */
const LISTINGS = 2;

export class SentChecks {
  /** Of which moments complete listings lacked a declaration, since the last moment of which one showed it; by resource. */
  private readonly lacking = new Map<string, number[]>();
  private readonly shown = new Map<string, number>();
  /** Until when each platform asked for silence, as somebody has stored it. */
  private readonly closed = new Map<string, number>();
  /** When each resource's controller was asked, as a pass has recorded it. */
  private readonly asked = new Map<string, number>();

  constructor(private readonly sim: Simulation) {}

  private get tables(): Tables {
    return this.sim.tables;
  }

  /** A write or removal begins; call the result when its answer is there. */
  begin(worker: Worker, ref: ResourceRef): () => void {
    const key = resourceKey(ref);
    worker.sent.set(key, (worker.sent.get(key) ?? 0) + 1);
    return () => {
      worker.sent.set(key, (worker.sent.get(key) ?? 1) - 1);
      worker.answeredAt.set(key, worker.nextNumber());
    };
  }

  requestSent(worker: Worker, platform: string): void {
    const closedFor = (this.closed.get(platform) ?? 0) - worker.now();
    // a process whose clock is ahead opens it sooner, for all
    if (closedFor > 2 * this.sim.maxSkew) {
      this.sim.violate(
        'retry-after',
        undefined,
        `${worker.owner} sends to ${platform}, which asked for ${closedFor} ms more of silence`,
      );
    }
  }

  /** The platform asked for silence until then, and somebody has stored it. */
  closedUntil(platform: string, until: number): void {
    this.closed.set(platform, until);
  }

  writeSent(worker: Worker, plan: WritePlan): void {
    const { ref, live, declared } = plan;
    this.leftToItsController(ref);
    const refKey = resourceKey(ref);
    const decision = this.mayAct(worker, ref, live?.key);
    const lastLive = worker.lastRead('live', refKey, live?.key);
    const lastDeclared = worker.lastRead('declared', refKey);
    if (!live && (!lastLive || lastLive.failed || lastLive.found)) {
      this.sim.violate(
        'created-on-doubt',
        ref,
        'the last read of the live side did not say that it is absent',
      );
    }
    if (live && lastLive?.version !== live.version) {
      this.sim.violate(
        'fresh-before-write',
        ref,
        `planned on live version ${live.version}, last read ${lastLive?.version}`,
      );
    }
    if (lastDeclared?.version !== declared.version) {
      this.sim.violate(
        'fresh-before-write',
        ref,
        `planned on declaration ${declared.version}, last read ${lastDeclared?.version}`,
      );
    }
    if (live && !plan.fields.length && !plan.removals.length) {
      this.sim.violate('write-at-rest', ref, 'the write changes nothing');
    }
    if (decision && live) {
      const state = normalise(live.document, {
        schema: plan.schema,
        side: 'live',
        secretDigest: keyedDigest('simulation'),
        ourManager: OUR_MANAGER,
      });
      if (decision.inputs.live?.digest !== state.digest) {
        this.sim.violate(
          'unseen-edit',
          ref,
          'the stored decision did not see what is overwritten',
        );
      }
    }
  }

  removeSent(worker: Worker, plan: RemovePlan): void {
    const { ref, live } = plan;
    this.leftToItsController(ref);
    const refKey = resourceKey(ref);
    const decision = this.mayAct(worker, ref, live.key);
    const declared = worker.lastRead('declared', refKey);
    if (!declared || declared.failed || declared.found) {
      this.sim.violate(
        'deleted-on-doubt',
        ref,
        'the last read of its declaration did not say that it is gone',
      );
    }
    const lacking = this.lacking.get(refKey)?.length ?? 0;
    if (lacking < LISTINGS) {
      this.sim.violate(
        'deleted-on-doubt',
        ref,
        `${lacking} complete listings lacked its declaration`,
      );
    }
    const row = this.tables.row(refKey);
    const mark = row?.mark
      ? (JSON.parse(row.mark) as { value: string }).value
      : undefined;
    const state = this.sim.platforms.get(ref.platform)?.objects.get(live.key);
    if (state && state.version === live.version && state.mark !== mark) {
      this.sim.violate('deleted-on-doubt', ref, 'it does not bear our mark');
    }
    const { orphaned, total } = this.tables.orphans(ref.platform);
    const { maxItems, maxPercent } = this.sim.config.prune;
    const most = Math.max(
      1,
      Math.min(maxItems, Math.floor((total * maxPercent) / 100)),
    );
    if (
      orphaned >= total ||
      (orphaned > most && (!decision?.by || decision.trigger === 'check'))
    ) {
      this.sim.violate(
        'prune-bounds',
        ref,
        `${orphaned} of ${total} are orphans, at most ${most} may go`,
      );
    }
  }

  /** The controller that owns it is asked to look again: as much a write as any other. */
  nudgeSent(worker: Worker, ref: ResourceRef): void {
    const { sim } = this;
    const refKey = resourceKey(ref);
    this.mayAct(worker, ref, this.tables.row(refKey)?.live_key ?? undefined);
    if (!sim.operator.owns(ref)) {
      sim.violate('operator', ref, 'no controller that could be asked owns it');
    }
    const since = sim.now - (this.asked.get(refKey) ?? -Infinity);
    // a process whose clock is ahead asks sooner
    if (since < sim.config.resyncMs - 2 * sim.maxSkew) {
      sim.violate(
        'operator',
        ref,
        `its controller is asked again after ${since} ms`,
      );
    }
  }

  /** A pass has recorded that the controller was asked, as the answer said. */
  nudgeRecorded(worker: Worker, refKey: string): void {
    const at = worker.nudgedAt.get(refKey);
    if (at !== undefined) this.asked.set(refKey, at);
  }

  private leftToItsController(ref: ResourceRef): void {
    const { operator } = this.sim;
    if (operator.owns(ref) && !operator.isTakenOver(ref)) {
      this.sim.violate(
        'operator',
        ref,
        'another controller owns it, and nobody took it over',
      );
    }
  }

  /** What holds for every write: lease, intent, fresh reads, choice, pause. */
  private mayAct(
    worker: Worker,
    ref: ResourceRef,
    liveKey: string | undefined,
  ): DecisionRow | undefined {
    const { sim } = this;
    const refKey = resourceKey(ref);
    const row = this.tables.row(refKey);
    if (
      !row ||
      row.lease_owner !== worker.owner ||
      (row.lease_until ?? 0) <= worker.now()
    ) {
      this.sim.violate(
        'one-pass',
        ref,
        `${worker.owner} writes, and the lease is ${
          row?.lease_owner ?? 'nobody'
        }'s for ${(row?.lease_until ?? 0) - worker.now()} ms more`,
      );
    }
    if ((worker.sent.get(refKey) ?? 0) > 0) {
      this.sim.violate('one-pass', ref, 'another write of it is on its way');
    }
    if (sim.phase === 'rest') {
      this.sim.violate('write-at-rest', ref, 'everything was at rest');
    }
    const pausedFor = sim.rules.pausedFor(ref);
    if (pausedFor !== undefined && pausedFor > PAUSE_GRACE_MS) {
      this.sim.violate('paused', ref, `it has been paused for ${pausedFor} ms`);
    }
    if (!row) return undefined;
    const since = worker.leasedAt.get(row.id) ?? 0;
    for (const side of ['declared', 'live'] as const) {
      const reads = worker
        .readsOf(side, refKey, liveKey)
        .filter(read => read.number > since);
      if (reads.length < 2) {
        this.sim.violate(
          'fresh-before-write',
          ref,
          `the ${side} side was read ${reads.length} times in this pass`,
        );
      }
    }
    const last = worker.lastRead('live', refKey, liveKey);
    if (last && sim.now - last.at > FRESH_MS) {
      this.sim.violate(
        'fresh-before-write',
        ref,
        `the live side was last read ${sim.now - last.at} ms ago`,
      );
    }
    const intent = this.tables.get<{ decision_id: string }>(
      'select decision_id from intents where resource_id = ? and finished_at is null and lease_token = ? order by created_at desc, rowid desc',
      row.id,
      row.lease_token,
    );
    if (!intent) {
      this.sim.violate(
        'intent-first',
        ref,
        'no open intent of this lease is stored',
      );
      return undefined;
    }
    const stored = this.tables.get<Record<string, unknown>>(
      'select * from decisions where id = ?',
      intent.decision_id,
    );
    if (!stored) {
      this.sim.violate(
        'replays',
        ref,
        'the decision of the intent is not stored',
      );
      return undefined;
    }
    const decision = decodeDecision(stored);
    this.asSeen(ref, row.id, decision);
    return decision;
  }

  private asSeen(ref: ResourceRef, id: string, decision: DecisionRow): void {
    const { declaredDigest = 'none', liveDigest = 'none', by } = decision;
    // whoever asks for a look decides nothing
    if (by !== undefined && decision.trigger !== 'check') {
      const seen = this.sim.answers.get(by);
      if (
        !seen ||
        seen.declared !== declaredDigest ||
        seen.live !== liveDigest
      ) {
        this.sim.violate('seen', ref, `${by} decided on another state`);
      }
      return;
    }
    const asked = this.tables
      .openConflicts(id)
      .find(
        ({ kindOfQuestion, seen }) =>
          kindOfQuestion !== 'prune' &&
          seen.declared === declaredDigest &&
          seen.live === liveDigest,
      );
    if (asked) {
      this.sim.violate(
        'conflict-overridden',
        ref,
        `a person is asked: ${asked.question}`,
      );
    }
  }

  /** @param listing - one that came late may be about a moment before that of an earlier one */
  listedCompletely(
    source: string,
    { asOf, seen }: { asOf: number; seen: ReadonlySet<string> },
  ): void {
    for (const ref of this.sim.refs) {
      if (this.sim.sourceOf(ref) !== source) continue;
      const key = resourceKey(ref);
      const shown = Math.max(
        this.shown.get(key) ?? 0,
        seen.has(key) ? asOf : 0,
      );
      this.shown.set(key, shown);
      this.lacking.set(
        key,
        [
          ...(this.lacking.get(key) ?? []),
          ...(seen.has(key) ? [] : [asOf]),
        ].filter(at => at > shown),
      );
    }
  }
}
