// A small client of the Konnect API, for the command line: control planes and entities by name.
import { JsonObject } from '../konnect/json';
import { Collection, COLLECTIONS } from '../konnect/kinds';
import { Endpoint, request, RequestFailed } from './http';

/** What the server owns in an entity, and a PUT leaves out. */
const SERVER_OWNED = ['id', 'created_at', 'updated_at'];

/** Reads and writes entities of any collection. */
export class KonnectClient {
  constructor(private readonly endpoint: Endpoint) {}

  async controlPlanes(): Promise<JsonObject[]> {
    const answer = await request(
      this.endpoint,
      'GET',
      '/v2/control-planes?page%5Bsize%5D=1000',
    );
    return (answer?.data ?? []) as JsonObject[];
  }

  /** By name or ID. @throws Error with what there is */
  async controlPlaneId(nameOrId: string): Promise<string> {
    const planes = await this.controlPlanes();
    const found = planes.find(
      ({ id, name }) => name === nameOrId || id === nameOrId,
    );
    if (!found) {
      const names = planes.map(({ name }) => name).join(', ');
      throw new Error(
        `There is no control plane '${nameOrId}': there are ${names || 'none'}`,
      );
    }
    return String(found.id);
  }

  /** All entities of a collection. */
  async list(plane: string, collection: Collection): Promise<JsonObject[]> {
    const entities: JsonObject[] = [];
    let next: string | undefined = `${await this.#base(
      plane,
    )}/${collection}?size=1000`;
    while (next) {
      const answer: JsonObject | undefined = await request(
        this.endpoint,
        'GET',
        next,
      );
      entities.push(...((answer?.data ?? []) as JsonObject[]));
      next = typeof answer?.next === 'string' ? answer.next : undefined;
    }
    return entities;
  }

  /** By ID, by its own name, or by the name of the custom resource that declares it. @throws Error with what there is */
  async find(
    plane: string,
    collection: Collection,
    nameOrId: string,
  ): Promise<JsonObject> {
    const entities = await this.list(plane, collection);
    const found = entities.filter(
      entity =>
        entity.id === nameOrId ||
        labelOf(entity) === nameOrId ||
        declaredName(entity) === nameOrId,
    );
    if (found.length === 1) return found[0];
    const labels = entities.map(
      entity => declaredName(entity) ?? labelOf(entity) ?? entity.id,
    );
    throw new Error(
      found.length > 1
        ? `${
            found.length
          } ${collection} are called '${nameOrId}': name one by its ID: ${found
            .map(({ id }) => id)
            .join(', ')}`
        : `There is no '${nameOrId}' among the ${collection} of ${plane}: there are ${
            labels.join(', ') || 'none'
          }`,
    );
  }

  async create(
    plane: string,
    collection: Collection,
    body: JsonObject,
  ): Promise<JsonObject> {
    const path = await this.#pathOf(plane, collection, body);
    const created = await request(
      this.endpoint,
      'POST',
      path,
      withoutParent(collection, body),
    );
    return created ?? {};
  }

  /** Writes an entity as a whole, as it was read and changed. */
  async replace(
    plane: string,
    collection: Collection,
    entity: JsonObject,
  ): Promise<JsonObject> {
    const path = `${await this.#pathOf(plane, collection, entity)}/${
      entity.id
    }`;
    const body = Object.fromEntries(
      Object.entries(withoutParent(collection, entity)).filter(
        ([field]) => !SERVER_OWNED.includes(field),
      ),
    );
    return (await request(this.endpoint, 'PUT', path, body)) ?? {};
  }

  async remove(
    plane: string,
    collection: Collection,
    entity: JsonObject,
  ): Promise<void> {
    const path = `${await this.#pathOf(plane, collection, entity)}/${
      entity.id
    }`;
    await request(this.endpoint, 'DELETE', path);
  }

  async #base(plane: string): Promise<string> {
    const id = await this.controlPlaneId(plane);
    return `/v2/control-planes/${id}/core-entities`;
  }

  /** Targets are written under their upstream, everything else flat. */
  async #pathOf(
    plane: string,
    collection: Collection,
    entity: JsonObject,
  ): Promise<string> {
    const base = await this.#base(plane);
    if (collection !== 'targets') return `${base}/${collection}`;
    const { id } = (entity.upstream ?? {}) as { id?: string };
    if (!id) {
      throw new RequestFailed(
        0,
        'targets',
        'a target needs its upstream: upstream.id=<ID or name>',
      );
    }
    return `${base}/upstreams/${id}/targets`;
  }
}

function withoutParent(collection: Collection, entity: JsonObject): JsonObject {
  if (collection !== 'targets') return entity;
  const { upstream: _, ...rest } = entity;
  return rest;
}

/** What people call an entity. A plugin has no name of its own, but a kind. */
export function labelOf(entity: JsonObject): string | undefined {
  const label =
    entity.username ??
    entity.instance_name ??
    entity.name ??
    entity.target ??
    entity.custom_id;
  return typeof label === 'string' ? label : undefined;
}

/** The name of the custom resource that an entity belongs to, by the tags of Kong's operator. */
export function declaredName({ tags }: JsonObject): string | undefined {
  const tag = Array.isArray(tags)
    ? tags.find(item => String(item).startsWith('k8s-name:'))
    : undefined;
  return tag === undefined ? undefined : String(tag).slice('k8s-name:'.length);
}

/** A word of the command line as a collection. @throws Error with what there is */
export function asCollection(word: string): Collection {
  const found = COLLECTIONS.find(collection => collection === word);
  if (!found) {
    throw new Error(
      `There is no collection '${word}': there are ${COLLECTIONS.join(', ')}`,
    );
  }
  return found;
}
