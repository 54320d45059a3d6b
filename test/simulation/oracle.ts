/** The truth about each resource, told without the product: do both sides agree, and when did they last? */
import type { Json, JsonObject } from '@plumbline/drift-engine';
import {
  resourceKey,
  type ResourceRef,
} from '@plumbline/backstage-plugin-drift-common';
import type { DeclaredResource } from '@plumbline/backstage-plugin-drift-node';
import type { DeclarationServer, LiveServer, LiveState } from './servers';

interface Span<T> {
  from: number;
  value: T | undefined;
}

export class Oracle {
  private readonly declared = new Map<string, Span<DeclaredResource>[]>();
  /** What is declared, with the live ids of what it refers to as they were then. */
  private readonly wanted = new Map<string, Span<JsonObject>[]>();
  private readonly live = new Map<string, Span<LiveState>[]>();

  constructor(
    private readonly refs: readonly ResourceRef[],
    private readonly platforms: ReadonlyMap<string, LiveServer>,
    sources: ReadonlyMap<string, DeclarationServer>,
  ) {
    for (const source of sources.values()) {
      source.listeners.add(({ at, key, after }) => {
        add(this.declared, key, { from: at, value: after });
        // another mark may find another object
        this.lookAgain(at);
      });
    }
    for (const platform of platforms.values()) {
      platform.listeners.add(({ at }) => this.lookAgain(at));
    }
  }

  declaredNow(ref: ResourceRef): DeclaredResource | undefined {
    return this.declared.get(resourceKey(ref))?.at(-1)?.value;
  }

  /** What was declared last, also where that is gone. */
  lastDeclared(ref: ResourceRef): DeclaredResource | undefined {
    return this.declared
      .get(resourceKey(ref))
      ?.findLast(span => span.value !== undefined)?.value;
  }

  /** What is declared, with the live ids of what it refers to. */
  wantedNow(ref: ResourceRef): JsonObject | undefined {
    return this.wanted.get(resourceKey(ref))?.at(-1)?.value;
  }

  /** The live object of a declaration: the one with its mark, else the one with its name. */
  liveNow(ref: ResourceRef): LiveState | undefined {
    return this.live.get(resourceKey(ref))?.at(-1)?.value;
  }

  isEqual(ref: ResourceRef): boolean {
    return equal(this.wantedNow(ref), this.liveNow(ref));
  }

  /** Some declared state and some live state since `from` were equal: no reader can ask for more, because it reads one after the other. */
  wasEqualSince(ref: ResourceRef, from: number): boolean {
    const key = resourceKey(ref);
    const wanted = since(this.wanted.get(key) ?? [], from);
    const live = since(this.live.get(key) ?? [], from);
    return wanted.some(w => live.some(l => equal(w, l)));
  }

  /** It has been declared all the time since then. */
  wasDeclaredSince(ref: ResourceRef, from: number): boolean {
    return since(this.declared.get(resourceKey(ref)) ?? [], from).every(
      value => value !== undefined,
    );
  }

  private lookAgain(at: number): void {
    for (const ref of this.refs) {
      const key = resourceKey(ref);
      const spans = this.live.get(key);
      const now = this.look(ref);
      if (spans?.at(-1)?.value !== now)
        add(this.live, key, { from: at, value: now });
    }
    for (const ref of this.refs) {
      const key = resourceKey(ref);
      const value = this.resolve(ref);
      if (!sameJson(this.wanted.get(key)?.at(-1)?.value, value)) {
        add(this.wanted, key, { from: at, value });
      }
    }
  }

  private resolve(ref: ResourceRef): JsonObject | undefined {
    const declared = this.declaredNow(ref);
    if (!declared) return undefined;
    const [reference] = declared.references ?? [];
    return {
      ...(declared.document as JsonObject),
      ...(reference
        ? { service: { id: this.liveNow(reference.ref)?.id ?? null } }
        : {}),
    };
  }

  private look(ref: ResourceRef): LiveState | undefined {
    const server = this.platforms.get(ref.platform);
    const mark = this.declaredNow(ref)?.mark?.value;
    if (!server) return undefined;
    const all = [...server.objects.values()].filter(
      one => one.kind === ref.kind,
    );
    return (
      all.find(one => mark !== undefined && one.mark === mark) ??
      all.find(one => one.name === ref.name)
    );
  }
}

function equal(
  wanted: JsonObject | undefined,
  live: LiveState | undefined,
): boolean {
  return (
    wanted !== undefined &&
    live !== undefined &&
    Object.entries(wanted).every(([field, value]) =>
      sameJson(value, live.document[field]),
    )
  );
}

export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function add<T>(map: Map<string, Span<T>[]>, key: string, span: Span<T>): void {
  const spans = map.get(key);
  if (spans) spans.push(span);
  else map.set(key, [span]);
}

/** Values that were there at some time since `from`. */
function since<T>(spans: Span<T>[], from: number): (T | undefined)[] {
  return spans
    .filter((_, index) => (spans[index + 1]?.from ?? Infinity) >= from)
    .map(span => span.value);
}
