/** The first step of a pass: fresh reads of both sides, from where they stand (rules 1 and 5). */
import {
  formatResourceRef,
  resourceKey,
} from '@plumbline/backstage-plugin-drift-common';
import {
  isPlatformError,
  type DeclaredResource,
  type ErrorClass,
  type LiveObject,
  type LiveRead,
  type Platform,
} from '@plumbline/backstage-plugin-drift-node';
import {
  redactText,
  setAt,
  type Facts,
  type ResourceSchema,
} from '@plumbline/drift-engine';
import type { Dependency, IntentRow, Millis, ResourceRow } from '../store/rows';
import type { PassContext } from './context';

/** What was read longer ago is not fresh enough to write on, nor to forget on. */
export const FRESH_MS = 3_000;

/** Both sides as they were read, and what else was seen while reading. Holds secrets: never leaves memory. */
export interface Observation {
  ok: true;
  /** When reading began: what was read is at least as new. */
  at: Millis;
  /** When single reads had been answered; absent for what a bulk read showed. */
  readAt?: Millis;
  /** With the live ids of what it refers to filled in. */
  declared: DeclaredResource | null;
  live: LiveObject | null;
  schema: ResourceSchema;
  /** What the declaration refers to. */
  dependencies: Dependency[];
  facts: Pick<
    Facts,
    'foreignOwner' | 'rivalClaims' | 'ambiguousMatches' | 'blocked'
  >;
}

/** A side could not be read: nothing is known about it. */
export interface FailedObservation {
  ok: false;
  at: Millis;
  side: 'declared' | 'live';
  classification: ErrorClass;
  reason: string;
  message: string;
  retryAfterMs?: number;
}

/** Reads both sides of a resource. Only an abort and errors of our own database are thrown. */
export async function observe(
  context: Pick<PassContext, 'store' | 'platforms' | 'sources' | 'clock'>,
  row: ResourceRow,
  options: {
    signal: AbortSignal;
    /** Open ones: what they were about is looked for, also where nothing declares it any more. */
    intents?: Pick<IntentRow, 'action' | 'locators'>[];
  },
): Promise<Observation | FailedObservation> {
  const at = context.clock.now();
  const { signal } = options;
  const platform = context.platforms.get(row.ref.platform);
  if (!platform) {
    return {
      ok: false,
      at,
      side: 'live',
      classification: 'gone',
      reason: 'PlatformNotConfigured',
      message: `Platform ${row.ref.platform} is not configured here; add it, or remove the declaration`,
    };
  }
  let declared: DeclaredResource | null;
  try {
    declared = await readDeclared(context, row, signal);
  } catch (error) {
    return failed(at, 'declared', error, signal);
  }
  // a lookup may need what it refers to: the same plugin on another route is another plugin
  const filled = declared ? await fillReferences(context, declared) : undefined;
  let rivals: Rival[] = [];
  let read: LiveRead;
  let schema: ResourceSchema;
  try {
    const intents = options.intents ?? [];
    const lookedFor = filled?.missing.length ? declared : filled?.declared;
    const wanted = lookedFor ?? intended(row, intents);
    // what a lost create made is found by its mark; the key may be of what somebody else made meanwhile
    const isMaking = intents.some(intent => intent.action === 'create');
    const key = isMaking && wanted ? undefined : row.liveKey;
    read = await readLive(platform, { liveKey: key }, wanted, signal);
    schema = await platform.schema(row.ref.kind, {
      signal,
      ...(declared ? { declared } : {}),
    });
  } catch (error) {
    return failed(at, 'live', error, signal);
  }
  if (read.found === true && declared) {
    rivals = await context.store.listRivals(row.ref.platform, [read.live.key]);
  }
  const readAt = context.clock.now();
  return {
    ...completeObservation(row, { at, filled, read, rivals, schema }),
    readAt,
  };
}

/** A declared resource that is bound to the same live object. */
type Rival = { id: string; title: string };

/** What was read of both sides, with what our own tables know about it: references, rivals, marks. Used for sweeps too. */
export function completeObservation(
  row: Pick<ResourceRow, 'id'>,
  seen: {
    at: Millis;
    /** Absent: nothing declares it. */
    filled?: Filled;
    read: LiveRead;
    /** All that are bound to `read`'s object; the resource itself may be among them. */
    rivals: Rival[];
    schema: ResourceSchema;
  },
): Observation {
  const { at, filled, read, schema } = seen;
  const facts: Observation['facts'] = {};
  const declared = filled?.declared ?? null;
  if (filled?.missing.length) {
    facts.blocked = {
      reason: 'MissingDependency',
      message: `It refers to ${filled.missing.join(
        ' and ',
      )}, which is not there yet`,
    };
  }
  const live = read.found === true ? read.live : null;
  if (read.found === 'several') facts.ambiguousMatches = read.keys;
  if (live && declared) {
    const foreign = foreignMark(declared, live);
    if (foreign) facts.foreignOwner = { owner: foreign };
    const rivals = seen.rivals.filter(rival => rival.id !== row.id);
    if (rivals.length) facts.rivalClaims = rivals.map(rival => rival.title);
  }
  const dependencies = filled?.dependencies ?? [];
  return { ok: true, at, declared, live, schema, dependencies, facts };
}

async function readDeclared(
  context: Pick<PassContext, 'sources'>,
  row: ResourceRow,
  signal: AbortSignal,
): Promise<DeclaredResource | null> {
  if (!row.origin) return null;
  const source = context.sources.get(row.origin.source);
  if (!source) {
    throw new Error(
      `Declaration source ${row.origin.source} is not configured here`,
    );
  }
  const read = await source.get(row.origin, row.ref, { signal });
  return read.found ? read.declared : null;
}

/** What a write that is not settled was about, as far as it takes to find it: no pass may have recorded where it is. */
function intended(
  row: ResourceRow,
  intents: Pick<IntentRow, 'action' | 'locators'>[],
): DeclaredResource | null {
  const locators = [
    ...new Set(
      intents
        .filter(intent => intent.action !== 'delete')
        .flatMap(intent => intent.locators),
    ),
  ];
  if (!row.origin || !locators.length) return null;
  return {
    ref: row.ref,
    document: {},
    version: '',
    origin: row.origin,
    locators,
    mark: row.mark,
    parent: row.parent,
  };
}

async function readLive(
  platform: Platform,
  row: Pick<ResourceRow, 'liveKey'>,
  declared: DeclaredResource | null,
  signal: AbortSignal,
): Promise<LiveRead> {
  if (row.liveKey) {
    const read = await platform.get(row.liveKey, {
      signal,
      ...(declared ? { declared } : {}),
    });
    // it may have been made again under another key
    if (read.found !== false || !declared) return read;
  }
  return declared ? platform.find(declared, { signal }) : { found: false };
}

function failed(
  at: Millis,
  side: 'declared' | 'live',
  error: unknown,
  signal: AbortSignal,
): FailedObservation {
  if (signal.aborted) throw error;
  const told = describeFailure(error);
  const where = side === 'declared' ? 'The declaration' : 'The live side';
  return {
    ok: false,
    at,
    side,
    ...told,
    message: `${where} could not be read: ${told.message}`,
  };
}

const REASONS: Record<ErrorClass, string> = {
  transient: 'Unreachable',
  throttled: 'Throttled',
  denied: 'Denied',
  invalid: 'Refused',
  conflict: 'Conflict',
  gone: 'ScopeGone',
};

/** Class, reason and message of a failure. What is not a `PlatformError` is taken for passing: it says nothing about the resource. */
export function describeFailure(error: unknown): {
  classification: ErrorClass;
  reason: string;
  message: string;
  retryAfterMs?: number;
} {
  const message = redactText(
    error instanceof Error ? error.message : String(error),
  );
  if (!isPlatformError(error)) {
    return { classification: 'transient', reason: 'ReadFailed', message };
  }
  return {
    classification: error.classification,
    reason: REASONS[error.classification],
    message,
    retryAfterMs: error.retryAfterMs,
  };
}

/** A declaration with the live ids of what it refers to, and what is not there yet. */
export interface Filled {
  declared: DeclaredResource;
  dependencies: Dependency[];
  missing: string[];
}

async function fillReferences(
  context: Pick<PassContext, 'store'>,
  declared: DeclaredResource,
): Promise<Filled> {
  const references = declared.references ?? [];
  if (!references.length) return { declared, dependencies: [], missing: [] };
  return fill(
    declared,
    await context.store.resolveLiveIds(
      references.map(reference => reference.ref),
    ),
  );
}

/** @param liveIds - of what it refers to, by `resourceKey`, as far as it is there */
export function fill(
  declared: DeclaredResource,
  liveIds: ReadonlyMap<string, string>,
): Filled {
  const missing: string[] = [];
  const dependencies: Dependency[] = [];
  let document = declared.document;
  for (const { ref, path } of declared.references ?? []) {
    const liveId = liveIds.get(resourceKey(ref));
    dependencies.push({ ref, liveId });
    // what is not there equals nothing: without a value the field would not be compared at all
    const missed = formatResourceRef(ref);
    if (liveId === undefined) missing.push(missed);
    document = setAt(document, path, liveId ?? `(${missed})`);
  }
  return { declared: { ...declared, document }, dependencies, missing };
}

function foreignMark(
  declared: DeclaredResource,
  live: LiveObject,
): string | undefined {
  const { mark } = declared;
  if (!mark) return undefined;
  const same = live.marks.filter(other => other.key === mark.key);
  if (!same.length || same.some(other => other.value === mark.value)) {
    return undefined;
  }
  const [other] = same;
  return other.description ?? `${other.key} ${other.value}`;
}
