/** Bulk reads of declaration sources and platforms, paired with each other: what changed is looked at, the rest costs nothing. */
import { randomUUID } from 'node:crypto';
import { resourceKey } from '@plumbline/backstage-plugin-drift-common';
import type {
  DeclarationSource,
  DeclaredResource,
  Platform,
} from '@plumbline/backstage-plugin-drift-node';
import { withPriority } from '../loop/priority';
import type { PassContext } from '../pass/context';
import { describeFailure } from '../pass/observe';
import type { Millis, ResourceRow } from '../store/rows';
import { HeldDeclarations, judgeHeld } from './held';
import { identityOf, PlatformIdentities } from './identities';
import { kindsToSweep } from './kinds';
import { ListingComparison } from './listingComparison';
import { newResource } from './newResource';
import { Pairing } from './pairing';
import type { SeenPages } from './seenItems';
import { SweepComparison } from './sweepComparison';

/** So few changes are looked at one by one at once; more wait for the next sweep, which has all live sides at hand. */
const FEW = 10;
/** The next sweep takes no longer for each of them. */
const SWEPT_MS = 10;

export interface InventoryHooks {
  /** Passes are due: somebody should look. */
  due(): void;
  /** Resources were added. */
  added(): void;
  /** The platform should be swept soon. */
  sweepSoon(platform: string): void;
}

/** As a locator: where an object was that is gone. */
const formerly = (liveKey: string) => `key:${liveKey}`;

export class Inventory {
  /** As they were at the last bulk read, and as passes of this process left them since. */
  private readonly identities = new Map<string, PlatformIdentities>();
  /** The last complete sweep of each platform. */
  private readonly pages = new Map<string, SeenPages>();
  private readonly held = new HeldDeclarations();
  /** Where an object that is not there yet would be found: locator → resource id, by platform. */
  private readonly awaited = new Map<string, Map<string, string>>();

  private readonly warned = new Set<string>();
  /** Scopes whose last read was not complete. */
  private readonly failing = new Set<string>();

  constructor(
    private readonly context: PassContext,
    private readonly hooks: InventoryHooks,
  ) {}

  /** A pass of this process has left the row like this. */
  note(row: ResourceRow): void {
    const { platform } = row.ref;
    const identities = this.identities.get(platform);
    const before = identities?.byId.get(row.id)?.liveKey;
    if (before !== undefined && row.liveKey === undefined) {
      // it is gone: if it comes back before the next listing, a watch tells of it by this key
      const awaited = this.awaited.get(platform) ?? new Map<string, string>();
      this.awaited.set(platform, awaited.set(formerly(before), row.id));
    }
    identities?.put(identityOf(row));
  }

  /**
   * Lists a source. Only a complete listing says that a declaration is gone (rule 5).
   *
   * @returns whether it was complete; failures are recorded, not thrown
   */
  async listSource(
    source: DeclarationSource,
    options: { signal: AbortSignal },
  ): Promise<boolean> {
    return withPriority('sweep', () =>
      this.read(source.id, options.signal, at =>
        this.listAll(source, at, options.signal),
      ),
    );
  }

  /**
   * Sweeps a platform. Only a complete sweep says that an object is gone (rule 5).
   *
   * @returns whether it was complete; failures are recorded, not thrown
   */
  async sweepPlatform(
    platform: Platform,
    options: { signal: AbortSignal },
  ): Promise<boolean> {
    return withPriority('sweep', () =>
      this.read(platform.id, options.signal, at =>
        this.sweepAll(platform, at, options.signal),
      ),
    );
  }

  /** A watch saw declarations change. */
  async declarationsChanged(
    source: DeclarationSource,
    changed: DeclaredResource[],
  ): Promise<void> {
    const { store, clock } = this.context;
    const fresh: DeclaredResource[] = [];
    const ids: string[] = [];
    for (const declared of changed) {
      const known =
        this.identities
          .get(declared.ref.platform)
          ?.byRef(resourceKey(declared.ref)) ??
        (await store.getResourceByRef(declared.ref));
      if (!known) fresh.push(declared);
      else if (
        known.declaredVersion !== declared.version ||
        declared.deleting ||
        known.source !== source.id
      ) {
        ids.push(known.id);
      }
    }
    await this.add(source, fresh, clock.now());
    await this.look(ids);
  }

  /** A watch saw live objects change. */
  async liveChanged(
    platform: Platform,
    changed: { key: string; locators: string[]; version: string }[],
  ): Promise<void> {
    const identities = this.identities.get(platform.id);
    const awaited = this.awaited.get(platform.id);
    const ids = changed.flatMap(({ key, locators, version }) => {
      const bound = identities?.boundTo(key) ?? [];
      if (bound.length) {
        return bound
          .filter(identity => identity.liveVersion !== version)
          .map(identity => identity.id);
      }
      return [formerly(key), ...locators].flatMap(
        locator => awaited?.get(locator) ?? [],
      );
    });
    await this.look([...new Set(ids)]);
  }

  private async read(
    scope: string,
    signal: AbortSignal,
    run: (at: Millis) => Promise<void>,
  ): Promise<boolean> {
    const { store, clock, announcer, logger } = this.context;
    const at = clock.now();
    try {
      const through = await this.absencesOf(scope);
      await run(at);
      const took = clock.now() - at;
      // as of its beginning: what was read first is no newer than that
      await store.recordRead(scope, {
        complete: true,
        at,
        through,
        status: 'ok',
        lastTriedAt: clock.now(),
        sweepMilliseconds: took,
      });
      announcer.sweepFinished(scope, took, true);
      if (this.failing.delete(scope)) await this.recovered(scope);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      const told = describeFailure(error);
      this.failing.add(scope);
      logger.warn(`Reading ${scope} was not complete: ${told.message}`);
      announcer.sweepFinished(scope, clock.now() - at, false);
      await store.recordRead(scope, {
        complete: false,
        at,
        status:
          told.classification === 'transient' || told.classification === 'gone'
            ? 'unreachable'
            : 'degraded',
        message: told.message,
        lastTriedAt: clock.now(),
      });
      return false;
    }
  }

  private async absencesOf(scope: string): Promise<number | undefined> {
    const scopes = await this.context.store.listScopes();
    return scopes.find(({ id }) => id === scope)?.absences;
  }

  /** A scope answers again: what could not be read is looked at now, and does not wait for its backoff to end. */
  private async recovered(scope: string): Promise<void> {
    const ids: string[] = [];
    for (const [platform, identities] of this.identities) {
      for (const identity of identities.byId.values()) {
        if (
          identity.dirty &&
          (platform === scope || identity.source === scope) &&
          // the next sweep shows it
          !this.held.has(platform, identity.refKey)
        ) {
          ids.push(identity.id);
        }
      }
    }
    await this.look(ids);
  }

  private async listAll(
    source: DeclarationSource,
    at: Millis,
    signal: AbortSignal,
  ): Promise<void> {
    const { platforms, clock, config } = this.context;
    for (const platform of platforms.keys()) await this.refreshed(platform);
    const listing = new ListingComparison(source, this.identities, message =>
      this.warnOnce(message),
    );
    for await (const page of source.list({ signal })) {
      for (const declared of page.items) {
        const { platform } = declared.ref;
        if (!this.identities.has(platform)) await this.refreshed(platform);
        listing.add(declared);
      }
    }
    const { fresh, moved, awaited } = listing;
    for (const [platform, locators] of awaited)
      this.awaited.set(platform, locators);

    const changed = [...fresh, ...moved.map(one => one.declared)];
    const few = changed.length <= FEW;
    if (!few) this.held.hold(changed, at);
    // the due time is the fallback where no sweep comes
    const dueAt = few
      ? clock.now()
      : clock.now() + 2 * config.resyncMs + changed.length * SWEPT_MS;
    await this.add(source, fresh, dueAt);
    const still = await this.bringForward(
      moved.map(one => one.id),
      dueAt,
      'shown',
    );
    if (!still) {
      // removed by another process, and declared anew since
      for (const platform of platforms.keys()) await this.refreshed(platform);
      const anew = moved
        .map(one => one.declared)
        .filter(
          ({ ref }) =>
            !this.identities.get(ref.platform)?.byRef(resourceKey(ref)),
        );
      await this.add(source, anew, dueAt);
    }
    const gone = listing.gone();
    await this.bringForward(gone, clock.now());
    if (!few) {
      for (const platform of this.held.platforms()) {
        this.hooks.sweepSoon(platform);
      }
    } else if (moved.length || gone.length) this.hooks.due();
  }

  private async sweepAll(
    platform: Platform,
    at: Millis,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock } = this.context;
    const identities = await this.refreshed(platform.id);
    const held = this.held.take(platform.id);
    const pairing = new Pairing([...held.values()].map(one => one.declared));
    const sweep = new SweepComparison({
      identities,
      // what was just declared is paired with live objects and their documents
      before: held.size ? undefined : this.pages.get(platform.id),
      awaited: this.awaited.get(platform.id),
      held,
      offer: live => pairing.offer(live),
    });
    const judged = new Set<string>();
    let isWhole = false;
    try {
      for await (const page of platform.sweep(
        { kinds: kindsToSweep(platform, identities.refKeys()) },
        { signal, knows: digest => sweep.knows(digest) },
      )) {
        sweep.add(page);
      }
      this.pages.set(platform.id, sweep.end());
      await judgeHeld(this.context, platform, held, {
        ...{ at, identities, signal },
        find: declared => pairing.find(declared),
        judged: ({ ids, rows, due }) => {
          for (const id of ids) judged.add(id);
          for (const row of rows) this.note(row);
          if (due.length) this.hooks.due();
        },
      });
      isWhole = true;
    } finally {
      // what could not be judged is read one by one; where the sweep failed, the next listing holds it for the next sweep
      const left = isWhole
        ? [...held.keys()].flatMap(refKey => identities.byRef(refKey)?.id ?? [])
        : [];
      const look = new Set(
        [...sweep.look, ...left].filter(id => !judged.has(id)),
      );
      await this.bringForward([...look], clock.now());
      if (look.size) this.hooks.due();
    }
  }

  private warnOnce(message: string): void {
    if (this.warned.has(message)) return;
    this.warned.add(message);
    this.context.logger.warn(message);
  }

  /** The identities of a platform as the store has them now. */
  private async refreshed(platform: string): Promise<PlatformIdentities> {
    const { store, clock } = this.context;
    const identities =
      this.identities.get(platform) ?? new PlatformIdentities();
    const all = await identities.refresh(store, platform, clock.now());
    if (all) {
      // what was not said because a process ended
      await store.bringDependentsForward({ dueAt: clock.now() });
    }
    // not before it has been read
    this.identities.set(platform, identities);
    return identities;
  }

  private async add(
    source: DeclarationSource,
    declared: DeclaredResource[],
    dueAt: Millis,
  ): Promise<void> {
    if (!declared.length) return;
    const { store, clock, config } = this.context;
    const added = await store.addResources(
      declared.map(one =>
        newResource(one, {
          id: randomUUID(),
          source: source.id,
          now: clock.now(),
          dueAt,
          config,
        }),
      ),
    );
    for (const row of added) {
      // unless nobody has read them yet: then this one is read with them
      this.identities.get(row.ref.platform)?.put(identityOf(row));
      this.context.announcer.resourceChanged(undefined, row);
    }
    this.hooks.added();
    this.hooks.due();
  }

  private async look(ids: string[]): Promise<void> {
    if (!ids.length) return;
    await this.bringForward(ids, this.context.clock.now());
    this.hooks.due();
  }

  /** @returns whether all of them are still there */
  private async bringForward(
    ids: string[],
    dueAt: Millis,
    shown?: 'shown',
  ): Promise<boolean> {
    const brought = await this.context.store.bringForward(ids, {
      dueAt,
      dirty: true,
      shown: shown !== undefined,
    });
    if (brought >= ids.length) return true;
    for (const identities of this.identities.values()) identities.mistrust();
    return false;
  }
}
