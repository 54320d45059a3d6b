/*
 * Which kinds a cluster serves, and under which path. "Not served" is only said on the server's own word: a list of
 * the version's resources without the kind, or a list of all groups without the version. What is served is known for a
 * while, since a path that is gone answers 404; what is not served is asked again, because nothing would contradict it.
 */
import type { Json } from '@plumbline/drift-engine';
import {
  isObject,
  listAt,
  textAt,
} from '@plumbline/backstage-plugin-drift-node';
import { type Gvk, groupVersionPath, makeGvk } from '../gvk';
import type { ClusterConnection, Priority } from './connection';
import { ClusterError, malformed } from './errors';
import { type Answer, ANY_TIME, Kept, type Moment, Moments } from './kept';

/** A kind that the cluster serves. */
export interface ServedKind {
  plural: string;
  namespaced: boolean;
}

/** How something is looked up. */
export interface FindOptions {
  signal: AbortSignal;
  priority: Priority;
  /**
   * "Not served" must have been read after this moment; freshly where absent. A bulk read takes one moment for all that
   * it looks up, and {@link ANY_TIME} is for those to whom it makes no object look absent.
   */
  since?: Moment;
}

type Kinds = ReadonlyMap<string, ServedKind>;
/** Versions by group, the server's favourite first. */
type Groups = ReadonlyMap<string, readonly string[]>;

const SERVED_FOR = 10 * 60_000;
const NOT_SERVED_FOR = 60_000;

export class Discovery {
  private readonly moments = new Moments();
  private readonly kinds = new Map<string, Kept<Kinds>>();
  private readonly groups: Kept<Groups>;

  constructor(
    private readonly connection: ClusterConnection,
    private readonly now: () => number,
  ) {
    this.groups = new Kept(this.moments, now);
  }

  /** Now, for `since`. */
  moment(): Moment {
    return this.moments.next();
  }

  /** The kind as it is served, or `undefined` on the server's word that it is not. Throws `PlatformError`. */
  async find(gvk: Gvk, options: FindOptions): Promise<ServedKind | undefined> {
    const since = options.since ?? this.moment();
    const kinds = await this.keptKinds(gvk.apiVersion).get(
      answer => this.isGood(answer, answer.value.has(gvk.kind), since),
      () => this.readKinds(gvk, { ...options, since }),
    );
    return kinds.get(gvk.kind);
  }

  /** The kind as it is served; throws `PlatformError` `gone` where it is not. */
  async require(gvk: Gvk, options: FindOptions): Promise<ServedKind> {
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

  /** The version at which a kind is served, the server's favourite first; `undefined` on its word that there is none. */
  async findVersion(
    group: string,
    kind: string,
    options: FindOptions,
  ): Promise<Gvk | undefined> {
    const since = options.since ?? this.moment();
    // What is known may do; only what is asked freshly says that there is none.
    for (const acceptable of [ANY_TIME, since]) {
      const asked = { ...options, since: acceptable };
      for (const version of await this.versions(group, asked)) {
        const gvk = makeGvk(group, version, kind);
        if (await this.find(gvk, asked)) {
          return gvk;
        }
      }
    }
    return undefined;
  }

  /** Forgets what is known of a group version: a path of it answered unexpectedly. */
  forget(apiVersion: string): void {
    this.kinds.get(apiVersion)?.forget();
    this.groups.forget();
  }

  private isGood(
    answer: Answer<unknown>,
    served: boolean,
    since: Moment,
  ): boolean {
    const age = this.now() - answer.askedAt;
    return served
      ? age < SERVED_FOR
      : age < NOT_SERVED_FOR && answer.asked > since;
  }

  private keptKinds(apiVersion: string): Kept<Kinds> {
    const kept =
      this.kinds.get(apiVersion) ?? new Kept<Kinds>(this.moments, this.now);
    this.kinds.set(apiVersion, kept);
    return kept;
  }

  private async readKinds(
    gvk: Gvk,
    options: FindOptions & { since: Moment },
  ): Promise<Kinds> {
    if (!(await this.servesVersion(gvk, options))) {
      return new Map();
    }
    const path = groupVersionPath(gvk);
    try {
      const { body } = await this.connection.get(path, options);
      return this.parseKinds(body, path);
    } catch (error) {
      if (!(error instanceof ClusterError && error.status === 404)) {
        throw error;
      }
    }
    // Anything between us and the server can answer 404: only the server's own list of groups counts.
    this.groups.forget();
    if (await this.servesVersion(gvk, options)) {
      throw malformed(
        this.connection.name,
        `GET ${path}`,
        'it answered 404, although it says that it serves this version',
      );
    }
    return new Map();
  }

  private async servesVersion(
    gvk: Gvk,
    options: FindOptions & { since: Moment },
  ): Promise<boolean> {
    const versions = await this.versions(gvk.group, options, gvk.version);
    return versions.includes(gvk.version);
  }

  /** @param wanted - the one version that matters; all of them where absent */
  private async versions(
    group: string,
    options: FindOptions & { since: Moment },
    wanted?: string,
  ): Promise<readonly string[]> {
    if (group === '') {
      return ['v1'];
    }
    const { since } = options;
    const groups = await this.groups.get(
      answer => {
        const versions = answer.value.get(group) ?? [];
        const found = wanted ? versions.includes(wanted) : versions.length > 0;
        return (
          this.isGood(answer, found, since) &&
          // A further version may have come since.
          (wanted !== undefined || since === ANY_TIME || answer.asked > since)
        );
      },
      () => this.readGroups(options),
    );
    return groups.get(group) ?? [];
  }

  private async readGroups(options: FindOptions): Promise<Groups> {
    const { body } = await this.connection.get('/apis', options);
    if (textAt(body, 'kind') !== 'APIGroupList') {
      throw malformed(
        this.connection.name,
        'GET /apis',
        'it is not a list of groups',
      );
    }
    return new Map(
      listAt(body, 'groups').map(entry => {
        const versions = [
          textAt(entry, 'preferredVersion', 'version'),
          ...listAt(entry, 'versions').map(one => textAt(one, 'version')),
        ].filter(version => version !== undefined);
        return [textAt(entry, 'name') ?? '', [...new Set(versions)]];
      }),
    );
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
}
