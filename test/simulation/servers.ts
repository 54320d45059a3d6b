/** The world outside: two platforms and the place of declarations, each with its true state and its whole history. */
import type { JsonObject, ResourceSchema } from '@plumbline/drift-engine';
import {
  resourceKey,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import {
  PlatformError,
  type DeclaredResource,
  type LiveObject,
} from '@plumbline/backstage-plugin-drift-node';

export const KONNECT = 'sim/konnect';
export const KUBERNETES = 'sim/kubernetes';
export const RESOURCES = 'sim/custom-resources';
export const MANIFESTS = 'sim/manifests';
export const MARK = 'k8s-uid';

/** The mark of an object that is none of ours. */
export const SOMEBODY = 'uid-of-somebody';

/** By whom a write of ours is known in the history. */
export const OURS = 'plumbline';

/** One shape for all kinds: what matters here is who writes when. */
export const SCHEMAS: ReadonlyMap<string, ResourceSchema> = new Map(
  ['services', 'routes', 'widgets'].map(kind => [
    kind,
    {
      kind,
      platform: 'simulated',
      root: {
        type: 'object',
        properties: {
          id: { serverOwned: true },
          name: { type: 'string' },
          host: { type: 'string' },
          path: { type: 'string' },
          retries: { type: 'integer' },
          read_timeout: { type: 'integer' },
          connect_timeout: { type: 'integer' },
          service: { type: 'object', properties: { id: { type: 'string' } } },
        },
      },
    },
  ]),
);

export interface LiveState {
  key: string;
  kind: string;
  id: string;
  name: string;
  document: JsonObject;
  mark?: string;
  version: string;
  by: string;
}

export interface LiveChange {
  at: number;
  key: string;
  before?: LiveState;
  after?: LiveState;
}

interface Clocked {
  readonly now: number;
}

/** A platform's true state. */
export class LiveServer {
  readonly objects = new Map<string, LiveState>();
  readonly history: LiveChange[] = [];
  readonly listeners = new Set<(change: LiveChange) => void>();
  private versions = 0;

  /**
   * @param preconditions - it refuses a write that was planned on another version (Kubernetes); without them the last write wins
   */
  constructor(
    private readonly time: Clocked,
    readonly id: string,
    readonly kinds: readonly string[],
    readonly preconditions: boolean,
  ) {}

  put(
    kind: string,
    id: string,
    document: JsonObject,
    more: { mark?: string; by: string },
  ): LiveState {
    const service = serviceOf(document);
    if (service !== undefined && !this.objects.has(`services/${service}`)) {
      throw new PlatformError(
        'invalid',
        `400: there is no service ${service}`,
        {
          status: 400,
        },
      );
    }
    const name = String(document.name ?? '');
    const key = `${kind}/${this.preconditions ? name : id}`;
    const before = this.objects.get(key);
    this.versions += 1;
    const after: LiveState = {
      key,
      kind,
      id: before?.id ?? id,
      name,
      document: { ...document, id: before?.id ?? id },
      mark: more.mark,
      version: String(this.versions),
      by: more.by,
    };
    this.objects.set(key, after);
    this.changed({ at: this.time.now, key, before, after });
    return after;
  }

  /** Changes fields of what is there; `undefined` takes one away. */
  edit(
    key: string,
    fields: Record<string, string | number | undefined>,
    by: string,
  ): LiveState | undefined {
    const before = this.objects.get(key);
    if (!before) return undefined;
    const document = Object.fromEntries(
      Object.entries({ ...before.document, ...fields }).filter(
        ([, value]) => value !== undefined,
      ),
    ) as JsonObject;
    return this.put(before.kind, before.id, document, {
      mark: before.mark,
      by,
    });
  }

  delete(key: string): void {
    const before = this.objects.get(key);
    if (!before) return;
    // a route goes with its service
    for (const { key: other, document } of [...this.objects.values()]) {
      if (serviceOf(document) === before.id) this.delete(other);
    }
    this.objects.delete(key);
    this.changed({ at: this.time.now, key, before });
  }

  /** As it was at a time: what a replica behind the others would still answer. */
  at(time: number): LiveState[] {
    const then = new Map(this.objects);
    for (let i = this.history.length - 1; i >= 0; i--) {
      const { at, key, before } = this.history[i];
      if (at <= time) break;
      if (before) then.set(key, before);
      else then.delete(key);
    }
    return [...then.values()];
  }

  answeringTo(kind: string, locator: string): LiveState[] {
    return [...this.objects.values()].filter(
      state => state.kind === kind && locatorsOf(state).includes(locator),
    );
  }

  /** A write that was planned on another state is refused. @throws PlatformError `conflict` */
  expect(key: string, version: string | undefined): void {
    if (!this.preconditions) return;
    const current = this.objects.get(key)?.version;
    if (current !== version) {
      throw new PlatformError('conflict', `409: ${key} was changed meanwhile`, {
        status: 409,
      });
    }
  }

  private changed(change: LiveChange): void {
    this.history.push(change);
    for (const listener of this.listeners) listener(change);
  }
}

function serviceOf({ service }: JsonObject): string | undefined {
  return typeof service === 'object' && service !== null && 'id' in service
    ? String(service.id)
    : undefined;
}

export function locatorsOf({ id, kind, name, mark }: LiveState): string[] {
  return [
    `id:${id}`,
    ...(mark ? [`mark:${mark}`] : []),
    `name:${kind}/${name}`,
  ];
}

export function toLiveObject(state: LiveState): LiveObject {
  return {
    key: state.key,
    kind: state.kind,
    id: state.id,
    document: state.document,
    version: state.version,
    locators: locatorsOf(state),
    marks: state.mark ? [{ key: MARK, value: state.mark }] : [],
    changedBy: state.by,
  };
}

export interface DeclaredChange {
  at: number;
  key: string;
  before?: DeclaredResource;
  after?: DeclaredResource;
}

/** One place of declarations and its true state. */
export class DeclarationServer {
  readonly items = new Map<string, DeclaredResource>();
  readonly history: DeclaredChange[] = [];
  readonly listeners = new Set<(change: DeclaredChange) => void>();
  private versions = 0;

  constructor(private readonly time: Clocked, readonly id: string) {}

  declare(
    ref: ResourceRef,
    document: JsonObject,
    more: Pick<DeclaredResource, 'parent' | 'controller'> & {
      repeatable: boolean;
    },
  ): DeclaredResource {
    const key = resourceKey(ref);
    const before = this.items.get(key);
    this.versions += 1;
    // what is applied anew gets another uid; a file in Git is the same thing again
    const uid =
      before?.origin.uid ??
      (this.id === MANIFESTS
        ? `uid-${ref.name}`
        : `uid-${ref.name}-${this.versions}`);
    const after: DeclaredResource = {
      ref,
      document: { ...document, name: ref.name },
      version: String(this.versions),
      origin: {
        source: this.id,
        type: 'customResource',
        apiVersion: 'sim/v1',
        kind: `Sim${ref.kind}`,
        namespace: ref.namespace,
        name: ref.name,
        uid,
      },
      locators: [
        ...(more.repeatable ? [`id:${uid}`] : []),
        `mark:${uid}`,
        `name:${ref.kind}/${ref.name}`,
      ],
      mark: { key: MARK, value: uid },
      ...(more.repeatable ? { deterministicId: uid } : {}),
      ...(more.controller ? { controller: more.controller } : {}),
      ...(more.parent
        ? {
            references: [{ path: '/service/id', ref: more.parent }],
            parent: more.parent,
          }
        : {}),
    };
    this.items.set(key, after);
    this.changed({ at: this.time.now, key, before, after });
    return after;
  }

  /** Something about it changes that declares nothing: an annotation by which its controller is asked to look again. */
  touch(ref: ResourceRef): void {
    const key = resourceKey(ref);
    const before = this.items.get(key);
    if (!before) return;
    this.versions += 1;
    const after = { ...before, version: String(this.versions) };
    this.items.set(key, after);
    this.changed({ at: this.time.now, key, before, after });
  }

  undeclare(ref: ResourceRef): void {
    const key = resourceKey(ref);
    const before = this.items.get(key);
    if (!before) return;
    this.items.delete(key);
    this.changed({ at: this.time.now, key, before });
  }

  at(time: number): DeclaredResource[] {
    const then = new Map(this.items);
    for (let i = this.history.length - 1; i >= 0; i--) {
      const { at, key, before } = this.history[i];
      if (at <= time) break;
      if (before) then.set(key, before);
      else then.delete(key);
    }
    return [...then.values()];
  }

  private changed(change: DeclaredChange): void {
    this.history.push(change);
    for (const listener of this.listeners) listener(change);
  }
}
