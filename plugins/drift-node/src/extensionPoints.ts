/** The sockets: how modules bring platforms, declaration sources and custom resource mappers. */
import { createExtensionPoint } from '@backstage/backend-plugin-api';
import type { Json } from '@plumbline/drift-engine';
import type {
  DeclarationSource,
  DeclaredResource,
  DeclarationOrigin,
} from './declared';
import type { Platform } from './platform';
import type { RequestGate } from './requestGate';

/** What the drift backend hands to a platform or a source when it starts. @public */
export interface DriftContext {
  /**
   * The one budget that all replicas share for a platform: every request of a platform goes through it (rule 10).
   */
  gate(platform: { id: string; budget: Platform['budget'] }): RequestGate;
  /** Mappers that any module registered, complete once the backend has started. */
  customResourceMappers(): readonly CustomResourceMapper[];
  /**
   * A key for digests that are stored of what may hold secrets: another one for each purpose, the same in every replica and after every
   * restart, whatever credentials are rotated. Never to be stored or logged.
   */
  keyFor(purpose: string): string;
  /** Wall clock, injected for tests. Milliseconds since the epoch. */
  now(): number;
}

/**
 * Turns custom resources of a cluster into declared resources of a platform (a KongService into a Konnect service).
 *
 * @public
 */
export interface CustomResourceMapper {
  /** For people, for example `Kong Konnect`. */
  readonly title: string;
  /** Resources to list and watch. Those with `auxiliary` are only looked up by `map` (a KongPlugin for its bindings). */
  readonly resources: readonly {
    group: string;
    version: string;
    plural: string;
    kind: string;
    namespaced: boolean;
    auxiliary?: boolean;
  }[];
  /**
   * Declared resources that one custom resource stands for: none when it is not for one of our platforms.
   * `lookup` answers from the same listing (or, in a fresh read, from a fresh read), and so does `list`: everything of
   * a kind, in one namespace where it is given (KongReferenceGrants). Both throw where they cannot tell.
   */
  map(
    object: Json,
    context: {
      /** Id of the cluster as a declaration source names it. */
      cluster: string;
      origin: DeclarationOrigin;
      lookup(ref: {
        group: string;
        kind: string;
        namespace?: string;
        name: string;
      }): Promise<Json | undefined>;
      list(ref: {
        group: string;
        kind: string;
        namespace?: string;
      }): Promise<Json[]>;
    },
  ): Promise<DeclaredResource[]>;
}

/** @public */
export interface DriftPlatformsExtensionPoint {
  /** `create` runs once when the drift backend starts; an id that is taken is an error of the later one. */
  addPlatform(
    create: (context: DriftContext) => Platform | Promise<Platform>,
  ): void;
}

/** @public */
export const driftPlatformsExtensionPoint =
  createExtensionPoint<DriftPlatformsExtensionPoint>({ id: 'drift.platforms' });

/** @public */
export interface DriftDeclarationsExtensionPoint {
  addDeclarationSource(
    create: (
      context: DriftContext,
    ) => DeclarationSource | Promise<DeclarationSource>,
  ): void;
  addCustomResourceMapper(mapper: CustomResourceMapper): void;
}

/** @public */
export const driftDeclarationsExtensionPoint =
  createExtensionPoint<DriftDeclarationsExtensionPoint>({
    id: 'drift.declarations',
  });
