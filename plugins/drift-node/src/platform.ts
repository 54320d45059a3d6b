/** The live side: a platform of record, read in bulk and one by one, written with care. */
import type { Json, Pointer, ResourceSchema } from '@plumbline/drift-engine';
import type { ResourceRef } from '@plumbline/backstage-plugin-drift-common';
import type { DeclaredResource } from './declared';

/**
 * One object as the platform holds it. `document` may hold secrets and never leaves memory unredacted.
 *
 * @public
 */
export interface LiveObject {
  /** Unique on the platform, stable over the object's life: `services/<uuid>`, `apps/v1/Deployment/ns/name`. */
  key: string;
  /** Kind as in `ResourceRef.kind`. */
  kind: string;
  /** The platform's own identity of this object (Konnect id, Kubernetes uid): another one means it was recreated. */
  id: string;
  document: Json;
  /** Changes whenever the object does: resourceVersion, or a digest of the document. */
  version: string;
  /** Keys that this object answers to: `id:…`, `mark:…`, `name:…`. */
  locators: string[];
  /** Ownership marks that it bears. */
  marks: { key: string; value: string; description?: string }[];
  /** ISO 8601, where the platform says when it last changed. */
  changedAt?: string;
  /** Who changed it last, where the platform says so. */
  changedBy?: string;
  /** It belongs to another object (ownerReferences): never pruned by us. */
  controlled?: boolean;
}

/** A bulk read: everything of these kinds on this platform. @public */
export interface SweepScope {
  kinds: string[];
}

/** @public */
export interface SweepPage {
  /** Where the platform can say so cheaply: a page with the same digest has the same items. Held in memory only. */
  digest?: string;
  /** May be made only when asked for. */
  readonly items: LiveObject[];
}

/** @public */
export type LiveRead =
  | { found: true; live: LiveObject }
  /** The authoritative side answered 404 (or a complete lookup found nothing). */
  | { found: false }
  /** More than one live object answers to the locators. */
  | { found: 'several'; keys: string[] };

/**
 * What to write, made from fresh reads of both sides (rule 1). The platform lays `fields` of `declared` over `live`
 * (rule 2) and makes no other change.
 *
 * @public
 */
export interface WritePlan {
  ref: ResourceRef;
  /** Fresh, unredacted, with every reference filled in. */
  declared: DeclaredResource;
  /** Fresh, unredacted; `null` for a create. */
  live: LiveObject | null;
  /** Pointers to set to their declared value. */
  fields: Pointer[];
  /** Pointers to remove: we set them once and no longer declare them. */
  removals: Pointer[];
  /** Drifted pointers that must keep their live value. */
  kept: Pointer[];
  schema: ResourceSchema;
}

/** @public */
export interface RemovePlan {
  ref: ResourceRef;
  live: LiveObject;
}

/** The platform acknowledged a write. Only a later fresh read says that it holds (rule 4). @public */
export interface WriteReceipt {
  key: string;
  id: string;
  version?: string;
  /** Requests that the write took, for the record: `PUT /services/{id}`; never a body. */
  requests: string[];
}

/** @public */
export interface PlatformHealth {
  status: 'ok' | 'degraded' | 'unreachable';
  /** For people; no secret. */
  message?: string;
}

/** Requests that the platform may get from all replicas together. @public */
export interface PlatformBudget {
  requestsPerMinute: number;
  /** Share kept for people's actions, 0 to 1. */
  reserve: number;
}

/**
 * A cheap question to a platform as a whole, for platforms that have no watch. Its answer can only bring a sweep forward: another answer
 * than before says that something may have changed. The same answer says nothing: no sweep is left out or put off for it, and
 * nothing counts as verified by it. So it may cover less than a sweep reads, and may change where nothing did.
 *
 * @public
 */
export interface PlatformProbe {
  /** How often to ask. Milliseconds; where sweeps come as often, nobody asks. */
  everyMs: number;
  /**
   * Asks with one request, behind everybody else (see `RequestGate`).
   *
   * @returns an opaque text without secrets: only whether it is another one is looked at
   * @throws PlatformError; that is no verdict on the platform: it is asked again, later each time
   */
  ask(options: { signal: AbortSignal }): Promise<string>;
}

/**
 * A system that owns live state. Every method reads or writes the platform itself, never a cache, and throws
 * `PlatformError` on failure: an error never means "absent" (rule 5).
 *
 * @public
 */
export interface Platform {
  /** Stable and unique: `konnect/prod`, `kubernetes/prod`. */
  readonly id: string;
  readonly type: string;
  /** For people. */
  readonly title: string;
  readonly budget: PlatformBudget;
  /** Kinds that a sweep can read. `parents` of a kind are listed before it. */
  readonly kinds: readonly string[];
  schema(
    kind: string,
    options: { signal: AbortSignal; declared?: DeclaredResource },
  ): Promise<ResourceSchema>;
  health(options: { signal: AbortSignal }): Promise<PlatformHealth>;
  /**
   * Reads all of `scope`, page by page. Returning normally means that the read was complete;
   * throwing means that nothing can be said about what was not read. An object that moves while it is read may come twice.
   */
  sweep(
    scope: SweepScope,
    options: {
      signal: AbortSignal;
      /** Whether the items of a page with this digest are known from an earlier sweep: hardly ever will anybody ask for them. */
      knows?: (digest: string) => boolean;
    },
  ): AsyncIterable<SweepPage>;
  /** Fresh read of one object by the key of an earlier read. */
  get(
    key: string,
    options: { signal: AbortSignal; declared?: DeclaredResource },
  ): Promise<LiveRead>;
  /** Fresh lookup of the object that answers to a declaration's locators, before a create and after a crash (rule 3). */
  find(
    declared: DeclaredResource,
    options: { signal: AbortSignal },
  ): Promise<LiveRead>;
  /** Creates or updates. Idempotent where the platform allows it. */
  write(
    plan: WritePlan,
    options: { signal: AbortSignal },
  ): Promise<WriteReceipt>;
  /** What the platform itself says that the write would yield, where it can say so (server-side dry run). */
  dryRun?(
    plan: WritePlan,
    options: { signal: AbortSignal },
  ): Promise<{ document: Json } | { unavailable: string }>;
  remove(plan: RemovePlan, options: { signal: AbortSignal }): Promise<void>;
  /** Calls back with what changed, until `signal` aborts. Best effort: it only brings passes forward. */
  watch?(
    scope: SweepScope,
    options: {
      signal: AbortSignal;
      onChange(
        changed: { key: string; locators: string[]; version: string }[],
      ): void;
      onRelist(): void;
    },
  ): Promise<void>;
  /** See `PlatformProbe`. */
  readonly probe?: PlatformProbe;
  /** Address of a page where a person can look at the live object, if there is one. */
  link?(live: { key: string; id: string }): string | undefined;
}
