import { formatResourceRef, resourceKey } from './ref';

describe('resourceKey', () => {
  it('is different for refs that differ only in where a separator stands', () => {
    const a = { platform: 'p', kind: 'k|x', namespace: 'n', name: 'y' };
    const b = { platform: 'p', kind: 'k', namespace: 'x|n', name: 'y' };
    expect(resourceKey(a)).not.toEqual(resourceKey(b));
  });

  it('takes no namespace and an empty one for the same', () => {
    const ref = { platform: 'p', kind: 'k', name: 'y' };
    expect(resourceKey(ref)).toEqual(resourceKey({ ...ref, namespace: '' }));
  });
});

describe('formatResourceRef', () => {
  it('reads as people say it', () => {
    expect(
      formatResourceRef({
        platform: 'konnect/prod',
        kind: 'services',
        namespace: 'shop',
        name: 'orders',
      }),
    ).toBe('konnect/prod services shop/orders');
  });
});
