/* Manifest files as the ecosystem reads them, and faults that say where they are. */
import { parseManifest } from './parseManifest';

const parse = (text: string) => parseManifest('shop.yaml', text);

const header = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n';

describe('parseManifest', () => {
  it('reads several documents, empty ones and lists', () => {
    const found = parse(`---
# only a comment
---
${header}
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Service, metadata: {name: s}}
  - apiVersion: apps/v1
    kind: DeploymentList
    items: [{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}}]
---
`);
    expect(found.map(({ gvk, name }) => [gvk.kind, name])).toEqual([
      ['ConfigMap', 'c'],
      ['Service', 's'],
      ['Deployment', 'd'],
    ]);
    expect(found[2].where).toBe('document 3, line 9, item 2, item 1');
  });

  it('reads JSON', () => {
    const text = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c' },
      data: { k: 'v' },
    });
    expect(parse(text)[0].object.data).toEqual({ k: 'v' });
  });

  it.each([
    ['mode: 0644', { mode: 420 }],
    ['mode: 0o644', { mode: '0o644' }],
    ['flag: yes', { flag: true }],
    ['flag: "yes"', { flag: 'yes' }],
    ['at: 12:30', { at: '12:30' }],
    ['at: 1:30:45', { at: '1:30:45' }],
    ['day: 2026-12-01', { day: '2026-12-01' }],
    ['big: 9007199254740993', { big: 9007199254740993n }],
    ['small: 42', { small: 42 }],
    ['ratio: 1.5', { ratio: 1.5 }],
    ['none: ~', { none: null }],
    [
      'a: &x {k: v}\n  b: {<<: *x, l: w}',
      { a: { k: 'v' }, b: { k: 'v', l: 'w' } },
    ],
  ])('reads %s as the ecosystem does', (text, expected) => {
    expect(parse(`${header}data:\n  ${text}\n`)[0].object.data).toEqual(
      expected,
    );
  });

  it.each([
    [
      `${header}---\n${header}data: {a: 1, a: 2}\n`,
      'document 2, line 8: it is not valid YAML (duplicate key)',
    ],
    [`${header}data: [unclosed\n`, 'document 1, line 5'],
    [`${header}\tdata: {}\n`, 'document 1, line'],
    ['just text', 'document 1, line 1: it is not an object'],
    ['kind: ConfigMap\nmetadata: {name: c}', 'it has no apiVersion and kind'],
    [
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: c-}',
      'the ConfigMap has no metadata.name',
    ],
    [
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]',
      'it is a kustomization',
    ],
    [`${header}data: {a: .inf}\n`, 'a number that JSON does not have'],
    [`${header}data: *nowhere\n`, 'document 1, line'],
  ])('says where %j is wrong', (text, expected) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        classification: 'invalid',
        message: expect.stringContaining(`manifest shop.yaml, `),
      }),
    );
    expect(() => parse(text)).toThrow(expected);
  });

  it('never quotes the text, which may hold secrets', () => {
    const secrets = [
      `${header}data: {a: "hunter2", a: "hunter2"}\n`,
      `${header}data: "hunter2" hunter2\n`,
      `${header}data: *hunter2\n`,
      `${header}data: [hunter2\n`,
      'hunter2',
    ];
    for (const text of secrets) {
      expect(() => parse(text)).toThrow(
        expect.objectContaining({
          message: expect.not.stringContaining('hunter2'),
        }),
      );
    }
  });

  it('does not expand aliases without end', () => {
    const levels = 'abcdefghijkl'.split('');
    const bomb = levels
      .map((name, i) =>
        i === 0
          ? `  a: &a [x, x, x, x, x, x, x, x, x]`
          : `  ${name}: &${name} [${Array(9)
              .fill(`*${levels[i - 1]}`)
              .join(', ')}]`,
      )
      .join('\n');
    expect(() => parse(`${header}data:\n${bomb}\n`)).toThrow(
      'its aliases cannot be resolved, or there are too many',
    );
  });
});
