/* Manifests as declarations: files and URLs, against a sandbox that knows which kinds are namespaced. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mockServices } from '@backstage/backend-test-utils';
import { NotFoundError, NotModifiedError } from '@backstage/errors';
import type { DeclaredResource } from '@plumbline/backstage-plugin-drift-node';
import { createKubernetesSandbox } from '@plumbline/drift-sandbox';
import { staticAccess } from '../cluster/access';
import { Cluster } from '../cluster/cluster';
import type { ManifestTarget } from '../config';
import { testContext } from '../__testUtils__/context';
import { planOf } from '../__testUtils__/plan';
import { KubernetesPlatform } from '../platform/platform';
import { manifestFiles } from './manifestFiles';
import { ManifestSource } from './manifests';

const signal = new AbortController().signal;

const config = (name: string, more = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${more}}\ndata: {k: v}\n`;

describe('ManifestSource', () => {
  let url: string;
  let close: () => Promise<void>;
  let cluster: Cluster;
  let folder: string;

  beforeAll(async () => {
    ({ url, close } = await createKubernetesSandbox().listen());
    cluster = new Cluster(
      staticAccess(
        { name: 'test', title: 'Test', requestsPerMinute: 1000 },
        { url, serviceAccountToken: 'sandbox-admin' },
      ),
      testContext(),
    );
    folder = await mkdtemp(path.join(tmpdir(), 'manifests-'));
  });

  afterAll(async () => {
    await close();
    await rm(folder, { recursive: true, force: true });
  });

  const urlReader = mockServices.urlReader.mock();

  function sourceOf(
    target: Partial<ManifestTarget> & Pick<ManifestTarget, 'target'>,
    namespaces?: string[],
  ) {
    const whole: ManifestTarget = {
      cluster: 'test',
      type: 'file',
      namespace: 'shop',
      ...target,
    };
    return new ManifestSource(
      cluster,
      whole,
      manifestFiles(whole, urlReader),
      namespaces,
    );
  }

  async function list(source: ManifestSource): Promise<DeclaredResource[]> {
    const items: DeclaredResource[] = [];
    for await (const page of source.list({ signal })) {
      items.push(...page.items);
    }
    return items;
  }

  it('declares what a folder holds, with default namespaces', async () => {
    const target = path.join(folder, 'all');
    await mkdir(path.join(target, 'deep'), { recursive: true });
    await writeFile(
      path.join(target, 'a.yaml'),
      `${config('a', ', labels: {app: a}')}---\n${config(
        'b',
        ', namespace: other',
      )}`,
    );
    await writeFile(
      path.join(target, 'deep', 'c.json'),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'shop', namespace: 'nonsense' },
      }),
    );
    await writeFile(path.join(target, 'README.md'), 'not a manifest');
    const source = sourceOf({ target });
    const items = await list(source);
    expect(items.map(({ ref }) => ref)).toEqual([
      {
        platform: 'kubernetes/test',
        kind: 'v1/ConfigMap',
        namespace: 'shop',
        name: 'a',
      },
      {
        platform: 'kubernetes/test',
        kind: 'v1/ConfigMap',
        namespace: 'other',
        name: 'b',
      },
      {
        platform: 'kubernetes/test',
        kind: 'v1/Namespace',
        namespace: undefined,
        name: 'shop',
      },
    ]);
    expect(items[0]).toMatchObject({
      document: { metadata: { name: 'a', namespace: 'shop' } },
      locators: ['name:v1/ConfigMap/shop/a'],
      mark: {
        key: 'drift.plumbline/declared-by',
        value: 'kubernetes/test/manifests',
      },
      origin: {
        type: 'manifest',
        url: '…/all/a.yaml',
        labels: { app: 'a' },
      },
      problems: [],
    });
    expect(items[2].document).toMatchObject({ metadata: { name: 'shop' } });
    expect([...cluster.declaredKinds]).toEqual(
      expect.arrayContaining(['v1/ConfigMap', 'v1/Namespace']),
    );
    const read = await source.get(items[1].origin, items[1].ref, { signal });
    expect(read).toEqual({ found: true, declared: items[1] });
    const gone = { ...items[1].ref, name: 'never' };
    expect(await source.get(items[1].origin, gone, { signal })).toEqual({
      found: false,
    });
  });

  it('gives a version to every object by its content', async () => {
    const target = path.join(folder, 'versions.yaml');
    const source = sourceOf({ target });
    await writeFile(target, `${config('a')}---\n${config('b')}`);
    const before = await list(source);
    await writeFile(
      target,
      `# moved\n${config('b', ', labels: {x: y}')}---\n${config('a')}`,
    );
    const after = await list(source);
    expect(after[1].version).toBe(before[0].version);
    expect(after[0].version).not.toBe(before[1].version);
  });

  it('gives a Secret a version that says nothing about its values', async () => {
    const target = path.join(folder, 'secret.yaml');
    const secret = (value: string) =>
      `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {pin: "${value}"}\n`;
    const versions: string[] = [];
    for (const value of ['1234', '5678', '1234']) {
      await writeFile(target, secret(value));
      // A new source each time: the version must not depend on a process.
      versions.push((await list(sourceOf({ target })))[0].version);
    }
    expect(versions[0]).toBe(versions[2]);
    expect(versions[0]).not.toBe(versions[1]);
    expect(versions[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it('never takes what it cannot read for "no longer declared"', async () => {
    const unknown = { classification: 'transient' };
    await expect(
      list(sourceOf({ target: path.join(folder, 'missing.yaml') })),
    ).rejects.toMatchObject(unknown);
    const broken = path.join(folder, 'broken');
    await mkdir(broken);
    await writeFile(path.join(broken, 'a.yaml'), config('a'));
    await writeFile(path.join(broken, 'b.yaml'), 'a: [');
    await expect(list(sourceOf({ target: broken }))).rejects.toMatchObject({
      classification: 'invalid',
      message: expect.stringContaining('…/broken/b.yaml'),
    });
    const empty = path.join(folder, 'empty.yaml');
    await writeFile(empty, '# nothing\n');
    await expect(list(sourceOf({ target: empty }))).rejects.toMatchObject({
      classification: 'invalid',
      message: expect.stringContaining('declares nothing'),
    });
    const hidden = 'https://git.example/a.yaml';
    urlReader.readUrl.mockRejectedValueOnce(new NotFoundError('404'));
    await expect(
      list(sourceOf({ type: 'url', target: hidden })),
    ).rejects.toMatchObject(unknown);
    urlReader.search.mockResolvedValueOnce({ files: [], etag: '' });
    await expect(
      list(sourceOf({ type: 'url', target: 'https://git.example/*.yaml' })),
    ).rejects.toMatchObject(unknown);
  });

  it('names a target as the configuration does, never by the folders of this machine', async () => {
    const target = path.join(folder, 'absent');
    expect(sourceOf({ target }).title).toBe(
      `Manifests …/absent for ${cluster.title}`,
    );
    expect(sourceOf({ target, title: 'The shop' }).title).toBe('The shop');
    const relative = path.relative(process.cwd(), target);
    expect(sourceOf({ target: relative }).title).toContain(relative);
    const error = await list(sourceOf({ target })).catch(thrown => thrown);
    expect(error.message).toContain('there is no such file or folder');
    expect(error.message).not.toContain(folder);
  });

  it('asks a URL with the entity tag of the last read', async () => {
    const source = sourceOf({
      type: 'url',
      target: 'https://git.example/a.yaml',
    });
    urlReader.readUrl.mockReset();
    urlReader.readUrl
      .mockResolvedValueOnce({
        buffer: async () => Buffer.from(config('a')),
        etag: 'one',
      })
      .mockRejectedValueOnce(new NotModifiedError());
    const first = await list(source);
    expect(await list(source)).toEqual(first);
    expect(
      urlReader.readUrl.mock.calls.map(([, options]) => options?.etag),
    ).toEqual([undefined, 'one']);
  });

  it('reads all files that match a pattern', async () => {
    urlReader.search.mockResolvedValueOnce({
      files: ['a', 'b'].map(name => ({
        url: `https://git.example/${name}.yaml`,
        content: async () => Buffer.from(config(name)),
      })),
      etag: 'one',
    });
    const items = await list(
      sourceOf({ type: 'url', target: 'https://git.example/*.yaml' }),
    );
    expect(items.map(({ origin }) => origin.url)).toEqual([
      'https://git.example/a.yaml',
      'https://git.example/b.yaml',
    ]);
  });

  it('keeps an object whose manifest moved to another version of its kind', async () => {
    const target = path.join(folder, 'moving.yaml');
    const autoscaler = (version: string) =>
      `apiVersion: autoscaling/${version}\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: default}\n` +
      'spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}}\n';
    await writeFile(target, autoscaler('v1'));
    const moving = new Cluster(
      staticAccess(
        { name: 'moving', title: 'Moving', requestsPerMinute: 1000 },
        { url, serviceAccountToken: 'sandbox-admin' },
      ),
      testContext(),
    );
    const whole: ManifestTarget = {
      cluster: 'moving',
      type: 'file',
      target,
      namespace: 'default',
    };
    const source = new ManifestSource(
      moving,
      whole,
      manifestFiles(whole, urlReader),
    );
    const platform = new KubernetesPlatform(
      moving,
      { kinds: [], logger: mockServices.logger.mock() },
      testContext(),
    );
    const [declared] = await list(source);
    const schema = await platform.schema(declared.ref.kind, { signal });
    const plan = planOf(declared, null, schema);
    const { key } = await platform.write(plan, { signal });
    const before = await platform.get(key, { signal, declared });
    expect(before).toMatchObject({ live: { marks: [declared.mark] } });

    await writeFile(target, autoscaler('v2'));
    const read = await source.get(declared.origin, declared.ref, { signal });
    expect(read).toEqual({ found: false });
    const after = await platform.get(key, { signal });
    expect(after).toMatchObject({ found: true, live: { marks: [] } });
    if (after.found !== true) {
      throw new Error('it is there');
    }
    const removal = { ref: declared.ref, live: after.live };
    await expect(platform.remove(removal, { signal })).rejects.toMatchObject({
      classification: 'conflict',
      message: expect.stringContaining('is still declared'),
    });

    // Nor is anything deleted while it is not known what is declared.
    await rm(target);
    await expect(platform.get(key, { signal })).rejects.toMatchObject({
      classification: 'transient',
    });
    await expect(platform.remove(removal, { signal })).rejects.toMatchObject({
      classification: 'transient',
    });
    await writeFile(target, config('something-else'));
    await platform.remove(removal, { signal });
    expect(await platform.get(key, { signal })).toEqual({ found: false });
  });

  it('shows what is wrong with a declaration', async () => {
    const target = path.join(folder, 'problems.yaml');
    await writeFile(
      target,
      `${config('a')}---\n${config(
        'a',
      )}---\napiVersion: nowhere.example/v1\nkind: Thing\nmetadata: {name: t, namespace: far}\n`,
    );
    const items = await list(sourceOf({ target }, ['shop']));
    expect(
      items.map(({ problems }) => problems?.map(({ reason }) => reason)),
    ).toEqual([['DeclaredTwice'], ['KindNotServed', 'NamespaceNotCovered']]);
  });
});
