/** What a sweep shows, against what is known: which resources must be looked at. No input or output. */
import type {
  LiveObject,
  SweepPage,
} from '@plumbline/backstage-plugin-drift-node';
import type { Identity, PlatformIdentities } from './identities';
import {
  allLocators,
  isMark,
  rememberedItem,
  shareMemory,
  type SeenItem,
  type SeenPages,
} from './seenItems';

export class SweepComparison {
  /** IDs of resources that are not as they were last looked at. */
  readonly look = new Set<string>();
  private readonly pages = new Map<string, SeenItem[]>();
  private readonly seen = new Set<string>();
  private readonly marks = new Map<string, string>();

  constructor(
    private readonly known: {
      identities: PlatformIdentities;
      /** Pages of the sweep before, as far as they need not be looked into again. */
      before?: SeenPages;
      /** Where an object that is not there yet would be found: locator → resource id. */
      awaited?: ReadonlyMap<string, string>;
      /** `resourceKey` of those that are judged by this sweep in any case. */
      held: { has(refKey: string): boolean };
      /** Gets every live object with its document, of the pages that are looked into. */
      offer(live: LiveObject): void;
    },
  ) {}

  /** Whether a page with this digest need not be looked into. */
  knows(digest: string): boolean {
    return this.known.before?.has(digest) ?? false;
  }

  add(page: SweepPage): void {
    const { digest } = page;
    const remembered =
      digest === undefined ? undefined : this.known.before?.get(digest);
    if (digest !== undefined) {
      this.pages.set(digest, remembered ?? page.items.map(rememberedItem));
    }
    for (const live of remembered ?? page.items) {
      // it moved from one page to another while they were read
      const others = this.seen.size;
      if (this.seen.add(live.key).size === others) continue;
      this.addItem(live, page);
    }
  }

  /** The sweep was complete: what was not seen is not there. */
  end(): SeenPages {
    for (const identity of this.known.identities.byId.values()) {
      if (
        identity.liveKey &&
        !this.seen.has(identity.liveKey) &&
        !this.known.held.has(identity.refKey)
      ) {
        this.look.add(identity.id);
      }
    }
    return this.pages;
  }

  private addItem(live: SeenItem | LiveObject, page: SweepPage): void {
    const { identities, held, awaited } = this.known;
    if ('document' in live) this.known.offer(live);
    const bound = identities.boundTo(live.key);
    if (bound.length && 'marksOnly' in live && !live.marksOnly) {
      shareMemory(live, bound[0]);
    }
    for (const identity of bound) {
      if (!held.has(identity.refKey) && hasMoved(identity, live)) {
        this.look.add(identity.id);
      }
    }
    if (!bound.length && awaited?.size) {
      for (const locator of allLocators(live, page)) {
        const id = awaited.get(locator);
        if (id !== undefined) this.look.add(id);
      }
    }
    for (const locator of live.locators) {
      if (isMark(locator)) this.addMark(locator, live.key);
    }
  }

  /** Two objects bear one mark: whichever is bound must be looked up anew. */
  private addMark(mark: string, key: string): void {
    const other = this.marks.get(mark);
    if (other === undefined) {
      this.marks.set(mark, key);
      return;
    }
    for (const one of [other, key]) {
      for (const identity of this.known.identities.boundTo(one)) {
        this.look.add(identity.id);
      }
    }
  }
}

function hasMoved(identity: Identity, live: SeenItem | LiveObject): boolean {
  return identity.liveVersion !== live.version || identity.liveId !== live.id;
}
