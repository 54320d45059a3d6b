/** A deliberate break of a rule, laid over what the loop is given: no product code knows of it. */
import type {
  DeclarationSource,
  Platform,
} from '@plumbline/backstage-plugin-drift-node';
import type { Invariant } from './invariants';
import type { DriftActions, DriftStore } from './product';
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
