/**
 * Deliberate breaks of the rules, each laid over what the loop is given: no product code knows of them. The simulation must catch
 * every one, or it could not be trusted to find what nobody broke on purpose.
 */
import {
  PlatformError,
  type DeclarationSource,
  type DeclaredRead,
  type LiveRead,
  type Platform,
} from '@plumbline/backstage-plugin-drift-node';
import type { Invariant } from './checks';
import type { DriftActions, DriftStore, ResourceLease } from './product';
import type { Worker } from './worker';

export interface Mutant {
  name: string;
  /** The invariants that are there for it; another one proves nothing about it. */
  caughtBy: readonly Invariant[];
  /** What it does wrong. */
  breaks: string;
  store?(store: DriftStore, worker: Worker): Partial<DriftStore>;
  platform?(platform: Platform, worker: Worker): Partial<Platform>;
  source?(
    source: DeclarationSource,
    worker: Worker,
  ): Partial<DeclarationSource>;
  actions?(actions: DriftActions, worker: Worker): Partial<DriftActions>;
}

/** The original with some methods replaced. */
export function laidOver<T extends object>(
  original: T,
  changed: Partial<T> | undefined,
): T {
  if (!changed) return original;
  return new Proxy(original, {
    get(target, property) {
      const source = Object.hasOwn(changed, property) ? changed : target;
      const value: unknown = Reflect.get(source, property);
      return typeof value === 'function' ? value.bind(source) : value;
    },
  });
}

/** Answers of the last few seconds are given again. */
function remembered<T>(worker: Worker) {
  const known = new Map<string, { at: number; value: T }>();
  return async (key: string, read: () => Promise<T>): Promise<T> => {
    const before = known.get(key);
    if (before && worker.sim.now - before.at < 2_000) return before.value;
    const value = await read();
    known.set(key, { at: worker.sim.now, value });
    return value;
  };
}

const isTransient = (error: unknown) =>
  error instanceof PlatformError && error.classification === 'transient';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'drop-the-re-read',
    caughtBy: ['fresh-before-write'],
    breaks: 'The second read before a write is answered from the first one.',
    platform(platform, worker) {
      const again = remembered<LiveRead>(worker);
      return {
        get: (key, options) => again(key, () => platform.get(key, options)),
        find: (declared, options) =>
          again(declared.ref.name, () => platform.find(declared, options)),
      };
    },
  },
  {
    name: 'trust-a-cached-declaration',
    caughtBy: ['fresh-before-write'],
    breaks: 'The declaration is not read again before a write.',
    source(source, worker) {
      const again = remembered<DeclaredRead>(worker);
      return {
        get: (origin, ref, options) =>
          again(ref.name, () => source.get(origin, ref, options)),
      };
    },
  },
  {
    name: 'reuse-a-stale-lease',
    caughtBy: ['one-pass'],
    breaks:
      'Leases run out soon, and nobody looks whether one still holds before a write.',
    store: (store, worker) => ({
      leaseDue: options => store.leaseDue({ ...options, leaseMs: 150 }),
      leaseOne: (id, options) =>
        store.leaseOne(id, { ...options, leaseMs: 150 }),
      assertLease: async () => {},
      renewLease: async lease => lease,
      // the check of the intent as well: it is stored under whatever lease there is now
      addIntent: async (lease, intent, decision, now) => {
        const row = worker.sim.checks.get<{
          lease_owner: string;
          lease_token: number;
        }>(
          'select lease_owner, lease_token from resources where id = ?',
          lease.resourceId,
        );
        await store.addIntent(
          row
            ? { ...lease, owner: row.lease_owner, token: row.lease_token }
            : lease,
          intent,
          decision,
          row ? 0 : now,
        );
      },
    }),
  },
  {
    name: 'forget-the-intent',
    caughtBy: ['intent-first'],
    breaks: 'Nothing is stored before a write.',
    store: () => ({ addIntent: async () => {} }),
  },
  {
    name: 'take-a-500-for-a-404',
    caughtBy: ['created-on-doubt'],
    breaks: 'A live side that cannot be read is taken for absent.',
    platform: platform => ({
      get: (key, options) =>
        platform.get(key, options).catch(error => {
          if (isTransient(error)) return { found: false as const };
          throw error;
        }),
      find: (declared, options) =>
        platform.find(declared, options).catch(error => {
          if (isTransient(error)) return { found: false as const };
          throw error;
        }),
    }),
  },
  {
    name: 'take-an-unreadable-declaration-for-gone',
    caughtBy: ['forgotten-on-doubt', 'deleted-on-doubt'],
    breaks: 'A declaration that cannot be read is taken for deleted.',
    source: source => ({
      get: (origin, ref, options) =>
        source.get(origin, ref, options).catch(error => {
          if (isTransient(error)) return { found: false as const };
          throw error;
        }),
    }),
  },
  {
    name: 'prune-after-one-read',
    caughtBy: ['deleted-on-doubt'],
    breaks: 'Every look counts as another complete listing.',
    store: (store, worker) => ({
      listScopes: async () =>
        (await store.listScopes()).map(scope => ({
          ...scope,
          failures: 0,
          lastCompleteAt: worker.now() + 1,
        })),
    }),
  },
  {
    name: 'put-without-overlay',
    caughtBy: ['undeclared-reset', 'unseen-edit'],
    breaks: 'A write replaces what is live by what is declared.',
    platform: platform => ({
      write: (plan, options) =>
        platform.write(
          {
            ...plan,
            live: plan.live && {
              ...plan.live,
              document: plan.declared.document,
            },
          },
          options,
        ),
    }),
  },
  {
    name: 'ignore-what-was-seen',
    caughtBy: ['seen'],
    breaks: 'A choice is applied to whatever is there now.',
    actions: (actions, worker) => {
      const now = (id: string) => {
        const row = worker.sim.checks.get<{
          declared_digest: string | null;
          live_digest: string | null;
        }>(
          'select declared_digest, live_digest from resources where id = ?',
          id,
        );
        return {
          declared: row?.declared_digest ?? 'none',
          live: row?.live_digest ?? 'none',
        };
      };
      return {
        reconcile: (id, options, actor) =>
          actions.reconcile(id, { ...options, seen: now(id) }, actor),
        keepLive: (id, options, actor) =>
          actions.keepLive(id, { ...options, seen: now(id) }, actor),
        resolve: async (conflictId, options, actor) => {
          const conflict = await worker.store.getConflict(conflictId);
          return actions.resolve(
            conflictId,
            { ...options, seen: conflict?.seen ?? options.seen },
            actor,
          );
        },
      };
    },
  },
  {
    name: 'skip-the-verification',
    caughtBy: ['verify-after-write'],
    breaks: 'After a write nothing is read: it is believed to hold.',
    platform(platform, worker) {
      const written = new Map<string, { at: number; read: LiveRead }>();
      return {
        write: async (plan, options) => {
          const receipt = await platform.write(plan, options);
          if (plan.live) {
            written.set(receipt.key, {
              at: worker.sim.now,
              read: {
                found: true,
                live: {
                  ...plan.live,
                  version: receipt.version ?? plan.live.version,
                  document: {
                    ...(plan.live.document as object),
                    ...(plan.declared.document as object),
                  },
                },
              },
            });
          }
          return receipt;
        },
        get: async (key, options) => {
          const known = written.get(key);
          written.delete(key);
          return known && worker.sim.now - known.at < 200
            ? known.read
            : platform.get(key, options);
        },
      };
    },
  },
  {
    name: 'drop-the-requeue-after-an-error',
    caughtBy: ['next-due'],
    breaks: 'What could not be read has no next time.',
    store: store => ({
      finishPass: (lease, outcome) =>
        store.finishPass(
          lease,
          outcome.row.attempts > 0
            ? {
                ...outcome,
                row: { ...outcome.row, dueAt: Number.MAX_SAFE_INTEGER },
              }
            : outcome,
        ),
    }),
  },
  {
    name: 'ignore-the-pause',
    caughtBy: ['paused'],
    breaks: 'Pauses that people set are not read.',
    store: () => ({ listRules: async () => [] }),
  },
  {
    name: 'conclude-from-a-partial-sweep',
    caughtBy: ['complete-or-not-counted'],
    breaks: 'A bulk read that was cut counts as complete.',
    platform: platform => ({
      async *sweep(scope, options) {
        try {
          yield* platform.sweep(scope, options);
        } catch (error) {
          if (options.signal.aborted) throw error;
        }
      },
    }),
  },
  {
    name: 'conclude-from-a-partial-listing',
    caughtBy: ['complete-or-not-counted'],
    breaks: 'A listing that was cut counts as complete.',
    source: source => ({
      async *list(options) {
        try {
          yield* source.list(options);
        } catch (error) {
          if (options.signal.aborted) throw error;
        }
      },
    }),
  },
  {
    name: 'two-passes-at-once',
    caughtBy: ['one-pass'],
    breaks: 'Each lease starts two passes.',
    store: store => ({
      leaseDue: async options => {
        const leases = await store.leaseDue(options);
        return leases.flatMap(lease => [lease, lease]);
      },
    }),
  },
  {
    name: 'take-leases-that-are-held',
    caughtBy: ['one-pass'],
    breaks:
      'A due resource is taken although another process has it, and both go on.',
    store(store, worker) {
      const original = new Map<string, ResourceLease>();
      const held = (lease: ResourceLease) =>
        original.get(lease.resourceId) ?? lease;
      return {
        leaseDue: async options => {
          const ids = worker.sim.checks.all<{
            id: string;
            lease_owner: string;
            lease_token: number;
            lease_until: number;
          }>(
            'select id, lease_owner, lease_token, lease_until from resources where due_at <= ? and lease_until > ?',
            options.now,
            options.now,
          );
          const leases = await store.leaseDue(options);
          for (const lease of leases) original.delete(lease.resourceId);
          // passes itself off as the one who holds it
          const taken = ids.map(row => ({
            resourceId: row.id,
            owner: row.lease_owner,
            token: row.lease_token,
            until: row.lease_until,
          }));
          for (const lease of taken) original.set(lease.resourceId, lease);
          return [...leases, ...taken];
        },
        assertLease: (lease, now) => store.assertLease(held(lease), now),
      };
    },
  },
  {
    name: 'delete-what-is-not-ours',
    caughtBy: ['deleted-on-doubt'],
    breaks: 'Ownership marks are believed to be ours whatever they say.',
    platform: (platform, worker) => ({
      get: async (key, options) => {
        const read = await platform.get(key, options);
        const row = worker.sim.checks.get<{ mark: string | null }>(
          'select mark from resources where live_key = ?',
          key,
        );
        if (read.found !== true || !row?.mark) return read;
        return {
          found: true,
          live: { ...read.live, marks: [JSON.parse(row.mark)] },
        };
      },
    }),
  },
  {
    name: 'lose-the-question',
    caughtBy: ['conflict-lost'],
    breaks: 'Questions are not stored.',
    store: store => ({
      finishPass: (lease, { conflict, ...outcome }) =>
        store.finishPass(lease, {
          ...outcome,
          ...(conflict?.open ? {} : { conflict }),
        }),
    }),
  },
  {
    name: 'ignore-retry-after',
    caughtBy: ['retry-after'],
    breaks: 'Nobody remembers that the platform asked for silence.',
    store: store => ({
      readBudget: async platform => {
        const row = await store.readBudget(platform);
        return row && { ...row, closedUntil: undefined };
      },
    }),
  },
  {
    name: 'store-half-a-decision',
    caughtBy: ['replays'],
    breaks: 'The facts that a decision was made on are not stored.',
    store: store => ({
      finishPass: (lease, outcome) =>
        store.finishPass(
          lease,
          outcome.decision
            ? {
                ...outcome,
                decision: {
                  ...outcome.decision,
                  inputs: { ...outcome.decision.inputs, facts: {} },
                },
              }
            : outcome,
        ),
      addIntent: (lease, intent, decision, now) =>
        store.addIntent(
          lease,
          intent,
          { ...decision, inputs: { ...decision.inputs, facts: {} } },
          now,
        ),
    }),
  },
  {
    name: 'look-at-nothing-that-changed',
    caughtBy: ['in-sync-is-true', 'converges'],
    breaks: 'What sweeps, watches and people bring forward is not looked at.',
    store: () => ({ bringForward: async ids => ids.length }),
  },
  {
    name: 'prune-without-bounds',
    caughtBy: ['prune-bounds'],
    breaks:
      'The floor and the ceiling of pruning see many resources that are not there.',
    store: store => ({
      async *listIdentities(platform) {
        let last;
        for await (const one of store.listIdentities(platform)) {
          last = one;
          yield one;
        }
        for (let i = 0; last && i < 100; i++) {
          yield {
            ...last,
            id: `phantom-${i}`,
            ref: { ...last.ref, name: `phantom-${i}` },
            source: 'phantom',
            liveKey: undefined,
            dirty: false,
          };
        }
      },
    }),
  },
  {
    name: 'believe-that-it-was-created',
    caughtBy: ['no-duplicate'],
    breaks:
      'A create whose answer was lost is forgotten at once and tried again.',
    store: () => ({ listOpenIntents: async () => [] }),
  },
];
