/** Which live object a declaration means. */
import type {
  DeclaredResource,
  LiveObject,
  LiveRead,
} from '@plumbline/backstage-plugin-drift-node';

/** Pairs declarations with the live objects of one sweep, by the best locator that any object answers to. */
export class Pairing {
  private readonly wanted = new Set<string>();
  private readonly found = new Map<string, LiveObject[]>();

  constructor(declared: DeclaredResource[]) {
    for (const one of declared) {
      for (const locator of one.locators) this.wanted.add(locator);
    }
  }

  offer(live: LiveObject): void {
    for (const locator of live.locators) {
      if (!this.wanted.has(locator)) continue;
      const others = this.found.get(locator) ?? [];
      this.found.set(locator, [...others, live]);
    }
  }

  find(declared: DeclaredResource): LiveRead {
    for (const locator of declared.locators) {
      const found = (this.found.get(locator) ?? []).filter(
        live => live.kind === declared.ref.kind,
      );
      if (found.length > 1) {
        return { found: 'several', keys: found.map(live => live.key) };
      }
      if (found.length === 1) return { found: true, live: found[0] };
    }
    return { found: false };
  }
}
