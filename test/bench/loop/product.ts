/* The product under measurement: its real sources, in one place. */
/* eslint-disable @backstage/no-relative-monorepo-imports -- what is measured is the inside of the plugin, not its public API */
export { silentAnnouncer } from '../../../plugins/drift-backend/src/announce/announcer';
export { systemClock } from '../../../plugins/drift-backend/src/clock';
export { readDriftConfig } from '../../../plugins/drift-backend/src/config';
export { Inventory } from '../../../plugins/drift-backend/src/inventory/inventory';
export { DriftLoop } from '../../../plugins/drift-backend/src/loop/driftLoop';
export { createRequestGate } from '../../../plugins/drift-backend/src/loop/requestGate';
export type { PassContext } from '../../../plugins/drift-backend/src/pass/context';
export { keyedDigest } from '../../../plugins/drift-backend/src/secretDigest';
export {
  migrationsDir,
  storeOn,
  type DriftStore,
  type ResourceRow,
} from '../../../plugins/drift-backend/src/store';
export { divided } from '../../../plugins/drift-backend/src/loop/budget';
