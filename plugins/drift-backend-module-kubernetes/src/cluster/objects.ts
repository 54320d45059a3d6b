/* Reads of whole kinds and of single objects, complete or not at all. */
import type { Json, JsonObject } from '@plumbline/drift-engine';
import { at, isObject, textAt } from '@plumbline/backstage-plugin-drift-node';
import {
  describeObject,
  formatKind,
  type Gvk,
  type ObjectName,
  resourcePath,
} from '../gvk';
import type { ClusterConnection, Priority } from './connection';
import { ClusterError, malformed, saysObjectIsAbsent } from './errors';
import type { Discovery, FindOptions, ServedKind } from './discovery';

const PAGE = '500';
/** A list whose cursor expires this often cannot be read while it changes so fast. */
const MAX_RESTARTS = 3;

/** Kinds whose objects are made of secret values. */
export function isSensitive(gvk: Gvk): boolean {
  return gvk.group === '' && gvk.kind === 'Secret';
}

export class ClusterObjects {
  constructor(
    private readonly connection: ClusterConnection,
    private readonly discovery: Discovery,
  ) {}

  /**
   * Lists a kind page by page; nothing where the cluster says that it does not serve the kind. Returning normally
   * means complete. A page may come twice where the server's cursor expired half way.
   *
   * @param namespaces - only these; all where absent or where the kind is cluster-scoped
   */
  async *list(
    gvk: Gvk,
    options: FindOptions & { namespaces?: readonly string[] },
  ): AsyncIterable<JsonObject[]> {
    const served = await this.discovery.find(gvk, options);
    if (!served) {
      return;
    }
    const scopes = served.namespaced
      ? options.namespaces ?? [undefined]
      : [undefined];
    for (const namespace of scopes) {
      const path = resourcePath(gvk, served.plural, namespace);
      yield* this.listPath(gvk, path, options);
    }
  }

  private async *listPath(
    gvk: Gvk,
    path: string,
    options: FindOptions,
  ): AsyncIterable<JsonObject[]> {
    let restarts = 0;
    let cursor: string | undefined;
    do {
      let page: ListPage;
      try {
        page = await this.page(gvk, path, cursor, options);
      } catch (error) {
        const expired = error instanceof ClusterError && error.status === 410;
        if (expired && cursor && restarts < MAX_RESTARTS) {
          restarts++;
          cursor = undefined;
          continue;
        }
        throw await this.explain(error, gvk, options);
      }
      yield page.items;
      cursor = page.cursor;
      if (cursor === undefined) {
        return;
      }
    } while (!options.signal.aborted);
    options.signal.throwIfAborted();
  }

  private async page(
    gvk: Gvk,
    path: string,
    cursor: string | undefined,
    options: { signal: AbortSignal; priority: Priority },
  ): Promise<ListPage> {
    const { signal, priority } = options;
    const { body } = await this.connection.get(path, {
      signal,
      priority,
      sensitive: isSensitive(gvk),
      query: { limit: PAGE, continue: cursor },
    });
    return parsePage(this.connection.name, path, gvk, body);
  }

  /** The position from which a watch of this path can start, read without reading the objects. */
  async position(
    gvk: Gvk,
    path: string,
    options: { signal: AbortSignal; priority: Priority },
  ): Promise<string> {
    const { body } = await this.connection.get(path, {
      ...options,
      sensitive: isSensitive(gvk),
      query: { limit: '1' },
    });
    const version = textAt(body, 'metadata', 'resourceVersion');
    if (!version) {
      throw malformed(
        this.connection.name,
        `GET ${path}`,
        'the list has no resourceVersion',
      );
    }
    return version;
  }

  /**
   * A fresh, quorum read of one object. `undefined` is the server's word that it does not exist; throws `gone` where
   * the kind is not served.
   */
  async get(
    object: ObjectName,
    options: FindOptions,
  ): Promise<JsonObject | undefined> {
    const { gvk, namespace, name } = object;
    const served = await this.discovery.require(gvk, options);
    const path = this.pathOf(object, served);
    try {
      const { body } = await this.connection.get(path, {
        signal: options.signal,
        priority: options.priority,
        sensitive: isSensitive(gvk),
      });
      const right =
        isObject(body) &&
        textAt(body, 'kind') === gvk.kind &&
        textAt(body, 'metadata', 'name') === name &&
        textAt(body, 'metadata', 'namespace') ===
          (served.namespaced ? namespace : undefined) &&
        textAt(body, 'metadata', 'resourceVersion') !== undefined;
      if (!right) {
        throw malformed(
          this.connection.name,
          `GET ${path}`,
          `it is not the ${describeObject(object)} that was asked for`,
        );
      }
      return body;
    } catch (error) {
      if (saysObjectIsAbsent(error, name)) {
        return undefined;
      }
      throw await this.explain(error, gvk, options);
    }
  }

  /** Path of an object; throws `invalid` where a namespace is missing. */
  pathOf(object: ObjectName, served: ServedKind): string {
    const { gvk, namespace, name } = object;
    if (served.namespaced && !namespace) {
      throw new ClusterError(
        'invalid',
        `${describeObject(object)} needs a namespace: its kind is namespaced`,
        {},
      );
    }
    return resourcePath(
      gvk,
      served.plural,
      served.namespaced ? namespace : undefined,
      name,
    );
  }

  /** A 404 of a whole path: gone where the server confirms that it no longer serves the kind, a passing fault otherwise. */
  private async explain(
    error: unknown,
    gvk: Gvk,
    options: FindOptions,
  ): Promise<unknown> {
    if (!(error instanceof ClusterError && error.status === 404)) {
      return error;
    }
    this.discovery.forget(gvk.apiVersion);
    const served = await this.discovery.find(gvk, options);
    return new ClusterError(
      served ? 'transient' : 'gone',
      served
        ? `cluster ${this.connection.name} answered 404 for ${formatKind(
            gvk,
          )}, which it says it serves`
        : `cluster ${this.connection.name} no longer serves ${formatKind(gvk)}`,
      { status: 404 },
    );
  }
}

interface ListPage {
  items: JsonObject[];
  cursor: string | undefined;
}

/** Checks that a page is what it says it is: a failing server's empty answer must not read as "nothing there". */
function parsePage(
  cluster: string,
  path: string,
  gvk: Gvk,
  body: Json,
): ListPage {
  const items = at(body, 'items');
  const kind = textAt(body, 'kind');
  const isList =
    kind?.endsWith('List') &&
    textAt(body, 'metadata', 'resourceVersion') !== undefined &&
    (Array.isArray(items) || items === null);
  if (!isList) {
    throw malformed(cluster, `GET ${path}`, 'it is not a list of objects');
  }
  const cursor = textAt(body, 'metadata', 'continue');
  const remaining = at(body, 'metadata', 'remainingItemCount');
  if (!cursor && typeof remaining === 'number' && remaining > 0) {
    throw malformed(cluster, `GET ${path}`, 'the list ends early');
  }
  const objects = (items ?? []) as Json[];
  return {
    cursor,
    items: objects.map(item => {
      if (!isObject(item) || !textAt(item, 'metadata', 'name')) {
        throw malformed(cluster, `GET ${path}`, 'an object in it has no name');
      }
      // Items of a typed list come without these two.
      return { ...item, apiVersion: gvk.apiVersion, kind: gvk.kind };
    }),
  };
}
