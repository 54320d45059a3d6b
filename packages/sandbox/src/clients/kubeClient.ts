// A small client of a Kubernetes API, for the seed and the command line: kinds by discovery, objects as plain JSON.
import { isObject, JsonObject } from '../konnect/json';
import { Endpoint, request } from './http';

/** A kind as discovery describes it. */
export interface KindInfo {
  /** `v1` or `group/version`. */
  apiVersion: string;
  kind: string;
  plural: string;
  shortNames: string[];
  namespaced: boolean;
}

/** Reads and writes objects of any kind that the server has. */
export class KubeClient {
  #kinds: KindInfo[] | undefined;

  constructor(private readonly endpoint: Endpoint) {}

  /** Every kind in every version, the group's preferred version first. */
  async kinds(): Promise<KindInfo[]> {
    if (!this.#kinds) {
      const groups = await this.#get('/apis');
      // A kind need not be served in its group's preferred version.
      const versions = (groups.groups as JsonObject[]).flatMap(group =>
        (group.versions as JsonObject[]).map(({ groupVersion }) =>
          String(groupVersion),
        ),
      );
      const lists = await Promise.all(
        ['v1', ...versions].map(async apiVersion => ({
          apiVersion,
          list: await this.#get(root(apiVersion)),
        })),
      );
      this.#kinds = lists.flatMap(({ apiVersion, list }) =>
        (list.resources as JsonObject[])
          .filter(({ name }) => !String(name).includes('/'))
          .map(resource => ({
            apiVersion,
            kind: String(resource.kind),
            plural: String(resource.name),
            shortNames: (resource.shortNames ?? []) as string[],
            namespaced: resource.namespaced === true,
          })),
      );
    }
    return this.#kinds;
  }

  /** By kind, plural or short name, in any case. @throws Error with what there is */
  async kind(name: string): Promise<KindInfo> {
    const wanted = name.toLowerCase();
    const kinds = await this.kinds();
    const found = kinds.find(({ kind, plural, shortNames }) =>
      [kind.toLowerCase(), plural, ...shortNames].includes(wanted),
    );
    if (!found) {
      const all = [...new Set(kinds.map(({ kind }) => kind))].sort();
      throw new Error(
        `There is no kind '${name}': there are ${all.join(', ')}`,
      );
    }
    return found;
  }

  async get(
    kind: KindInfo,
    name: string,
    namespace?: string,
  ): Promise<JsonObject> {
    return this.#get(pathOf(kind, namespace, name));
  }

  /** All objects of a kind, in one namespace or in all. */
  async list(kind: KindInfo, namespace?: string): Promise<JsonObject[]> {
    const { items } = await this.#get(pathOf(kind, namespace));
    return (items as JsonObject[]).map(item => ({
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      ...item,
    }));
  }

  async create(object: JsonObject, manager: string): Promise<JsonObject> {
    const { kind, namespace } = await this.#place(object);
    return this.#send(
      'POST',
      `${pathOf(kind, namespace)}?fieldManager=${manager}`,
      object,
    );
  }

  /** Replaces an object; refused when it has changed since it was read. */
  async replace(object: JsonObject, manager: string): Promise<JsonObject> {
    const { kind, namespace, name } = await this.#place(object);
    return this.#send(
      'PUT',
      `${pathOf(kind, namespace, name)}?fieldManager=${manager}`,
      object,
    );
  }

  /** Server-side apply; takes fields from other managers. */
  async apply(
    object: JsonObject,
    manager: string,
    subresource?: 'status',
  ): Promise<JsonObject> {
    const { kind, namespace, name } = await this.#place(object);
    const path = [pathOf(kind, namespace, name), subresource]
      .filter(Boolean)
      .join('/');
    return this.#send(
      'PATCH',
      `${path}?fieldManager=${manager}&force=true`,
      object,
      'application/apply-patch+yaml',
    );
  }

  /** A merge patch; `subresource` for scale and status. */
  async patch(
    kind: KindInfo,
    name: string,
    namespace: string | undefined,
    change: JsonObject,
    manager: string,
    subresource?: 'scale' | 'status',
  ): Promise<JsonObject> {
    const path = [pathOf(kind, namespace, name), subresource]
      .filter(Boolean)
      .join('/');
    return this.#send(
      'PATCH',
      `${path}?fieldManager=${manager}`,
      change,
      'application/merge-patch+json',
    );
  }

  async remove(
    kind: KindInfo,
    name: string,
    namespace?: string,
  ): Promise<void> {
    await request(this.endpoint, 'DELETE', pathOf(kind, namespace, name));
  }

  async #place(object: JsonObject) {
    const metadata = isObject(object.metadata) ? object.metadata : {};
    const { name, namespace } = metadata;
    if (typeof object.kind !== 'string' || typeof name !== 'string') {
      throw new Error('An object needs a kind and metadata.name');
    }
    const found = (await this.kinds()).find(({ kind }) => kind === object.kind);
    if (!found) {
      // A definition may have come since discovery was read.
      this.#kinds = undefined;
    }
    const info = found ?? (await this.kind(object.kind));
    return {
      kind: {
        ...info,
        apiVersion: String(object.apiVersion ?? info.apiVersion),
      },
      name,
      namespace: typeof namespace === 'string' ? namespace : undefined,
    };
  }

  async #get(path: string): Promise<JsonObject> {
    return this.#send('GET', path);
  }

  async #send(
    method: string,
    path: string,
    body?: JsonObject,
    contentType?: string,
  ): Promise<JsonObject> {
    const answer = await request(
      this.endpoint,
      method,
      path,
      body,
      contentType,
    );
    if (!answer)
      throw new Error(`${method} ${path}: the answer is no JSON object`);
    return answer;
  }
}

function root(apiVersion: string): string {
  return apiVersion.includes('/')
    ? `/apis/${apiVersion}`
    : `/api/${apiVersion}`;
}

function pathOf(kind: KindInfo, namespace?: string, name?: string): string {
  const place =
    kind.namespaced && (namespace || name)
      ? `/namespaces/${namespace ?? 'default'}`
      : '';
  const tail = name ? `/${encodeURIComponent(name)}` : '';
  return `${root(kind.apiVersion)}${place}/${kind.plural}${tail}`;
}
