// Create, read, replace and delete, with everything that can be wrong about them.
import {
  Use,
  causesOf,
  configMap,
  expectFailure,
  owners,
  useNamespace,
} from './use';

export function objectContract(use: Use) {
  const namespace = useNamespace(use);
  const client = () => use.server().client;
  const maps = () => `/api/v1/namespaces/${namespace()}/configmaps`;

  it('creates an object with what the server adds', async () => {
    const created = await client().post(
      maps(),
      configMap('created', { a: '1' }, { labels: { app: 'x' } }),
    );
    expect(created.status).toBe(201);
    const { metadata, ...rest } = created.body;
    expect(rest).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { a: '1' },
    });
    expect(metadata).toEqual({
      name: 'created',
      namespace: namespace(),
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resourceVersion: expect.stringMatching(/^\d+$/),
      creationTimestamp: expect.stringMatching(
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
      ),
      labels: { app: 'x' },
      managedFields: [
        {
          manager: 'contract',
          operation: 'Update',
          apiVersion: 'v1',
          time: metadata.creationTimestamp,
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:data': { '.': {}, 'f:a': {} },
            'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
          },
        },
      ],
    });
    const read = await client().get(`${maps()}/created`);
    expect(read.body).toEqual(created.body);
  });

  it('makes a name where only its beginning is given', async () => {
    const body = { ...configMap(''), metadata: { generateName: 'gen-' } };
    const { body: created } = await client().post(maps(), body);
    expect(created.metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
  });

  it('drops fields that the kind does not have', async () => {
    const { body } = await client().post(maps(), {
      ...configMap('pruned', { a: '1' }),
      typo: 1,
    });
    expect(body).not.toHaveProperty('typo');
  });

  it('refuses wrong bodies', async () => {
    const post = (body: unknown) => client().post(maps(), body);
    await client().post(maps(), configMap('taken'));
    expectFailure(
      await post(configMap('taken')),
      409,
      'AlreadyExists',
      'configmaps "taken" already exists',
    );
    const named = await post(configMap('Not_A_Name'));
    expectFailure(
      named,
      422,
      'Invalid',
      /^ConfigMap "Not_A_Name" is invalid: metadata\.name: Invalid value/,
    );
    expect(causesOf(named)).toEqual(['metadata.name FieldValueInvalid']);
    const nameless = await post({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(causesOf(nameless)).toEqual(['metadata.name FieldValueRequired']);
    expectFailure(await post('{"metadata":'), 400, 'BadRequest');
    expectFailure(
      await post({ ...configMap('typed'), data: { a: 1 } }),
      400,
      'BadRequest',
      /ConfigMap in version "v1" cannot be handled as a ConfigMap/,
    );
    expectFailure(
      await post(configMap('elsewhere', {}, { namespace: 'other' })),
      400,
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    );
    expectFailure(
      await post({ ...configMap('other'), kind: 'Secret' }),
      400,
      'BadRequest',
    );
    expectFailure(
      await client().post(
        '/api/v1/namespaces/no-such-namespace/configmaps',
        configMap('a'),
      ),
      404,
      'NotFound',
      'namespaces "no-such-namespace" not found',
    );
    expectFailure(
      await client().post('/api/v1/configmaps', configMap('a')),
      405,
      'MethodNotAllowed',
    );
  });

  it('answers 404 for what is not there, whatever is asked', async () => {
    const path = `${maps()}/absent`;
    const message = 'configmaps "absent" not found';
    const answers = [
      await client().get(path),
      await client().put(path, configMap('absent')),
      await client().patch('merge', path, {}),
      await client().delete(path),
    ];
    for (const answer of answers) {
      expectFailure(answer, 404, 'NotFound', message);
    }
    expect(answers[0].body.details).toEqual({
      name: 'absent',
      kind: 'configmaps',
    });
  });

  it('replaces an object only on the version that was read', async () => {
    const { body: first } = await client().post(
      maps(),
      configMap('locked', { a: '1' }),
    );
    const path = `${maps()}/locked`;
    const second = await client().put(path, { ...first, data: { a: '2' } });
    expect(second.status).toBe(200);
    expect(second.body.metadata.uid).toBe(first.metadata.uid);
    expect(Number(second.body.metadata.resourceVersion)).toBeGreaterThan(
      Number(first.metadata.resourceVersion),
    );
    expectFailure(
      await client().put(path, { ...first, data: { a: '3' } }),
      409,
      'Conflict',
      'Operation cannot be fulfilled on configmaps "locked": the object has been modified; please apply your changes to the latest version and try again',
    );
    const unconditional = await client().put(
      path,
      configMap('locked', { a: '4' }),
    );
    expect(unconditional.body.data).toEqual({ a: '4' });
    expectFailure(
      await client().put(path, configMap('other')),
      400,
      'BadRequest',
      'the name of the object (other) does not match the name on the URL (locked)',
    );
    const wrongUid = configMap('locked', {}, { uid: 'x' });
    expectFailure(await client().put(path, wrongUid), 409, 'Conflict');
  });

  it('does not count a write that changes nothing', async () => {
    const { body: first } = await client().post(
      maps(),
      configMap('same', { a: '1' }),
    );
    const again = await client().put(`${maps()}/same`, first);
    expect(again.body).toEqual(first);
    const patched = await client().patch('merge', `${maps()}/same`, {
      data: { a: '1' },
    });
    expect(patched.body).toEqual(first);
  });

  it('follows who set which field through replacements', async () => {
    const path = `${maps()}/owned`;
    await client().post(maps(), configMap('owned', { a: '1', b: '1' }));
    const { body } = await client().put(
      `${path}?fieldManager=second`,
      configMap('owned', { a: '1', b: '2', c: '1' }),
    );
    expect(owners(body)).toEqual({
      'contract/Update': { 'f:data': { '.': {}, 'f:a': {} } },
      'second/Update': { 'f:data': { 'f:b': {}, 'f:c': {} } },
    });
    const { body: less } = await client().put(
      `${path}?fieldManager=third`,
      configMap('owned', { b: '2' }),
    );
    expect(owners(less)).toEqual({
      'contract/Update': { 'f:data': {} },
      'second/Update': { 'f:data': { 'f:b': {} } },
    });
  });

  it('counts generations of the spec, and none for the status', async () => {
    const deployments = `/apis/apps/v1/namespaces/${namespace()}/deployments`;
    const path = `${deployments}/counted`;
    const labels = { app: 'counted' };
    const { body: first } = await client().post(deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'counted' },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'app', image: 'app:1' }] },
        },
      },
    });
    expect(first.metadata.generation).toBe(1);
    const labelled = await client().patch('merge', path, {
      metadata: { labels },
    });
    expect(labelled.body.metadata.generation).toBe(1);
    const spec = await client().patch('merge', path, { spec: { replicas: 2 } });
    expect(spec.body.metadata.generation).toBe(2);
    const status = await client().patch('merge', `${path}/status`, {
      status: { replicas: 2, observedGeneration: 2 },
      spec: { replicas: 9 },
    });
    expect(status.body).toMatchObject({
      metadata: { generation: 2 },
      spec: { replicas: 2 },
      status: { replicas: 2, observedGeneration: 2 },
    });
    const main = await client().patch('merge', path, {
      status: { replicas: 7 },
    });
    expect(main.body.status).toMatchObject({ replicas: 2 });
    const scaled = await client().patch('merge', `${path}/scale`, {
      spec: { replicas: 4 },
    });
    expect(scaled.body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'counted' },
      spec: { replicas: 4 },
      status: { replicas: 2, selector: 'app=counted' },
    });
    const after = await client().get(path);
    expect(after.body).toMatchObject({
      metadata: { generation: 3 },
      spec: { replicas: 4 },
    });
  });

  it('deletes, and says what it deleted', async () => {
    const { body } = await client().post(maps(), configMap('deleted'));
    const answer = await client().delete(
      `${maps()}/deleted?propagationPolicy=Background`,
    );
    expect(answer.body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: {
        name: 'deleted',
        kind: 'configmaps',
        uid: body.metadata.uid,
      },
    });
    expect((await client().get(`${maps()}/deleted`)).status).toBe(404);
  });

  it('deletes only what the preconditions name', async () => {
    const { body } = await client().post(maps(), configMap('guarded'));
    const path = `${maps()}/guarded`;
    expectFailure(
      await client().delete(path, { preconditions: { uid: 'other' } }),
      409,
      'Conflict',
      /UID in the precondition \(other\) does not match/,
    );
    expectFailure(
      await client().delete(path, { preconditions: { resourceVersion: '1' } }),
      409,
      'Conflict',
      /ResourceVersion in the precondition \(1\) does not match/,
    );
    const { uid, resourceVersion } = body.metadata;
    const answer = await client().delete(path, {
      preconditions: { uid, resourceVersion },
    });
    expect(answer.status).toBe(200);
  });

  it('refuses a propagation that it does not know', async () => {
    await client().post(maps(), configMap('propagated'));
    const answer = await client().delete(
      `${maps()}/propagated?propagationPolicy=Sideways`,
    );
    expectFailure(answer, 422, 'Invalid');
    expect(causesOf(answer)).toEqual([
      'propagationPolicy FieldValueNotSupported',
    ]);
  });

  it('keeps a deleted object until its finalizers are gone', async () => {
    const path = `${maps()}/held`;
    await client().post(
      maps(),
      configMap('held', { a: '1' }, { finalizers: ['example.org/hold'] }),
    );
    const deleted = await client().delete(path);
    expect(deleted.status).toBe(200);
    expect(deleted.body.metadata).toMatchObject({
      deletionTimestamp: expect.stringMatching(/Z$/),
      deletionGracePeriodSeconds: 0,
      finalizers: ['example.org/hold'],
    });
    expect((await client().get(path)).body.metadata.deletionTimestamp).toBe(
      deleted.body.metadata.deletionTimestamp,
    );
    const more = await client().patch('merge', path, {
      metadata: { finalizers: ['example.org/hold', 'example.org/more'] },
    });
    expectFailure(more, 422, 'Invalid', /no new finalizers can be added/);
    const released = await client().patch('merge', path, {
      metadata: { finalizers: null },
    });
    expect(released.status).toBe(200);
    expect((await client().get(path)).status).toBe(404);
  });

  it('holds the owner for foreground and orphan propagation', async () => {
    const policies = { Foreground: 'foregroundDeletion', Orphan: 'orphan' };
    for (const [policy, finalizer] of Object.entries(policies)) {
      const name = policy.toLowerCase();
      await client().post(maps(), configMap(name));
      const { body } = await client().delete(`${maps()}/${name}`, {
        propagationPolicy: policy,
      });
      expect(body.metadata).toMatchObject({
        deletionTimestamp: expect.any(String),
        finalizers: [finalizer],
      });
    }
  });

  it('tries everything out without keeping it', async () => {
    const before = await client().get(maps());
    const { body: kept } = await client().post(
      maps(),
      configMap('dry', { a: '1' }),
    );
    const path = `${maps()}/dry`;
    const created = await client().post(
      `${maps()}?dryRun=All`,
      configMap('dry-created', { a: '1' }),
    );
    expect(created.status).toBe(201);
    expect(created.body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    const put = await client().put(`${path}?dryRun=All`, {
      ...kept,
      data: { a: '2' },
    });
    expect(put.body.data).toEqual({ a: '2' });
    const patched = await client().patch('merge', `${path}?dryRun=All`, {
      data: { a: '3' },
    });
    expect(patched.body.data).toEqual({ a: '3' });
    const applied = await client().apply(
      path,
      'dry',
      configMap('dry', { b: '1' }),
      '&dryRun=All',
    );
    expect(applied.body.data).toEqual({ a: '1', b: '1' });
    const gone = await client().delete(`${path}?dryRun=All`);
    expect(gone.status).toBe(200);
    expect((await client().get(path)).body).toEqual(kept);
    const after = await client().get(maps());
    expect(after.body.items).toHaveLength(before.body.items.length + 1);
    expectFailure(
      await client().delete(`${path}?dryRun=Some`),
      422,
      'Invalid',
      /dryRun: Unsupported value/,
    );
    expectFailure(
      await client().post(`${maps()}?dryRun=All`, configMap('dry')),
      409,
      'AlreadyExists',
    );
  });

  it('marks a deleted namespace, and lets nothing new into it', async () => {
    const name = `${namespace()}-gone`;
    const path = `/api/v1/namespaces/${name}`;
    await client().post('/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    });
    // Something that holds it, so that it is still there afterwards on every server.
    await client().post(
      `${path}/configmaps`,
      configMap('held', {}, { finalizers: ['example.org/hold'] }),
    );
    const deleted = await client().delete(path);
    expect(deleted.body).toMatchObject({
      kind: 'Namespace',
      metadata: { deletionTimestamp: expect.any(String) },
      status: { phase: 'Terminating' },
    });
    const late = await client().post(`${path}/configmaps`, configMap('late'));
    expectFailure(
      late,
      403,
      'Forbidden',
      `configmaps "late" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
    );
    expect(causesOf(late)).toEqual(['metadata.namespace NamespaceTerminating']);
    await client().patch('merge', `${path}/configmaps/held`, {
      metadata: { finalizers: null },
    });
  });
}
