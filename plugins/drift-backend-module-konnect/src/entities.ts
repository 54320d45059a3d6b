/** The requests for core entities: read one, list them, memberships of consumers. The table of kinds says how. */
import {
  at,
  isPlatformError,
  PlatformError,
  textAt,
} from '@plumbline/backstage-plugin-drift-node';
import type { Json } from '@plumbline/drift-engine';
import type { KonnectClient, KonnectRequest, Priority } from './client';
import type { ControlPlane } from './controlPlane';
import { kindOf, type Collection, type KonnectKind } from './kinds';
import {
  isEntity,
  readAll,
  readPages,
  type RawEntity,
  type RawPage,
} from './pages';

/** Where one entity is. `id` may be a name where the kind's row allows it. */
export interface EntityAddress {
  collection: Collection;
  id: string;
  /** Id (or name) of the parent, for nested kinds. */
  parentId?: string;
}

/** @see EntityAddress */
export class Entities {
  readonly #client: KonnectClient;
  readonly #controlPlane: ControlPlane;
  readonly #pageSize: number;

  constructor(
    client: KonnectClient,
    controlPlane: ControlPlane,
    pageSize: number,
  ) {
    this.#client = client;
    this.#controlPlane = controlPlane;
    this.#pageSize = pageSize;
  }

  /**
   * Reads one entity.
   *
   * @returns `undefined` on a 404, which means "not there" only once the control plane is known to be there.
   */
  async read(
    address: EntityAddress,
    signal: AbortSignal,
  ): Promise<RawEntity | undefined> {
    const kind = kindOf(address.collection);
    let body: Json | undefined;
    try {
      body = await this.#send('GET', relativePath(kind, address), { signal });
    } catch (error) {
      if (isPlatformError(error) && error.status === 404) {
        return undefined;
      }
      throw error;
    }
    return unwrap(kind, body);
  }

  /** The pages of a collection. Nested kinds are read from their flat list: one list instead of one per parent. */
  async *pages(
    collection: Collection,
    options: {
      signal: AbortSignal;
      priority?: Priority;
      filter?: Record<string, string>;
      knows?: (digest: string) => boolean;
    },
  ): AsyncGenerator<RawPage> {
    const base = await this.#controlPlane.entitiesPath(options.signal);
    try {
      yield* readPages(this.#client, {
        path: `${base}/${collection}`,
        noun: collection,
        size: this.#pageSize,
        ...options,
      });
    } catch (error) {
      throw await this.#explain(error, options.signal, 'transient');
    }
  }

  /** The whole of a collection, or of what `filter` leaves of it. */
  async all(
    collection: Collection,
    options: {
      signal: AbortSignal;
      priority?: Priority;
      filter?: Record<string, string>;
    },
  ): Promise<RawEntity[]> {
    const all: RawEntity[] = [];
    for await (const page of this.pages(collection, options)) {
      all.push(...page.entities());
    }
    return all;
  }

  /** The consumers of one group; `undefined` where the group itself is not there (any more). */
  async membersOf(
    groupId: string,
    options: { signal: AbortSignal; priority?: Priority },
  ): Promise<RawEntity[] | undefined> {
    return this.#nested('consumer_groups', groupId, 'consumers', options);
  }

  /** The groups of one consumer; `undefined` where the consumer itself is not there (any more). */
  async groupsOf(
    consumerId: string,
    options: { signal: AbortSignal; priority?: Priority },
  ): Promise<RawEntity[] | undefined> {
    return this.#nested('consumers', consumerId, 'consumer_groups', options);
  }

  /**
   * Writes below the core entities. `path` has its segments encoded.
   *
   * @throws PlatformError `conflict` where what the path names is gone although the control plane is there.
   */
  async write(
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    options: { signal: AbortSignal; body?: Json },
  ): Promise<Json | undefined> {
    try {
      return await this.#send(method, path, options);
    } catch (error) {
      throw await this.#explain(error, options.signal, 'conflict');
    }
  }

  /** The description of a plugin's configuration; `undefined` where Konnect does not know the plugin. */
  async pluginSchema(
    name: string,
    signal: AbortSignal,
  ): Promise<Json | undefined> {
    try {
      return await this.#send(
        'GET',
        `schemas/plugins/${encodeURIComponent(name)}`,
        { signal },
      );
    } catch (error) {
      if (isPlatformError(error) && error.status === 404) {
        return undefined;
      }
      throw error;
    }
  }

  /** A 404 tells of the control plane's end only if the control plane itself says so. */
  async #explain(
    error: unknown,
    signal: AbortSignal,
    otherwise: 'transient' | 'conflict',
  ): Promise<unknown> {
    if (!isPlatformError(error) || error.classification !== 'gone') {
      return error;
    }
    await this.#controlPlane.confirm(signal);
    return new PlatformError(otherwise, error.message, {
      status: error.status,
      cause: error,
    });
  }

  async #send(
    method: KonnectRequest['method'],
    path: string,
    options: { signal: AbortSignal; body?: Json; priority?: Priority },
  ): Promise<Json | undefined> {
    const base = await this.#controlPlane.entitiesPath(options.signal);
    return this.#client.send({
      method,
      path: `${base}/${path}`,
      what: `${method} ${decodeURIComponent(path)}`,
      ...options,
    });
  }

  async #nested(
    parent: Collection,
    parentId: string,
    collection: Collection,
    options: { signal: AbortSignal; priority?: Priority },
  ): Promise<RawEntity[] | undefined> {
    const base = await this.#controlPlane.entitiesPath(options.signal);
    try {
      return await readAll(this.#client, {
        path: `${base}/${parent}/${encodeURIComponent(parentId)}/${collection}`,
        noun: `${collection} of one of the ${parent}`,
        size: this.#pageSize,
        ...options,
      });
    } catch (error) {
      if (isPlatformError(error) && error.status === 404) {
        return undefined;
      }
      throw error;
    }
  }
}

/** The path of one entity below the core entities. */
export function relativePath(
  kind: KonnectKind,
  { id, parentId }: Omit<EntityAddress, 'collection'>,
): string {
  const own = `${kind.collection}/${encodeURIComponent(id)}`;
  if (!kind.nestedUnder) {
    return own;
  }
  if (!parentId) {
    throw new PlatformError(
      'invalid',
      `A ${kind.noun} can only be reached under one of the ${kind.nestedUnder.collection}, and which one is not known`,
    );
  }
  return `${kind.nestedUnder.collection}/${encodeURIComponent(
    parentId,
  )}/${own}`;
}

/** The entity of an answer, out of its wrapper if it has one. */
export function unwrap(kind: KonnectKind, body: Json | undefined): RawEntity {
  const inner = (kind.wrapper && at(body, kind.wrapper)) ?? body;
  if (!isEntity(inner)) {
    throw new PlatformError(
      'transient',
      `Konnect's answer about a ${kind.noun} is no entity`,
    );
  }
  return inner;
}

/** The name of a consumer group, which is how memberships are declared and shown. */
export function groupName(group: RawEntity): string {
  return textAt(group, 'name') ?? group.id;
}
