/*
 * Equality by meaning, one rule of it at a time, on schemas that say no more than the rule needs.
 */
import { compile, SchemaNode } from '../schema/compile';
import { FieldSchema, Json, JsonObject } from '../types';
import {
  comesBack,
  covers,
  field,
  isDefault,
  isEmptyLike,
  isImplied,
  isNothing,
  isServerMember,
  isUnknown,
  memberOf,
  sameMember,
  sameScalar,
  secretMark,
  unchanged,
} from './equal';

const node = (root: FieldSchema): SchemaNode =>
  compile({ kind: 'things', platform: 'test', root });

const ANY = node({ type: 'any' });
const STRING: FieldSchema = { type: 'string' };
/** Empty values are dropped, and so are false and 0. */
const SPARSE = node({ emptyIsAbsent: true, zeroIsAbsent: true });
const secret = (mark: Json): JsonObject => ({ $secret: mark });

describe('field', () => {
  it('is what the object has itself', () => {
    const document = JSON.parse('{"a":1,"__proto__":2,"toString":"x"}');
    expect(field(document, 'a')).toBe(1);
    expect(field(document, '__proto__')).toBe(2);
    expect(field(document, 'toString')).toBe('x');
    for (const inherited of ['constructor', 'toString', '__proto__', 'b']) {
      expect(field({ a: 1 }, inherited)).toBeUndefined();
    }
  });
});

describe('secretMark', () => {
  it('is the digest of a redacted value, and of nothing else', () => {
    expect(secretMark(secret('x'))).toBe('x');
    for (const value of [null, 'x', ['x'], {}, secret(1), secret(null)]) {
      expect(secretMark(value)).toBeUndefined();
    }
  });
});

describe('sameScalar', () => {
  const quantity = node({ type: 'quantity' });
  const duration = node({ type: 'duration' });
  const maybeDuration = node({ type: 'any', lenient: 'duration' });
  const maybeQuantity = node({ type: 'any', lenient: 'quantity' });

  it.each<[string, SchemaNode, Json, Json]>([
    ['one value', ANY, 'a', 'a'],
    ['a quantity in another unit', quantity, '1000m', '1'],
    ['a quantity as a number', quantity, '1k', 1000],
    ['a quantity beyond a double', quantity, 10n ** 20n, '100E'],
    ['an integer and the same bigint', ANY, 5n, 5],
    ['a bigint and the same integer', ANY, 5, 5n],
    ['a duration in another unit', duration, '60s', '1m'],
    ['what happens to be a duration', maybeDuration, '60s', '1m'],
    ['what happens to be a quantity', maybeQuantity, '1000m', '1'],
  ])('%s is the same', (_what, at, a, b) => {
    expect(sameScalar(at, a, b)).toBe(true);
    expect(sameScalar(at, b, a)).toBe(true);
  });

  it.each<[string, SchemaNode, Json, Json]>([
    ['a number and its text', ANY, 1, '1'],
    ['null and a word', ANY, null, 'null'],
    ['null and a quantity', quantity, null, '0'],
    ['an empty list and an empty text', ANY, [], ''],
    ['null and its text', quantity, null, 'null'],
    ['true and its text', quantity, true, 'true'],
    ['a bigint and a list of it', ANY, 5n, [5]],
    ['another quantity', quantity, '1', '2'],
    ['true and one as quantities', quantity, true, '1'],
    ['true and one', quantity, true, 1],
    ['a bigint and its text', ANY, 5n, '5'],
    ['a bigint and true', ANY, 1n, true],
    ['a bigint and the double beside it', ANY, 9007199254740993n, 2 ** 53],
    ['another duration', duration, '60s', '2m'],
    ['words where durations may be', maybeDuration, 'now', 'later'],
    ['words where quantities may be', maybeQuantity, 'few', 'many'],
    ['true and its text where quantities may be', maybeQuantity, true, 'true'],
    ['another duration where one may be', maybeDuration, '60s', '2m'],
    ['another quantity where one may be', maybeQuantity, '1', '2'],
    ['durations where none can be', ANY, '60s', '1m'],
    ['quantities where none can be', ANY, '1000m', '1'],
    ['quantities where durations may be', maybeDuration, '1000m', '1'],
    ['durations where quantities may be', maybeQuantity, '60s', '1m'],
  ])('%s is not', (_what, at, a, b) => {
    expect(sameScalar(at, a, b)).toBe(false);
    expect(sameScalar(at, b, a)).toBe(false);
  });
});

describe('isEmptyLike', () => {
  const EMPTY: Json[] = ['', [], {}];
  const ZERO: Json[] = [false, 0];
  const FULL: Json[] = ['a', ['a'], [null], { a: null }, true, 1, 1n];

  it('knows null as nothing, unless null is a value of its own', () => {
    expect(isEmptyLike(ANY, null)).toBe(true);
    expect(isEmptyLike(node({ nullable: true }), null)).toBe(false);
    expect(
      isEmptyLike(node({ nullable: true, emptyIsAbsent: true }), null),
    ).toBe(false);
  });

  it.each<[string, FieldSchema, Json[], Json[]]>([
    ['nothing', {}, [], [...EMPTY, ...ZERO, ...FULL]],
    ['empty', { emptyIsAbsent: true }, EMPTY, [...ZERO, ...FULL]],
    ['zero', { zeroIsAbsent: true }, ZERO, [...EMPTY, ...FULL]],
    [
      'both',
      { emptyIsAbsent: true, zeroIsAbsent: true },
      [...EMPTY, ...ZERO],
      FULL,
    ],
  ])('takes %s for absent', (_what, schema, absent, there) => {
    for (const value of absent) {
      expect([value, isEmptyLike(node(schema), value)]).toEqual([value, true]);
    }
    for (const value of there) {
      expect([value, isEmptyLike(node(schema), value)]).toEqual([value, false]);
    }
  });
});

const PORT: FieldSchema = {
  type: 'object',
  properties: {
    protocol: { type: 'string', default: 'TCP' },
    name: STRING,
    nodePort: { type: 'integer', allocated: true },
  },
};

/** A default of which a part is no default by itself. */
const LARGE_DEFAULT: FieldSchema = {
  ...PORT,
  default: { name: 'a', protocol: 'UDP' },
};

describe('isDefault', () => {
  it.each<[string, FieldSchema, Json]>([
    ['what belongs to the server', { serverOwned: true }, 'x'],
    ['what the platform allocates', { allocated: true }, 'x'],
    ['what means nothing', { emptyIsAbsent: true }, ''],
    ['the default', { default: 3 }, 3],
    [
      'the default written differently',
      { type: 'quantity', default: 1 },
      '1000m',
    ],
    ['an object of defaults', PORT, { protocol: 'TCP', nodePort: 30000 }],
    ['an object with nothing in it', PORT, {}],
    [
      'a default object with its defaults',
      { ...PORT, default: { name: 'a' } },
      { name: 'a', protocol: 'TCP' },
    ],
  ])('is %s', (_what, schema, value) => {
    expect(isDefault(node(schema), value)).toBe(true);
  });

  it.each<[string, FieldSchema, Json]>([
    ['a value', STRING, 'x'],
    ['another than the default', { default: 3 }, 4],
    ['one field beside defaults', PORT, { protocol: 'TCP', name: 'a' }],
    ['a field that nobody knows', PORT, { other: 'TCP' }],
    [
      'a secret',
      { type: 'object', properties: { $secret: { default: 'x' } } },
      secret('x'),
    ],
    ['a map', { type: 'map', values: STRING }, {}],
    ['a list', { type: 'list', items: STRING }, []],
    ['a list where an object should be', PORT, []],
    [
      'more than the default object',
      { type: 'map', values: STRING, default: {} },
      { a: 'b' },
    ],
    ['a write-only value', { writeOnly: true }, 'x'],
    ['less than the default', LARGE_DEFAULT, { name: 'a' }],
  ])('is not %s', (_what, schema, value) => {
    expect(isDefault(node(schema), value)).toBe(false);
  });
});

describe('isImplied', () => {
  const SPARSE_PORT: FieldSchema = { ...PORT, emptyIsAbsent: true };

  it.each<[string, FieldSchema, Json]>([
    ['what means nothing', { zeroIsAbsent: true }, false],
    ['the default', { default: 3 }, 3],
    ['an object of defaults', SPARSE_PORT, { protocol: 'TCP' }],
  ])('is %s', (_what, schema, value) => {
    expect(isImplied(node(schema), value)).toBe(true);
  });

  it.each<[string, FieldSchema, Json]>([
    ['a value', STRING, 'x'],
    ['another than the default', { default: 3 }, 4],
    ['more than the default', { ...SPARSE_PORT, default: {} }, { name: 'a' }],
    ['an object where being there says something', PORT, { protocol: 'TCP' }],
    ['an object with a value', SPARSE_PORT, { protocol: 'TCP', name: 'a' }],
    ['an object with an unknown field', SPARSE_PORT, { other: null }],
    [
      'a map',
      { type: 'map', values: { default: 1 }, emptyIsAbsent: true },
      { a: 1 },
    ],
    ['text where an object should be', SPARSE_PORT, 'x'],
    ['a list where an object should be', SPARSE_PORT, ['x']],
    ['less than the default', LARGE_DEFAULT, { name: 'a' }],
    ['a number where an object should be', SPARSE_PORT, 5],
    [
      'an object where anything may be',
      { ...SPARSE_PORT, type: 'any' },
      { protocol: 'TCP' },
    ],
  ])('is not %s', (_what, schema, value) => {
    expect(isImplied(node(schema), value)).toBe(false);
  });
});

describe('isNothing', () => {
  it('is nothing, null, empty, or a default', () => {
    for (const value of [undefined, null, '', [], {}]) {
      expect(isNothing(node({ nullable: true }), value)).toBe(true);
    }
    expect(isNothing(node({ default: 3 }), 3)).toBe(true);
  });

  it('is no value, not even false or 0', () => {
    for (const value of ['a', ['a'], { a: null }, false, 0]) {
      expect([value, isNothing(ANY, value)]).toEqual([value, false]);
    }
    expect(isNothing(node({ default: 3 }), 4)).toBe(false);
  });
});

describe('comesBack', () => {
  it('is what the server would put there again', () => {
    expect(comesBack(node({ allocated: true }), 'x')).toBe(true);
    expect(comesBack(node({ emptyIsAbsent: true }), {})).toBe(true);
    expect(comesBack(node({ default: 3 }), 3)).toBe(true);
    expect(comesBack(node({ default: 3 }), 4)).toBe(false);
    expect(comesBack(node({ ...PORT, default: {} }), { name: 'a' })).toBe(
      false,
    );
    expect(comesBack(node(LARGE_DEFAULT), { name: 'a' })).toBe(false);
    expect(comesBack(node({ writeOnly: true }), 'x')).toBe(false);
    expect(comesBack(ANY, 'x')).toBe(false);
  });

  it('is no object just because its fields are defaults: it may have to be there', () => {
    expect(comesBack(node(PORT), { protocol: 'TCP' })).toBe(false);
  });
});

describe('memberOf', () => {
  const many = Array.from({ length: 40 }, (_, index) => `m${index}`);

  it.each<[string, Json[]]>([
    ['a short list', ['a', 1, null]],
    ['a long list', ['a', 1, null, ...many]],
    ['a list of objects', ['a', 1, null, { b: 1, c: [2] }]],
    ['a long list of objects', ['a', 1, null, { b: 1, c: [2] }, ...many]],
  ])('finds the members of %s, and no others', (_what, list) => {
    const isMember = memberOf(list);
    for (const member of list) {
      expect([member, isMember(member)]).toEqual([member, true]);
    }
    for (const other of [
      'b',
      '1',
      2,
      'null',
      false,
      {},
      ['a'],
      '{"b":1,"c":[2]}',
    ]) {
      expect([other, isMember(other)]).toEqual([other, false]);
    }
  });

  it('knows objects whatever the order of their keys', () => {
    expect(memberOf([{ b: 1, c: [2] }])({ c: [2], b: 1 })).toBe(true);
    expect(memberOf(['a', { b: 1, c: [2] }])({ c: [2], b: 1 })).toBe(true);
  });
});

describe('members of sets', () => {
  const items: FieldSchema = { ...PORT };
  const tags: FieldSchema = {
    type: 'list',
    list: 'set',
    serverMembers: ['k8s-'],
  };

  it('are the same although a default is spelled out', () => {
    const set = node({ type: 'list', list: 'set', items });
    expect(sameMember(set, { name: 'a' }, { name: 'a', protocol: 'TCP' })).toBe(
      true,
    );
    expect(sameMember(set, { name: 'a' }, { name: 'a', protocol: 'UDP' })).toBe(
      false,
    );
  });

  it('may have more live where nothing is known of them', () => {
    const free = node({ type: 'list', list: 'set' });
    expect(sameMember(free, { a: 1 }, { a: 1, b: 2 })).toBe(true);
    expect(sameMember(free, { a: 1, b: 2 }, { a: 1 })).toBe(false);
  });

  it('belong to a controller by how they begin', () => {
    expect(isServerMember(node(tags), 'k8s-name:a')).toBe(true);
    expect(isServerMember(node(tags), 'my-k8s-name:a')).toBe(false);
    expect(isServerMember(node({ ...tags, serverMembers: ['8'] }), 8)).toBe(
      false,
    );
    expect(isServerMember(node({ type: 'list', list: 'set' }), 'k8s-a')).toBe(
      false,
    );
  });

  const closed: FieldSchema = { type: 'list', list: 'set', items: STRING };
  const amounts: FieldSchema = {
    type: 'list',
    list: 'set',
    items: { type: 'quantity' },
  };
  const open: FieldSchema = { ...closed, open: true };
  const kept: FieldSchema = { ...tags, items: STRING };
  const added: FieldSchema = {
    type: 'list',
    list: 'set',
    items: STRING,
    open: true,
    allocatedMembers: ['x'],
  };

  it.each<[string, FieldSchema, Json[], Json[]]>([
    ['another order', closed, ['a', 'b'], ['b', 'a']],
    ['a member written differently', amounts, ['1000m', '2'], ['2', '1']],
    ['a member more in an open set', open, ['a'], ['a', 'b']],
    ['a member of a controller more', kept, ['a'], ['a', 'k8s-x']],
    ['a member of a controller less', kept, ['a', 'k8s-x'], ['a']],
    ['a member of the server more', added, ['a'], ['a', 'x']],
    ['a declared member twice', closed, ['a', 'a'], ['a']],
  ])('cover one another: %s', (_what, schema, declared, live) => {
    expect(covers(node(schema), declared, live, false)).toBe(true);
  });

  it.each<[string, FieldSchema, Json[], Json[]]>([
    ['a member less', closed, ['a', 'b'], ['a']],
    ['a member less in an open set', open, ['a', 'b'], ['a']],
    ['a declared member of the server less', added, ['a', 'x'], ['a']],
    ['a member more', closed, ['a'], ['a', 'b']],
    ['another member', closed, ['a', 'a'], ['a', 'b']],
    ['another amount', amounts, ['1', '1'], ['1', '2']],
    ['a live member twice', closed, ['a'], ['a', 'a']],
    [
      'a live member twice beside one of a controller',
      kept,
      ['a'],
      ['a', 'a', 'k8s-x'],
    ],
    ['a member more beside one of a controller', kept, ['a'], ['a', 'b']],
  ])('do not cover one another: %s', (_what, schema, declared, live) => {
    expect(covers(node(schema), declared, live, false)).toBe(false);
  });

  it('are the same live ones whatever a controller keeps among them', () => {
    const keeping = node(kept);
    expect(unchanged(keeping, ['a', 'k8s-1'], ['a', 'k8s-2'])).toBe(true);
    expect(unchanged(keeping, ['a', 'k8s-1'], ['a'])).toBe(true);
    expect(unchanged(keeping, ['a', 'k8s-1'], ['b', 'k8s-1'])).toBe(false);
    expect(unchanged(node(added), ['a', 'x'], ['a'])).toBe(true);
    expect(unchanged(node(added), ['a', 'x'], ['x'])).toBe(false);
  });
});

describe('isUnknown', () => {
  const properties = { a: STRING };

  it('is a property that the server drops', () => {
    expect(isUnknown(node({ pruneUnknown: true, properties }), 'b')).toBe(true);
    expect(isUnknown(node({ pruneUnknown: true, properties }), 'a')).toBe(
      false,
    );
    expect(isUnknown(node({ properties }), 'b')).toBe(false);
    expect(
      isUnknown(node({ pruneUnknown: true, properties, values: STRING }), 'b'),
    ).toBe(false);
  });
});

describe('covers', () => {
  const OBJECT: FieldSchema = {
    type: 'object',
    properties: { a: STRING, b: STRING, d: { default: 1 } },
  };
  const list = (more: FieldSchema = {}): FieldSchema => ({
    type: 'list',
    items: OBJECT,
    ...more,
  });
  const byName: FieldSchema = {
    type: 'list',
    list: 'map',
    keys: ['a'],
    items: OBJECT,
  };

  it.each<[string, FieldSchema, Json, Json | undefined]>([
    ['a write-only value', { writeOnly: true }, 'a', 'b'],
    ['null and nothing', STRING, null, undefined],
    ['null and empty', STRING, null, ''],
    ['null and a default', { default: 1 }, null, 1],
    ['null as a value, twice', { nullable: true }, null, null],
    ['null as a value and empty', { nullable: true }, null, ''],
    ['a default and nothing', { default: 1 }, 1, undefined],
    ['a default and null', { default: 1 }, 1, null],
    [
      'an empty value and a default',
      { emptyIsAbsent: true, default: 'a' },
      '',
      'a',
    ],
    [
      'an empty list and a default',
      list({ default: [{ a: 'x' }] }),
      [],
      [{ a: 'x' }],
    ],
    ['one secret', { type: 'any' }, secret('x'), secret('x')],
    [
      'one secret with another note',
      { type: 'any' },
      { ...secret('x'), n: 1 },
      secret('x'),
    ],
    ['fewer fields', OBJECT, { a: 'x' }, { a: 'x', b: 'y' }],
    [
      'an unknown field that the server dropped',
      { ...OBJECT, pruneUnknown: true },
      { c: 'x' },
      {},
    ],
    [
      'a default more in an atomic object',
      { ...OBJECT, atomic: true },
      { a: 'x' },
      { a: 'x', d: 1 },
    ],
    [
      'a default more in an atomic list',
      list(),
      [{ a: 'x' }],
      [{ a: 'x', d: 1 }],
    ],
    [
      'a field more in a list of unknown items',
      { type: 'list' },
      [{ a: 'x' }],
      [{ a: 'x', b: 'y' }],
    ],
    [
      'another order of keys',
      byName,
      [{ a: 'x' }, { a: 'y' }],
      [{ a: 'y' }, { a: 'x' }],
    ],
    ['an item more, by key', byName, [{ a: 'x' }], [{ a: 'x' }, { a: 'y' }]],
    [
      'a field more in an item by key',
      byName,
      [{ a: 'x' }],
      [{ a: 'x', b: 'y' }],
    ],
  ])('%s', (_what, schema, declared, live) => {
    expect(covers(node(schema), declared, live, false)).toBe(true);
  });

  it.each<[string, FieldSchema, Json, Json | undefined]>([
    ['null and a value', STRING, null, 'x'],
    ['null as a value and nothing', { nullable: true }, null, undefined],
    ['a value and nothing', STRING, 'x', undefined],
    ['a value and null', STRING, 'x', null],
    ['a list and text', list(), [{ a: 'x' }], 'x'],
    ['a list and an object', list(), [], { a: 'x' }],
    ['an object and text', OBJECT, { a: 'x' }, 'x'],
    ['an object and a list', OBJECT, { a: 'x' }, [{ a: 'x' }]],
    ['text and an object', OBJECT, 'x', { a: 'x' }],
    [
      'an empty value and another than the default',
      { emptyIsAbsent: true, default: 'a' },
      '',
      'b',
    ],
    [
      'a value and the default',
      { emptyIsAbsent: true, default: 'a' },
      'b',
      'a',
    ],
    ['an empty list and items', list(), [], [{ a: 'x' }]],
    ['a shorter list', list(), [{ a: 'x' }], [{ a: 'x' }, { a: 'y' }]],
    [
      'a shorter list of what would be implied',
      { type: 'list', items: { default: 1 } },
      [1, 1],
      [1],
    ],
    [
      'a value and the default list',
      list({ default: [{ a: 'x' }] }),
      [{ a: 'y' }, { a: 'z' }],
      [{ a: 'x' }],
    ],
    ['another secret', { type: 'any' }, secret('x'), secret('y')],
    ['a secret and an object', { type: 'any' }, secret('x'), {}],
    ['an object and a secret', { type: 'any' }, {}, secret('x')],
    ['another value', OBJECT, { a: 'x' }, { a: 'y' }],
    ['a missing field', OBJECT, { a: 'x' }, {}],
    [
      'a missing field that the server knows',
      { ...OBJECT, pruneUnknown: true },
      { a: 'x' },
      {},
    ],
    [
      'an unknown field with another value',
      { ...OBJECT, pruneUnknown: true },
      { c: 'x' },
      { c: 'y' },
    ],
    [
      'a field more in an atomic object',
      { ...OBJECT, atomic: true },
      { a: 'x' },
      { a: 'x', b: 'y' },
    ],
    [
      'a field more in an atomic list',
      list(),
      [{ a: 'x' }],
      [{ a: 'x', b: 'y' }],
    ],
    [
      'a field less in a list of unknown items',
      { type: 'list' },
      [{ a: 'x', b: 'y' }],
      [{ a: 'x' }],
    ],
    ['an item less, by key', byName, [{ a: 'x' }, { a: 'y' }], [{ a: 'x' }]],
    [
      'another value in an item by key',
      byName,
      [{ a: 'x', b: 'y' }],
      [{ a: 'x', b: 'z' }],
    ],
    [
      'another order without a key',
      { ...byName, keys: [] },
      [{ a: 'x' }, { a: 'y' }],
      [{ a: 'y' }, { a: 'x' }],
    ],
    [
      'an item more without a key',
      { ...byName, keys: [] },
      [{ a: 'x' }],
      [{ a: 'y' }, { a: 'x' }],
    ],
    [
      'another order although there is a key',
      { ...byName, list: 'atomic' },
      [{ a: 'x' }, { a: 'y' }],
      [{ a: 'y' }, { a: 'x' }],
    ],
    ['an empty object and text', OBJECT, {}, 'x'],
    [
      'a secret that the server would drop',
      { ...OBJECT, pruneUnknown: true },
      secret('x'),
      {},
    ],
  ])('not %s', (_what, schema, declared, live) => {
    expect(covers(node(schema), declared, live, false)).toBe(false);
  });

  it.each<[string, FieldSchema, Json, Json, boolean]>([
    ['a default more', OBJECT, { a: 'x' }, { a: 'x', d: 1 }, true],
    ['a field more', OBJECT, { a: 'x' }, { a: 'x', b: 'y' }, false],
    [
      'an item more, by key',
      byName,
      [{ a: 'x' }],
      [{ a: 'x' }, { a: 'y' }],
      false,
    ],
    [
      'a field more in an item by key',
      byName,
      [{ a: 'x' }],
      [{ a: 'x', b: 'y' }],
      false,
    ],
    [
      'a default more in an item by key',
      byName,
      [{ a: 'x' }],
      [{ a: 'x', d: 1 }],
      true,
    ],
    [
      'a field more in a list of unknown items',
      { type: 'list' },
      [{ a: 'x' }],
      [{ a: 'x', b: 'y' }],
      false,
    ],
  ])('strictly: %s', (_what, schema, declared, live, expected) => {
    expect(covers(node(schema), declared, live, true)).toBe(expected);
  });
});

describe('unchanged', () => {
  const OBJECT = node({
    type: 'object',
    properties: { a: STRING, d: { default: 1 } },
  });

  it.each<[string, SchemaNode, Json | undefined, Json | undefined, boolean]>([
    ['nothing before and now', ANY, undefined, undefined, true],
    ['the same', OBJECT, { a: 'x' }, { a: 'x' }, true],
    [
      'a default before and nothing now',
      node({ default: 1 }),
      1,
      undefined,
      true,
    ],
    [
      'nothing before and a default now',
      node({ default: 1 }),
      undefined,
      1,
      true,
    ],
    [
      'a value before and nothing now',
      node({ default: 1 }),
      2,
      undefined,
      false,
    ],
    [
      'nothing before and a value now',
      node({ default: 1 }),
      undefined,
      2,
      false,
    ],
    ['a default spelled out', OBJECT, { a: 'x' }, { a: 'x', d: 1 }, true],
    ['a field more', OBJECT, { a: 'x' }, { a: 'x', b: 'y' }, false],
    ['a field less', OBJECT, { a: 'x', b: 'y' }, { a: 'x' }, false],
    ['another value', OBJECT, { a: 'x' }, { a: 'y' }, false],
    [
      'a member less in an open set',
      node({ type: 'list', list: 'set', open: true }),
      ['a', 'b'],
      ['a'],
      false,
    ],
    [
      'a member more in an open set',
      node({ type: 'list', list: 'set', open: true }),
      ['a'],
      ['a', 'b'],
      false,
    ],
  ])('%s', (_what, at, before, now, expected) => {
    expect(unchanged(at, before, now)).toBe(expected);
  });
});

describe('an empty value that the server drops', () => {
  it('stands for whatever the platform fills in', () => {
    for (const value of ['', false, 0]) {
      expect(covers(SPARSE, value, undefined, false)).toBe(true);
    }
    expect(covers(SPARSE, 'a', undefined, false)).toBe(false);
  });
});
