/** What is held in memory of each resource: identities, versions and digests, no documents. */
import { resourceKey } from '@plumbline/backstage-plugin-drift-common';
import type { DriftStore, ResourceRow } from '../store/types';

export interface Identity {
  id: string;
  refKey: string;
  kind: string;
  source?: string;
  declaredVersion?: string;
  declaredDigest?: string;
  liveKey?: string;
  liveId?: string;
  liveVersion?: string;
  liveDigest?: string;
  dirty: boolean;
}

/** The identities of one platform, as the store had them when they were last read. */
export class PlatformIdentities {
  readonly byId = new Map<string, Identity>();
  private readonly ids = new Map<string, string>();
  private readonly live = new Map<string, string[]>();

  put(identity: Identity): void {
    const before = this.byId.get(identity.id);
    if (before?.liveKey && before.liveKey !== identity.liveKey) {
      const left = (this.live.get(before.liveKey) ?? []).filter(
        id => id !== identity.id,
      );
      if (left.length) this.live.set(before.liveKey, left);
      else this.live.delete(before.liveKey);
    }
    this.byId.set(identity.id, identity);
    this.ids.set(identity.refKey, identity.id);
    if (identity.liveKey) {
      const bound = this.live.get(identity.liveKey) ?? [];
      if (!bound.includes(identity.id)) {
        this.live.set(identity.liveKey, [...bound, identity.id]);
      }
    }
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
  boundTo(liveKey: string): Identity[] {
    return (this.live.get(liveKey) ?? []).flatMap(
      id => this.byId.get(id) ?? [],
    );
  }
}

export async function readIdentities(
  store: Pick<DriftStore, 'listIdentities'>,
  platform: string,
): Promise<PlatformIdentities> {
  const identities = new PlatformIdentities();
  for await (const row of store.listIdentities(platform)) {
    identities.put(identityOf(row));
  }
  return identities;
}

export function identityOf(
  row: Pick<
    ResourceRow,
    | 'id'
    | 'ref'
    | 'source'
    | 'declaredVersion'
    | 'declaredDigest'
    | 'liveKey'
    | 'liveId'
    | 'liveVersion'
    | 'liveDigest'
    | 'dirty'
  >,
): Identity {
  return {
    id: row.id,
    refKey: resourceKey(row.ref),
    kind: row.ref.kind,
    source: row.source,
    declaredVersion: row.declaredVersion,
    declaredDigest: row.declaredDigest,
    liveKey: row.liveKey,
    liveId: row.liveId,
    liveVersion: row.liveVersion,
    liveDigest: row.liveDigest,
    dirty: row.dirty,
  };
}
