/** What a listing of declarations shows, against what is known: what is new, what has changed, what is gone. No input or output. */
import { resourceKey } from '@plumbline/backstage-plugin-drift-common';
import type {
  DeclarationSource,
  DeclaredResource,
} from '@plumbline/backstage-plugin-drift-node';
import type { PlatformIdentities } from './identities';

export class ListingComparison {
  /** Nothing is known of them yet. */
  readonly fresh: DeclaredResource[] = [];
  /** Known, and not as they were last looked at. */
  readonly moved: { id: string; declared: DeclaredResource }[] = [];
  /** Where objects that are not there yet would be found: locator → resource id, by platform. */
  readonly awaited = new Map<string, Map<string, string>>();
  private readonly seen = new Set<string>();

  constructor(
    private readonly source: Pick<DeclarationSource, 'id' | 'title'>,
    /** By platform. */
    private readonly identities: ReadonlyMap<string, PlatformIdentities>,
    private readonly warn: (message: string) => void,
  ) {}

  add(declared: DeclaredResource): void {
    const { source } = this;
    const { platform } = declared.ref;
    const refKey = resourceKey(declared.ref);
    if (this.seen.has(refKey)) {
      this.warn(
        `${source.title} declares ${refKey} more than once; the first declaration counts`,
      );
      return;
    }
    this.seen.add(refKey);
    const known = this.identities.get(platform)?.byRef(refKey);
    if (!known) {
      this.fresh.push(declared);
      return;
    }
    if (!known.liveKey) {
      const locators = this.awaited.get(platform) ?? new Map<string, string>();
      for (const locator of declared.locators) locators.set(locator, known.id);
      this.awaited.set(platform, locators);
    }
    if (known.source !== undefined && known.source !== source.id) {
      this.warn(
        `${source.title} declares ${refKey}, which ${known.source} declares as well; the first one counts`,
      );
    } else if (
      known.source === undefined ||
      known.declaredVersion !== declared.version
    ) {
      this.moved.push({ id: known.id, declared });
    }
  }

  /** The listing was complete: IDs of what it declared before and declares no more. */
  gone(): string[] {
    return [...this.identities.values()].flatMap(identities =>
      [...identities.byId.values()]
        .filter(
          identity =>
            identity.source === this.source.id &&
            !this.seen.has(identity.refKey),
        )
        .map(identity => identity.id),
    );
  }
}
