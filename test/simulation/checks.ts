/** The invariants, each under its name: what must hold at every write, at every record, and at the end. */
import {
  decide,
  digest,
  evaluate,
  normalise,
  parseJson,
  type Json,
  type JsonObject,
  type ResourceSchema,
} from '@plumbline/drift-engine';
import {
  resourceKey,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import type {
  RemovePlan,
  WritePlan,
} from '@plumbline/backstage-plugin-drift-node';
import { sameJson } from './oracle';
import {
  keyedDigest,
  OUR_MANAGER,
  type BudgetRow,
  type ConflictRow,
  type DecisionRow,
  type PassOutcome,
  type ResourceLease,
} from './product';
import { SCHEMAS, SOMEBODY, type LiveServer, type LiveState } from './servers';
import type { Simulation } from './simulation';
import type { Worker } from './worker';

/** Name of each invariant, and what it says. */
export const INVARIANTS = {
  'fresh-before-write':
    'both sides are read again right before a write, and the write is planned on what was read',
  'unseen-edit':
    'no live edit that was there at the last fresh read is overwritten unseen',
  'undeclared-reset': 'nothing that nobody declared is reset',
  'write-at-rest': 'nothing is written at rest, and no write changes nothing',
  'intent-first': 'the intention is stored before the write',
  'no-duplicate': 'nothing is created twice',
  'no-orphan': 'nothing of ours is left that nobody knows of',
  'created-on-doubt': 'nothing is created unless a fresh read found nothing',
  'deleted-on-doubt':
    'nothing is deleted without two complete listings and a fresh read without its declaration, and without our mark',
  'prune-bounds': 'never everything at once, and never many without a person',
  'forgotten-on-doubt': 'no resource is forgotten while a side of it is there',
  'verify-after-write': 'a write counts when a fresh read shows it',
  'complete-or-not-counted': 'a bulk read that was cut counts for nothing',
  'conflict-lost':
    'what a person must decide is asked, once, until it is decided',
  'conflict-overridden': 'nothing is written while a person is asked about it',
  seen: 'a choice counts for the state that the person saw',
  paused: 'a pause counts at the next write',
  'one-pass':
    'one pass of a resource writes at a time, under a lease that holds',
  'retry-after': 'no request is sent while the platform asks for silence',
  'next-due': 'every resource has a next time, soon enough',
  'in-sync-is-true':
    'nothing is called in sync that was not equal within its staleness bound',
  replays: 'every stored decision can be computed again',
  converges:
    'once faults stop, everything is in sync or waits for a person, within a bounded number of passes',
  'person-decides': 'what waits for a person is settled by the answer',
  'loop-stands': 'the loop of every process goes on',
  'no-bug': 'no error of ours surfaces',
} as const;

export type Invariant = keyof typeof INVARIANTS;

/** A read is fresh for so long; a write that waits longer must read again. */
const FRESH_MS = 5_000;
/** A pause that was stored this long before a write holds it. */
const PAUSE_GRACE_MS = 4_000;
/** How far behind a bulk read may be, and then some. */
const BEHIND_MS = 3_000;
/** Complete listings that must lack a declaration before its object is deleted. */
const LISTINGS = 2;
const LONGEST_WAIT_MS = 6 * 60_000;
const LONGEST_REST_MS = 35 * 60_000;

const NO_SCHEMA: ResourceSchema = {
  kind: 'unknown',
  platform: 'unknown',
  root: {},
  partial: true,
};

interface RawRow {
  id: string;
  kind: string;
  verdict: string;
  reason: string;
  dirty: number;
  source: string | null;
  mark: string | null;
  live_key: string | null;
  due_at: number;
  attempts: number;
  policy: string;
  lease_owner: string | null;
  lease_until: number | null;
  lease_token: number;
}

export class Checks {
  /** Complete listings in a row that lacked a declaration, by resource. */
  private readonly lacking = new Map<string, number>();
  /** Passes of each resource since faults stopped. */
  readonly passes = new Map<string, number>();
  /** Passes that were recorded. */
  recorded = 0;
  private readonly schemas = new Map<string, ResourceSchema>();
  /** Until when each platform asked for silence, as somebody has stored it. */
  private readonly closed = new Map<string, number>();

  constructor(private readonly sim: Simulation) {
    for (const schema of [...SCHEMAS.values(), NO_SCHEMA]) {
      this.schemas.set(digest(schema as unknown as Json), schema);
    }
  }

  // --- what a process sends ---

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
      this.violate(
        'retry-after',
        undefined,
        `${worker.owner} sends to ${platform}, which asked for ${closedFor} ms more of silence`,
      );
    }
  }

  writeSent(worker: Worker, plan: WritePlan): void {
    const { ref, live, declared } = plan;
    const refKey = resourceKey(ref);
    const decision = this.mayAct(worker, ref, live?.key);
    const lastLive = worker.lastRead('live', refKey, live?.key);
    const lastDeclared = worker.lastRead('declared', refKey);
    if (!live && (!lastLive || lastLive.failed || lastLive.found)) {
      this.violate(
        'created-on-doubt',
        ref,
        'the last read of the live side did not say that it is absent',
      );
    }
    if (live && lastLive?.version !== live.version) {
      this.violate(
        'fresh-before-write',
        ref,
        `planned on live version ${live.version}, last read ${lastLive?.version}`,
      );
    }
    if (lastDeclared?.version !== declared.version) {
      this.violate(
        'fresh-before-write',
        ref,
        `planned on declaration ${declared.version}, last read ${lastDeclared?.version}`,
      );
    }
    if (live && !plan.fields.length && !plan.removals.length) {
      this.violate('write-at-rest', ref, 'the write changes nothing');
    }
    if (decision && live) {
      const state = normalise(live.document, {
        schema: plan.schema,
        side: 'live',
        secretDigest: keyedDigest('simulation'),
        ourManager: OUR_MANAGER,
      });
      if (decision.inputs.live?.digest !== state.digest) {
        this.violate(
          'unseen-edit',
          ref,
          'the stored decision did not see what is overwritten',
        );
      }
    }
  }

  removeSent(worker: Worker, plan: RemovePlan): void {
    const { ref, live } = plan;
    const refKey = resourceKey(ref);
    const decision = this.mayAct(worker, ref, live.key);
    const declared = worker.lastRead('declared', refKey);
    if (!declared || declared.failed || declared.found) {
      this.violate(
        'deleted-on-doubt',
        ref,
        'the last read of its declaration did not say that it is gone',
      );
    }
    const lacking = this.lacking.get(refKey) ?? 0;
    if (lacking < LISTINGS) {
      this.violate(
        'deleted-on-doubt',
        ref,
        `${lacking} complete listings lacked its declaration`,
      );
    }
    const row = this.row(refKey);
    const mark = row?.mark
      ? (JSON.parse(row.mark) as { value: string }).value
      : undefined;
    const state = this.sim.platforms.get(ref.platform)?.objects.get(live.key);
    if (state && state.version === live.version && state.mark !== mark) {
      this.violate('deleted-on-doubt', ref, 'it does not bear our mark');
    }
    const counts = this.get<{ orphaned: number; total: number }>(
      'select count(*) as total, sum(source is null) as orphaned from resources where platform = ?',
      ref.platform,
    );
    const { orphaned = 0, total = 0 } = counts ?? {};
    const { maxItems, maxPercent } = this.sim.config.prune;
    const most = Math.max(
      1,
      Math.min(maxItems, Math.floor((total * maxPercent) / 100)),
    );
    if (
      orphaned >= total ||
      (orphaned > most && (!decision?.by || decision.trigger === 'check'))
    ) {
      this.violate(
        'prune-bounds',
        ref,
        `${orphaned} of ${total} are orphans, at most ${most} may go`,
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
    const row = this.row(refKey);
    if (
      !row ||
      row.lease_owner !== worker.owner ||
      (row.lease_until ?? 0) <= worker.now()
    ) {
      this.violate(
        'one-pass',
        ref,
        `${worker.owner} writes, and the lease is ${
          row?.lease_owner ?? 'nobody'
        }'s for ${(row?.lease_until ?? 0) - worker.now()} ms more`,
      );
    }
    if ((worker.sent.get(refKey) ?? 0) > 0) {
      this.violate('one-pass', ref, 'another write of it is on its way');
    }
    if (sim.phase === 'rest') {
      this.violate('write-at-rest', ref, 'everything was at rest');
    }
    const pausedFor = sim.pausedFor(ref);
    if (pausedFor !== undefined && pausedFor > PAUSE_GRACE_MS) {
      this.violate('paused', ref, `it has been paused for ${pausedFor} ms`);
    }
    if (!row) return undefined;
    const since = worker.leasedAt.get(row.id) ?? 0;
    for (const side of ['declared', 'live'] as const) {
      const reads = worker
        .readsOf(side, refKey, liveKey)
        .filter(read => read.number > since);
      if (reads.length < 2) {
        this.violate(
          'fresh-before-write',
          ref,
          `the ${side} side was read ${reads.length} times in this pass`,
        );
      }
    }
    const last = worker.lastRead('live', refKey, liveKey);
    if (last && sim.now - last.at > FRESH_MS) {
      this.violate(
        'fresh-before-write',
        ref,
        `the live side was last read ${sim.now - last.at} ms ago`,
      );
    }
    const intent = this.get<{ decision_id: string }>(
      'select decision_id from intents where resource_id = ? and finished_at is null and lease_token = ? order by created_at desc, rowid desc',
      row.id,
      row.lease_token,
    );
    if (!intent) {
      this.violate(
        'intent-first',
        ref,
        'no open intent of this lease is stored',
      );
      return undefined;
    }
    const stored = this.get<{ decision: string; inputs: string }>(
      'select decision, inputs from decisions where id = ?',
      intent.decision_id,
    );
    if (!stored) {
      this.violate('replays', ref, 'the decision of the intent is not stored');
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
        this.violate('seen', ref, `${by} decided on another state`);
      }
      return;
    }
    const asked = this.openConflicts(id).find(
      ({ kindOfQuestion, seen }) =>
        kindOfQuestion !== 'prune' &&
        seen.declared === declaredDigest &&
        seen.live === liveDigest,
    );
    if (asked) {
      this.violate(
        'conflict-overridden',
        ref,
        `a person is asked: ${asked.question}`,
      );
    }
  }

  // --- what lands at a platform ---

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
        this.violate(
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
      this.violate(
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
        this.violate('no-duplicate', ref, `${other} and ${key} bear ${mark}`);
      marks.set(mark, key);
    }
  }

  listedCompletely(source: string, seen: ReadonlySet<string>): void {
    for (const ref of this.sim.refs) {
      if (this.sim.sourceOf(ref) !== source) continue;
      const key = resourceKey(ref);
      this.lacking.set(
        key,
        seen.has(key) ? 0 : (this.lacking.get(key) ?? 0) + 1,
      );
    }
  }

  // --- what a process stores ---

  /** Whether a call for leases comes back with nothing: most do, and that is seen without a transaction. */
  leasesNothing(method: string, args: unknown[]): boolean {
    if (method === 'leaseDue') {
      const { now } = args[0] as { now: number };
      return !this.get(
        'select 1 from resources where due_at <= ? and (lease_until is null or lease_until <= ?)',
        now,
        now,
      );
    }
    if (method !== 'leaseOne') return false;
    const [id, { now }] = args as [string, { now: number }];
    return !this.get(
      'select 1 from resources where id = ? and (lease_until is null or lease_until <= ?)',
      id,
      now,
    );
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
          this.closed.set(platform, closedUntil);
        }
        break;
      }
      case 'recordRead': {
        const [scope, { complete }] = args as [string, { complete: boolean }];
        if (complete && worker.cut.get(scope)) {
          this.violate(
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
    const after = this.row(refKey);
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
      this.violate('next-due', row.ref, `it is looked at in ${wait} ms`);
    }
    this.conflictIsAsked(row, after);
    if (
      decision?.result &&
      row.verdict === 'InSync' &&
      row.source !== undefined &&
      (decision.action === 'create' || decision.action === 'update')
    ) {
      const read = worker.lastRead('live', refKey, row.liveKey);
      if (
        !read ||
        read.failed ||
        read.number < (worker.answeredAt.get(refKey) ?? 0)
      ) {
        this.violate(
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
        this.violate('seen', row.ref, `${kept.by} left another state as it is`);
      }
    }
    if (
      row.verdict === 'InSync' &&
      row.source !== undefined &&
      row.verifiedAt !== undefined
    ) {
      const from = row.verifiedAt - worker.skew - BEHIND_MS - sim.maxSkew * 2;
      if (!sim.oracle.wasEqualSince(row.ref, from)) {
        this.violate(
          'in-sync-is-true',
          row.ref,
          'it was recorded as in sync and was not',
        );
      }
    }
  }

  private conflictIsAsked(row: PassOutcome['row'], after: RawRow): void {
    const open = this.openConflicts(after.id);
    if (open.length > 1) {
      this.violate(
        'conflict-lost',
        row.ref,
        `${open.length} questions are open at once`,
      );
    }
    if (row.verdict !== 'Conflicted' || row.policy.paused) return;
    const kept = new Set(
      this.all<{ path: string }>(
        'select path from kept_fields where resource_id = ?',
        after.id,
      ).map(one => one.path),
    );
    const changes = row.evaluation?.changes ?? [];
    const left =
      kept.has('') ||
      (changes.length > 0 && changes.every(change => kept.has(change.path)));
    if (!open.length && !left) {
      this.violate(
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
      this.violate('forgotten-on-doubt', ref, 'it is declared');
    }
  }

  // --- now and then, and at the end ---

  /** What pages show right now. */
  async shown(): Promise<void> {
    const { sim } = this;
    const { items } = await sim.store.listResources(
      {},
      { limit: 100 },
      sim.now,
    );
    for (const row of items) {
      if (row.shownVerdict !== 'InSync' || row.source === undefined) continue;
      const from = sim.now - row.maxStalenessMs - BEHIND_MS - 2 * sim.maxSkew;
      if (!sim.oracle.wasEqualSince(row.ref, from)) {
        this.violate(
          'in-sync-is-true',
          row.ref,
          'it is shown as in sync and has not been for longer than its bound',
        );
      }
    }
  }

  /** What is left when everything is at rest. */
  atTheEnd(): void {
    const { sim } = this;
    for (const ref of sim.refs) {
      if (sim.oracle.declaredNow(ref) && !this.row(resourceKey(ref))) {
        this.violate(
          'forgotten-on-doubt',
          ref,
          'it is declared, and there is no row of it',
        );
      }
    }
    const known = new Set<string>();
    for (const row of this.all<RawRow>('select * from resources')) {
      if (row.live_key) known.add(row.live_key);
      if (row.mark)
        known.add((JSON.parse(row.mark) as { value: string }).value);
    }
    for (const server of sim.platforms.values()) {
      for (const { key, mark } of server.objects.values()) {
        if (mark && mark !== SOMEBODY && !known.has(mark) && !known.has(key)) {
          this.violate(
            'no-orphan',
            undefined,
            `${key} bears ${mark}, and no row knows of it`,
          );
        }
      }
    }
    for (const stored of this.all<{ decision: string; inputs: string }>(
      'select decision, inputs from decisions',
    )) {
      this.replay(decodeDecision(stored));
    }
    for (const worker of sim.workers) {
      const { healthy, message } = worker.loop.health();
      if (worker.alive && !worker.stopping && !healthy) {
        this.violate('loop-stands', undefined, `${worker.owner}: ${message}`);
      }
    }
  }

  private replay(decision: DecisionRow): void {
    const { inputs } = decision;
    const schema = this.schemas.get(inputs.schemaDigest);
    if (!schema) {
      this.violate(
        'replays',
        undefined,
        `there is no schema ${inputs.schemaDigest}`,
      );
      return;
    }
    const {
      declared,
      live,
      lastAgreed,
      ownedBefore,
      facts,
      policy,
      accepted,
      choice,
    } = inputs;
    const evaluation = evaluate({
      schema,
      declared,
      live,
      lastAgreed,
      ownedBefore,
      facts,
    });
    const again = decide({ evaluation, policy, accepted, choice });
    const now = [
      evaluation.verdict,
      evaluation.reason,
      again.rule,
      again.action,
    ].join(' ');
    const then = [
      decision.verdict,
      decision.reason,
      decision.rule,
      decision.action,
    ].join(' ');
    if (now !== then) {
      this.violate(
        'replays',
        undefined,
        `decision ${decision.id} was "${then}" and is "${now}"`,
      );
    }
  }

  // --- looks at the tables ---

  row(refKey: string): RawRow | undefined {
    return this.get<RawRow>(
      'select * from resources where ref_key = ?',
      refKey,
    );
  }

  openConflicts(resourceId: string): ConflictRow[] {
    return this.all<{ conflict: string }>(
      `select conflict from conflicts where resource_id = ? and status = 'open'`,
      resourceId,
    ).map(({ conflict }) => JSON.parse(conflict) as ConflictRow);
  }

  get<T>(sql: string, ...values: unknown[]): T | undefined {
    return this.sim.prepared(sql).get(...values) as T | undefined;
  }

  all<T>(sql: string, ...values: unknown[]): T[] {
    return this.sim.prepared(sql).all(...values) as T[];
  }

  private violate(
    invariant: Invariant,
    ref: ResourceRef | undefined,
    text: string,
  ): void {
    this.sim.violate(invariant, ref, text);
  }
}

function decodeDecision(stored: {
  decision: string;
  inputs: string;
}): DecisionRow {
  return {
    ...(parseJson(stored.decision) as unknown as Omit<DecisionRow, 'inputs'>),
    inputs: parseJson(stored.inputs) as unknown as DecisionRow['inputs'],
  };
}
