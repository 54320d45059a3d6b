/** The log says when the loop stands still, once. */
import { mockServices } from '@backstage/backend-test-utils';
import { watchHealth } from './watchHealth';

describe('the health in the log', () => {
  it('is told when it changes, and not while it stays', () => {
    const logger = mockServices.logger.mock();
    const tell = watchHealth(logger);
    tell({ healthy: true });
    expect(logger.error).not.toHaveBeenCalled();
    const still = { healthy: false, message: 'The queue was not asked' };
    tell(still);
    tell(still);
    expect(logger.error).toHaveBeenCalledTimes(1);
    expect(logger.error).toHaveBeenCalledWith(
      'The loop stands still: The queue was not asked',
    );
    tell({ healthy: true });
    tell({ healthy: true });
    expect(logger.info).toHaveBeenCalledTimes(1);
  });

  it('takes an end on purpose for no fault', () => {
    const logger = mockServices.logger.mock();
    watchHealth(logger)({ healthy: false, stopped: true, message: 'Stopped' });
    expect(logger.error).not.toHaveBeenCalled();
  });
});
