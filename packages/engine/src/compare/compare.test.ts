/*
 * The walk over both documents: what becomes a change, what an extra, and at which place, on schemas that say no more
 * than the rule needs.
 */
import { input, state } from '../__testUtils__/documents';
import { EvaluateInput, FieldSchema, Json, ResourceSchema } from '../types';
import { compare } from './compare';

const STRING: FieldSchema = { type: 'string' };
const ITEM: FieldSchema = {
  type: 'object',
  properties: { name: STRING, a: STRING, b: STRING, d: { default: 1 } },
};
const byName: FieldSchema = {
  type: 'list',
  list: 'map',
  keys: ['name'],
  items: ITEM,
};
const item = (name: string, more: object = {}) => ({ name, ...more });

/** Compares one field of that schema; paths are below it. */
function compared(
  field: FieldSchema,
  declared: Json | undefined,
  live: Json | undefined,
  more: Partial<EvaluateInput> = {},
) {
  const schema: ResourceSchema = {
    kind: 'things',
    platform: 'test',
    root: { type: 'object', properties: { f: field } },
  };
  const side = (value: Json | undefined): Json =>
    value === undefined ? {} : { f: value };
  const given = input(schema, side(declared), side(live), more);
  const found = compare({
    ...given,
    declared: given.declared!,
    live: given.live!,
  });
  const below = (path: string) => path.replace(/^\/f/, '');
  return {
    changes: found.changes.map(({ path, kind }) => [below(path), kind]),
    extras: found.extras.map(({ path, isDefault }) =>
      isDefault ? [below(path), 'default'] : [below(path)],
    ),
    reordered: found.reordered.map(below),
    warnings: found.warnings.map(warning => below(warning.path)),
    found,
  };
}

describe('compare', () => {
  type Row = [
    what: string,
    field: FieldSchema,
    declared: Json | undefined,
    live: Json | undefined,
    changes: string[][],
    extras?: string[][],
    ownedBefore?: string[],
  ];

  it.each<Row>([
    // null
    ['null and what others put there', {}, null, { a: 1 }, [], [['']]],
    ['null and a value', {}, null, 'x', [['', 'differs']]],
    [
      'null and an object that others share',
      ITEM,
      null,
      { a: 'x' },
      [],
      [['']],
    ],
    [
      'null and an object that is one value',
      { ...ITEM, atomic: true },
      null,
      { a: 'x' },
      [['', 'differs']],
    ],
    ['null and nothing', STRING, null, undefined, []],
    // scalars
    ['a value and nothing', STRING, 'x', undefined, [['', 'absent']]],
    ['a default and nothing', { default: 1 }, 1, undefined, []],
    [
      'an empty value and the default',
      { emptyIsAbsent: true, default: 'a' },
      '',
      'a',
      [],
    ],
    [
      'an empty value and another',
      { emptyIsAbsent: true, default: 'a' },
      '',
      'b',
      [['', 'differs']],
    ],
    [
      'a value and the default',
      { emptyIsAbsent: true, default: 'a' },
      'b',
      'a',
      [['', 'differs']],
    ],
    // kinds of values
    ['a list and a value', {}, ['x'], 'x', [['', 'differs']]],
    [
      'an empty list and a default that is none',
      { emptyIsAbsent: true, default: 'a' },
      [],
      'a',
      [],
    ],
    [
      'a list and a default that is none',
      { emptyIsAbsent: true, default: 'a' },
      ['x'],
      'a',
      [['', 'differs']],
    ],
    ['a list and an object', {}, [], { a: 1 }, [['', 'differs']]],
    ['an object and a value', {}, { a: 1 }, 'x', [['', 'differs']]],
    ['an object and a list', {}, { a: 1 }, [1], [['', 'differs']]],
    ['a value and an object', {}, 'x', { a: 1 }, [['', 'differs']]],
    [
      'an empty object and a default that is none',
      { emptyIsAbsent: true, default: 'a' },
      {},
      'a',
      [],
    ],
    // objects
    [
      'fields, one by one',
      ITEM,
      { a: 'x', b: 'y', d: 2 },
      { a: 'x', b: 'z' },
      [
        ['/b', 'differs'],
        ['/d', 'absent'],
      ],
    ],
    [
      'fields that nobody declared',
      ITEM,
      { a: 'x' },
      { a: 'x', b: 'y', d: 1 },
      [],
      [['/b'], ['/d', 'default']],
    ],
    [
      'one field more in an atomic object',
      { ...ITEM, atomic: true },
      { a: 'x' },
      { a: 'x', b: 'y' },
      [['', 'differs']],
    ],
    [
      'a default more in an atomic object',
      { ...ITEM, atomic: true },
      { a: 'x' },
      { a: 'x', d: 1 },
      [],
    ],
    // lists
    [
      'an atomic list',
      { type: 'list', items: STRING },
      ['a', 'b'],
      ['b', 'a'],
      [['', 'differs']],
    ],
    [
      'what was added inside free items',
      { type: 'list' },
      [{ a: 1 }, { a: 2 }],
      [{ a: 1 }, { a: 2, b: 3 }],
      [],
      [['/1/b']],
    ],
    [
      'what was added inside known items',
      { type: 'list', items: ITEM },
      [{ a: 'x' }],
      [{ a: 'x', d: 1 }],
      [],
    ],
    [
      'a list by key without a key',
      { ...byName, keys: [] },
      [item('a'), item('b')],
      [item('b'), item('a')],
      [['', 'differs']],
    ],
    [
      'an atomic list although there is a key',
      { ...byName, list: 'atomic' },
      [item('a'), item('b')],
      [item('b'), item('a')],
      [['', 'differs']],
    ],
    // items by key
    [
      'items in place',
      byName,
      [item('a', { a: 'x' }), item('b')],
      [item('a', { a: 'y' }), item('b')],
      [['/[name=a]/a', 'differs']],
    ],
    [
      'items in another order',
      byName,
      [item('a', { a: 'x' }), item('b')],
      [item('b'), item('a', { a: 'y' })],
      [['/[name=a]/a', 'differs']],
    ],
    [
      'an item between',
      byName,
      [item('a'), item('b', { a: 'x' })],
      [item('a'), item('c'), item('b', { a: 'y' })],
      [['/[name=b]/a', 'differs']],
      [['/[name=c]']],
    ],
    [
      'an item less',
      byName,
      [item('a'), item('b')],
      [item('b')],
      [['/[name=a]', 'absent']],
    ],
    [
      'an item instead',
      byName,
      [item('a')],
      [item('b')],
      [['/[name=a]', 'absent']],
      [['/[name=b]']],
    ],
    [
      'an item more at the end',
      byName,
      [item('a')],
      [item('a'), item('b')],
      [],
      [['/[name=b]']],
    ],
    [
      'an item twice, both as declared',
      byName,
      [item('a', { a: 'x' })],
      [item('a', { a: 'x' }), item('a', { a: 'x' })],
      [],
    ],
    [
      'an item twice, the first another',
      byName,
      [item('a', { a: 'x' })],
      [item('a', { a: 'y' }), item('a', { a: 'x' })],
      [['/[name=a]', 'differs']],
    ],
    [
      'an item twice, the last another',
      byName,
      [item('a', { a: 'x' })],
      [item('a', { a: 'x' }), item('a', { a: 'y' })],
      [['/[name=a]', 'differs']],
    ],
    [
      'an item twice beside one that moved',
      byName,
      [item('b'), item('a', { a: 'x' })],
      [item('a', { a: 'x' }), item('a', { a: 'y' }), item('b')],
      [['/[name=a]', 'differs']],
    ],
    [
      'an item twice in the place of another',
      byName,
      [item('b'), item('a', { a: 'x' })],
      [item('a', { a: 'y' }), item('a', { a: 'x' })],
      [
        ['/[name=a]', 'differs'],
        ['/[name=b]', 'absent'],
      ],
    ],
    [
      'an item twice, one with more',
      byName,
      [item('a')],
      [item('a'), item('a', { a: 'x' })],
      [],
    ],
    [
      'several items more',
      byName,
      [item('a')],
      [item('b'), item('a'), item('c')],
      [],
      [['/[name=b]'], ['/[name=c]']],
    ],
    [
      'a live item without a key',
      byName,
      [item('a')],
      [item('a'), { a: 'x' }],
      [],
      [['/1']],
    ],
    ['a write-only value', { writeOnly: true }, 'x', 'y', []],
    ['a write-only value and nothing', { writeOnly: true }, 'x', undefined, []],
    [
      'an item of which nothing but its keys was known',
      byName,
      undefined,
      [item('a'), item('b')],
      [['/[name=a]', 'leftover']],
      [['/[name=b]']],
      ['/f/[name=a]'],
    ],
    // what we set once
    [
      'a field of ours',
      ITEM,
      { a: 'x' },
      { a: 'x', b: 'y' },
      [['/b', 'leftover']],
      [],
      ['/f/b'],
    ],
    [
      'an item of ours',
      byName,
      [item('a')],
      [item('a'), item('b')],
      [['/[name=b]', 'leftover']],
      [],
      ['/f/[name=b]/name'],
    ],
    [
      'our part of an item',
      byName,
      [],
      [item('a', { a: 'x', b: 'y' })],
      [['/[name=a]/a', 'leftover']],
      [['/[name=a]/b']],
      ['/f/[name=a]/name', '/f/[name=a]/a'],
    ],
    [
      'our items of a list',
      byName,
      undefined,
      [item('a'), item('b')],
      [['/[name=a]', 'leftover']],
      [['/[name=b]']],
      ['/f/[name=a]/name'],
    ],
    [
      'our field below what nobody declares',
      ITEM,
      undefined,
      { a: 'x', b: 'y' },
      [['/a', 'leftover']],
      [['/b']],
      ['/f/a'],
    ],
    [
      'our field inside a declared item',
      byName,
      [item('a')],
      [item('a', { b: 'y' })],
      [['/[name=a]/b', 'leftover']],
      [],
      ['/f/[name=a]/b'],
    ],
    [
      'our default',
      ITEM,
      { a: 'x' },
      { a: 'x', d: 1 },
      [],
      [['/d', 'default']],
      ['/f/d'],
    ],
  ])('%s', (_what, field, declared, live, changes, extras = [], owned = []) => {
    const answer = compared(field, declared, live, { ownedBefore: owned });
    expect(answer.changes).toEqual(changes);
    expect(answer.extras).toEqual(extras);
    expect(answer.reordered).toEqual([]);
  });

  it('shows all live items of a key that is there several times', () => {
    const twice = [item('a', { a: 'y' }), item('a', { a: 'x' })];
    const { found } = compared(byName, [item('a', { a: 'x' })], twice);
    expect(found.changes[0].live).toEqual(twice);
  });

  it.each<[string, FieldSchema, Json[], Json[], string[]]>([
    [
      'another order beside a missing item',
      { showOrder: true },
      [item('a'), item('z'), item('b')],
      [item('b'), item('a')],
      [''],
    ],
    [
      'another order',
      { showOrder: true },
      [item('a'), item('b')],
      [item('b'), item('a')],
      [''],
    ],
    [
      'another order at the end',
      { showOrder: true },
      [item('a'), item('b'), item('c')],
      [item('a'), item('c'), item('b')],
      [''],
    ],
    [
      'the same order',
      { showOrder: true },
      [item('a'), item('b')],
      [item('a'), item('b')],
      [],
    ],
    [
      'the same order with others between',
      { showOrder: true },
      [item('a'), item('b')],
      [item('x'), item('a'), item('y'), item('b')],
      [],
    ],
    [
      'another order where nobody cares',
      {},
      [item('a'), item('b')],
      [item('b'), item('a')],
      [],
    ],
  ])(
    'shows the order where it matters: %s',
    (_what, more, declared, live, reordered) => {
      expect(
        compared({ ...byName, ...more }, declared, live).reordered,
      ).toEqual(reordered);
    },
  );

  describe('secrets', () => {
    const field: FieldSchema = { type: 'any', secret: true };

    it('differ where their digests do', () => {
      expect(compared(field, 'x', 'x').changes).toEqual([]);
      expect(compared(field, 'x', 'y').changes).toEqual([['', 'differs']]);
    });

    it('differ from an object in clear', () => {
      const schema: ResourceSchema = {
        kind: 'things',
        platform: 'test',
        root: { type: 'any' },
      };
      const paths = (declared: Json, live: Json) =>
        compare({
          schema,
          declared: { ...state({}, schema), value: { f: declared } },
          live: { ...state({}, schema, 'live'), value: { f: live } },
        }).changes.map(({ path }) => path);
      const mark = { $secret: 'x' };
      expect(paths(mark, { a: 1 })).toEqual(['/f']);
      expect(paths({ a: 1 }, mark)).toEqual(['/f']);
      expect(paths(mark, { ...mark })).toEqual([]);
    });
  });

  describe('sets', () => {
    const open: FieldSchema = {
      type: 'list',
      list: 'set',
      open: true,
      items: STRING,
      serverMembers: ['k8s-'],
    };

    it.each<
      [string, FieldSchema, Json[], Json[], string[][], Json[], string[]]
    >([
      ['members of others', open, ['a'], ['a', 'b', 'c'], [], ['b', 'c'], []],
      [
        'members of others although one is gone',
        open,
        ['a'],
        ['b'],
        [['', 'differs']],
        ['b'],
        [],
      ],
      ['no members of a controller', open, ['a'], ['a', 'k8s-x'], [], [], []],
      [
        'a member of ours',
        open,
        ['a'],
        ['a', 'b', 'c'],
        [['/[=b]', 'leftover']],
        ['c'],
        ['/f/[=b]'],
      ],
      [
        'no more of a set that is ours alone',
        { ...open, open: false },
        ['a'],
        ['a', 'b'],
        [['', 'differs']],
        [],
        [],
      ],
      [
        'no member written differently',
        { ...open, items: { type: 'quantity' } },
        ['1000m', '5'],
        ['1', '2', '5'],
        [],
        ['2'],
        [],
      ],
    ])(
      'show %s',
      (_what, field, declared, live, changes, more, ownedBefore) => {
        const { changes: seen, found } = compared(field, declared, live, {
          ownedBefore,
        });
        expect(seen).toEqual(changes);
        expect(found.extras).toEqual(
          more.length > 0 ? [{ path: '/f', live: more }] : [],
        );
      },
    );

    it('leave marks of owners to the verdict', () => {
      const root: FieldSchema = { properties: { f: { ...open, items: {} } } };
      const extras = (mark?: { path: string; prefix: string }) => {
        const schema: ResourceSchema = {
          kind: 'things',
          platform: 'test',
          root,
          ...(mark ? { ownershipMark: mark } : {}),
        };
        return compare({
          schema,
          declared: state({ f: ['a'] }, schema),
          live: state(
            { f: ['a', 'uid:1', 'x', 7, 'undefined'] },
            schema,
            'live',
          ),
        }).extras;
      };
      expect(extras({ path: '/f', prefix: 'uid:' })).toEqual([
        { path: '/f', live: ['x', 7, 'undefined'] },
      ]);
      expect(extras()).toEqual([
        { path: '/f', live: ['uid:1', 'x', 7, 'undefined'] },
      ]);
    });
  });

  describe('a field that the server does not know', () => {
    const pruned: FieldSchema = { ...ITEM, pruneUnknown: true };

    it('is a warning, and no change', () => {
      expect(compared(pruned, { a: 'x', z: 'y' }, { a: 'x' })).toMatchObject({
        changes: [],
        warnings: ['/z'],
      });
    });

    it('is nothing where it is null, and a change where live has another', () => {
      expect(compared(pruned, { z: null }, {})).toMatchObject({
        changes: [],
        warnings: [],
      });
      expect(compared(pruned, { z: 'y' }, { z: 'x' })).toMatchObject({
        changes: [['/z', 'differs']],
        warnings: [],
      });
      expect(compared(ITEM, { z: 'y' }, {}).changes).toEqual([
        ['/z', 'absent'],
      ]);
    });
  });

  it('keeps the order of extras that share a key', () => {
    const twice = [item('b', { a: 'y' }), item('b', { a: 'x' })];
    const { found } = compared(byName, [item('a')], [item('a'), ...twice]);
    expect(found.extras).toEqual(
      twice.map(live => ({ path: '/f/[name=b]', live })),
    );
  });

  it('puts lists in another order in the order of their paths', () => {
    const list: FieldSchema = { ...byName, showOrder: true };
    const field: FieldSchema = { properties: { z: list, a: list } };
    const one = [item('a'), item('b')];
    const two = [item('b'), item('a')];
    expect(
      compared(field, { z: one, a: one }, { z: two, a: two }).reordered,
    ).toEqual(['/a', '/z']);
  });

  it('puts everything in the order of its path, and passes on warnings', () => {
    const { found } = compared(
      ITEM,
      { d: 2, a: 'x', b: 'x' },
      { z: 1, y: 1, d: 3, b: 'y', a: 'y' },
    );
    expect(found.changes.map(({ path }) => path)).toEqual([
      '/f/a',
      '/f/b',
      '/f/d',
    ]);
    expect(found.extras.map(({ path }) => path)).toEqual(['/f/y', '/f/z']);
    expect(found.warnings).toEqual([]);
  });

  describe('managedFields', () => {
    const us = { manager: 'us', operation: 'Apply', ours: true };
    const them = { manager: 'them', operation: 'Update' };
    const schema: ResourceSchema = {
      kind: 'things',
      platform: 'test',
      root: { type: 'object', properties: { f: ITEM } },
    };
    const declared = state({ f: { a: 'x' } }, schema);
    const live = state({ f: { a: 'x', b: 'y', d: 1, z: 1 } }, schema, 'live');

    it('say what we set once, and who set the rest', () => {
      const { changes, extras } = compare({
        schema,
        declared,
        live: {
          ...live,
          owners: { '/f/b': [us], '/f/z': [them], '/f/d': [them] },
        },
      });
      expect(changes).toMatchObject([{ path: '/f/b', kind: 'leftover' }]);
      expect(extras).toEqual([
        { path: '/f/d', live: 1, isDefault: true },
        { path: '/f/z', live: 1, owners: [them] },
      ]);
    });

    it('are asked although nothing else was found', () => {
      const { changes } = compare({
        schema,
        declared,
        live: {
          ...state({ f: { a: 'x', b: 'y' } }, schema, 'live'),
          owners: { '/f/b': [us] },
        },
      });
      expect(changes).toMatchObject([{ path: '/f/b', kind: 'leftover' }]);
    });

    it('add to what is known of our own writes', () => {
      const { changes } = compare({
        schema,
        declared,
        live: { ...live, owners: { '/f/b': [us] } },
        ownedBefore: ['/f/z'],
      });
      expect(changes.map(({ path }) => path)).toEqual(['/f/b', '/f/z']);
    });

    it('say nothing of an extra that nobody is known to own', () => {
      const { extras } = compare({
        schema,
        declared,
        live: { ...live, owners: { '/g': [them] } },
      });
      expect(extras).toStrictEqual([
        { path: '/f/b', live: 'y' },
        { path: '/f/d', live: 1, isDefault: true },
        { path: '/f/z', live: 1 },
      ]);
    });
  });
});

describe('what nobody declared', () => {
  const inner: FieldSchema = {
    type: 'object',
    properties: { x: { type: 'object', properties: { a: STRING, b: STRING } } },
  };
  const members: FieldSchema = {
    type: 'object',
    properties: {
      x: { type: 'list', list: 'set', open: true, serverMembers: ['k8s-'] },
      y: { type: 'list', list: 'set', serverMembers: ['k8s-'] },
    },
  };

  it('is one thing where nothing that we set is left of it', () => {
    const more = { ownedBefore: ['/f/x/gone'] };
    const { extras, changes } = compared(
      inner,
      {},
      { x: { a: '1', b: '2' } },
      more,
    );
    expect([extras, changes]).toEqual([[['/x']], []]);
  });

  it('is hidden where controllers keep it in an open set, and only there', () => {
    expect(compared(members, {}, { x: ['k8s-1'] }).extras).toEqual([]);
    expect(compared(members, {}, { x: [] }).extras).toEqual([['/x']]);
    expect(compared(members, {}, { y: ['k8s-1'] }).extras).toEqual([['/y']]);
  });
});
