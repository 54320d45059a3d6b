/** Creates and updates: what happens between a client's body and the store, in the order in which it happens. */
import { randomUUID } from 'node:crypto';
import {
  StatusError,
  alreadyExists,
  badRequest,
  conflict,
  notFound,
} from './errors';
import { establishedStatus } from './crds';
import { ignoredFields, keepOtherHalf, resetStatus } from './halves';
import { Json, clone, equal, isObject } from './json';
import { Kind, apiVersionOf } from './kinds';
import { Writer, apply, beforeFirstApply, trackUpdate } from './managers';
import { SpecialContext, completeNew, completeUpdate } from './specials';
import { Store, keyOf } from './store';
import { Target, WriteOptions, collectionOf } from './target';
import { typeErrors } from './typeErrors';
import { KubeObject, timestamp } from './types';
import {
  ReadObject,
  emptyObject,
  inVersion,
  ordered,
  readObject,
} from './versions';
import {
  assertIdentity,
  assertKnownFields,
  assertNamespace,
  assertValid,
} from './writeChecks';

/** An object as it is after a write, and whether the write created it. */
export interface Written {
  object: KubeObject;
  created: boolean;
}

/** What writes need from outside. */
export interface WriteContext {
  store: Store;
  now: () => Date;
  random: () => number;
}

/** Metadata that no update changes. */
const KEPT_ON_UPDATE = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'namespace',
  'generation',
  'resourceVersion',
] as const;

/** Creates and updates objects in a store. */
export class ObjectWriter {
  constructor(private readonly context: WriteContext) {}

  /**
   * Creates an object from a body.
   *
   * @throws StatusError 400, 403, 404 (namespace), 409, 422
   */
  create(
    target: Omit<Target, 'name'>,
    body: ReadObject,
    options: WriteOptions,
  ): KubeObject {
    assertKnownFields(body, options);
    const object = clone(body.object);
    const { metadata } = object;
    if (!metadata.name && metadata.generateName) {
      metadata.name = metadata.generateName + this.suffix();
    }
    const given = metadata.managedFields;
    delete metadata.managedFields;
    const full = { ...target, name: metadata.name ?? '' };
    assertNamespace(this.context.store, full, object);
    const writer = this.writer(full, options);
    const empty = emptyObject(target.kind, target.version);
    resetStatus(target, object);
    metadata.managedFields = trackUpdate(writer, given, empty, object);
    if (metadata.managedFields.length === 0) {
      delete metadata.managedFields;
    }
    return this.insert(full, object, options);
  }

  /**
   * Replaces an object by what `change` makes of it.
   *
   * @param change - gets the live object in the requested version, managedFields included
   * @throws StatusError 400, 404, 409, 422
   */
  update(
    target: Target,
    options: WriteOptions,
    change: (live: KubeObject) => ReadObject,
  ): KubeObject {
    const live = this.live(target);
    const shown = inVersion(target.kind, live, target.version.version);
    const body = change(clone(shown));
    assertKnownFields(body, options);
    const next = clone(body.object);
    assertIdentity(target, next, live);
    const given = next.metadata.managedFields;
    const entries =
      given === undefined || given.length === 0
        ? live.metadata.managedFields
        : given;
    delete next.metadata.managedFields;
    keepOtherHalf(target, next, shown);
    const reset = entries?.length === 1 && Object.keys(entries[0]).length === 0;
    next.metadata.managedFields = reset
      ? []
      : trackUpdate(
          this.writer(target, options),
          entries,
          withoutManagers(shown),
          next,
        );
    return this.replace(target, live, next, options);
  }

  /**
   * Server-side apply; creates the object where there is none.
   *
   * @throws StatusError 400, 404, 409 (conflicts), 422, 500 (a patch that the schema cannot read)
   */
  apply(
    target: Target,
    config: KubeObject,
    force: boolean,
    options: WriteOptions,
  ): Written {
    if (config.metadata.managedFields !== undefined) {
      throw badRequest('metadata.managedFields must be nil');
    }
    const { store } = this.context;
    const live = store.get(
      collectionOf(target.kind),
      keyOf(target.namespace, target.name),
    );
    if (!live && target.subresource) {
      throw notFound(target.kind, target.name);
    }
    const errors = typeErrors(target.version.schema, config);
    if (errors.length > 0) {
      const text =
        errors.length === 1 ? errors[0] : ['errors:', ...errors].join('\n  ');
      throw new StatusError(
        500,
        undefined,
        `failed to create typed patch object: ${text}`,
      );
    }
    const writer = this.writer(target, options);
    const shown = live && inVersion(target.kind, live, target.version.version);
    const before = shown
      ? withoutManagers(shown)
      : emptyObject(target.kind, target.version);
    const recorded = live?.metadata.managedFields;
    const entries =
      shown && !recorded?.length ? beforeFirstApply(writer, before) : recorded;
    const applied = apply(writer, entries, before, config, force);
    const read = readObject(target.kind, target.version, applied.object);
    assertKnownFields(read, options);
    const next = read.object;
    if (!live) {
      assertNamespace(store, target, next);
      if (next.metadata.uid) {
        throw conflict(
          target.kind,
          target.name,
          `uid mismatch: the provided object specified uid ${next.metadata.uid}, and no existing object was found`,
        );
      }
      resetStatus(target, next);
      next.metadata.managedFields = applied.managedFields;
      return { object: this.insert(target, next, options), created: true };
    }
    assertIdentity(target, next, live);
    keepOtherHalf(target, next, shown ?? live);
    next.metadata.managedFields = applied.managedFields;
    return {
      object: this.replace(target, live, next, options),
      created: false,
    };
  }

  /** The stored object. @throws StatusError 404 */
  live(target: Target): KubeObject {
    const { kind, namespace, name } = target;
    const found = this.context.store.get(
      collectionOf(kind),
      keyOf(namespace, name),
    );
    if (!found) {
      throw notFound(kind, name);
    }
    return found;
  }

  private insert(
    target: Target,
    object: KubeObject,
    options: WriteOptions,
  ): KubeObject {
    const { store, now } = this.context;
    const { kind, namespace, version } = target;
    const { metadata } = object;
    delete metadata.resourceVersion;
    delete metadata.selfLink;
    delete metadata.deletionTimestamp;
    delete metadata.deletionGracePeriodSeconds;
    metadata.uid = randomUUID();
    metadata.creationTimestamp = timestamp(now());
    delete metadata.generation;
    if (kind.generation) {
      metadata.generation = 1;
    }
    if (namespace) {
      metadata.namespace = namespace;
    } else {
      delete metadata.namespace;
    }
    if (version.definition) {
      completeNew(object, this.specials());
    }
    if (kind.kind === 'CustomResourceDefinition') {
      object.status = establishedStatus(object, timestamp(now()));
    }
    assertValid(target, object, undefined);
    const name = metadata.name ?? '';
    if (store.get(collectionOf(kind), keyOf(namespace, name))) {
      throw alreadyExists(kind, name);
    }
    const stored = ordered(inVersion(kind, object, kind.storage));
    return this.shown(
      target,
      options.dryRun ? stored : store.put(collectionOf(kind), stored),
    );
  }

  private replace(
    target: Target,
    live: KubeObject,
    next: KubeObject,
    options: WriteOptions,
  ): KubeObject {
    const { store, now } = this.context;
    const { kind, version } = target;
    const { metadata } = next;
    const kept = live.metadata;
    for (const field of KEPT_ON_UPDATE) {
      delete metadata[field];
      if (kept[field] !== undefined) {
        Object.assign(metadata, { [field]: kept[field] });
      }
    }
    if (version.definition) {
      completeUpdate(next, live, this.specials());
    }
    if (kind.kind === 'CustomResourceDefinition' && !target.subresource) {
      const status = establishedStatus(live, timestamp(now()));
      next.status = {
        ...(isObject(live.status) ? live.status : {}),
        storedVersions: status.storedVersions,
      };
    }
    assertValid(target, next, inVersion(kind, live, version.version));
    const shownLive = inVersion(kind, live, version.version);
    if (
      kind.generation &&
      !equal(counted(kind, next), counted(kind, shownLive))
    ) {
      metadata.generation = (kept.generation ?? 0) + 1;
    }
    if (metadata.managedFields?.length === 0) {
      delete metadata.managedFields;
    }
    if (equal(next, shownLive)) {
      return this.shown(target, live);
    }
    const stored = ordered(inVersion(kind, next, kind.storage));
    if (options.dryRun) {
      return this.shown(target, stored);
    }
    const gone =
      stored.metadata.deletionTimestamp && !stored.metadata.finalizers?.length;
    const isNamespace = kind.kind === 'Namespace' && kind.group === '';
    if (gone && !isNamespace) {
      store.remove(collectionOf(kind), stored);
      return this.shown(target, stored);
    }
    return this.shown(target, store.put(collectionOf(kind), stored));
  }

  private shown({ kind, version }: Target, object: KubeObject): KubeObject {
    return ordered(inVersion(kind, object, version.version));
  }

  private writer(
    { kind, version, subresource }: Target,
    options: WriteOptions,
  ): Writer {
    return {
      schema: version.schema,
      manager: options.manager,
      apiVersion: apiVersionOf(kind.group, version.version),
      subresource,
      ignored: ignoredFields(kind, subresource),
      now: timestamp(this.context.now()),
    };
  }

  private specials(): SpecialContext {
    const services = () => this.context.store.list('/services');
    const specOf = (service: KubeObject) =>
      isObject(service.spec) ? service.spec : {};
    return {
      random: this.context.random,
      addressTaken: address =>
        services().some(service => specOf(service).clusterIP === address),
      portTaken: port =>
        services().some(service => {
          const { ports } = specOf(service);
          return (
            Array.isArray(ports) &&
            ports.some(item => isObject(item) && item.nodePort === port)
          );
        }),
    };
  }

  /** Five letters that are hard to mistake, as for every generated name. */
  private suffix(): string {
    const letters = 'bcdfghjklmnpqrstvwxz2456789';
    return Array.from(
      { length: 5 },
      () => letters[Math.floor(this.context.random() * letters.length)],
    ).join('');
  }
}

function withoutManagers(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The parts of an object that its generation counts. */
function counted(kind: Kind, object: KubeObject): Json {
  const { metadata: _, apiVersion: __, status, ...rest } = object;
  return kind.status || status === undefined ? rest : { ...rest, status };
}
