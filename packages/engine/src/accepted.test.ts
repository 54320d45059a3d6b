/*
 * An accepted difference is one field with two values: whatever of the three is another one, it is not accepted.
 */
import { isAccepted } from './accepted';
import { AcceptedDifference, FieldChange } from './types';

const change = (more: Partial<FieldChange>): FieldChange => ({
  path: '/host',
  kind: 'differs',
  movedBy: 'live',
  ...more,
});

describe('isAccepted', () => {
  it.each<[string, Partial<FieldChange>, AcceptedDifference, boolean]>([
    [
      'both values as seen',
      { declared: { a: 1, b: 2 }, live: 'x' },
      { path: '/host', declared: { b: 2, a: 1 }, live: 'x' },
      true,
    ],
    [
      'another field with the same values',
      { declared: 'a', live: 'b' },
      { path: '/path', declared: 'a', live: 'b' },
      false,
    ],
    [
      'another declared value',
      { declared: 'a', live: 'b' },
      { path: '/host', declared: 'c', live: 'b' },
      false,
    ],
    [
      'another live value',
      { declared: 'a', live: 'b' },
      { path: '/host', declared: 'a', live: 'c' },
      false,
    ],
    [
      'gone live, and seen so',
      { declared: 'a' },
      { path: '/host', declared: 'a' },
      true,
    ],
    [
      'gone live since it was seen',
      { declared: 'a' },
      { path: '/host', declared: 'a', live: 'b' },
      false,
    ],
    [
      'there again since it was seen gone',
      { declared: 'a', live: 'b' },
      { path: '/host', declared: 'a' },
      false,
    ],
    [
      'undeclared, and seen so',
      { live: 'b' },
      { path: '/host', live: 'b' },
      true,
    ],
    [
      'null where nothing was seen',
      { declared: 'a', live: null },
      { path: '/host', declared: 'a' },
      false,
    ],
  ])('%s', (_what, seen, accepted, expected) => {
    expect(isAccepted(change(seen), [accepted])).toBe(expected);
  });

  it('looks at every accepted difference', () => {
    const seen = change({ declared: 'a', live: 'b' });
    expect(
      isAccepted(seen, [
        { path: '/path', live: 'x' },
        { path: '/host', declared: 'a', live: 'b' },
      ]),
    ).toBe(true);
    expect(isAccepted(seen, [])).toBe(false);
  });
});
