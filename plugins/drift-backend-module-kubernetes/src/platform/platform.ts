/* A Kubernetes cluster as a platform of record. */
import type { LoggerService } from '@backstage/backend-plugin-api';
import {
  type DeclaredResource,
  type DriftContext,
  type LiveRead,
  type Platform,
  type PlatformBudget,
  type PlatformHealth,
  type RemovePlan,
  isPlatformError,
  type SweepPage,
  type SweepScope,
  type WritePlan,
  type WriteReceipt,
} from '@plumbline/backstage-plugin-drift-node';
import type { Json, ResourceSchema } from '@plumbline/drift-engine';
import type { Cluster } from '../cluster/cluster';
import { ClusterError } from '../cluster/errors';
import type { ReflectorTimers } from '../cluster/reflector';
import { watchKind } from '../cluster/watchKind';
import {
  formatKey,
  formatKind,
  type Gvk,
  type ObjectName,
  parseKey,
  parseKind,
} from '../gvk';
import { locatorsOf, nameOf, toLive } from './live';
import { Schemas } from './schemas';
import { Writer } from './writer';

type WatchOptions = Parameters<NonNullable<Platform['watch']>>[1];

export interface KubernetesPlatformOptions {
  /** Kinds that every sweep reads; those that declarations name come in addition. */
  kinds: readonly Gvk[];
  /** Nobody asked for `kinds` by name: those that our account may not list are left out of sweeps. */
  kindsAreDefaults?: boolean;
  /** Only these namespaces are read; all where absent. */
  namespaces?: readonly string[];
  logger: LoggerService;
  timers?: ReflectorTimers;
}

export class KubernetesPlatform implements Platform {
  readonly type = 'kubernetes';
  private readonly schemas: Schemas;
  private readonly writer: Writer;
  private readonly leftOut = new Set<string>();

  constructor(
    private readonly cluster: Cluster,
    private readonly options: KubernetesPlatformOptions,
    context: Pick<DriftContext, 'now'>,
  ) {
    this.schemas = new Schemas(cluster, () => context.now());
    this.writer = new Writer(cluster);
  }

  get id(): string {
    return this.cluster.platform;
  }

  get title(): string {
    return this.cluster.title;
  }

  get budget(): PlatformBudget {
    return this.cluster.budget;
  }

  /** Grows while declarations name further kinds. */
  get kinds(): readonly string[] {
    return [
      ...new Set([
        ...this.options.kinds.map(formatKind),
        ...this.cluster.declaredKinds,
      ]),
    ];
  }

  async schema(
    kind: string,
    options: { signal: AbortSignal },
  ): Promise<ResourceSchema> {
    return this.schemas.get(requireKind(kind), options.signal);
  }

  async health(options: { signal: AbortSignal }): Promise<PlatformHealth> {
    const request = { signal: options.signal, priority: 'pass' } as const;
    try {
      // Every authenticated account may read it, and it is served by the API server itself.
      await this.cluster.connection.get('/version', request);
      return { status: 'ok' };
    } catch (error) {
      options.signal.throwIfAborted();
      if (!isPlatformError(error)) {
        throw error;
      }
      const reached = error.classification !== 'transient';
      return {
        status: reached ? 'degraded' : 'unreachable',
        message: error.message,
      };
    }
  }

  async *sweep(
    scope: SweepScope,
    options: { signal: AbortSignal },
  ): AsyncIterable<SweepPage> {
    const since = this.cluster.discovery.moment();
    for (const kind of scope.kinds) {
      const gvk = requireKind(kind);
      this.cluster.noteKind(kind);
      const pages = this.cluster.objects.list(gvk, {
        signal: options.signal,
        priority: 'sweep',
        since,
        namespaces: this.options.namespaces,
      });
      try {
        for await (const page of pages) {
          yield { items: page.map(object => toLive(gvk, object)) };
        }
      } catch (error) {
        this.leaveOut(kind, error);
      }
    }
  }

  /** One kind of our own choice that we may not list must not keep all the others from being read. */
  private leaveOut(kind: string, error: unknown): void {
    const optional =
      this.options.kindsAreDefaults &&
      this.options.kinds.some(one => formatKind(one) === kind) &&
      !this.cluster.isDeclaredKind(kind) &&
      isPlatformError(error) &&
      error.status === 403;
    if (!optional) {
      throw error;
    }
    if (!this.leftOut.has(kind)) {
      this.leftOut.add(kind);
      this.options.logger.info(
        `${kind} is left out of the sweeps of cluster ${this.cluster.name}, because our account may not list it; set drift.kubernetes.kinds to what you want read`,
      );
    }
  }

  async get(
    key: string,
    options: { signal: AbortSignal; declared?: DeclaredResource },
  ): Promise<LiveRead> {
    const object = parseKey(key);
    if (!object) {
      throw new ClusterError(
        'invalid',
        `${key} is no key of an object in cluster ${this.cluster.name}`,
        {},
      );
    }
    const read = await this.read(object, options.signal);
    const looksOrphaned =
      read.found === true && read.live.marks.length > 0 && !options.declared;
    if (
      looksOrphaned &&
      (await this.cluster.isDeclared(object, options.signal))
    ) {
      // Declared at another apiVersion: under this name the object is nobody's orphan.
      return { ...read, live: { ...read.live, marks: [] } };
    }
    return read;
  }

  async find(
    declared: DeclaredResource,
    options: { signal: AbortSignal },
  ): Promise<LiveRead> {
    return this.read(objectOf(declared), options.signal);
  }

  async write(
    plan: WritePlan,
    options: { signal: AbortSignal },
  ): Promise<WriteReceipt> {
    return this.writer.write(plan, objectOf(plan), options.signal);
  }

  async dryRun(
    plan: WritePlan,
    options: { signal: AbortSignal },
  ): Promise<{ document: Json } | { unavailable: string }> {
    return this.writer.dryRun(plan, objectOf(plan), options.signal);
  }

  async remove(
    plan: RemovePlan,
    options: { signal: AbortSignal },
  ): Promise<void> {
    const object = parseKey(plan.live.key) ?? objectOf(plan);
    await this.writer.remove(plan, object, options.signal);
  }

  /** Follows the kinds of `scope`, and every further one as soon as it is declared or swept. */
  async watch(scope: SweepScope, options: WatchOptions): Promise<void> {
    const watches = new Map<string, Promise<void>>();
    const follow = (kind: string, late: boolean) => {
      if (!watches.has(kind)) {
        watches.set(kind, this.watchOne(requireKind(kind), late, options));
      }
    };
    scope.kinds.forEach(kind => follow(kind, false));
    const unfollow = this.cluster.followKinds(kind => follow(kind, true));
    await ended(options.signal);
    unfollow();
    await Promise.all(watches.values());
  }

  private watchOne(
    gvk: Gvk,
    late: boolean,
    options: WatchOptions,
  ): Promise<void> {
    const { namespaces, logger, timers } = this.options;
    return watchKind(this.cluster, gvk, {
      signal: options.signal,
      namespaces,
      late,
      logger,
      timers,
      onRelist: options.onRelist,
      onEvent: event =>
        options.onChange([
          {
            key: formatKey(nameOf(gvk, event.object)),
            locators: locatorsOf(gvk, event.object),
            version: event.resourceVersion,
          },
        ]),
    });
  }

  private async read(
    object: ObjectName,
    signal: AbortSignal,
  ): Promise<LiveRead> {
    const found = await this.cluster.objects.get(object, {
      signal,
      priority: 'pass',
    });
    return found
      ? { found: true, live: toLive(object.gvk, found) }
      : { found: false };
  }
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) {
      resolve();
    } else {
      signal.addEventListener('abort', () => resolve(), { once: true });
    }
  });
}

function requireKind(kind: string): Gvk {
  const gvk = parseKind(kind);
  if (!gvk) {
    throw new ClusterError(
      'invalid',
      `${kind} is no kind of a Kubernetes cluster: write group/version/Kind, or version/Kind for the core group`,
      {},
    );
  }
  return gvk;
}

function objectOf(resource: {
  ref: { kind: string; namespace?: string; name: string };
}): ObjectName {
  const { kind, namespace, name } = resource.ref;
  return { gvk: requireKind(kind), namespace, name };
}
