/** What is held in memory of each resource: identities and versions, no documents. */
import { resourceKey } from '@plumbline/backstage-plugin-drift-common';
import type { DriftStore } from '../store/driftStore';
import type { Millis, ResourceIdentity } from '../store/rows';

/** A change is noticed although its transaction was open for so long when changes were last read. */
const OVERLAP_MS = 30_000;
/** So often all of it is read again, whatever changed: what a row that was removed has left behind goes then. */
const ALL_AGAIN_MS = 10 * 60_000;

export interface Identity extends Omit<ResourceIdentity, 'ref'> {
  refKey: string;
}

const NONE: readonly Identity[] = [];

/** The identities of one platform, as the store had them when they were last read. */
export class PlatformIdentities {
  readonly byId = new Map<string, Identity>();
  private readonly ids = new Map<string, string>();
  private readonly live = new Map<string, readonly Identity[]>();
  private allReadAt = -Infinity;
  private changesReadAt = -Infinity;

  put(identity: Identity): void {
    const before = this.byId.get(identity.id);
    // what is there already is held by others too: the same once more would only take memory
    if (before && isSame(before, identity)) return;
    if (before) this.unbind(before);
    this.byId.set(identity.id, identity);
    this.ids.set(identity.refKey, identity.id);
    const { liveKey } = identity;
    if (liveKey === undefined) return;
    const others = this.boundTo(liveKey);
    // a spread would make room for more, and nearly always there is one
    this.live.set(liveKey, others.length ? [...others, identity] : [identity]);
  }

  /** `resourceKey` of each. */
  refKeys(): Iterable<string> {
    return this.ids.keys();
  }

  byRef(refKey: string): Identity | undefined {
    const id = this.ids.get(refKey);
    return id === undefined ? undefined : this.byId.get(id);
  }

  /** Resources that are bound to a live object: more than one where declarations claim the same. */
  boundTo(liveKey: string): readonly Identity[] {
    return this.live.get(liveKey) ?? NONE;
  }

  /** Something here is not as the store has it: the next refresh reads all of it. */
  mistrust(): void {
    this.allReadAt = -Infinity;
  }

  /**
   * Reads what has changed since the last time.
   *
   * @returns whether all of it was read
   */
  async refresh(
    store: Pick<DriftStore, 'listIdentities'>,
    platform: string,
    now: Millis,
  ): Promise<boolean> {
    const sinceAll = now - this.allReadAt;
    const sinceChanges = now - this.changesReadAt;
    // a clock that was put back says nothing about how long ago it was
    const all = sinceChanges < 0 || !(sinceAll < ALL_AGAIN_MS);
    if (all) {
      const left = new Set(this.byId.keys());
      for await (const row of store.listIdentities(platform)) {
        left.delete(row.id);
        this.put(identityOf(row));
      }
      for (const id of left) this.remove(id);
      this.allReadAt = now;
    } else {
      const changedWithin = Math.ceil(sinceChanges) + OVERLAP_MS;
      for await (const row of store.listIdentities(platform, {
        changedWithin,
      })) {
        this.put(identityOf(row));
      }
    }
    this.changesReadAt = now;
    return all;
  }

  private unbind({ id, liveKey }: Identity): void {
    if (liveKey === undefined) return;
    const left = this.boundTo(liveKey).filter(other => other.id !== id);
    if (left.length) this.live.set(liveKey, left);
    else this.live.delete(liveKey);
  }

  private remove(id: string): void {
    const identity = this.byId.get(id);
    if (!identity) return;
    this.unbind(identity);
    this.byId.delete(id);
    // it may have been declared anew, as another resource
    if (this.ids.get(identity.refKey) === id) this.ids.delete(identity.refKey);
  }
}

function isSame(one: Identity, other: Identity): boolean {
  return (Object.keys(one) as (keyof Identity)[]).every(
    key => one[key] === other[key],
  );
}

export function identityOf({
  id,
  ref,
  source,
  declaredVersion,
  liveKey,
  liveId,
  liveVersion,
  dirty,
}: ResourceIdentity): Identity {
  return {
    id,
    refKey: resourceKey(ref),
    source,
    declaredVersion,
    liveKey,
    liveId,
    liveVersion,
    dirty,
  };
}
