/**
 * The objects in memory, with one counter of versions and a bounded history, as etcd has them: a list can be read as
 * it was at an earlier version, and a watch can start there, as long as the history reaches back that far.
 */
import { expired } from './errors';
import { clone } from './json';
import { KubeObject } from './types';

/** One change of one object. */
export interface StoreEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  version: number;
  /** `group/plural`. */
  collection: string;
  key: string;
  object: KubeObject;
  /** The object before the change. */
  previous?: KubeObject;
}

/** Everything that a restart must know again. */
export interface StoreSnapshot {
  version: number;
  objects: { collection: string; object: KubeObject }[];
}

type Listener = (event: StoreEvent) => void;

/** A fresh server's first version: clients that ask for version 1 must learn that it is long gone. */
const FIRST_VERSION = 100;

/** The key of an object: its namespace and name; keys sort as lists do. */
export const keyOf = (namespace: string | undefined, name: string) =>
  `${namespace ?? ''}/${name}`;

const keyOfObject = (object: KubeObject) =>
  keyOf(object.metadata.namespace, object.metadata.name ?? '');

const inOrder = (objects: ReadonlyMap<string, KubeObject>): KubeObject[] =>
  [...objects.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, object]) => object);

/** The stored objects, in their storage version. What it returns must not be changed. */
export class Store {
  private current = FIRST_VERSION;
  private oldest = FIRST_VERSION;
  private events: StoreEvent[] = [];
  private readonly collections = new Map<string, Map<string, KubeObject>>();
  /** Collections in the order of their keys, as long as nothing changes in them. */
  private readonly sorted = new Map<string, KubeObject[]>();
  private readonly listeners = new Set<Listener>();

  /** @param historyLimit - how many changes are kept for watches and paged lists */
  constructor(private readonly historyLimit: number) {}

  /** The version of the last change. */
  get version(): number {
    return this.current;
  }

  get(collection: string, key: string): KubeObject | undefined {
    return this.collections.get(collection)?.get(key);
  }

  /**
   * All objects of a collection in the order of their keys, as they are or as they were at a version.
   *
   * @throws StatusError 410 where the history does not reach back to that version
   */
  list(collection: string, version?: number): KubeObject[] {
    const objects =
      this.collections.get(collection) ?? new Map<string, KubeObject>();
    if (version !== undefined && version < this.current) {
      return inOrder(this.rewound(collection, objects, version));
    }
    let list = this.sorted.get(collection);
    if (!list) {
      list = inOrder(objects);
      this.sorted.set(collection, list);
    }
    return list;
  }

  /** Stores an object under its name; returns it with its new version. */
  put(collection: string, object: KubeObject): KubeObject {
    const key = keyOfObject(object);
    let objects = this.collections.get(collection);
    if (!objects) {
      objects = new Map();
      this.collections.set(collection, objects);
    }
    const previous = objects.get(key);
    const stored = this.stamped(object);
    objects.set(key, stored);
    this.publish({
      type: previous ? 'MODIFIED' : 'ADDED',
      version: this.current,
      collection,
      key,
      object: stored,
      ...(previous ? { previous } : {}),
    });
    return stored;
  }

  /** Removes an object; returns its last state, with the version of its removal. */
  remove(collection: string, object: KubeObject): KubeObject {
    const key = keyOfObject(object);
    const previous = this.get(collection, key);
    this.collections.get(collection)?.delete(key);
    const last = this.stamped(object);
    this.publish({
      type: 'DELETED',
      version: this.current,
      collection,
      key,
      object: last,
      ...(previous ? { previous } : {}),
    });
    return last;
  }

  /**
   * The changes of a collection after a version.
   *
   * @throws StatusError 410 where the history does not reach back to that version
   */
  since(collection: string, version: number): StoreEvent[] {
    this.assertKept(version);
    return this.events.filter(
      event => event.version > version && event.collection === collection,
    );
  }

  /** Calls the listener for each change from now on; returns how to stop that. */
  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Forgets the history, so that every earlier version counts as expired. */
  compact(): void {
    this.events = [];
    this.oldest = this.current;
  }

  snapshot(): StoreSnapshot {
    return {
      version: this.current,
      objects: [...this.collections.entries()].flatMap(
        ([collection, objects]) =>
          [...objects.values()].map(object => ({
            collection,
            object: clone(object),
          })),
      ),
    };
  }

  /** Replaces everything; versions go on where the snapshot left off, and older ones are expired. */
  restore(snapshot: StoreSnapshot): void {
    this.collections.clear();
    this.sorted.clear();
    for (const { collection, object } of snapshot.objects) {
      const objects =
        this.collections.get(collection) ?? new Map<string, KubeObject>();
      objects.set(keyOfObject(object), clone(object));
      this.collections.set(collection, objects);
    }
    this.current = Math.max(snapshot.version, FIRST_VERSION);
    this.compact();
  }

  private assertKept(version: number): void {
    if (version < this.oldest) {
      throw expired(`too old resource version: ${version} (${this.oldest})`);
    }
  }

  /** A collection as it was at a version. */
  private rewound(
    collection: string,
    objects: ReadonlyMap<string, KubeObject>,
    version: number,
  ): Map<string, KubeObject> {
    this.assertKept(version);
    const earlier = new Map(objects);
    for (let index = this.events.length - 1; index >= 0; index -= 1) {
      const event = this.events[index];
      if (event.version <= version) {
        break;
      }
      if (event.collection === collection) {
        if (event.previous) {
          earlier.set(event.key, event.previous);
        } else {
          earlier.delete(event.key);
        }
      }
    }
    return earlier;
  }

  private stamped(object: KubeObject): KubeObject {
    this.current += 1;
    return {
      ...object,
      metadata: { ...object.metadata, resourceVersion: `${this.current}` },
    };
  }

  private publish(event: StoreEvent): void {
    this.sorted.delete(event.collection);
    this.events.push(event);
    if (this.events.length > this.historyLimit) {
      const dropped = this.events.splice(
        0,
        this.events.length - this.historyLimit,
      );
      this.oldest = dropped[dropped.length - 1].version;
    }
    [...this.listeners].forEach(listener => listener(event));
  }
}
