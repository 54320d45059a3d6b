/**
 * The few controllers that an API server without them is hardly usable by hand: a deleted namespace takes its content
 * along, dependents go with their owner, and a deleted definition takes its custom resources along.
 */
import { CLEANUP, FINALIZERS, deleteObject } from './deletion';
import { kindOf } from './crds';
import { clone, isObject } from './json';
import { Kind, KindRegistry } from './kinds';
import { Store, StoreEvent } from './store';
import { KubeObject } from './types';
import { collectionOf } from './target';

interface Found {
  kind: Kind;
  object: KubeObject;
}

const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';

const BACKGROUND = { dryRun: false, propagation: 'Background' } as const;

/** Works off what changes leave to do, each after the request that caused it was answered. */
export class Controllers {
  private scheduled = false;
  private readonly pending: StoreEvent[] = [];

  constructor(
    private readonly store: Store,
    private readonly kinds: KindRegistry,
    private readonly now: () => Date,
  ) {}

  /** Watches the store from now on; returns how to stop that. */
  start(): () => void {
    return this.store.subscribe(event => {
      this.pending.push(event);
      if (!this.scheduled) {
        this.scheduled = true;
        setImmediate(() => this.work());
      }
    });
  }

  private work(): void {
    this.scheduled = false;
    for (const event of this.pending.splice(0)) {
      this.handle(event);
    }
  }

  private handle(event: StoreEvent): void {
    const { object, collection, type } = event;
    if (type === 'DELETED') {
      this.collectDependents(object);
      this.finishDefinitions(collection);
      if (object.metadata.namespace) {
        this.finishNamespace(object.metadata.namespace);
      }
      return;
    }
    if (!object.metadata.deletionTimestamp) {
      return;
    }
    if (collection === '/namespaces') {
      this.emptyNamespace(object.metadata.name ?? '');
    } else if (collection === DEFINITIONS) {
      this.emptyDefinition(object);
    } else {
      this.finishPropagation(event);
    }
  }

  private everything(): Found[] {
    return this.kinds
      .all()
      .flatMap(kind =>
        this.store.list(collectionOf(kind)).map(object => ({ kind, object })),
      );
  }

  private delete({ kind, object }: Found): void {
    const { namespace, name = '' } = object.metadata;
    if (this.store.get(collectionOf(kind), `${namespace ?? ''}/${name}`)) {
      deleteObject(this.store, kind, namespace, name, BACKGROUND, this.now());
    }
  }

  private emptyNamespace(namespace: string): void {
    this.everything()
      .filter(({ object }) => object.metadata.namespace === namespace)
      .forEach(found => this.delete(found));
    this.finishNamespace(namespace);
  }

  private finishNamespace(namespace: string): void {
    const object = this.store.get('/namespaces', `/${namespace}`);
    if (
      !object?.metadata.deletionTimestamp ||
      object.metadata.finalizers?.length
    ) {
      return;
    }
    const full = this.everything().some(
      found => found.object.metadata.namespace === namespace,
    );
    if (full) {
      return;
    }
    this.store.remove('/namespaces', {
      ...object,
      spec: { ...(isObject(object.spec) ? object.spec : {}), finalizers: [] },
    });
  }

  /** The custom resources of a deleted definition go first, then the definition itself. */
  private emptyDefinition(definition: KubeObject): void {
    const kind = kindOf(definition);
    this.store
      .list(collectionOf(kind))
      .forEach(object => this.delete({ kind, object }));
    this.finishDefinitions(collectionOf(kind));
  }

  private finishDefinitions(collection: string): void {
    for (const definition of this.store.list(DEFINITIONS)) {
      const { deletionTimestamp, finalizers = [] } = definition.metadata;
      const isIts = collectionOf(kindOf(definition)) === collection;
      const waits = deletionTimestamp && finalizers.includes(CLEANUP);
      if (isIts && waits && this.store.list(collection).length === 0) {
        const { finalizers: _, ...metadata } = definition.metadata;
        this.store.remove(DEFINITIONS, { ...definition, metadata });
      }
    }
  }

  private dependentsOf(owner: KubeObject): Found[] {
    const { uid, namespace } = owner.metadata;
    return this.everything().filter(
      ({ object }) =>
        object.metadata.ownerReferences?.some(
          reference => reference.uid === uid,
        ) &&
        (namespace === undefined || object.metadata.namespace === namespace),
    );
  }

  /** Background propagation: a dependent goes with its last owner. */
  private collectDependents(owner: KubeObject): void {
    for (const found of this.dependentsOf(owner)) {
      if ((found.object.metadata.ownerReferences?.length ?? 0) > 1) {
        this.disown(found, owner);
      } else {
        this.delete(found);
      }
    }
  }

  private disown({ kind, object }: Found, owner: KubeObject): void {
    const next = clone(object);
    const left =
      next.metadata.ownerReferences?.filter(
        ({ uid }) => uid !== owner.metadata.uid,
      ) ?? [];
    if (left.length > 0) {
      next.metadata.ownerReferences = left;
    } else {
      delete next.metadata.ownerReferences;
    }
    this.store.put(collectionOf(kind), next);
  }

  /** Foreground and orphan propagation hold the owner until its dependents are gone, or are no longer its own. */
  private finishPropagation({ collection, object }: StoreEvent): void {
    const live = this.store.get(
      collection,
      `${object.metadata.namespace ?? ''}/${object.metadata.name}`,
    );
    const finalizers = live?.metadata.finalizers ?? [];
    if (!live || live.metadata.uid !== object.metadata.uid) {
      return;
    }
    let done: string | undefined;
    if (finalizers.includes(FINALIZERS.Orphan)) {
      this.dependentsOf(live).forEach(found => this.disown(found, live));
      done = FINALIZERS.Orphan;
    } else if (finalizers.includes(FINALIZERS.Foreground)) {
      this.dependentsOf(live).forEach(found => this.delete(found));
      done =
        this.dependentsOf(live).length === 0
          ? FINALIZERS.Foreground
          : undefined;
    }
    if (done === undefined) {
      return;
    }
    const next = clone(live);
    const left = finalizers.filter(finalizer => finalizer !== done);
    if (left.length > 0) {
      next.metadata.finalizers = left;
      this.store.put(collection, next);
    } else {
      delete next.metadata.finalizers;
      this.store.remove(collection, next);
    }
  }
}
