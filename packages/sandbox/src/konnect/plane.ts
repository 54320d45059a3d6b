// One control plane's content: its entities by kind, its memberships, and the hash over all of it.
import { createHash } from 'node:crypto';
import { ControlPlane } from './controlPlane';
import { Entity, EntityTable } from './entityTable';
import { isObject, stableText } from './json';
import { Collection, COLLECTIONS, KINDS } from './kinds';

/** A control plane with its content. */
export interface Plane {
  controlPlane: ControlPlane;
  tables: Record<Collection, EntityTable>;
  /** Consumer IDs by consumer group ID. */
  members: Map<string, Set<string>>;
  /** Unix seconds of the last change to the content. */
  configUpdatedAt: number;
  /** Kept until the content changes. */
  hash?: string;
}

/** A {@link Plane} as plain JSON. */
export interface SavedPlane {
  controlPlane: ControlPlane;
  entities: Record<Collection, Entity[]>;
  members: Record<string, string[]>;
  configUpdatedAt: number;
}

/** A reference to a parent: the field that holds it, and the parent's ID. */
export interface ParentRef {
  field: string;
  id: string;
}

/** An empty control plane. */
export function newPlane(
  controlPlane: ControlPlane,
  configUpdatedAt: number,
): Plane {
  return {
    controlPlane,
    tables: Object.fromEntries(
      COLLECTIONS.map(name => [name, new EntityTable(KINDS[name])]),
    ) as Record<Collection, EntityTable>,
    members: new Map(),
    configUpdatedAt,
  };
}

/** The plain JSON of a control plane; shares its values. */
export function savePlane(plane: Plane): SavedPlane {
  return {
    controlPlane: plane.controlPlane,
    entities: Object.fromEntries(
      COLLECTIONS.map(name => [name, plane.tables[name].all()]),
    ) as Record<Collection, Entity[]>,
    members: Object.fromEntries(
      [...plane.members].map(([group, members]) => [group, [...members]]),
    ),
    configUpdatedAt: plane.configUpdatedAt,
  };
}

/** The control plane that was saved. */
export function loadPlane(saved: SavedPlane): Plane {
  const plane = newPlane(saved.controlPlane, saved.configUpdatedAt);
  for (const name of COLLECTIONS) {
    // A file of an earlier version has fewer collections.
    (saved.entities[name] ?? []).forEach(entity =>
      plane.tables[name].put(entity),
    );
  }
  for (const [group, members] of Object.entries(saved.members)) {
    plane.members.set(group, new Set(members));
  }
  return plane;
}

/** Which kinds point to `parent`, by which field, and what its deletion does to them. */
export function childrenOf(parent: Collection) {
  return COLLECTIONS.flatMap(collection =>
    KINDS[collection].parents
      .filter(reference => reference.collection === parent)
      .map(({ field, onDelete }) => ({ collection, field, onDelete })),
  );
}

/** Whether an entity points to this parent. */
export function isWithin(entity: Entity, parent: ParentRef): boolean {
  const reference = entity[parent.field];
  return isObject(reference) && reference.id === parent.id;
}

/** The entities of a collection that point to a parent. */
export function referring(
  plane: Plane,
  collection: Collection,
  field: string,
  id: string,
): Entity[] {
  return plane.tables[collection]
    .all()
    .filter(entity => isWithin(entity, { field, id }));
}

/**
 * The stand-in's own hash of entities and memberships without their timestamps: equal content, equal hash. How Konnect makes its hash, and
 * what it covers, is not known.
 */
export function standInHash(plane: Plane): string {
  const hash = createHash('sha256');
  for (const name of COLLECTIONS) {
    for (const entity of plane.tables[name].all()) {
      const { created_at: _c, updated_at: _u, ...content } = entity;
      hash.update(`${name} ${stableText(content)}\n`);
    }
  }
  for (const [group, members] of [...plane.members].sort()) {
    for (const member of [...members].sort()) {
      hash.update(`member ${group} ${member}\n`);
    }
  }
  return hash.digest('hex').slice(0, 32);
}
