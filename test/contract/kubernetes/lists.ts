// Lists: pages, selectors, and what is left of a list whose moment is gone.
import { Body } from './client';
import { Use, configMap, expectFailure, useNamespace } from './use';

export function listContract(use: Use) {
  const namespace = useNamespace(use);
  const client = () => use.server().client;
  const maps = () => `/api/v1/namespaces/${namespace()}/configmaps`;
  const names = (list: Body) => list.items.map(({ metadata }) => metadata.name);
  const selectedBy = async (query: string) =>
    names((await client().get(`${maps()}?${query}`)).body).filter(
      name => name !== 'kube-root-ca.crt',
    );

  beforeAll(async () => {
    const labels: { [name: string]: object } = {
      a: { tier: 'web', env: 'prod' },
      b: { tier: 'web', env: 'test' },
      c: { tier: 'data' },
      d: { env: 'prod' },
      e: {},
    };
    for (const [name, set] of Object.entries(labels)) {
      await client().post(
        maps(),
        configMap(name, { n: name }, { labels: set }),
      );
    }
  });

  it('gives a list with a version, and items without their kind', async () => {
    const { body } = await client().get(maps());
    expect(body).toMatchObject({
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
    });
    expect(body.metadata.continue).toBeUndefined();
    expect(names(body)).toEqual(
      expect.arrayContaining(['a', 'b', 'c', 'd', 'e']),
    );
    expect(body.items[0].kind).toBeUndefined();
    expect(body.items[0].data).toBeDefined();
  });

  it('gives pages of one moment', async () => {
    const first = await client().get(`${maps()}?limit=2`);
    expect(names(first.body)).toEqual(['a', 'b']);
    expect(first.body.metadata.remainingItemCount).toBe(3);
    const token = first.body.metadata.continue ?? '';
    await client().post(maps(), configMap('bb'));
    const second = await client().get(
      `${maps()}?limit=2&continue=${encodeURIComponent(token)}`,
    );
    expect(names(second.body)).toEqual(['c', 'd']);
    expect(second.body.metadata.resourceVersion).toBe(
      first.body.metadata.resourceVersion,
    );
    const third = await client().get(
      `${maps()}?limit=2&continue=${encodeURIComponent(
        second.body.metadata.continue ?? '',
      )}`,
    );
    expect(names(third.body)).toEqual(['e']);
    expect(third.body.metadata.continue ?? '').toBe('');
    expect(third.body.metadata.remainingItemCount).toBeUndefined();
    await client().delete(`${maps()}/bb`);
  });

  it('does not say how many remain where a selector hides some', async () => {
    const { body } = await client().get(`${maps()}?limit=1&labelSelector=env`);
    expect(body.metadata.continue).toBeTruthy();
    expect(body.metadata.remainingItemCount).toBeUndefined();
  });

  it('answers 410 to a continue token of a forgotten moment, with another one', async () => {
    const { compact } = use.server();
    if (!compact) {
      // Nobody lets a test compact a cluster of theirs.
      return;
    }
    const first = await client().get(`${maps()}?limit=2`);
    await client().patch('merge', `${maps()}/a`, { data: { n: 'moved' } });
    await compact();
    const second = await client().get(
      `${maps()}?limit=2&continue=${encodeURIComponent(
        first.body.metadata.continue ?? '',
      )}`,
    );
    expectFailure(
      second,
      410,
      'Expired',
      /^The provided continue parameter is too old to display a consistent list result/,
    );
    const third = await client().get(
      `${maps()}?limit=9&continue=${encodeURIComponent(
        second.body.metadata.continue ?? '',
      )}`,
    );
    expect(names(third.body)).toEqual(['c', 'd', 'e']);
  });

  it('refuses limits and tokens that are none', async () => {
    expectFailure(await client().get(`${maps()}?limit=x`), 400, 'BadRequest');
    expectFailure(
      await client().get(`${maps()}?limit=1&continue=zzz`),
      400,
      'BadRequest',
      /continue key is not valid/,
    );
  });

  it.each([
    ['tier=web', ['a', 'b']],
    ['tier==web,env=prod', ['a']],
    ['tier!=web', ['c', 'd', 'e']],
    ['tier', ['a', 'b', 'c']],
    ['!tier', ['d', 'e']],
    ['tier in (web,data),env notin (test)', ['a', 'c']],
    ['env in (prod)', ['a', 'd']],
    ['tier=', []],
  ])('selects by labels: %s', async (selector, expected) => {
    expect(
      await selectedBy(`labelSelector=${encodeURIComponent(selector)}`),
    ).toEqual(expected);
  });

  it.each([
    ['metadata.name=c', ['c']],
    ['metadata.name!=c', ['a', 'b', 'd', 'e']],
    ['metadata.name=a,metadata.name=b', []],
  ])('selects by fields: %s', async (selector, expected) => {
    expect(
      await selectedBy(`fieldSelector=${encodeURIComponent(selector)}`),
    ).toEqual(expected);
  });

  it('selects across namespaces', async () => {
    const { body } = await client().get(
      `/api/v1/configmaps?fieldSelector=metadata.namespace=${namespace()},metadata.name=d`,
    );
    expect(names(body)).toEqual(['d']);
  });

  it('refuses selectors that it cannot read', async () => {
    expectFailure(
      await client().get(
        `${maps()}?labelSelector=${encodeURIComponent('a!!b')}`,
      ),
      400,
      'BadRequest',
      /unable to parse requirement/,
    );
    expectFailure(
      await client().get(`${maps()}?fieldSelector=data.n=a`),
      400,
      'BadRequest',
      '"data.n" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });

  it('reads a list as it was at an exact version', async () => {
    const { body: before } = await client().get(maps());
    await client().post(maps(), configMap('later'));
    const { body: then } = await client().get(
      `${maps()}?resourceVersion=${
        before.metadata.resourceVersion
      }&resourceVersionMatch=Exact&limit=50`,
    );
    expect(names(then)).toEqual(names(before));
    await client().delete(`${maps()}/later`);
  });

  it('deletes what a selector selects', async () => {
    await client().post(
      maps(),
      configMap('bulk-1', {}, { labels: { bulk: 'yes' } }),
    );
    await client().post(
      maps(),
      configMap('bulk-2', {}, { labels: { bulk: 'yes' } }),
    );
    const { status } = await client().delete(
      `${maps()}?labelSelector=bulk=yes`,
    );
    expect(status).toBe(200);
    expect(await selectedBy('labelSelector=bulk=yes')).toEqual([]);
    expect(await selectedBy('')).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
}
