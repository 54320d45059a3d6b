/** Declarations that wait for the next sweep of their platform, which shows their live sides all at once. */
import { resourceKey } from '@plumbline/backstage-plugin-drift-common';
import {
  isPlatformError,
  type DeclaredResource,
  type LiveRead,
  type Platform,
} from '@plumbline/backstage-plugin-drift-node';
import type { PassContext } from '../pass/context';
import { recordSwept, type Swept } from '../pass/swept';
import type { Millis, ResourceRow } from '../store/rows';
import type { PlatformIdentities } from './identities';

/** Documents of changed declarations that are held at most; further ones wait for a later listing. */
const HELD_AT_MOST = 20_000;
/** So many are judged and stored at once. */
const AT_ONCE = 100;

export interface Held {
  declared: DeclaredResource;
  /** Began to be read then. */
  at: Millis;
}

/** By platform, then by `resourceKey`. */
export class HeldDeclarations {
  private readonly all = new Map<string, Map<string, Held>>();

  hold(declared: DeclaredResource[], at: Millis): void {
    for (const one of declared.slice(0, HELD_AT_MOST)) {
      const { platform } = one.ref;
      const held = this.all.get(platform) ?? new Map<string, Held>();
      held.set(resourceKey(one.ref), { declared: one, at });
      this.all.set(platform, held);
    }
  }

  /** Platforms that a sweep is waited for. */
  platforms(): Iterable<string> {
    return this.all.keys();
  }

  has(platform: string, refKey: string): boolean {
    return this.all.get(platform)?.has(refKey) ?? false;
  }

  take(platform: string): Map<string, Held> {
    const held = this.all.get(platform) ?? new Map<string, Held>();
    this.all.delete(platform);
    return held;
  }
}

/** Some that are judged at once: what is found of one must not depend on another. */
class Part {
  readonly all: Swept[] = [];
  private readonly refs = new Set<string>();
  private readonly liveKeys = new Set<string>();

  isFullFor({ declared, read }: Swept): boolean {
    return (
      this.all.length >= AT_ONCE ||
      (read.found === true && this.liveKeys.has(read.live.key)) ||
      (declared.references ?? []).some(({ ref }) =>
        this.refs.has(resourceKey(ref)),
      )
    );
  }

  add(one: Swept): void {
    this.all.push(one);
    this.refs.add(resourceKey(one.declared.ref));
    if (one.read.found === true) this.liveKeys.add(one.read.live.key);
  }
}

/** Judges what was held by what a complete sweep showed. */
export async function judgeHeld(
  context: PassContext,
  platform: Platform,
  held: ReadonlyMap<string, Held>,
  sweep: {
    at: Millis;
    identities: PlatformIdentities;
    find(declared: DeclaredResource): LiveRead;
    /** Told of each part as soon as it is judged: which resources, how their rows are stored, and which of them passes are due for. */
    judged(part: { ids: string[]; rows: ResourceRow[]; due: string[] }): void;
    signal: AbortSignal;
  },
): Promise<void> {
  const { signal, identities } = sweep;
  let part = new Part();
  const store = async () => {
    const { all } = part;
    part = new Part();
    if (!all.length) return;
    sweep.judged({
      ids: all.map(one => one.resourceId),
      ...(await recordSwept(context, platform.id, all, signal)),
    });
  };
  for (const { declared, at } of parentsFirst(platform, held)) {
    if (signal.aborted) throw signal.reason;
    const id = identities.byRef(resourceKey(declared.ref))?.id;
    const schema = await schemaOf(platform, declared, signal);
    // removed since; or left to its own pass: the sweep is complete all the same
    if (id === undefined || !schema) continue;
    const one: Swept = {
      resourceId: id,
      at: Math.min(at, sweep.at),
      declared,
      read: sweep.find(declared),
      schema,
    };
    if (part.isFullFor(one)) await store();
    part.add(one);
  }
  await store();
}

/** Children need their parents' live ids. */
function parentsFirst(
  platform: Platform,
  held: ReadonlyMap<string, Held>,
): Held[] {
  const order = new Map(platform.kinds.map((kind, index) => [kind, index]));
  const rank = (one: Held) => order.get(one.declared.ref.kind) ?? order.size;
  return [...held.values()].sort((a, b) => rank(a) - rank(b));
}

async function schemaOf(
  platform: Platform,
  declared: DeclaredResource,
  signal: AbortSignal,
): Promise<Swept['schema'] | undefined> {
  try {
    return await platform.schema(declared.ref.kind, { signal, declared });
  } catch (error) {
    if (signal.aborted || !isPlatformError(error)) throw error;
    return undefined;
  }
}
