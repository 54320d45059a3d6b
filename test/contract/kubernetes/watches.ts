// Watches: from which version on, which events, and how they end.
import { Watching } from './client';
import { Use, configMap, expectFailure, useNamespace } from './use';

export function watchContract(use: Use) {
  const namespace = useNamespace(use);
  const client = () => use.server().client;
  const maps = () => `/api/v1/namespaces/${namespace()}/configmaps`;
  const version = async () =>
    (await client().get(maps())).body.metadata.resourceVersion;
  const told = async (watching: Watching) => {
    const { type, object } = await watching.next();
    return `${type} ${object.metadata.name} ${object.data?.n ?? ''}`.trim();
  };

  it('tells of every change after a version, in order', async () => {
    const from = await version();
    await client().post(maps(), configMap('w1', { n: '1' }));
    const watching = await client().watch(
      `${maps()}?watch=true&resourceVersion=${from}`,
    );
    expect(watching.status).toBe(200);
    expect(await told(watching)).toBe('ADDED w1 1');
    await client().patch('merge', `${maps()}/w1`, { data: { n: '2' } });
    const modified = await watching.next();
    expect(modified.type).toBe('MODIFIED');
    expect(modified.object).toEqual((await client().get(`${maps()}/w1`)).body);
    await client().delete(`${maps()}/w1`);
    const deleted = await watching.next();
    expect(deleted).toMatchObject({
      type: 'DELETED',
      object: { kind: 'ConfigMap', metadata: { name: 'w1' }, data: { n: '2' } },
    });
    expect(Number(deleted.object.metadata.resourceVersion)).toBeGreaterThan(
      Number(modified.object.metadata.resourceVersion),
    );
    watching.close();
  });

  it('begins with what is there where no version is given', async () => {
    await client().post(maps(), configMap('w2', { n: '1' }));
    const watching = await client().watch(
      `${maps()}?watch=1&fieldSelector=metadata.name=w2`,
    );
    expect(await told(watching)).toBe('ADDED w2 1');
    watching.close();
  });

  it('shows what starts and ceases to match a selector as appearing and gone', async () => {
    const from = await version();
    const watching = await client().watch(
      `${maps()}?watch=1&resourceVersion=${from}&labelSelector=show=yes`,
    );
    await client().post(maps(), configMap('w3', { n: '1' }));
    const label = (show: string | null) =>
      client().patch('merge', `${maps()}/w3`, {
        metadata: { labels: { show } },
      });
    await label('yes');
    expect(await told(watching)).toBe('ADDED w3 1');
    await label(null);
    expect(await told(watching)).toBe('DELETED w3 1');
    watching.close();
  });

  it('ends when its time is over', async () => {
    const from = await version();
    const watching = await client().watch(
      `${maps()}?watch=1&resourceVersion=${from}&timeoutSeconds=1`,
    );
    expect(await watching.rest()).toEqual([]);
  });

  it('sends bookmarks to those who allow them', async () => {
    const from = await version();
    const watching = await client().watch(
      `${maps()}?watch=1&resourceVersion=${from}&timeoutSeconds=4&allowWatchBookmarks=true`,
    );
    await client().post(maps(), configMap('w4'));
    const events = await watching.rest();
    expect(events[0]).toMatchObject({ type: 'ADDED' });
    const bookmark = events[events.length - 1];
    expect(bookmark.type).toBe('BOOKMARK');
    expect(bookmark.object).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
    });
    expect(
      Number(bookmark.object.metadata.resourceVersion),
    ).toBeGreaterThanOrEqual(Number(events[0].object.metadata.resourceVersion));
  });

  it('answers an error event 410 where the version is forgotten', async () => {
    const { compact } = use.server();
    if (!compact) {
      // Nobody lets a test compact a cluster of theirs.
      return;
    }
    await compact();
    // A real server keeps events of most kinds in memory for some time; those of this kind it does not.
    const watching = await client().watch(
      `/api/v1/namespaces/${namespace()}/events?watch=1&resourceVersion=1&timeoutSeconds=5`,
    );
    const first = await watching.next();
    watching.close();
    expect(first).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', code: 410, reason: 'Expired' },
    });
  });

  it('refuses a version that is none', async () => {
    const answer = await client().get(`${maps()}?watch=1&resourceVersion=abc`);
    expectFailure(
      answer,
      500,
      undefined,
      /resourceVersion: Invalid value: "abc"/,
    );
  });

  it('answers an object itself where one is named', async () => {
    await client().post(maps(), configMap('w5', { n: '1' }));
    const { body } = await client().get(`${maps()}/w5?watch=true`);
    expect(body).toMatchObject({ kind: 'ConfigMap', data: { n: '1' } });
  });
}
