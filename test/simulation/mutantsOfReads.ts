/** Rules broken on the way to platforms and declarations: what is read, and what is sent. */
import {
  PlatformError,
  type DeclaredRead,
  type DeclaredResource,
  type LiveRead,
} from '@plumbline/backstage-plugin-drift-node';
import type { Mutant } from './mutant';
import type { Worker } from './worker';

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

function withoutController(declared: DeclaredResource): DeclaredResource {
  return { ...declared, controller: undefined };
}

export const MUTANTS_OF_READS: readonly Mutant[] = [
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
    name: 'delete-what-is-not-ours',
    caughtBy: ['deleted-on-doubt'],
    breaks: 'Ownership marks are believed to be ours whatever they say.',
    platform: (platform, worker) => ({
      get: async (key, options) => {
        const read = await platform.get(key, options);
        const row = worker.sim.tables.get<{ mark: string | null }>(
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
    name: 'take-a-changed-page-for-a-known-one',
    caughtBy: ['in-sync-is-true', 'converges'],
    breaks:
      'The digest of a page does not say in which versions its objects are.',
    platform: platform => ({
      async *sweep(scope, options) {
        for await (const page of platform.sweep(scope, options)) {
          const digest = page.digest?.replace(/@\d+/g, '');
          if (digest !== undefined && options.knows?.(digest)) {
            yield { digest, items: [] };
          } else yield { digest, items: page.items };
        }
      },
    }),
  },
  {
    name: 'write-beside-the-operator',
    caughtBy: ['operator'],
    breaks: 'Nobody sees that another controller reconciles the resource.',
    source: source => ({
      async *list(options) {
        for await (const { items } of source.list(options)) {
          yield { items: items.map(withoutController) };
        }
      },
      get: async (origin, ref, options) => {
        const read = await source.get(origin, ref, options);
        return read.found
          ? { found: true, declared: withoutController(read.declared) }
          : read;
      },
      ...(source.watch && {
        watch: options =>
          source.watch!({
            ...options,
            onChange: changed =>
              options.onChange(changed.map(withoutController)),
          }),
      }),
    }),
  },
];
