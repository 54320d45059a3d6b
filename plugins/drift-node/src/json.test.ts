import { parseJson, type Json } from '@plumbline/drift-engine';
import {
  at,
  isObject,
  listAt,
  stringMapAt,
  textAt,
  textsAt,
  without,
} from './json';

/** Whatever may come over the wire. */
const ANYTHING: (Json | undefined)[] = [
  undefined,
  null,
  true,
  0,
  '',
  'text',
  [],
  ['a', 1],
  {},
  { a: { b: 'c' } },
  parseJson('{"__proto__": {"a": "polluted"}}'),
];

describe('the readers of JSON', () => {
  it('tells objects from what only looks like them', () => {
    expect(ANYTHING.map(isObject)).toEqual([
      ...Array(8).fill(false),
      ...Array(3).fill(true),
    ]);
  });

  it('follows a path as far as it goes, through own properties of objects only', () => {
    const value: Json = { a: { b: ['c'], none: null } };
    expect(at(value)).toBe(value);
    expect(at(value, 'a', 'b')).toEqual(['c']);
    expect(at(value, 'a', 'none')).toBeNull();
    expect(at(value, 'a', 'none', 'b')).toBeUndefined();
    expect(at(value, 'a', 'b', '0')).toBeUndefined();
    expect(at(value, 'a', 'b', 'length')).toBeUndefined();
    expect(at(value, 'toString')).toBeUndefined();
    expect(at(value, 'constructor', 'name')).toBeUndefined();
  });

  it('takes a text that is there and not empty', () => {
    const value: Json = { a: 'x', b: '', c: 1, d: ['x'] };
    expect(['a', 'b', 'c', 'd', 'e'].map(name => textAt(value, name))).toEqual([
      'x',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('takes lists, texts of lists and texts of maps, and leaves out the rest', () => {
    const value: Json = {
      list: ['a', 1, null, 'b'],
      texts: ['a', 'b'],
      map: { a: 'x', b: 1, c: '' },
      text: 'a',
    };
    expect(listAt(value, 'list')).toEqual(['a', 1, null, 'b']);
    expect(listAt(value, 'text')).toEqual([]);
    expect(textsAt(value, 'list')).toEqual(['a', 'b']);
    expect(textsAt(value, 'texts')).toEqual(['a', 'b']);
    expect(textsAt(value, 'map')).toEqual([]);
    expect(stringMapAt(value, 'map')).toEqual({ a: 'x', c: '' });
    expect(stringMapAt(value, 'list')).toEqual({});
  });

  it('copies an object without some of its properties', () => {
    const object = { a: 1, b: 2, c: 3 };
    expect(without(object, ['a', 'c', 'd'])).toEqual({ b: 2 });
    expect(object).toEqual({ a: 1, b: 2, c: 3 });
  });

  it('never throws', () => {
    for (const value of ANYTHING) {
      for (const read of [at, textAt, listAt, textsAt, stringMapAt]) {
        expect(() => read(value, 'a', 'b', 'c')).not.toThrow();
        expect(() => read(value)).not.toThrow();
      }
    }
  });
});
