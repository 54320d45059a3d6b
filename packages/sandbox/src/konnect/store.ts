// The state of the Konnect stand-in and its rules; the HTTP side only translates to and from it.
import {
  ControlPlane,
  ControlPlaneInput,
  newControlPlane,
  patchControlPlane,
} from './controlPlane';
import { Entity } from './entityTable';
import {
  constraintError,
  entityNotFound,
  fieldProblem,
  validationError,
} from './errors';
import { Journal, JournalEntry } from './journal';
import { clone, isObject, JsonObject } from './json';
import { Collection, isUuid, KINDS } from './kinds';
import {
  childrenOf,
  standInHash,
  isWithin,
  loadPlane,
  newPlane,
  ParentRef,
  Plane,
  referring,
  SavedPlane,
  savePlane,
} from './plane';
import { readEntity } from './readEntity';

/** Everything that a {@link KonnectStore} holds, as plain JSON. */
export interface KonnectSnapshot {
  controlPlanes: SavedPlane[];
  journal: JournalEntry[];
}

/** Where time and IDs come from, and who wants to know of changes. */
export interface StoreOptions {
  /** Milliseconds since the epoch. */
  now: () => number;
  uuid: () => string;
  /** Called after every change of the state. */
  onChange?: () => void;
}

/** The stand-in's state. Methods throw `KonnectAnswer` with the answer that the API would give. */
export class KonnectStore {
  readonly journal: Journal;
  readonly #planes = new Map<string, Plane>();
  readonly #options: StoreOptions;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.journal = new Journal(options.now);
  }

  // --- control planes -------------------------------------------------

  /** All control planes, oldest first. */
  controlPlanes(): ControlPlane[] {
    return [...this.#planes.values()].map(plane =>
      structuredClone(plane.controlPlane),
    );
  }

  controlPlane(id: string): ControlPlane | undefined {
    const plane = this.#planes.get(id);
    return plane && structuredClone(plane.controlPlane);
  }

  /** @returns undefined when the name is taken. */
  createControlPlane(
    input: ControlPlaneInput,
    by: string,
    id: string = this.#options.uuid(),
  ): ControlPlane | undefined {
    if (this.controlPlanes().some(({ name }) => name === input.name)) {
      return undefined;
    }
    const controlPlane = newControlPlane(id, input, this.#isoNow());
    this.#planes.set(
      id,
      newPlane(controlPlane, Math.floor(this.#options.now() / 1000)),
    );
    this.#changed({
      by,
      action: 'create',
      controlPlane: id,
      collection: 'control-planes',
      id,
      after: controlPlane as unknown as JsonObject,
    });
    return structuredClone(controlPlane);
  }

  /** @returns undefined when there is none with this ID. */
  patchControlPlane(
    id: string,
    input: ControlPlaneInput,
    by: string,
  ): ControlPlane | undefined {
    const plane = this.#planes.get(id);
    if (!plane) return undefined;
    const before = plane.controlPlane;
    plane.controlPlane = patchControlPlane(before, input, this.#isoNow());
    this.#changed({
      by,
      action: 'update',
      controlPlane: id,
      collection: 'control-planes',
      id,
      before: before as unknown as JsonObject,
      after: plane.controlPlane as unknown as JsonObject,
    });
    return structuredClone(plane.controlPlane);
  }

  /** Deletes it with everything in it. @returns false when there is none with this ID. */
  deleteControlPlane(id: string, by: string): boolean {
    const plane = this.#planes.get(id);
    if (!plane) return false;
    this.#planes.delete(id);
    this.#changed({
      by,
      action: 'delete',
      controlPlane: id,
      collection: 'control-planes',
      id,
      before: plane.controlPlane as unknown as JsonObject,
    });
    return true;
  }

  /** With the stand-in's own hash in the place of Konnect's. */
  configHash(controlPlaneId: string): {
    expected_hash: string;
    created_at: number;
    updated_at: number;
  } {
    const plane = this.#plane(controlPlaneId);
    plane.hash ??= standInHash(plane);
    return {
      expected_hash: plane.hash,
      created_at: Math.floor(Date.parse(plane.controlPlane.created_at) / 1000),
      updated_at: plane.configUpdatedAt,
    };
  }

  // --- entities -------------------------------------------------------

  /** The entities of a collection, in the order of their IDs. Not copies: do not change them. */
  list(controlPlaneId: string, collection: Collection): readonly Entity[] {
    return this.#plane(controlPlaneId).tables[collection].all();
  }

  /** By ID or by name. @throws KonnectAnswer 404 */
  get(
    controlPlaneId: string,
    collection: Collection,
    idOrName: string,
  ): Entity {
    const found = this.find(controlPlaneId, collection, idOrName);
    if (!found) throw entityNotFound();
    return found;
  }

  /** By ID or by name; undefined when there is none. */
  find(
    controlPlaneId: string,
    collection: Collection,
    idOrName: string,
    within?: ParentRef,
  ): Entity | undefined {
    const table = this.#plane(controlPlaneId).tables[collection];
    const found = isUuid(idOrName)
      ? table.get(idOrName.toLowerCase())
      : table
          .all()
          .find(
            entity =>
              entity[KINDS[collection].nameField] === idOrName &&
              (!within || isWithin(entity, within)),
          );
    if (found && within && !isWithin(found, within)) return undefined;
    return found && clone(found);
  }

  /** @throws KonnectAnswer 400 */
  create(
    controlPlaneId: string,
    collection: Collection,
    input: JsonObject,
    by: string,
  ): Entity {
    const plane = this.#plane(controlPlaneId);
    const id =
      typeof input.id === 'string' ? input.id.toLowerCase() : undefined;
    if (id !== undefined && plane.tables[collection].get(id)) {
      throw constraintError(
        'id',
        `id (type: unique) constraint failed for value '${id}'`,
      );
    }
    return this.#write(
      plane,
      collection,
      id ?? this.#options.uuid(),
      input,
      by,
    );
  }

  /**
   * PUT: creates or replaces; what `input` omits goes back to its default.
   *
   * @throws KonnectAnswer 400
   */
  upsert(
    controlPlaneId: string,
    collection: Collection,
    idOrName: string,
    input: JsonObject,
    by: string,
    within?: ParentRef,
  ): Entity {
    const plane = this.#plane(controlPlaneId);
    const { nameField } = KINDS[collection];
    if (isUuid(idOrName)) {
      const id = idOrName.toLowerCase();
      if (typeof input.id === 'string' && input.id.toLowerCase() !== id) {
        throw validationError([
          fieldProblem('id', 'must be the ID in the path of the request'),
        ]);
      }
      return this.#write(plane, collection, id, input, by);
    }
    const existing = this.find(controlPlaneId, collection, idOrName, within);
    const named = { ...input, [nameField]: input[nameField] ?? idOrName };
    return this.#write(
      plane,
      collection,
      existing?.id ?? this.#options.uuid(),
      named,
      by,
    );
  }

  /** Deletes an entity and what cascades from it; nothing happens when there is none. @throws KonnectAnswer 400 when it is still referenced */
  delete(
    controlPlaneId: string,
    collection: Collection,
    idOrName: string,
    by: string,
    within?: ParentRef,
  ): void {
    const plane = this.#plane(controlPlaneId);
    const entity = this.find(controlPlaneId, collection, idOrName, within);
    if (!entity) return;
    for (const { collection: child, field, onDelete } of childrenOf(
      collection,
    )) {
      if (
        onDelete === 'refuse' &&
        referring(plane, child, field, entity.id).length > 0
      ) {
        throw constraintError(
          'id',
          `id (type: foreign) constraint failed: this ${KINDS[collection].noun} is still referenced by ${child}`,
        );
      }
    }
    for (const { collection: child, field } of childrenOf(collection)) {
      referring(plane, child, field, entity.id).forEach(dependent =>
        this.delete(controlPlaneId, child, dependent.id, by),
      );
    }
    if (collection === 'consumers') {
      plane.members.forEach(members => members.delete(entity.id));
    }
    if (collection === 'consumer_groups') plane.members.delete(entity.id);
    plane.tables[collection].delete(entity.id);
    this.#configChanged(plane, {
      by,
      action: 'delete',
      controlPlane: controlPlaneId,
      collection,
      id: entity.id,
      before: entity,
    });
  }

  // --- consumer group membership --------------------------------------

  /** The consumers of a group. @throws KonnectAnswer 404 */
  membersOf(controlPlaneId: string, groupIdOrName: string): Entity[] {
    const plane = this.#plane(controlPlaneId);
    const group = this.get(controlPlaneId, 'consumer_groups', groupIdOrName);
    return [...(plane.members.get(group.id) ?? [])]
      .sort()
      .flatMap(id => plane.tables.consumers.get(id) ?? []);
  }

  /** The groups of a consumer. @throws KonnectAnswer 404 */
  groupsOf(controlPlaneId: string, consumerIdOrName: string): Entity[] {
    const plane = this.#plane(controlPlaneId);
    const consumer = this.get(controlPlaneId, 'consumers', consumerIdOrName);
    return plane.tables.consumer_groups
      .all()
      .filter(({ id }) => plane.members.get(id)?.has(consumer.id));
  }

  /** Adds a consumer to a group, or takes it out. @throws KonnectAnswer 404 when one of them is not there */
  setMember(
    controlPlaneId: string,
    groupIdOrName: string,
    consumerIdOrName: string,
    isMember: boolean,
    by: string,
  ): void {
    const plane = this.#plane(controlPlaneId);
    const group = this.get(controlPlaneId, 'consumer_groups', groupIdOrName);
    const consumer = this.get(controlPlaneId, 'consumers', consumerIdOrName);
    const members = plane.members.get(group.id) ?? new Set<string>();
    if (members.has(consumer.id) === isMember) return;
    if (isMember) members.add(consumer.id);
    else members.delete(consumer.id);
    plane.members.set(group.id, members);
    this.#configChanged(plane, {
      by,
      action: isMember ? 'create' : 'delete',
      controlPlane: controlPlaneId,
      collection: 'consumer_groups/consumers',
      id: `${group.id}/${consumer.id}`,
    });
  }

  // --- the whole ------------------------------------------------------

  /** A copy of everything. */
  snapshot(): KonnectSnapshot {
    return structuredClone({
      controlPlanes: [...this.#planes.values()].map(savePlane),
      journal: this.journal.entries(),
    });
  }

  /** Puts everything back to `snapshot`, without a word in the journal. */
  restore(snapshot: KonnectSnapshot): void {
    this.#planes.clear();
    const copy = structuredClone(snapshot);
    for (const saved of copy.controlPlanes) {
      this.#planes.set(saved.controlPlane.id, loadPlane(saved));
    }
    this.journal.restore(copy.journal);
    this.#options.onChange?.();
  }

  #write(
    plane: Plane,
    collection: Collection,
    id: string,
    input: JsonObject,
    by: string,
  ): Entity {
    const before = plane.tables[collection].get(id);
    const read = readEntity(collection, input);
    const now = this.#unixNow(collection);
    const entity: Entity = {
      ...read,
      id,
      created_at: before?.created_at ?? now,
      updated_at: now,
    };
    for (const parent of KINDS[collection].parents) {
      const reference = entity[parent.field];
      if (
        isObject(reference) &&
        !plane.tables[parent.collection].get(String(reference.id))
      ) {
        throw constraintError(
          `${parent.field}.id`,
          `${parent.field}.id (type: foreign) constraint failed for value '${reference.id}'`,
        );
      }
    }
    const taken = plane.tables[collection].takenKey(entity);
    if (taken) {
      throw constraintError(
        taken.field,
        `${taken.field} (type: unique) constraint failed for value '${taken.value}'`,
      );
    }
    plane.tables[collection].put(entity);
    this.#configChanged(plane, {
      by,
      action: before ? 'update' : 'create',
      controlPlane: plane.controlPlane.id,
      collection,
      id,
      ...(before && { before }),
      after: entity,
    });
    return clone(entity);
  }

  #plane(id: string): Plane {
    const plane = this.#planes.get(id);
    // The same answer as for an entity that is not there: a client has to look at the control plane to tell them apart.
    if (!plane) throw entityNotFound();
    return plane;
  }

  #configChanged(
    plane: Plane,
    entry: Omit<JournalEntry, 'at' | 'sequence'>,
  ): void {
    plane.hash = undefined;
    plane.configUpdatedAt = Math.floor(this.#options.now() / 1000);
    this.#changed(entry);
  }

  #changed(entry: Omit<JournalEntry, 'at' | 'sequence'>): void {
    this.journal.add(entry);
    this.#options.onChange?.();
  }

  #isoNow(): string {
    return new Date(this.#options.now()).toISOString();
  }

  #unixNow(collection: Collection): number {
    const seconds = this.#options.now() / 1000;
    return KINDS[collection].fractionalTime ? seconds : Math.floor(seconds);
  }
}
