/** The declared side: what somebody asked for, and where it says so. */
import type { Json, Pointer, Problem } from '@plumbline/drift-engine';
import type { ResourceRef } from '@plumbline/backstage-plugin-drift-common';

/** Where a declaration stands, for people and for catalog matching. @public */
export interface DeclarationOrigin {
  /** Id of the declaration source. */
  source: string;
  type: 'customResource' | 'manifest' | 'lastApplied';
  /** Cluster that holds it (custom resource, last applied), if any. */
  cluster?: string;
  /** Address of the manifest, if it is one. */
  url?: string;
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
  uid?: string;
  /** Labels and annotations of the declaration; last-applied and secret ones left out. */
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

/** The mark that says a live object is this declaration's own. @public */
export interface OwnershipMark {
  /** For example `k8s-uid`, or the name of a label. */
  key: string;
  value: string;
}

/** A field of the declared document that holds another resource's live identity. @public */
export interface LiveReference {
  /** Where the referenced live id belongs in the document, for example `/service/id`. */
  path: Pointer;
  /** The referenced resource. */
  ref: ResourceRef;
}

/** What a controller that reconciles the resource by itself has shown of its work. @public */
export interface ControllerEvidence {
  /** Name for people, for example `kong-operator`. */
  name: string;
  /** Why we believe that it is at work, one sentence. */
  evidence: string;
  /**
   * It says itself that it has brought all of this version of the declaration to the platform. Looked at only for values that
   * no read of the platform shows (write-only fields).
   */
  upToDate?: boolean;
}

/**
 * One resource as it was declared. `document` is in the shape of the live side (a KongService becomes the body of a
 * core entity); it may hold secrets and never leaves memory unredacted.
 *
 * @public
 */
export interface DeclaredResource {
  ref: ResourceRef;
  document: Json;
  /** Changes whenever the declaration does: a resourceVersion, a commit, a content digest. */
  version: string;
  origin: DeclarationOrigin;
  /** Keys under which the live object may be found, best first: `id:…`, `mark:…`, `name:…`. */
  locators: string[];
  mark?: OwnershipMark;
  /** Live id that the platform lets us choose, so that a create can be repeated safely. */
  deterministicId?: string;
  references?: LiveReference[];
  /** Resource whose entities this one inherits (a route's service). */
  parent?: ResourceRef;
  controller?: ControllerEvidence;
  /** The declaration says that it must never be written (a mirror): same as mode `observe`, with this sentence. */
  readOnly?: string;
  /** It is being deleted (deletionTimestamp): nothing is written any more. */
  deleting?: boolean;
  /** What is wrong with the declaration itself; makes the verdict `Invalid`. */
  problems?: Problem[];
}

/** One page of a full listing. @public */
export interface DeclarationPage {
  items: DeclaredResource[];
}

/** @public */
export type DeclaredRead =
  | { found: true; declared: DeclaredResource }
  /** An authoritative answer that it is not declared (any more). */
  | { found: false };

/**
 * A place that holds declarations. Errors are thrown as `PlatformError`; an error never means "absent".
 *
 * @public
 */
export interface DeclarationSource {
  /** Stable, unique, for example `kubernetes/prod/customResources`. */
  readonly id: string;
  /** For people. */
  readonly title: string;
  /**
   * Lists everything that is declared here, page by page. Returning normally means complete;
   * throwing means that nothing can be said about what was not listed.
   */
  list(options: { signal: AbortSignal }): AsyncIterable<DeclarationPage>;
  /** Reads one declaration freshly from where it stands, not from a cache (rule 1). */
  get(
    origin: DeclarationOrigin,
    ref: ResourceRef,
    options: { signal: AbortSignal },
  ): Promise<DeclaredRead>;
  /**
   * Calls back with what changed, until `signal` aborts. Optional and best effort: it only brings passes forward.
   */
  watch?(options: {
    signal: AbortSignal;
    onChange(changed: DeclaredResource[]): void;
    /** Something changed that cannot be named: list again. */
    onRelist(): void;
  }): Promise<void>;
  /** Asks the controller that owns the resource to look again (`actuator: operator`). */
  nudge?(
    declared: DeclaredResource,
    options: { signal: AbortSignal; requestedAt: string },
  ): Promise<{ message: string }>;
  /**
   * Declares (server-side apply) a manifest here, for the scaffolder. The same manifest twice changes nothing.
   */
  apply?(
    manifest: Json,
    options: { signal: AbortSignal; dryRun: boolean; fieldManager: string },
  ): Promise<{
    /** Resources that this manifest declares, empty where it declares none that we manage. */
    refs: ResourceRef[];
    origin: DeclarationOrigin;
    version: string;
    outcome: 'created' | 'configured' | 'unchanged';
  }>;
}
