/** Says in the log when the loop stands still, and when it turns again: once each, not at every look. */
import type { LoggerService } from '@backstage/backend-plugin-api';
import type { LoopHealth } from './driftLoop';

/** @returns what is to be called at every look */
export function watchHealth(
  logger: LoggerService,
): (health: LoopHealth) => void {
  let well = true;
  return ({ healthy, stopped, message }) => {
    if (stopped || healthy === well) return;
    well = healthy;
    if (healthy) logger.info('The loop turns again');
    else logger.error(`The loop stands still: ${message}`);
  };
}
