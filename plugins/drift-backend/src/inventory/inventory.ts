/** Bulk reads of declaration sources and platforms, paired with each other: what changed is looked at, the rest costs nothing. */
import { randomUUID } from 'node:crypto';
import { resourceKey } from '@plumbline/backstage-plugin-drift-common';
import {
  isPlatformError,
  type DeclarationSource,
  type DeclaredResource,
  type LiveRead,
  type Platform,
} from '@plumbline/backstage-plugin-drift-node';
import { withPriority } from '../loop/priority';
import type { PassContext } from '../pass/context';
import { describeFailure } from '../pass/observe';
import { recordSwept } from '../pass/swept';
import { LeaseLostError, type Millis, type ResourceRow } from '../store/types';
import { identityOf, PlatformIdentities } from './identities';
import { kindsToSweep } from './kinds';
import { newResource } from './newResource';
import { Pairing } from './pairing';
import {
  allLocators,
  isMark,
  rememberedItem,
  shareMemory,
  type SeenItem,
  type SeenPages,
} from './seenItems';

/** So few changes are looked at one by one at once; more wait for the next sweep, which has all live sides at hand. */
const FEW = 10;
/** Documents of changed declarations that are held for the next sweep at most; further ones are read one by one. */
const HELD_AT_MOST = 20_000;
const LEASE_MS = 30_000;

interface Held {
  declared: DeclaredResource;
  /** Began to be read then. */
  at: Millis;
}

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
  /** Changed declarations that wait for the next sweep of their platform, by ref. */
  private readonly held = new Map<string, Map<string, Held>>();
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
      await run(at);
      const took = clock.now() - at;
      // as of its beginning: what was read first is no newer than that
      await store.recordRead(scope, {
        complete: true,
        at,
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

  /** A scope answers again: what could not be read is looked at now, and does not wait for its backoff to end. */
  private async recovered(scope: string): Promise<void> {
    const ids: string[] = [];
    for (const [platform, identities] of this.identities) {
      for (const identity of identities.byId.values()) {
        if (
          identity.dirty &&
          (platform === scope || identity.source === scope)
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
    const seen = new Set<string>();
    const awaited = new Map<string, Map<string, string>>();
    const fresh: DeclaredResource[] = [];
    const moved: { id: string; declared: DeclaredResource }[] = [];
    for await (const page of source.list({ signal })) {
      for (const declared of page.items) {
        const refKey = resourceKey(declared.ref);
        if (seen.has(refKey)) {
          this.warnOnce(
            `${source.title} declares ${refKey} more than once; the first declaration counts`,
          );
          continue;
        }
        seen.add(refKey);
        const { platform } = declared.ref;
        const identities =
          this.identities.get(platform) ?? (await this.refreshed(platform));
        const known = identities.byRef(refKey);
        if (!known) {
          fresh.push(declared);
          continue;
        }
        if (!known.liveKey) {
          const locators =
            awaited.get(declared.ref.platform) ?? new Map<string, string>();
          for (const locator of declared.locators)
            locators.set(locator, known.id);
          awaited.set(declared.ref.platform, locators);
        }
        if (known.source !== undefined && known.source !== source.id) {
          this.warnOnce(
            `${source.title} declares ${refKey}, which ${known.source} declares as well; the first one counts`,
          );
        } else if (
          known.source === undefined ||
          known.declaredVersion !== declared.version
        ) {
          moved.push({ id: known.id, declared });
        }
      }
    }
    for (const [platform, locators] of awaited)
      this.awaited.set(platform, locators);

    const few = fresh.length + moved.length <= FEW;
    const held = few ? 0 : HELD_AT_MOST;
    for (const declared of [...fresh, ...moved.map(one => one.declared)].slice(
      0,
      held,
    )) {
      this.hold(declared, at);
    }
    // the due time is the fallback where no sweep comes
    const dueAt = few ? clock.now() : clock.now() + 2 * config.resyncMs;
    await this.add(source, fresh, dueAt);
    const gone = [...this.identities.values()].flatMap(identities =>
      [...identities.byId.values()]
        .filter(
          identity =>
            identity.source === source.id && !seen.has(identity.refKey),
        )
        .map(identity => identity.id),
    );
    const still = await this.bringForward(
      moved.map(one => one.id),
      dueAt,
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
    await this.bringForward(gone, clock.now());
    if (!few) {
      for (const platform of this.held.keys()) this.hooks.sweepSoon(platform);
    } else if (moved.length || gone.length) this.hooks.due();
  }

  private async sweepAll(
    platform: Platform,
    at: Millis,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock } = this.context;
    const identities = await this.refreshed(platform.id);
    const before = this.pages.get(platform.id);
    const pages = new Map<string, SeenItem[]>();
    const held = this.held.get(platform.id) ?? new Map<string, Held>();
    this.held.delete(platform.id);
    const pairing = new Pairing([...held.values()].map(one => one.declared));
    const awaited = this.awaited.get(platform.id);
    const seen = new Set<string>();
    const marks = new Map<string, string>();
    const look = new Set<string>();
    const evaluated = new Set<string>();
    // what was just declared is paired with live objects and their documents
    const known = (digest: string) =>
      held.size ? undefined : before?.get(digest);
    try {
      for await (const page of platform.sweep(
        { kinds: kindsToSweep(platform, identities.refKeys()) },
        { signal, knows: digest => known(digest) !== undefined },
      )) {
        const { digest } = page;
        const remembered = digest === undefined ? undefined : known(digest);
        if (digest !== undefined) {
          pages.set(digest, remembered ?? page.items.map(rememberedItem));
        }
        for (const live of remembered ?? page.items) {
          // it moved from one page to another while they were read
          const others = seen.size;
          if (seen.add(live.key).size === others) continue;
          if ('document' in live) pairing.offer(live);
          const bound = identities.boundTo(live.key);
          if (bound.length && 'marksOnly' in live && !live.marksOnly) {
            shareMemory(live, bound[0]);
          }
          for (const identity of bound) {
            if (held.has(identity.refKey)) continue;
            if (
              identity.liveVersion !== live.version ||
              identity.liveId !== live.id
            ) {
              look.add(identity.id);
            }
          }
          if (!bound.length) {
            for (const locator of allLocators(live, page)) {
              const id = awaited?.get(locator);
              if (id !== undefined) look.add(id);
            }
          }
          for (const locator of live.locators) {
            if (!isMark(locator)) continue;
            const other = marks.get(locator);
            if (other === undefined) marks.set(locator, live.key);
            else {
              // two objects bear one mark: whichever is bound must be looked up anew
              for (const key of [other, live.key]) {
                for (const identity of identities.boundTo(key)) {
                  look.add(identity.id);
                }
              }
            }
          }
        }
      }
      this.pages.set(platform.id, pages);
      // complete: what was not seen is not there
      for (const identity of identities.byId.values()) {
        if (
          identity.liveKey &&
          !seen.has(identity.liveKey) &&
          !held.has(identity.refKey)
        ) {
          look.add(identity.id);
        }
      }
      const order = new Map(platform.kinds.map((kind, index) => [kind, index]));
      const rank = (one: Held) =>
        order.get(one.declared.ref.kind) ?? order.size;
      // parents first: children need their live ids
      for (const one of [...held.values()].sort((a, b) => rank(a) - rank(b))) {
        if (signal.aborted) throw signal.reason;
        try {
          await this.evaluate(
            platform,
            one,
            pairing.find(one.declared),
            at,
            signal,
          );
          evaluated.add(resourceKey(one.declared.ref));
        } catch (error) {
          // one that cannot be judged from the sweep is left to its own pass: the sweep is complete all the same
          if (signal.aborted || !isPlatformError(error)) throw error;
        }
      }
    } finally {
      // what was held and not evaluated is read one by one
      for (const [refKey, one] of held) {
        if (evaluated.has(refKey)) continue;
        const left = identities.byRef(resourceKey(one.declared.ref));
        if (left) look.add(left.id);
      }
      await this.bringForward([...look], clock.now());
      if (look.size) this.hooks.due();
    }
  }

  /** Both sides are at hand: no single reads are needed to say how things stand. */
  private async evaluate(
    platform: Platform,
    { declared, at }: Held,
    read: LiveRead,
    sweptAt: Millis,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, clock, owner } = this.context;
    const row = await store.getResourceByRef(declared.ref);
    if (!row) return;
    const lease = await store.leaseOne(row.id, {
      owner,
      now: clock.now(),
      leaseMs: LEASE_MS,
    });
    // a pass has it, and reads it freshly itself
    if (!lease) return;
    try {
      const schema = await platform.schema(declared.ref.kind, {
        signal,
        declared,
      });
      const due = await recordSwept(
        this.context,
        lease,
        { at: Math.min(at, sweptAt), declared, read, schema },
        signal,
      );
      if (due) this.hooks.due();
    } catch (error) {
      if (error instanceof LeaseLostError) return;
      await store.releaseLease(lease);
      throw error;
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
    await identities.refresh(store, platform, clock.now());
    // not before it has been read
    this.identities.set(platform, identities);
    return identities;
  }

  private hold(declared: DeclaredResource, at: Millis): void {
    const { platform } = declared.ref;
    const held = this.held.get(platform) ?? new Map<string, Held>();
    held.set(resourceKey(declared.ref), { declared, at });
    this.held.set(platform, held);
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
  private async bringForward(ids: string[], dueAt: Millis): Promise<boolean> {
    const brought = await this.context.store.bringForward(ids, {
      dueAt,
      dirty: true,
    });
    if (brought >= ids.length) return true;
    for (const identities of this.identities.values()) identities.mistrust();
    return false;
  }
}
