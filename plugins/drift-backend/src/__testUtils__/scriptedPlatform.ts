/** A platform and a declaration source in memory, which fail, lose answers, answer stale and count exactly as a test tells them. */
import { randomUUID } from 'node:crypto';
import {
  digest,
  konnectSchema,
  overlay,
  type Json,
  type JsonObject,
  type ResourceSchema,
} from '@plumbline/drift-engine';
import {
  resourceKey,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import {
  PlatformError,
  type DeclarationOrigin,
  type DeclarationSource,
  type DeclaredRead,
  type DeclaredResource,
  type LiveObject,
  type LiveRead,
  type Platform,
  type RemovePlan,
  type SweepPage,
  type WritePlan,
  type WriteReceipt,
} from '@plumbline/backstage-plugin-drift-node';

export const PLATFORM = 'test/one';
export const SOURCE = 'test/declarations';
const MARK = 'k8s-uid';

type Operation =
  | 'get'
  | 'find'
  | 'sweep'
  | 'write'
  | 'remove'
  | 'list'
  | 'declared';

/** What happens instead of, before or after the next calls of an operation, in order; `undefined`: nothing special. */
export interface Fault {
  /** Runs before the operation takes effect. */
  before?: () => void | Promise<void>;
  /** Thrown before the operation takes effect. */
  fails?: Error;
  /** Takes effect, and then no answer comes. */
  losesAnswer?: boolean;
  /** Acknowledged without taking effect. */
  ignored?: boolean;
  /** A sweep or listing ends after its first page. */
  truncated?: boolean;
}

class Script {
  private readonly faults = new Map<Operation, (Fault | undefined)[]>();
  readonly calls: { operation: Operation; key: string }[] = [];

  on(operation: Operation, ...faults: (Fault | undefined)[]): void {
    this.faults.set(operation, [
      ...(this.faults.get(operation) ?? []),
      ...faults,
    ]);
  }

  async next(operation: Operation, key: string): Promise<Fault> {
    this.calls.push({ operation, key });
    const fault = this.faults.get(operation)?.shift();
    await fault?.before?.();
    if (fault?.fails) throw fault.fails;
    return fault ?? {};
  }

  count(...operations: Operation[]): number {
    return this.calls.filter(call => operations.includes(call.operation))
      .length;
  }
}

export function unreachable(message = 'connection reset'): PlatformError {
  return new PlatformError('transient', message);
}

export class ScriptedPlatform implements Platform {
  readonly id = PLATFORM;
  readonly type = 'test';
  readonly title = 'Test platform';
  readonly budget = { requestsPerMinute: 60_000, reserve: 0.2 };
  readonly kinds = ['services', 'routes', 'consumers'];
  readonly script = new Script();
  /** How often somebody asked what is on a page of a sweep. */
  pagesLookedInto = 0;
  readonly objects = new Map<string, LiveObject>();
  readonly plans: WritePlan[] = [];
  readonly removals: RemovePlan[] = [];
  /** Set by tests of watches. */
  watch?: Platform['watch'];
  /** Set by tests of probes. */
  probe?: Platform['probe'];

  async schema(kind: string): Promise<ResourceSchema> {
    return konnectSchema(kind);
  }

  async health() {
    return { status: 'ok' as const };
  }

  /** Puts an object there, as a person or another program would. */
  put(
    kind: string,
    document: JsonObject,
    more: { id?: string; uid?: string; by?: string; controlled?: boolean } = {},
  ): LiveObject {
    const id = more.id ?? randomUUID();
    const name = String(document.name ?? '');
    const marks = more.uid ? [{ key: MARK, value: more.uid }] : [];
    const full = { ...document, id };
    const live: LiveObject = {
      key: `${kind}/${id}`,
      kind,
      id,
      document: full,
      version: digest(full),
      locators: [
        `id:${id}`,
        ...marks.map(mark => `mark:${mark.value}`),
        `name:${name}`,
      ],
      marks,
      ...(more.by ? { changedBy: more.by } : {}),
      ...(more.controlled ? { controlled: true } : {}),
    };
    this.objects.set(live.key, live);
    return live;
  }

  /** Changes fields of an object that is there. */
  edit(key: string, fields: JsonObject, by?: string): LiveObject {
    const before = this.must(key);
    return this.put(
      before.kind,
      { ...(before.document as JsonObject), ...fields },
      { id: before.id, uid: before.marks[0]?.value, by },
    );
  }

  must(key: string): LiveObject {
    const live = this.objects.get(key);
    if (!live) throw new Error(`There is no ${key}`);
    return live;
  }

  field(key: string, name: string): Json | undefined {
    return (this.must(key).document as JsonObject)[name];
  }

  async *sweep(): AsyncIterable<SweepPage> {
    const fault = await this.script.next('sweep', '');
    const all = [...this.objects.values()];
    const half = Math.ceil(all.length / 2);
    yield this.page(all.slice(0, half));
    if (fault.truncated) throw unreachable('the second page did not come');
    yield this.page(all.slice(half));
  }

  /** As platforms do for which it is dear to make live objects. */
  private page(items: LiveObject[]): SweepPage {
    const lookedInto = () => {
      this.pagesLookedInto += 1;
    };
    return {
      digest: digest(items as unknown as Json),
      get items() {
        lookedInto();
        return items;
      },
    };
  }

  async get(key: string): Promise<LiveRead> {
    await this.script.next('get', key);
    const live = this.objects.get(key);
    return live ? { found: true, live } : { found: false };
  }

  async find(declared: DeclaredResource): Promise<LiveRead> {
    await this.script.next('find', declared.ref.name);
    for (const locator of declared.locators) {
      const found = [...this.objects.values()].filter(
        live =>
          live.kind === declared.ref.kind && live.locators.includes(locator),
      );
      if (found.length > 1) {
        return { found: 'several', keys: found.map(live => live.key) };
      }
      if (found.length === 1) return { found: true, live: found[0] };
    }
    return { found: false };
  }

  async write(plan: WritePlan): Promise<WriteReceipt> {
    this.plans.push(plan);
    const fault = await this.script.next('write', plan.ref.name);
    const id = plan.live?.id ?? plan.declared.deterministicId ?? randomUUID();
    const key = `${plan.ref.kind}/${id}`;
    if (!fault.ignored) {
      const current =
        this.objects.get(key)?.document ?? plan.live?.document ?? null;
      this.put(
        plan.ref.kind,
        overlay({
          schema: plan.schema,
          live: current,
          declared: plan.declared.document,
          fields: plan.fields,
          removals: plan.removals,
        }) as JsonObject,
        { id, uid: plan.declared.mark?.value },
      );
    }
    if (fault.losesAnswer) {
      throw new PlatformError('transient', 'no answer came', {
        mayHaveTakenEffect: true,
      });
    }
    return { key, id, requests: [`PUT /${key}`] };
  }

  async remove(plan: RemovePlan): Promise<void> {
    this.removals.push(plan);
    const fault = await this.script.next('remove', plan.ref.name);
    if (!fault.ignored) this.objects.delete(plan.live.key);
  }
}

export class ScriptedSource implements DeclarationSource {
  readonly id = SOURCE;
  readonly title = 'Test declarations';
  readonly script = new Script();
  readonly declarations = new Map<string, DeclaredResource>();
  /** Set by tests of controllers. */
  nudge?: DeclarationSource['nudge'];
  private versions = 0;

  /** Declares something, as a person would. */
  declare(
    ref: Omit<ResourceRef, 'platform'>,
    document: JsonObject,
    more: Partial<DeclaredResource> = {},
  ): DeclaredResource {
    this.versions += 1;
    const full: ResourceRef = { platform: PLATFORM, ...ref };
    const uid = `uid-${ref.name}`;
    const origin: DeclarationOrigin = {
      source: SOURCE,
      type: 'customResource',
      apiVersion: 'test/v1',
      kind: `Test${ref.kind}`,
      namespace: ref.namespace,
      name: ref.name,
      uid,
    };
    const declared: DeclaredResource = {
      ref: full,
      document: { name: ref.name, ...document },
      version: String(this.versions),
      origin,
      locators: [`mark:${uid}`, `name:${ref.name}`],
      mark: { key: MARK, value: uid },
      ...more,
    };
    this.declarations.set(resourceKey(full), declared);
    return declared;
  }

  undeclare(declared: DeclaredResource): void {
    this.declarations.delete(resourceKey(declared.ref));
  }

  async *list() {
    const fault = await this.script.next('list', '');
    const all = [...this.declarations.values()];
    const half = Math.ceil(all.length / 2);
    yield { items: all.slice(0, half) };
    if (fault.truncated) throw unreachable('the second page did not come');
    yield { items: all.slice(half) };
  }

  async get(
    _origin: DeclarationOrigin,
    ref: ResourceRef,
  ): Promise<DeclaredRead> {
    await this.script.next('declared', ref.name);
    const declared = this.declarations.get(resourceKey(ref));
    return declared ? { found: true, declared } : { found: false };
  }
}
