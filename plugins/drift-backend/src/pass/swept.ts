/** What a bulk read showed of both sides of many resources, recorded as passes would, without single reads. */
import type {
  DeclaredResource,
  LiveRead,
} from '@plumbline/backstage-plugin-drift-node';
import type { ResourceSchema } from '@plumbline/drift-engine';
import type { DriftStore, Finished, PassOutcome } from '../store/driftStore';
import type { Millis, ResourceRow } from '../store/rows';
import type { PassContext } from './context';
import { isWrite } from './decision';
import { completeObservation, fill } from './observe';
import {
  announce,
  conclude,
  judge,
  passOn,
  readSettings,
  tellDependents,
  type Pass,
} from './steps';

const LEASE_MS = 30_000;

/** Both sides of one resource, as bulk reads showed them. Holds secrets: never leaves memory. */
export interface Swept {
  resourceId: string;
  /** When the older of the two reads began. */
  at: Millis;
  declared: DeclaredResource;
  read: LiveRead;
  schema: ResourceSchema;
}

/**
 * Records what bulk reads showed, as a pass of each resource does, but never writes: where something is to be written, a pass with
 * fresh single reads is due at once. None of them may refer to another, nor be bound to the same live object.
 *
 * @returns rows as they were stored, and resources that passes are due for
 */
export async function recordSwept(
  context: PassContext,
  platform: string,
  all: Swept[],
  signal: AbortSignal,
): Promise<{ rows: ResourceRow[]; due: string[] }> {
  const { store, clock, owner } = context;
  const leases = await store.leaseMany(
    all.map(one => one.resourceId),
    { owner, now: clock.now(), leaseMs: LEASE_MS },
  );
  const byId = new Map(leases.map(lease => [lease.resourceId, lease]));
  // of what a pass has just now, nobody knows whether it has seen this
  const due = all.map(one => one.resourceId).filter(id => !byId.has(id));
  const finished = new Map<Finished, Pass>();
  try {
    const seen = all.filter(one => byId.has(one.resourceId));
    const [settings, known, liveIds, rivals] = await Promise.all([
      readSettings(context),
      store.readBefore([...byId.keys()]),
      store.resolveLiveIds(
        seen.flatMap(one => (one.declared.references ?? []).map(r => r.ref)),
      ),
      store.listRivals(
        platform,
        seen.flatMap(({ read }) => (read.found === true ? read.live.key : [])),
      ),
    ]);
    for (const one of seen) {
      const lease = byId.get(one.resourceId);
      const before = known.get(one.resourceId);
      if (!lease || !before) continue;
      // a pass has looked since this was read, and something else is known to have changed by now
      if ((before.row.verifiedAt ?? 0) > one.at) {
        if (before.row.dirty) due.push(one.resourceId);
        continue;
      }
      const pass = passOn(
        context,
        lease,
        { trigger: 'sweep', priority: 'sweep', signal },
        settings,
        before,
      );
      try {
        const outcome = look(pass, one, {
          liveIds,
          rivals,
          unsettled: before.intents.length > 0,
        });
        if (outcome) finished.set({ lease, outcome }, pass);
        else due.push(one.resourceId);
      } catch {
        // its own pass finds the same, and records what is wrong with it: one does not hold up the others
        due.push(one.resourceId);
      }
    }
    const written = new Set(await store.finishMany([...finished.keys()]));
    const stored: [Pass, PassOutcome][] = [];
    for (const [one, pass] of finished) {
      if (written.has(one)) stored.push([pass, one.outcome]);
      else due.push(one.lease.resourceId);
    }
    for (const [pass, outcome] of stored) announce(pass, outcome);
    await tellDependents(context, stored);
    await store.bringForward(due, { dueAt: clock.now(), dirty: true });
    return { rows: stored.map(([, { row }]) => row), due };
  } finally {
    // of those that were not written; the others are over
    await store.releaseMany(leases);
  }
}

/** @returns nothing where a pass with fresh single reads must look */
function look(
  pass: Pass,
  { at, declared, read, schema }: Swept,
  known: {
    liveIds: ReadonlyMap<string, string>;
    rivals: Awaited<ReturnType<DriftStore['listRivals']>>;
    unsettled: boolean;
  },
): PassOutcome | undefined {
  const observation = completeObservation(pass.before.row, {
    at,
    filled: fill(declared, known.liveIds),
    read,
    rivals: known.rivals.filter(
      rival => read.found === true && rival.liveKey === read.live.key,
    ),
    schema,
  });
  const assessment = judge(pass, observation);
  return known.unsettled || isWrite(assessment.decision.action)
    ? undefined
    : conclude(pass, { observation, assessment });
}
