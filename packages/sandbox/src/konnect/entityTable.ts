// The entities of one kind in one control plane: by ID, in ID order, and by their unique keys.
import { EntityKind } from './kinds';
import { JsonObject, stableText } from './json';

/** A stored entity: always with an ID. */
export type Entity = JsonObject & { id: string };

/** One kind's entities. Reads hand out the stored objects: whoever gets one must not change it. */
export class EntityTable {
  readonly #byId = new Map<string, Entity>();
  readonly #byKey = new Map<string, string>();
  #sortedIds: string[] | undefined;
  /** Kept until something changes: every page of a long list asks for it. */
  #all: Entity[] | undefined;

  constructor(readonly kind: EntityKind) {}

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): Entity | undefined {
    return this.#byId.get(id);
  }

  /** All of them in the order of their IDs, which is the order of pages. Not a copy: do not change it. */
  all(): Entity[] {
    this.#all ??= this.ids().flatMap(id => this.#byId.get(id) ?? []);
    return this.#all;
  }

  /** The IDs in order. */
  ids(): string[] {
    this.#sortedIds ??= [...this.#byId.keys()].sort();
    return this.#sortedIds;
  }

  /** The first unique key that another entity than this one already has, as the name of its first field. */
  takenKey(entity: Entity): { field: string; value: string } | undefined {
    for (const { fields, key } of this.#keysOf(entity)) {
      const holder = this.#byKey.get(key);
      if (holder !== undefined && holder !== entity.id) {
        return { field: fields[0], value: String(entity[fields[0]]) };
      }
    }
    return undefined;
  }

  put(entity: Entity): void {
    this.#all = undefined;
    const previous = this.#byId.get(entity.id);
    if (previous) {
      this.#keysOf(previous).forEach(({ key }) => this.#byKey.delete(key));
    } else {
      this.#sortedIds = undefined;
    }
    this.#byId.set(entity.id, entity);
    this.#keysOf(entity).forEach(({ key }) => this.#byKey.set(key, entity.id));
  }

  delete(id: string): void {
    const previous = this.#byId.get(id);
    if (!previous) return;
    this.#all = undefined;
    this.#keysOf(previous).forEach(({ key }) => this.#byKey.delete(key));
    this.#byId.delete(id);
    this.#sortedIds = undefined;
  }

  #keysOf(entity: Entity): Array<{ fields: string[]; key: string }> {
    return this.kind.unique
      .filter(
        ({ fields, nullsCount }) =>
          nullsCount || fields.every(field => entity[field] !== undefined),
      )
      .map(({ fields }) => ({
        fields,
        key: `${fields.join()}=${stableText(
          fields.map(f => entity[f] ?? null),
        )}`,
      }));
  }
}
