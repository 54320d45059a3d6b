// Who gets in, and what a bearer without rights is told.
import { Use, configMap, expectFailure, useNamespace } from './use';

export function accessContract(use: Use) {
  const namespace = useNamespace(use);
  const maps = () => `/api/v1/namespaces/${namespace()}/configmaps`;

  it('answers 401 to a token that it does not know', async () => {
    const answer = await use.server().client.get('/api/v1/namespaces', {
      token: 'nobody',
    });
    expectFailure(answer, 401, 'Unauthorized', 'Unauthorized');
  });

  it('answers 403 to a bearer without the right', async () => {
    const { client, readerToken } = use.server();
    if (!readerToken) {
      // A cluster that somebody else set up may have no such user.
      return;
    }
    const answer = await client.post(maps(), configMap('a'), {
      token: readerToken,
    });
    expectFailure(
      answer,
      403,
      'Forbidden',
      `configmaps is forbidden: User "reader" cannot create resource "configmaps" in API group "" in the namespace "${namespace()}"`,
    );
    expect(answer.body.details).toMatchObject({ kind: 'configmaps' });
  });

  it('reviews what the asking bearer may do', async () => {
    const { client, readerToken } = use.server();
    const review = async (token: string | undefined) => {
      const { status, body } = await client.post(
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: {
            resourceAttributes: {
              verb: 'patch',
              resource: 'configmaps',
              namespace: namespace(),
            },
          },
        },
        { token },
      );
      expect(status).toBe(201);
      return (body.status as { allowed: boolean }).allowed;
    };
    expect(await review(undefined)).toBe(true);
    // Where there is no second bearer, the first one's answer stands for both.
    expect(await review(readerToken)).toBe(readerToken === undefined);
  });

  it('answers 406 where it has no such form', async () => {
    const answer = await use.server().client.get(maps(), {
      headers: { Accept: 'text/csv' },
    });
    expect(answer.status).toBe(406);
    expect(answer.body.reason).toBe('NotAcceptable');
  });

  it('gives only metadata where that is asked for', async () => {
    const { client } = use.server();
    await client.post(maps(), configMap('partial', { a: '1' }));
    const one = await client.get(`${maps()}/partial`, {
      headers: {
        Accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      },
    });
    expect(one.body).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'partial' },
    });
    expect(one.body.data).toBeUndefined();
    const list = await client.get(maps(), {
      headers: {
        Accept:
          'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      },
    });
    expect(list.body.kind).toBe('PartialObjectMetadataList');
    expect(list.body.items[0].data).toBeUndefined();
  });
}
