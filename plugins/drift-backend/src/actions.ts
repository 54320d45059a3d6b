/** What people can do to a resource: implemented by the passes, called by the HTTP API. */
import type { Pointer } from '@plumbline/drift-engine';
import type {
  ApiPlan,
  ApiSeen,
  ApiSide,
  ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import type { Json } from '@plumbline/drift-engine';

/** Who acts: an entity ref such as `user:default/guest`. */
export interface Actor {
  ref: string;
}

/** `applied` false: nothing was written, and `message` says why (for example that a side moved). */
export interface ActionOutcome {
  applied: boolean;
  message: string;
}

/**
 * Each runs one whole pass under the resource's lease, ahead of the queue. A `ConflictError` (409) says that the state is no
 * longer what the person saw, or that another pass held the resource for too long; a `ServiceUnavailableError` (503) that a side could not be read.
 */
export interface DriftActions {
  check(resourceId: string, actor: Actor): Promise<void>;
  /** What would be written if a person chose `side` now, for `paths` or for all fields. */
  preview(
    resourceId: string,
    choice: { side: ApiSide; paths?: Pointer[] },
    actor: Actor,
  ): Promise<ApiPlan>;
  reconcile(
    resourceId: string,
    options: { seen: ApiSeen; paths?: Pointer[]; note?: string },
    actor: Actor,
  ): Promise<ActionOutcome>;
  keepLive(
    resourceId: string,
    options: { seen: ApiSeen; paths?: Pointer[]; note?: string },
    actor: Actor,
  ): Promise<ActionOutcome>;
  resolve(
    conflictId: string,
    options: { choice: ApiSide; seen: ApiSeen; note?: string },
    actor: Actor,
  ): Promise<ActionOutcome>;
  /** Declares a manifest at a source, then brings forward the passes of what it declares. */
  apply(
    options: {
      source: string;
      manifest: Json;
      entityRef?: string;
      dryRun: boolean;
    },
    actor: Actor,
  ): Promise<{
    outcome: 'created' | 'configured' | 'unchanged';
    version: string;
    resources: { ref: ResourceRef; id?: string }[];
  }>;
  /** Address of the live object for people, if the platform has one. */
  link(platform: string, live: { key: string; id: string }): string | undefined;
  /** A policy rule changed: effective at the next write, and due times are brought forward. */
  policyChanged(scope: {
    platform?: string;
    kind?: string;
    namespace?: string;
    name?: string;
  }): Promise<void>;
}
