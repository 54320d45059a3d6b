import { canonicalQuantity } from './quantity';

describe('canonicalQuantity', () => {
  it.each([
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['0.5', '500m'],
    ['1', '1'],
    ['1000', '1k'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1024Mi', '1Gi'],
    ['0.5Gi', '512Mi'],
    ['1500Mi', '1500Mi'],
    ['1G', '1G'],
    ['1000M', '1G'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['12e6', '12e6'],
    ['100n', '100n'],
    ['0', '0'],
    ['0Gi', '0'],
    ['-1000m', '-1'],
    ['+5', '5'],
    ['9223372036854775807', '9223372036854775807'],
  ])('writes %s as %s', (text, expected) => {
    expect(canonicalQuantity(text)).toBe(expected);
  });

  it.each(['', 'many', '1 Gi', '1GB', '1..2', 'm'])(
    'does not read %p',
    text => {
      expect(canonicalQuantity(text)).toBeUndefined();
    },
  );
});
