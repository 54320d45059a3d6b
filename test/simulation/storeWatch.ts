/** The real store as one process calls it: each call is a step at which the process may die or the database may fail. */
import type { DriftStore } from './product';
import type { Worker } from './worker';

/** Steps around a write: crashes are aimed at these more often. */
const AROUND_WRITES: ReadonlySet<string> = new Set([
  'addIntent',
  'assertLease',
  'finishPass',
  'finishMany',
  'removeResource',
]);

type Method = (...args: unknown[]) => unknown;

export function watchStore(worker: Worker, real: DriftStore): DriftStore {
  const { sim } = worker;
  return new Proxy(real, {
    get(target, property) {
      const name = String(property);
      const method = Reflect.get(target, property) as Method;
      if (name === 'listIdentities' || name === 'listForMatching') {
        return async function* all(...args: unknown[]) {
          const rows = await worker.atOnce(`store.${name}`, false, async () => {
            const read: unknown[] = [];
            const stored = method.apply(target, args) as AsyncIterable<unknown>;
            for await (const row of stored) read.push(row);
            return read;
          });
          yield* rows;
        };
      }
      return (...args: unknown[]) =>
        worker.atOnce(
          `store.${name}`,
          AROUND_WRITES.has(name),
          async () => {
            if (sim.tables.leasesNothing(name, args)) {
              return name === 'leaseDue' ? [] : undefined;
            }
            const value = await method.apply(target, args);
            sim.checks.records.stored(worker, name, args, value);
            return value;
          },
          sim.storeFailure(),
        );
    },
  });
}
