/** Rules broken on the way to the store, and in what people order: leases, intents, records, choices. */
import type { Mutant } from './mutant';
import type { ResourceLease } from './product';

export const MUTANTS_OF_RECORDS: readonly Mutant[] = [
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
        const row = worker.sim.tables.get<{
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
    name: 'prune-after-one-read',
    caughtBy: ['deleted-on-doubt'],
    breaks: 'Every look counts as another complete listing.',
    store: (store, worker) => ({
      listScopes: async () =>
        (await store.listScopes()).map(scope => ({
          ...scope,
          failures: 0,
          lastCompleteAt: worker.now() + 1,
          completeThrough: scope.absences,
        })),
    }),
  },
  {
    name: 'ignore-what-was-seen',
    caughtBy: ['seen'],
    breaks: 'A choice is applied to whatever is there now.',
    actions: (actions, worker) => {
      const now = (id: string) => {
        const row = worker.sim.tables.get<{
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
          const ids = worker.sim.tables.all<{
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
  {
    name: 'ask-the-operator-again-and-again',
    caughtBy: ['operator'],
    breaks: 'Nobody remembers that the controller was asked just now.',
    store: store => ({
      finishPass: (lease, outcome) =>
        store.finishPass(lease, {
          ...outcome,
          row: {
            ...outcome.row,
            convergence: { ...outcome.row.convergence, nudgedAt: undefined },
          },
        }),
    }),
  },
];
