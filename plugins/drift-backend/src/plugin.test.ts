/** The plugin as a backend starts it. */
import {
  mockCredentials,
  mockServices,
  startTestBackend,
} from '@backstage/backend-test-utils';
import { tracingServiceMock } from '@backstage/backend-test-utils/alpha';
import { catalogServiceMock } from '@backstage/plugin-catalog-node/testUtils';
import request from 'supertest';
import { driftPlugin } from './plugin';

describe('the plugin', () => {
  it('starts, and tells probes without credentials how its loop is, and nothing else', async () => {
    const logger = mockServices.logger.mock();
    const backend = await startTestBackend({
      features: [
        driftPlugin,
        catalogServiceMock.factory(),
        tracingServiceMock.factory(),
        logger.factory,
      ],
    });
    try {
      const ask = (path: string) =>
        request(backend.server)
          .get(`/api/drift/v1/${path}`)
          .set('Authorization', mockCredentials.none.header());
      const health = await ask('health');
      expect([health.status, health.body]).toEqual([200, { status: 'ok' }]);
      expect((await ask('fleet')).status).toBe(401);
    } finally {
      await backend.stop();
    }
    expect(logger.error).not.toHaveBeenCalled();
  });
});
