/**
 * Drift on entity pages, the conflict queue, the fleet and the policies, for the old frontend system.
 * The new frontend system's plugin is at `./alpha`.
 *
 * @packageDocumentation
 */
export {
  DriftPage,
  EntityDriftCard,
  EntityDriftContent,
  driftPlugin,
} from './plugin';
export { isDriftAvailable } from './entity/availability';
export { driftApiRef, type DriftApi } from './api/driftApi';
