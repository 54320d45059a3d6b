/*
 * Which kinds a cluster serves, and under which path. "Not served" is only said on the server's own word: a list of
 * the version's resources without the kind, or a list of all groups without the group.
 */
import type { Json } from '@plumbline/drift-engine';
import { isObject, listAt, textAt } from '../json';
import { type Gvk, groupVersionPath } from '../gvk';
import type { ClusterConnection, Priority } from './connection';
import { ClusterError, malformed } from './errors';

/** A kind that the cluster serves. */
export interface ServedKind {
  plural: string;
  namespaced: boolean;
}

type Kinds = ReadonlyMap<string, ServedKind>;

/** A new kind is seen within half a minute; a known one is asked for again only every ten. */
const SERVED_FOR = 10 * 60_000;
const NOT_SERVED_FOR = 30_000;

interface Cached {
  kinds: Kinds;
  readAt: number;
}

export class Discovery {
  private readonly cache = new Map<string, Cached>();

  constructor(
    private readonly connection: ClusterConnection,
    private readonly now: () => number,
  ) {}

  /** The kind as it is served, or `undefined` on the server's word that it is not. Throws `PlatformError`. */
  async find(
    gvk: Gvk,
    options: { signal: AbortSignal; priority: Priority },
  ): Promise<ServedKind | undefined> {
    const cached = this.cache.get(gvk.apiVersion);
    const age = cached ? this.now() - cached.readAt : Infinity;
    const known = cached?.kinds.get(gvk.kind);
    if (known && age < SERVED_FOR) {
      return known;
    }
    if (cached && !known && age < NOT_SERVED_FOR) {
      return undefined;
    }
    return (await this.read(gvk.apiVersion, options)).get(gvk.kind);
  }

  /** The kind as it is served; throws `PlatformError` `gone` where it is not. */
  async require(
    gvk: Gvk,
    options: { signal: AbortSignal; priority: Priority },
  ): Promise<ServedKind> {
    const served = await this.find(gvk, options);
    if (!served) {
      throw new ClusterError(
        'gone',
        `cluster ${this.connection.name} does not serve ${gvk.apiVersion} ${gvk.kind}`,
        {},
      );
    }
    return served;
  }

  /** Versions of a group, the server's favourite first; none where the group is not served. */
  async versions(
    group: string,
    options: { signal: AbortSignal; priority: Priority },
  ): Promise<string[]> {
    if (group === '') {
      return ['v1'];
    }
    const entry = await this.groupEntry(group, options);
    const preferred = textAt(entry, 'preferredVersion', 'version');
    const all = listAt(entry, 'versions')
      .map(version => textAt(version, 'version'))
      .filter(version => version !== undefined);
    return [...new Set([...(preferred ? [preferred] : []), ...all])];
  }

  /** Forgets what is known of a group version: a path of it answered unexpectedly. */
  forget(apiVersion: string): void {
    this.cache.delete(apiVersion);
  }

  private async read(
    apiVersion: string,
    options: { signal: AbortSignal; priority: Priority },
  ): Promise<Kinds> {
    const kinds = await this.readKinds(apiVersion, options);
    this.cache.set(apiVersion, { kinds, readAt: this.now() });
    return kinds;
  }

  private async readKinds(
    apiVersion: string,
    options: { signal: AbortSignal; priority: Priority },
  ): Promise<Kinds> {
    const path = groupVersionPath({ apiVersion });
    try {
      const { body } = await this.connection.get(path, options);
      return this.parseKinds(body, path);
    } catch (error) {
      if (!(error instanceof ClusterError && error.status === 404)) {
        throw error;
      }
      // Anything between us and the server can answer 404: only the server's own list of groups counts.
      const [version, group = ''] = apiVersion.split('/').reverse();
      const served =
        group !== '' && (await this.versions(group, options)).includes(version);
      if (served || group === '') {
        throw malformed(
          this.connection.name,
          `GET ${path}`,
          'it answered 404, although it says that it serves this version',
        );
      }
      return new Map();
    }
  }

  private parseKinds(body: Json, path: string): Kinds {
    if (textAt(body, 'kind') !== 'APIResourceList') {
      throw malformed(
        this.connection.name,
        `GET ${path}`,
        'it is not a list of resources',
      );
    }
    const kinds = new Map<string, ServedKind>();
    for (const resource of listAt(body, 'resources')) {
      const kind = textAt(resource, 'kind');
      const plural = textAt(resource, 'name');
      // Subresources (`deployments/scale`) are not kinds of their own.
      if (isObject(resource) && kind && plural && !plural.includes('/')) {
        kinds.set(kind, { plural, namespaced: resource.namespaced === true });
      }
    }
    return kinds;
  }

  private async groupEntry(
    group: string,
    options: { signal: AbortSignal; priority: Priority },
  ): Promise<Json | undefined> {
    const { body } = await this.connection.get('/apis', options);
    if (textAt(body, 'kind') !== 'APIGroupList') {
      throw malformed(
        this.connection.name,
        'GET /apis',
        'it is not a list of groups',
      );
    }
    return listAt(body, 'groups').find(
      entry => textAt(entry, 'name') === group,
    );
  }
}
