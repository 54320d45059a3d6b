/** What the steps of one pass share: what it was asked, what was stored before, and how it ends. */
import type { Platform } from '@plumbline/backstage-plugin-drift-node';
import type { Facts } from '@plumbline/drift-engine';
import { askGuards } from '../guards/guards';
import type { Priority } from '../loop/priority';
import type {
  PassOutcome,
  ResourceLease,
  StoredBefore,
} from '../store/driftStore';
import type {
  ConflictRow,
  DecisionRow,
  GuardAnswer,
  ResourceRow,
  ScopeRow,
} from '../store/rows';
import type { PolicyStatement } from '../policy/policy';
import { assess, type Assessment, type Before, type Choice } from './assess';
import { trialMs } from './backoff';
import { readStatements, type PassContext } from './context';
import type { Settled } from './intents';
import type { Observation } from './observe';
import { recordPass, type OpenHistory, type PassRecord } from './record';

/** A person's decision about a state that this person saw (rule 8). */
export interface PersonalDecision {
  by: string;
  choice: Choice;
  seen: { declared: string; live: string };
  note?: string;
  /** The question that this answers. */
  conflictId?: string;
}

export interface PassRequest {
  /** Why: `due`, `sweep`, `watch`, `person`, … */
  trigger: string;
  /** Who asked for the pass. */
  by?: string;
  priority: Priority;
  decision?: PersonalDecision;
  signal: AbortSignal;
}

export interface PassResult {
  /** Nothing is left on either side: the resource is forgotten. */
  removed: boolean;
  row?: ResourceRow;
  /** Something was written, or a choice was stored. */
  applied: boolean;
  /** The state was not what the person had seen: nothing of the choice was done. */
  moved: boolean;
  /** A side could not be read. */
  unreadable: boolean;
  /** For people: what came of it. */
  message: string;
}

/** What the steps of one pass share. */
export interface Pass {
  context: PassContext;
  lease: ResourceLease;
  request: PassRequest;
  before: Before;
  open: OpenHistory;
  platform?: Platform;
  scopes: Map<string, ScopeRow>;
  settled?: Settled;
  /** What an earlier pass had decided that was cut off before it could record its write. */
  interrupted?: DecisionRow;
}

export async function begin(
  context: PassContext,
  lease: ResourceLease,
  request: PassRequest,
  row: ResourceRow,
): Promise<Pass> {
  const { store } = context;
  const [states, kept, settings, episode, conflict] = await Promise.all([
    store.getStates(row.id),
    store.getKept(row.id),
    readSettings(context),
    store.getOpenEpisode(row.id),
    store.getOpenConflict(row.id),
  ]);
  return passOn(context, lease, request, settings, {
    ...{ row, agreed: states.agreed, kept, episode, conflict },
  });
}

/** A pass on what was stored, which its caller has read. */
export function passOn(
  context: PassContext,
  lease: ResourceLease,
  request: PassRequest,
  { statements, scopes }: Settings,
  stored: Omit<StoredBefore, 'intents'>,
): Pass {
  const { row, agreed, kept, episode, conflict } = stored;
  return {
    context,
    lease,
    request,
    before: { row, agreed, kept, statements },
    open: { episode, conflict },
    platform: context.platforms.get(row.ref.platform),
    scopes,
  };
}

/** What holds for all resources alike. */
interface Settings {
  statements: PolicyStatement[];
  scopes: Map<string, ScopeRow>;
}

export async function readSettings(
  context: Pick<PassContext, 'store' | 'config' | 'clock'>,
): Promise<Settings> {
  const [statements, scopes] = await Promise.all([
    readStatements(context),
    context.store.listScopes(),
  ]);
  return {
    statements,
    scopes: new Map(scopes.map(scope => [scope.id, scope])),
  };
}

/** Policy and the health of both sides as they are now: reads take time, and people do not wait for them. */
export async function refreshSettings(pass: Pass): Promise<void> {
  const { statements, scopes } = await readSettings(pass.context);
  pass.before = { ...pass.before, statements };
  pass.scopes = scopes;
}

/** Normalise, compare, classify, decide. */
export function judge(
  pass: Pass,
  observation: Observation,
  facts?: Facts,
  choice?: 'noChoice',
): Assessment {
  const { context, before, request } = pass;
  return assess(context, before, observation, {
    now: context.clock.now(),
    ...(request.decision && !choice ? { choice: request.decision.choice } : {}),
    facts: { orphanSightings: sightings(pass, observation), ...facts },
  });
}

/**
 * Complete listings in a row that did not find the declaration: one that began after a fresh read had not found it either. An
 * earlier one may still have shown it.
 */
export function sightings(pass: Pass, observation: Observation): number {
  const { row } = pass.before;
  if (observation.declared || !row.origin) return 0;
  if (row.source !== undefined) return 0;
  const { absence, orphanSightings } = row;
  const through = pass.scopes.get(row.origin.source)?.completeThrough;
  return absence !== undefined && through !== undefined && through >= absence
    ? orphanSightings + 1
    : orphanSightings;
}

export async function guard(
  pass: Pass,
  observation: Observation,
  assessment: Assessment,
): Promise<GuardAnswer[]> {
  const { context, before, scopes, request } = pass;
  const { row } = before;
  const { action } = assessment.decision;
  const now = context.clock.now();
  const budget = await context.store.readBudget(row.ref.platform);
  let orphans: { orphaned: number; total: number } | undefined;
  if (action === 'delete') {
    orphans = { orphaned: 0, total: 0 };
    // not only those that count as orphans already: what goes at once is what is no longer declared
    for await (const one of context.store.listIdentities(row.ref.platform)) {
      orphans.total += 1;
      if (one.source === undefined) orphans.orphaned += 1;
    }
  }
  return askGuards({
    action,
    title: row.title,
    byPerson: request.decision !== undefined,
    inForce: assessment.inForce,
    readOnly: observation.declared?.readOnly,
    deleting: observation.declared?.deleting,
    controlled: observation.live?.controlled,
    platform: scopes.get(row.ref.platform),
    source: row.origin ? scopes.get(row.origin.source) : undefined,
    closedUntil: budget?.closedUntil,
    orphans,
    createInFlightUntil: pass.settled?.waitUntil,
    controllerHasUntil:
      row.convergence.nudgedAt === undefined
        ? undefined
        : row.convergence.nudgedAt +
          // a person need not wait as long
          trialMs(request.decision ? 0 : row.attempts, context.config.resyncMs),
    pruneLimits: context.config.prune,
    now,
  });
}

export function answeredBy(
  request: PassRequest,
  outcome: string,
  done: boolean,
): Pick<ConflictRow, 'choice' | 'resolvedBy' | 'note' | 'outcome'> | undefined {
  const personal = request.decision;
  if (!personal || !done) return undefined;
  // a choice for some fields does not answer for the others
  if (personal.choice.paths && !personal.conflictId) return undefined;
  return {
    choice: personal.choice.side,
    resolvedBy: personal.by,
    note: personal.note,
    outcome,
  };
}

/** What a pass has found, as far as its steps differ. */
type Found = Pick<
  PassRecord,
  | 'observation'
  | 'assessment'
  | 'guards'
  | 'write'
  | 'planned'
  | 'convergence'
  | 'ownedBefore'
  | 'kept'
  | 'ending'
  | 'answered'
  | 'finishedIntents'
  | 'notLaterThan'
  | 'absence'
>;

export async function finish(
  pass: Pass,
  found: Found,
  told: { applied: boolean; message: string; moved?: boolean },
): Promise<PassResult> {
  const { store } = pass.context;
  const { origin } = pass.before.row;
  const outcome = conclude(pass, {
    ...found,
    // counted after it was read: a listing that begins later is later than the read
    ...(!found.observation.declared && origin
      ? { absence: await store.countAbsence(origin.source) }
      : {}),
  });
  await store.finishPass(pass.lease, outcome);
  announce(pass, outcome);
  await tellDependents(pass.context, [[pass, outcome]]);
  return result({ row: outcome.row, ...told });
}

/** What is to be stored of a pass. No input or output. */
export function conclude(pass: Pass, found: Found): PassOutcome {
  const { context, before, request, open } = pass;
  const { row } = before;
  return recordPass(context, {
    ...found,
    trigger: request.trigger,
    by: request.decision?.by ?? request.by,
    before: row,
    agreedBefore: before.agreed,
    open,
    interrupted: pass.interrupted,
    now: context.clock.now(),
    platformTitle: pass.platform?.title ?? row.ref.platform,
    keptBefore: before.kept.length,
    notLaterThan: found.notLaterThan ?? pass.settled?.openUntil,
    orphanSightings: sightings(pass, found.observation),
    finishedIntents: [
      ...(pass.settled?.finished ?? []),
      ...(found.finishedIntents ?? []),
    ],
  });
}

/** Whoever refers to what has appeared, is gone or has become another object is looked at again. */
export async function tellDependents(
  { store, clock }: Pick<PassContext, 'store' | 'clock'>,
  stored: Iterable<[Pass, PassOutcome]>,
): Promise<void> {
  const refs = [...stored].flatMap(([{ before }, { row, finishedIntents }]) =>
    // while it was not known what became of a create, nobody could refer to it
    row.liveId !== before.row.liveId || finishedIntents?.length ? row.ref : [],
  );
  if (refs.length) {
    await store.bringDependentsForward({ refs, dueAt: clock.now() });
  }
}

/** Tells of a pass once it is stored. */
export function announce(pass: Pass, outcome: PassOutcome): void {
  pass.context.announcer.resourceChanged(pass.before.row, outcome.row);
  announceHistory(pass, outcome);
}

function announceHistory(pass: Pass, outcome: PassOutcome): void {
  const { context, before, open } = pass;
  const { platform } = before.row.ref;
  const { episode, conflict } = outcome;
  // seen and put right in one pass: it began here, too
  const began = episode?.open ?? (open.episode ? undefined : episode?.close);
  if (began) context.announcer.episodeBegan(began, platform);
  if (episode?.close) context.announcer.episodeEnded(episode.close, platform);
  if (conflict?.open) context.announcer.conflictOpened(conflict.open);
}

export function result(
  some: Partial<PassResult> & { message: string },
): PassResult {
  return {
    removed: false,
    applied: false,
    moved: false,
    unreadable: false,
    ...some,
  };
}
