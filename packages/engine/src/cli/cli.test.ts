/*
 * The command as a person calls it: files in, text and exit code out.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from './main';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drift-cli-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function run(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await main(args, {
    out: text => out.push(text),
    err: text => err.push(text),
    colour: false,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

const mapText = (name: string, value: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: n}
data: {k: ${value}}
`;

describe('drift compare', () => {
  it('answers 0 in sync, 1 drift, 2 error', async () => {
    const declared = file('d.yaml', mapText('a', 'v'));
    const live = file('l.yaml', mapText('a', 'w'));
    expect(
      (await run('compare', '--declared', declared, '--live', declared)).code,
    ).toBe(0);
    const drift = await run('compare', '--declared', declared, '--live', live);
    expect(drift.code).toBe(1);
    expect(drift.out).toContain('ConfigMap n/a: Drifted (LiveMoved)');
    expect(drift.out).toContain('/data/k');
    const none = await run(
      'compare',
      '--declared',
      declared,
      '--live',
      join(folder, 'none.yaml'),
    );
    expect(none.code).toBe(2);
    expect(none.err).toContain('there is no such file');
  });

  it('tells who moved from the third state, or from none', async () => {
    const declared = file('d.yaml', mapText('a', 'new'));
    const live = file('l.yaml', mapText('a', 'old'));
    const agreed = file('a.yaml', mapText('a', 'old'));
    const verdict = async (...more: string[]) =>
      JSON.parse(
        (
          await run(
            'compare',
            '--declared',
            declared,
            '--live',
            live,
            '-o',
            'json',
            ...more,
          )
        ).out,
      )[0];
    expect(await verdict()).toMatchObject({
      verdict: 'Drifted',
      reason: 'LiveMoved',
    });
    expect(await verdict('--last-agreed', agreed)).toMatchObject({
      verdict: 'Pending',
    });
    expect(await verdict('--first-sight')).toMatchObject({
      reason: 'FirstSight',
    });
  });

  it('matches many documents, lists among them, and counts what nobody declared', async () => {
    const declared = file(
      'd.yaml',
      `${mapText('a', 'v')}---${mapText('b', 'v')}---${mapText('gone', 'v')}`,
    );
    const live = file(
      'l.json',
      JSON.stringify({
        kind: 'ConfigMapList',
        apiVersion: 'v1',
        items: ['b', 'a', 'stranger'].map(name => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace: 'n' },
          data: { k: 'v' },
        })),
      }),
    );
    const { code, out } = await run(
      'compare',
      '--declared',
      declared,
      '--live',
      live,
    );
    expect(code).toBe(1);
    expect(out).toContain('ConfigMap n/gone: Missing');
    expect(out).toContain('2 in sync, 1 not');
    expect(out).toContain('1 live document is not declared');
  });

  it('sees an orphan by the state that was agreed', async () => {
    const declared = file('d.yaml', mapText('a', 'v'));
    const both = file('l.yaml', `${mapText('a', 'v')}---${mapText('b', 'v')}`);
    const { code, out } = await run(
      'compare',
      '--declared',
      declared,
      '--live',
      both,
      '--last-agreed',
      both,
    );
    expect(code).toBe(1);
    expect(out).toContain('ConfigMap n/b: Orphaned');
  });

  it('compares Konnect entities by name', async () => {
    const declared = file(
      'd.yaml',
      'name: s\nretries: 3\n---\nname: t\nhost: t\n',
    );
    const live = file(
      'l.json',
      '{"data":[{"id":"2","name":"t","host":"t"},{"id":"1","name":"s","retries":9}],"offset":null}',
    );
    const { code, out } = await run(
      'compare',
      '--kind',
      'services',
      '--declared',
      declared,
      '--live',
      live,
      '-o',
      'yaml',
    );
    expect(code).toBe(1);
    expect(out).toContain('path: /retries');
  });

  it('reads schemas from files', async () => {
    const crd = file(
      'crd.yaml',
      `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: example.com
  names: {kind: Thing}
  versions: [{name: v1, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {words: {type: array, items: {type: string}, x-kubernetes-list-type: set}}}}}}}]
`,
    );
    const declared = file(
      'd.yaml',
      'apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\nspec: {words: [a, b]}\n',
    );
    const live = file(
      'l.yaml',
      'apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\nspec: {words: [b, a]}\n',
    );
    expect(
      (await run('compare', '--declared', declared, '--live', live)).code,
    ).toBe(1);
    expect(
      (
        await run(
          'compare',
          '--declared',
          declared,
          '--live',
          live,
          '--schema',
          crd,
        )
      ).code,
    ).toBe(0);
  });

  it('prints no secret, wherever it stands', async () => {
    const secret = (value: string) =>
      `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: ${value}}\n`;
    const declared = file('d.yaml', secret('hidden-one'));
    const live = file('l.yaml', secret('hidden-two'));
    for (const format of ['text', 'json', 'yaml']) {
      const { out, err } = await run(
        'compare',
        '--declared',
        declared,
        '--live',
        live,
        '-o',
        format,
      );
      expect(out + err).not.toMatch(/hidden|aGlkZGVu/);
      expect(out).toContain('/data/p');
    }
    const broken = file('b.yaml', 'password: [hidden-three\n  x: }');
    const { code, err } = await run(
      'compare',
      '--declared',
      broken,
      '--live',
      live,
    );
    expect(code).toBe(2);
    expect(err).not.toContain('hidden');
    expect(err).toContain('no valid YAML');
  });

  it.each([
    [['compare']],
    [['compare', '--declared', 'a']],
    [
      [
        'compare',
        '--declared',
        'a',
        '--live',
        'b',
        '--last-agreed',
        'c',
        '--first-sight',
      ],
    ],
    [['compare', '--declared', 'a', '--live', 'b', '-o', 'xml']],
    [['compare', '--declared', 'a', '--live', 'b', '--platform', 'moon']],
    [['compare', '--nonsense']],
    [['compare', '--declared', '-', '--live', '-']],
    [['cases']],
    [['cases', '/there/is/none']],
    [['nonsense']],
  ])('says what is wrong with %j', async args => {
    const { code, err } = await run(...args);
    expect(code).toBe(2);
    expect(err).toContain('See: drift help');
  });

  it.each([
    [['help']],
    [['--help']],
    [['compare', '--help']],
    [['cases', '-h']],
  ])('explains itself: %j', async args => {
    const { code, out } = await run(...args);
    expect(code).toBe(0);
    expect(out).toContain('drift compare');
  });

  it.each([
    ['a tab', 'kind: A\ndata:\n\tk: v\n', 'line 3, column 1', 'with a tab'],
    [
      'a key twice',
      'kind: A\r\na: 1\r\na: 2\r\n',
      'line 3, column 1',
      'there twice',
    ],
    ['what is not closed', '{"a": 1', 'line 1', 'not closed'],
    ['too much nesting', '['.repeat(5000), 'line 1', 'too deep'],
    ['aliases without an end', 'a: &a [*a]', 'document 1', 'aliases'],
    ['nothing', '---\n# nothing\n', '', 'no document'],
  ])('says where a file has %s', async (_what, text, place, meaning) => {
    const live = file('l.yaml', mapText('a', 'v'));
    const { code, out, err } = await run(
      'compare',
      '--declared',
      file('d.yaml', text),
      '--live',
      live,
    );
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('d.yaml: ');
    expect(err).toContain(place);
    expect(err).toContain(meaning);
  });

  it('takes an empty answer for none, and an empty list for an answer', async () => {
    const declared = file('d.yaml', mapText('a', 'v'));
    const against = (text: string) =>
      run('compare', '--declared', declared, '--live', file('l.yaml', text));
    expect((await against('')).code).toBe(2);
    const list = await against('{apiVersion: v1, kind: List, items: []}');
    expect(list.code).toBe(1);
    expect(list.out).toContain('Missing');
  });

  it.each([
    ['what was declared then', 'old-pass', 'Pending'],
    ['what is declared still', 'new-pass', 'InSync'],
    ['what the platform answers', 'hash-1', 'InSync'],
  ])(
    'takes a password that was agreed for %s',
    async (_what, agreed, verdict) => {
      const entity = (name: string, password: string) =>
        file(name, JSON.stringify({ username: 'a', password }));
      const { out } = await run(
        'compare',
        '--kind',
        'basic-auths',
        '--declared',
        entity('d.json', 'new-pass'),
        '--live',
        entity('l.json', 'hash-1'),
        '--last-agreed',
        entity('a.json', agreed),
      );
      expect(out).toContain(`: ${verdict} (`);
      expect(out).not.toMatch(/-pass|hash-1/);
    },
  );

  it('refuses a schema that is none, and names a collection that it does not know', async () => {
    const map = file('d.yaml', mapText('a', 'v'));
    const both = ['--declared', map, '--live', map];
    const schema = await run('compare', ...both, '--schema', map);
    expect(schema.code).toBe(2);
    expect(schema.err).toContain('document 1 is no schema');
    const entity = file('e.yaml', 'name: a');
    const kind = await run(
      'compare',
      '--declared',
      entity,
      '--live',
      entity,
      '--kind',
      'servicez',
    );
    expect(kind.code).toBe(0);
    expect(kind.err).toContain('servicez is no collection');
  });

  it('reads manifests as their tools do', async () => {
    const volume = (mode: string, network: string, text: string) => `
apiVersion: v1
kind: Pod
metadata: {name: a, annotations: {at: ${text}, on: ${text}}}
spec:
  hostNetwork: ${network}
  volumes: [{name: v, secret: {secretName: s, defaultMode: ${mode}}}]
`;
    const { code, out } = await run(
      'compare',
      '--declared',
      file('d.yaml', volume('0644', 'yes', '12:30')),
      '--live',
      file('l.yaml', volume('420', 'true', '"12:30"')),
    );
    expect({ code, out }).toMatchObject({ code: 0 });
    const refused = await run(
      'compare',
      '--declared',
      file('d.yaml', volume('0644', 'yes', 'no')),
      '--live',
      file('l.yaml', volume('420', 'true', '"no"')),
    );
    expect(refused.code).toBe(2);
    expect(refused.out).toContain('/metadata/annotations/at must be a string');
  });

  it('reads a file with a byte order mark and foreign line ends', async () => {
    const live = file('l.yaml', mapText('a', 'v'));
    const declared = file(
      'd.yaml',
      `\ufeff${mapText('a', 'v').trim().replace(/\n/g, '\r\n')}`,
    );
    expect(
      (await run('compare', '--declared', declared, '--live', live)).code,
    ).toBe(0);
  });
});

describe('drift cases', () => {
  const caseText = (verdict: string) => `
id: one
platform: kubernetes
kind: v1/ConfigMap
declared: {metadata: {name: c}, data: {k: v}}
live: {metadata: {name: c}, data: {k: w, x: "y"}}
expect: {verdict: ${verdict}, drift: [/data/k], extras: [/data/x]}
`;

  it('passes what is right, and says what is not', async () => {
    file('a.yaml', caseText('Drifted'));
    const right = await run('cases', folder);
    expect(right).toMatchObject({ code: 0, out: '1 passed, 0 failed' });
    file('b.yaml', caseText('InSync'));
    const wrong = await run('cases', folder);
    expect(wrong.code).toBe(1);
    expect(wrong.out).toContain('verdict: wanted InSync, got Drifted');
    expect(wrong.out).toMatch(/1 passed, 1 failed$/);
  });

  it('reads octal numbers, and leaves words as they are', async () => {
    file(
      'a.yaml',
      `
id: octal
platform: kubernetes
kind: example.com/v1/Thing
declared: {metadata: {name: n}, spec: {mode: 0644, least: -010, word: no, long: 01777777777777777777777}}
live: {metadata: {name: "n"}, spec: {mode: 420, least: -8, word: "no", long: 18446744073709551615}}
expect: {verdict: InSync}
`,
    );
    expect((await run('cases', folder)).out).toBe('1 passed, 0 failed');
  });

  it('fails where a secret is printed', async () => {
    file(
      'a.yaml',
      `
id: two
platform: kubernetes
kind: v1/ConfigMap
declared: {data: {k: visible}}
live: {data: {k: other}}
expect: {verdict: Drifted, mustNotPrint: [visible]}
`,
    );
    const { code, out } = await run('cases', folder);
    expect(code).toBe(1);
    expect(out).toContain('the 1. string is printed');
  });
});
