/* Custom resources of one cluster as declarations: what a KongService says, a Konnect service should be. */
import type { LoggerService } from '@backstage/backend-plugin-api';
import {
  isObject,
  PlatformError,
  textAt,
  type DeclarationOrigin,
  type DeclarationPage,
  type DeclarationSource,
  type DeclaredRead,
  type DeclaredResource,
  type DriftContext,
} from '@plumbline/backstage-plugin-drift-node';
import {
  resourceKey,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import type { Json, JsonObject } from '@plumbline/drift-engine';
import type { Cluster } from '../cluster/cluster';
import type { FindOptions } from '../cluster/discovery';
import type { ReflectorTimers, WatchEvent } from '../cluster/reflector';
import { watchKind } from '../cluster/watchKind';
import {
  describeObject,
  formatKind,
  gvkOf,
  type Gvk,
  type ObjectName,
} from '../gvk';
import { nameOf } from '../platform/live';
import { declareObject } from './declareObject';
import { type Beside, ListedObjects, readsBeside } from './lookup';
import { mapObject, type MappedKind, mappedKinds } from './mapping';
import { sendNudge } from './nudge';
import { originOf } from './origin';

type WatchOptions = Parameters<NonNullable<DeclarationSource['watch']>>[0];
type ApplyResult = Awaited<ReturnType<NonNullable<DeclarationSource['apply']>>>;

export class CustomResourceSource implements DeclarationSource {
  readonly id: string;
  readonly title: string;

  constructor(
    private readonly cluster: Cluster,
    private readonly context: Pick<DriftContext, 'customResourceMappers'>,
    private readonly options: {
      namespaces?: readonly string[];
      logger: LoggerService;
      timers?: ReflectorTimers;
    },
  ) {
    this.id = `${cluster.platform}/customResources`;
    this.title = `Custom resources in ${cluster.title}`;
  }

  async *list(options: {
    signal: AbortSignal;
  }): AsyncIterable<DeclarationPage> {
    const { namespaces } = this.options;
    const request = {
      signal: options.signal,
      priority: 'sweep',
      since: this.cluster.discovery.moment(),
    } as const;
    const listed = new ListedObjects(namespaces);
    const objects: [MappedKind, JsonObject[]][] = [];
    for (const kind of this.kinds()) {
      // A definition that is not installed has no resources: the cluster's discovery says so with authority.
      listed.markListed(kind.gvk);
      const pages = this.cluster.objects.list(kind.gvk, {
        ...request,
        namespaces,
      });
      for await (const page of pages) {
        listed.add(kind.gvk, page);
        objects.push([kind, page]);
      }
    }
    const beside = listed.beside(this.readsBeside(request));
    for (const [kind, page] of objects) {
      const items: DeclaredResource[] = [];
      for (const object of page) {
        items.push(...(await mapObject(kind, object, this.place(), beside)));
      }
      yield { items };
    }
  }

  async get(
    origin: DeclarationOrigin,
    ref: ResourceRef,
    options: { signal: AbortSignal },
  ): Promise<DeclaredRead> {
    const request = { signal: options.signal, priority: 'pass' } as const;
    const { kind, name } = this.kindOf(origin);
    if (!(await this.cluster.discovery.find(kind.gvk, request))) {
      return { found: false };
    }
    const object = await this.cluster.objects.get(name, request);
    if (!object) {
      return { found: false };
    }
    const all = await mapObject(
      kind,
      object,
      this.place(),
      this.readsBeside(request),
    );
    const declared = all.find(one => resourceKey(one.ref) === resourceKey(ref));
    return declared ? { found: true, declared } : { found: false };
  }

  async watch(options: WatchOptions): Promise<void> {
    await Promise.all(
      this.kinds().map(kind =>
        watchKind(this.cluster, kind.gvk, {
          ...this.options,
          signal: options.signal,
          onRelist: options.onRelist,
          onEvent: event => this.onEvent(kind, event, options),
        }),
      ),
    );
  }

  async nudge(
    declared: DeclaredResource,
    options: { signal: AbortSignal; requestedAt: string },
  ): Promise<{ message: string }> {
    const { name } = this.objectOf(declared.origin);
    const nudge = await sendNudge(this.cluster, name, options);
    return {
      message: `asked ${nudge.controller} to look at ${describeObject(
        name,
      )} again`,
    };
  }

  async apply(
    manifest: Json,
    options: { signal: AbortSignal; dryRun: boolean; fieldManager: string },
  ): Promise<ApplyResult> {
    const gvk = gvkOf(textAt(manifest, 'apiVersion'), textAt(manifest, 'kind'));
    const kind = this.kinds().find(
      one => gvk && formatKind(one.gvk) === formatKind(gvk),
    );
    if (!kind) {
      // Whoever may run a template must not write just anything with this account.
      const known = this.kinds().map(one => formatKind(one.gvk));
      throw new PlatformError(
        'invalid',
        `the manifest's apiVersion and kind are ${
          gvk ? formatKind(gvk) : 'missing or malformed'
        }; only these can be applied: ${known.join(', ') || 'none'}`,
      );
    }
    const result = await declareObject(
      this.cluster,
      kind.gvk,
      manifest,
      options,
    );
    const refs = await mapObject(
      kind,
      result.object,
      this.place(),
      this.readsBeside({ signal: options.signal, priority: 'person' }),
    );
    return {
      refs: refs.map(({ ref }) => ref),
      origin: originOf(kind.gvk, result.object, {
        source: this.id,
        type: 'customResource',
        cluster: this.cluster.name,
      }),
      version: textAt(result.object, 'metadata', 'resourceVersion') ?? '',
      outcome: result.outcome,
    };
  }

  private kinds(): MappedKind[] {
    return mappedKinds(this.context.customResourceMappers());
  }

  private readsBeside(request: FindOptions): Beside {
    return readsBeside(this.cluster, request, this.options.namespaces);
  }

  private place(): { source: string; cluster: string } {
    return { source: this.id, cluster: this.cluster.name };
  }

  private objectOf(origin: DeclarationOrigin): { gvk: Gvk; name: ObjectName } {
    const gvk = gvkOf(origin.apiVersion, origin.kind);
    if (!gvk) {
      throw new PlatformError(
        'invalid',
        `${origin.apiVersion} ${origin.kind} is no kind of a Kubernetes cluster`,
      );
    }
    return {
      gvk,
      name: { gvk, namespace: origin.namespace, name: origin.name },
    };
  }

  private kindOf(origin: DeclarationOrigin): {
    kind: MappedKind;
    name: ObjectName;
  } {
    const { gvk, name } = this.objectOf(origin);
    const kind = this.kinds().find(
      one => formatKind(one.gvk) === formatKind(gvk),
    );
    if (!kind) {
      throw new PlatformError(
        'invalid',
        `nothing installed here makes declarations of ${formatKind(gvk)}`,
      );
    }
    return { kind, name };
  }

  private onEvent(
    kind: MappedKind,
    event: WatchEvent,
    options: WatchOptions,
  ): void {
    if (event.type === 'DELETED' || kind.mappers.length === 0) {
      // What it declared cannot be named from here: a deleted object is gone, a helper object serves others.
      options.onRelist();
      return;
    }
    this.mapFresh(kind, nameOf(kind.gvk, event.object), options).catch(
      (error: Error) => {
        if (!options.signal.aborted) {
          this.options.logger.debug(
            `A change of ${formatKind(kind.gvk)} is left to the next listing: ${
              error.message
            }`,
          );
          options.onRelist();
        }
      },
    );
  }

  /** Read again rather than taken from the event: the watch's parser rounds long integers. */
  private async mapFresh(
    kind: MappedKind,
    name: ObjectName,
    options: WatchOptions,
  ): Promise<void> {
    const request = { signal: options.signal, priority: 'pass' } as const;
    const object = await this.cluster.objects.get(name, request);
    if (!isObject(object)) {
      options.onRelist();
      return;
    }
    const beside = this.readsBeside(request);
    options.onChange(await mapObject(kind, object, this.place(), beside));
  }
}
