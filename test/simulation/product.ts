/** The product under simulation: its real sources, in one place. Nothing of the loop, the passes or the store is copied here. */
/* eslint-disable @backstage/no-relative-monorepo-imports -- what runs here is the inside of the plugin, not its public API */
export { silentAnnouncer } from '../../plugins/drift-backend/src/announce/announcer';
export type { DriftActions } from '../../plugins/drift-backend/src/actions';
export type { Clock } from '../../plugins/drift-backend/src/clock';
export {
  readDriftConfig,
  type DriftConfig,
} from '../../plugins/drift-backend/src/config';
export { DriftLoop } from '../../plugins/drift-backend/src/loop/driftLoop';
export { createRequestGate } from '../../plugins/drift-backend/src/loop/requestGate';
export { createActions } from '../../plugins/drift-backend/src/pass/actions';
export {
  OUR_MANAGER,
  type PassContext,
} from '../../plugins/drift-backend/src/pass/context';
export { replayStored } from '../../plugins/drift-backend/src/replay/replayStored';
export { keyedDigest } from '../../plugins/drift-backend/src/secretDigest';
export { decodeDecision } from '../../plugins/drift-backend/src/store/history';
export {
  LeaseLostError,
  migrationsDir,
  storeOn,
  type BudgetRow,
  type ConflictRow,
  type DecisionRow,
  type DriftStore,
  type PassOutcome,
  type PolicyRuleRow,
  type ResourceLease,
} from '../../plugins/drift-backend/src/store';
