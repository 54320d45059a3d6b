/** Whether a resource is at rest: in sync, left as it is on purpose, or waiting for a person. */
import {
  decide,
  type AcceptedDifference,
  type EffectivePolicy,
  type Evaluation,
  type Verdict,
} from '@plumbline/drift-engine';
import {
  resourceKey,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import type { ConflictRow } from './product';
import type { Simulation } from './simulation';

/** Rules of the decision table by which the loop leaves things as they are, without asking. */
const LEFT: ReadonlySet<string> = new Set([
  'kept-by-choice',
  'kept-by-a-person',
  'kept-by-policy',
  'deletion-accepted',
  'orphan-kept',
  'orphan-of-an-operator',
]);

/** Verdicts that stop the writing until a person orders another attempt. */
const STOPPED: ReadonlySet<string> = new Set(['Contested', 'NonConvergent']);

/** Undefined where the resource is settled; otherwise why it is not. */
export function isSettled(
  sim: Simulation,
  ref: ResourceRef,
): { ref: ResourceRef; why: string } | undefined {
  const row = sim.tables.row(resourceKey(ref));
  const declared = sim.oracle.declaredNow(ref);
  const no = (why: string) => ({ ref, why });
  if (!row)
    return declared
      ? no('it is declared, and nothing is known of it')
      : undefined;
  const said = `${row.verdict} (${row.reason})`;
  if (row.dirty) return no(`a pass is due, last ${said}`);
  if (declared && row.verdict === 'InSync') {
    return sim.oracle.isEqual(ref)
      ? undefined
      : no('it is recorded as in sync and is not');
  }
  if (waitsFor(sim, ref) || isLeft(sim, row.id)) return undefined;
  const parent = sim.scenario.parents.get(ref);
  if (declared && parent && row.reason === 'MissingDependency') {
    // it waits for its service, which is not there
    const live = sim.tables.row(resourceKey(parent))?.live_key;
    if (!live) return undefined;
  }
  if (!declared && row.verdict === 'Orphaned' && isHeldOrphan(sim, ref))
    return undefined;
  return no(said);
}

/** What a person must settle: a question, a stop, or a controller that does not act. */
export interface Waiting {
  ref: ResourceRef;
  conflict?: ConflictRow;
  idleController?: boolean;
}

export function waitsFor(
  sim: Simulation,
  ref: ResourceRef,
): Waiting | undefined {
  const row = sim.tables.row(resourceKey(ref));
  if (!row) return undefined;
  const [conflict] = sim.tables.openConflicts(row.id);
  if (conflict) return { ref, conflict };
  if (row.verdict === 'Blocked' && row.reason === 'ControllerIdle') {
    return { ref, idleController: true };
  }
  return STOPPED.has(row.verdict) && !isLeft(sim, row.id) ? { ref } : undefined;
}

/** What the table decides about the row as it is stored. */
function isLeft(sim: Simulation, id: string): boolean {
  const row = sim.tables.get<{
    verdict: Verdict;
    reason: string;
    message: string;
    evaluation: string | null;
    policy: string;
  }>(
    'select verdict, reason, message, evaluation, policy from resources where id = ?',
    id,
  );
  if (!row?.evaluation) return false;
  const kept = sim.tables
    .all<{ field: string }>(
      'select field from kept_fields where resource_id = ?',
      id,
    )
    .map(({ field }) => JSON.parse(field) as AcceptedDifference);
  const whole = kept.some(field => field.path === '');
  const evaluation = JSON.parse(row.evaluation) as Omit<
    Evaluation,
    'verdict' | 'reason' | 'message'
  >;
  if (whole) return true;
  if (
    evaluation.changes.length > 0 &&
    evaluation.changes.every(change =>
      kept.some(field => field.path === change.path),
    )
  ) {
    return true;
  }
  const { rule } = decide({
    evaluation: { ...row, ...evaluation },
    policy: JSON.parse(row.policy) as EffectivePolicy,
    accepted: kept,
  });
  return LEFT.has(rule);
}

/** The floor of pruning: what is left would be everything. */
function isHeldOrphan(sim: Simulation, ref: ResourceRef): boolean {
  const { orphaned, total } = sim.tables.orphans(ref.platform);
  return orphaned >= total;
}
