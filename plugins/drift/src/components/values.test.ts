import { describeSecret, formatState, formatValue } from './values';

describe('formatValue', () => {
  it.each([
    ['shop', 'shop'],
    ['3', '"3"'],
    ['true', '"true"'],
    ['', '""'],
    [' a', '" a"'],
    [3, '3'],
    [true, 'true'],
    [null, 'null'],
    [['a', 'b'], '- a\n- b'],
    [{ a: { b: 1 } }, 'a:\n  b: 1'],
  ])('%j', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });

  it('shows the start of the digest in the place of a secret, however deep', () => {
    const secret = { $secret: 'hmac:0123456789abcdef' };
    expect(formatValue(secret)).toBe('secret (digest 01234567)');
    expect(formatValue({ keys: [secret] })).toBe(
      'keys:\n  - secret (digest 01234567)',
    );
    expect(describeSecret('0123456789')).toBe('secret (digest 01234567)');
  });
});

it('shows an absent state as nothing', () => {
  expect(formatState(undefined)).toBe('');
  expect(formatState(null)).toBe('');
});
