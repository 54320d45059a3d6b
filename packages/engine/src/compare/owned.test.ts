/*
 * What counts as set by us: spelled out, as a tree, by server-side apply, and by a declaration.
 */
import { konnectSchema } from '../konnect/schema';
import { kubernetesSchema } from '../kubernetes/schema';
import { state } from '../__testUtils__/documents';
import { FieldSchema, Json, ResourceSchema } from '../types';
import { appliedByUs, ownedPointers, ownedTree, spelledOut } from './owned';

const SECRET = kubernetesSchema('v1/Secret');
const SERVICES = konnectSchema('services');

describe('spelledOut', () => {
  it('finds the fields of a shorthand, and leaves all others', () => {
    expect(
      spelledOut(
        ['/stringData/a~1b', '/metadata/labels/x', '/type/stringData/x'],
        SECRET,
      ),
    ).toEqual(['/data/a~1b', '/metadata/labels/x', '/type/stringData/x']);
    expect(spelledOut(['/name', '/url', '/retries'], SERVICES)).toEqual([
      '/name',
      '/protocol',
      '/host',
      '/port',
      '/path',
      '/retries',
    ]);
  });

  it('finds a field by its newer name, also inside the items of a list', () => {
    const inside: FieldSchema = {
      type: 'object',
      properties: { seconds: { type: 'integer' } },
      aliases: { timeout: 'seconds' },
    };
    const schema: ResourceSchema = {
      kind: 'things',
      platform: 'test',
      root: {
        type: 'object',
        properties: {
          one: inside,
          many: { type: 'list', list: 'map', keys: ['name'], items: inside },
        },
      },
    };
    expect(
      spelledOut(['/one/timeout', '/many/[name=x]/timeout', '/one'], schema),
    ).toEqual(['/one/seconds', '/many/[name=x]/seconds', '/one']);
  });

  it('knows no shorthand where the kind has none', () => {
    const pointers = ['/url', '/stringData/a'];
    const rules = ['toString'];
    expect(spelledOut(pointers, konnectSchema('routes'))).toEqual(pointers);
    expect(spelledOut(pointers, { ...SERVICES, rules })).toEqual(pointers);
  });
});

describe('ownedTree', () => {
  it('has a leaf where a pointer ends, and only there', () => {
    const tree = ownedTree(['/a/b', '/a/[name=x]/c', '/a/[name=x]']);
    const a = tree.children.get('a')!;
    const item = a.children.get('[name=x]')!;
    expect([...tree.children.keys()]).toEqual(['a']);
    expect([...a.children.keys()]).toEqual(['b', '[name=x]']);
    expect([a.leaf, a.children.get('b')!.leaf]).toEqual([false, true]);
    expect([item.leaf, item.children.get('c')!.leaf]).toEqual([true, true]);
  });

  it('takes the keys of an item that we remember to have set for ours, not of one that we are said to have applied', () => {
    const keyOf = (tree: ReturnType<typeof ownedTree>) => {
      const key = tree.children
        .get('a')!
        .children.get('[name=x]')!
        .children.get('name');
      return key && [key.leaf, key.whole];
    };
    expect(keyOf(ownedTree(['/a/[name=x]/c']))).toEqual([true, true]);
    expect(keyOf(ownedTree([], ['/a/[name=x]/c']))).toBeUndefined();
  });

  it('never makes the whole document one field of ours', () => {
    expect(ownedTree([]).leaf).toBe(false);
    expect(ownedTree(['']).leaf).toBe(false);
  });
});

describe('appliedByUs', () => {
  const us = { manager: 'us', operation: 'Apply', ours: true };
  const other = { manager: 'other', operation: 'Apply' };

  it('names what server-side apply records as ours alone', () => {
    expect(
      appliedByUs({
        '/applied': [us],
        '/updated': [{ ...us, operation: 'Update' }],
        '/shared': [us, other],
        '/theirs': [other],
      }),
    ).toEqual(['/applied']);
  });

  it('names nothing where the document says nothing', () => {
    expect(appliedByUs(undefined)).toEqual([]);
  });
});

describe('ownedPointers', () => {
  const pointers = (field: FieldSchema, value: Json) => {
    const schema: ResourceSchema = {
      kind: 'things',
      platform: 'test',
      root: { type: 'object', properties: { field } },
    };
    return ownedPointers(state({ field: value }, schema), schema);
  };
  const items: FieldSchema = {
    type: 'object',
    properties: { name: { type: 'string' } },
  };

  it.each<[string, FieldSchema, Json]>([
    ['an atomic list', { type: 'list' }, ['a']],
    ['an empty atomic list', { type: 'list' }, []],
    [
      'an atomic list although its items have a key',
      { type: 'list', list: 'atomic', keys: ['name'], items },
      [{ name: 'a' }],
    ],
    ['a list by key without a key', { type: 'list', list: 'map' }, []],
    [
      'a list by key where an item lacks it',
      { type: 'list', list: 'map', keys: ['name'], items },
      [{ name: 'a' }, {}],
    ],
    ['a set that is ours alone', { type: 'list', list: 'set' }, ['a']],
    ['an atomic list that says it is open', { type: 'list', open: true }, []],
    ['an atomic map', { type: 'map', atomic: true }, { a: 'b' }],
    ['an empty atomic map', { type: 'map', atomic: true }, {}],
    ['a secret', { type: 'any', secret: true }, 'hidden'],
  ])('name %s as a whole', (_what, field, value) => {
    expect(pointers(field, value)).toEqual(['/field']);
  });

  it.each<[string, FieldSchema, Json]>([
    ['an empty list by key', { type: 'list', list: 'map', keys: ['name'] }, []],
    ['an empty open set', { type: 'list', list: 'set', open: true }, []],
    ['an empty map', { type: 'map' }, {}],
    ['null', { type: 'string' }, null],
  ])('do not name %s: it sets nothing', (_what, field, value) => {
    expect(pointers(field, value)).toEqual([]);
  });

  it('name what an item sets by its key, in the order of the paths', () => {
    const field: FieldSchema = {
      type: 'list',
      list: 'map',
      keys: ['name'],
      items,
    };
    expect(pointers(field, [{ name: 'b' }, { name: 'a', x: 1 }])).toEqual([
      '/field/[name=a]/name',
      '/field/[name=a]/x',
      '/field/[name=b]/name',
    ]);
  });

  it('are none where the declaration is no object', () => {
    const text = { ...state({}, SERVICES), value: 'text' };
    expect(ownedPointers(text, SERVICES)).toEqual([]);
  });
});
