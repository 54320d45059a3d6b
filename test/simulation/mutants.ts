/** Deliberate breaks of the rules, each laid over what the loop is given: the simulation must catch every one. */
import type {
  DeclarationSource,
  Platform,
} from '@plumbline/backstage-plugin-drift-node';
import type { DriftActions, DriftStore } from './product';
import type { Worker } from './worker';

export interface Mutant {
  name: string;
  /** What it does wrong. */
  breaks: string;
  store?(store: DriftStore, worker: Worker): DriftStore;
  platform?(platform: Platform, worker: Worker): Platform;
  source?(source: DeclarationSource, worker: Worker): DeclarationSource;
  actions?(actions: DriftActions, worker: Worker): DriftActions;
}

export const MUTANTS: readonly Mutant[] = [];
