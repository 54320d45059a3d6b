import { mockCredentials } from '@backstage/backend-test-utils';
import { createMockActionContext } from '@backstage/plugin-scaffolder-node-test-utils';
import { createDriftResourceApplyAction, readManifests } from './apply';

const manifest = {
  apiVersion: 'configuration.konghq.com/v1alpha1',
  kind: 'KongService',
  metadata: { name: 'orders', namespace: 'shop' },
  spec: { host: 'orders.internal' },
};
const ref = {
  platform: 'konnect/prod',
  kind: 'services',
  namespace: 'shop',
  name: 'orders',
};

describe('drift:resource:apply', () => {
  const applyDeclaration = jest.fn();
  const action = createDriftResourceApplyAction({
    clientFor: async () => ({
      applyDeclaration,
      findResource: jest.fn(),
      checkResource: jest.fn(),
    }),
  });
  const context = (input: object, isDryRun = false) =>
    Object.assign(
      createMockActionContext({
        input: { source: 'kubernetes/prod/customResources', ...input },
        getInitiatorCredentials: async () => mockCredentials.user(),
      }),
      { isDryRun },
    ) as unknown as Parameters<typeof action.handler>[0];

  beforeEach(() => {
    applyDeclaration.mockReset().mockResolvedValue({
      outcome: 'created',
      version: '1',
      resources: [{ ref, id: 'x' }],
    });
  });

  it('declares the manifest for the entity and hands on what is managed now', async () => {
    const ctx = context({ manifest, entityRef: 'component:default/orders' });
    await action.handler(ctx);
    expect(applyDeclaration).toHaveBeenCalledWith({
      source: 'kubernetes/prod/customResources',
      manifest,
      entityRef: 'component:default/orders',
      dryRun: false,
    });
    expect(ctx.output).toHaveBeenCalledWith('outcome', 'created');
    expect(ctx.output).toHaveBeenCalledWith('resources', [ref]);
  });

  it('writes nothing in a dry run', async () => {
    await action.handler(context({ manifest }, true));
    expect(applyDeclaration).toHaveBeenCalledWith(
      expect.objectContaining({ dryRun: true }),
    );
  });

  it('applies several documents in order and says the strongest outcome', async () => {
    applyDeclaration
      .mockResolvedValueOnce({
        outcome: 'unchanged',
        version: '1',
        resources: [],
      })
      .mockResolvedValueOnce({
        outcome: 'configured',
        version: '2',
        resources: [{ ref }],
      });
    const text = `apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\napiVersion: v1\nkind: B\nmetadata: {name: b}\n`;
    const ctx = context({ manifest: text });
    await action.handler(ctx);
    expect(
      applyDeclaration.mock.calls.map(([body]) => body.manifest.kind),
    ).toEqual(['A', 'B']);
    expect(ctx.output).toHaveBeenCalledWith('outcome', 'configured');
  });

  it.each([
    ['', 'is empty'],
    ['a: [', 'document 1'],
    ['- 1', 'must be a Kubernetes object'],
    ['kind: A\nmetadata: {name: a}', '"apiVersion" is missing'],
    [
      'apiVersion: v1\nkind: A\nmetadata: {generateName: a-}',
      '"metadata.name" is missing',
    ],
  ])('says what is wrong with %j', (text, message) => {
    expect(() => readManifests(text)).toThrow(message);
  });
});
