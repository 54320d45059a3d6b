import { mockCredentials } from '@backstage/backend-test-utils';
import { NotFoundError } from '@backstage/errors';
import { createMockActionContext } from '@backstage/plugin-scaffolder-node-test-utils';
import { createDriftResourceWaitAction } from './wait';

const ref = {
  platform: 'konnect/prod',
  kind: 'services',
  namespace: 'shop',
  name: 'orders',
};

function resource(verdict: string, over: object = {}) {
  return {
    id: 'x',
    verdict,
    reason: 'Because',
    message: `It is ${verdict}.`,
    stale: false,
    next: { message: 'Looked at again soon.', mayWrite: false },
    ...over,
  };
}

describe('drift:resource:wait', () => {
  const findResource = jest.fn();
  const checkResource = jest.fn();
  let now = 0;
  const action = createDriftResourceWaitAction({
    clientFor: async () => ({
      applyDeclaration: jest.fn(),
      findResource,
      checkResource,
    }),
    clock: {
      now: () => now,
      sleep: async ms => {
        now += ms;
      },
    },
  });
  const context = (input: object, over: object = {}) =>
    Object.assign(
      createMockActionContext({
        input: { resources: [ref], ...input },
        getInitiatorCredentials: async () => mockCredentials.user(),
      }),
      over,
    ) as unknown as Parameters<typeof action.handler>[0];

  beforeEach(() => {
    now = 0;
    findResource.mockReset().mockResolvedValue({ id: 'x' });
    checkResource.mockReset();
  });

  it('waits until it was seen and is in sync', async () => {
    findResource.mockRejectedValueOnce(new NotFoundError('no'));
    checkResource
      .mockResolvedValueOnce(resource('Pending'))
      .mockResolvedValueOnce(resource('InSync', { stale: true }))
      .mockResolvedValueOnce(resource('InSync'));
    const ctx = context({});
    await action.handler(ctx);
    expect(checkResource).toHaveBeenCalledTimes(3);
    expect(ctx.output).toHaveBeenCalledWith('verdict', 'InSync');
  });

  it('does not wait for a person', async () => {
    checkResource.mockResolvedValue(resource('Conflicted'));
    await expect(action.handler(context({}))).rejects.toThrow(
      'does not come into sync by itself: Conflicted',
    );
    expect(checkResource).toHaveBeenCalledTimes(1);
  });

  it('ends at its deadline and says how it stands', async () => {
    checkResource.mockResolvedValue(resource('Pending'));
    await expect(
      action.handler(context({ timeoutSeconds: 20 })),
    ).rejects.toThrow(/Not in sync after 20 s.*It is Pending/);
    expect(now).toBe(20_000);
  });

  it('goes on over what passes by itself and ends on what does not', async () => {
    checkResource.mockRejectedValueOnce(new Error('boom'));
    await expect(action.handler(context({}))).rejects.toThrow('boom');
  });

  it('ends when the task is cancelled', async () => {
    checkResource.mockResolvedValue(resource('Pending'));
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(action.handler(context({}, { signal }))).rejects.toThrow(
      'cancelled',
    );
  });

  it('waits for nothing in a dry run', async () => {
    await action.handler(context({}, { isDryRun: true }));
    expect(findResource).not.toHaveBeenCalled();
  });

  it('needs something to wait for', async () => {
    await expect(action.handler(context({ resources: [] }))).rejects.toThrow(
      '"resources" is empty',
    );
  });
});
