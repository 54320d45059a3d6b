/* Flux and Argo CD beside us: seen by their marks, and asked rather than written beside. */
import { stringMapAt } from '@plumbline/backstage-plugin-drift-node';
import type { DeclaredResource } from '@plumbline/backstage-plugin-drift-node';
import type { JsonObject } from '@plumbline/drift-engine';
import { mockServices } from '@backstage/backend-test-utils';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { testContext } from '../__testUtils__/context';
import { describeOnServers, type TestServer } from '../__testUtils__/servers';
import { installKind } from '../__testUtils__/things';
import { staticAccess } from '../cluster/access';
import { Cluster } from '../cluster/cluster';
import { LAST_APPLIED } from '../constants';
import { parseKind } from '../gvk';
import { evidenceOf, gitOpsOwnerOf } from './gitOps';
import { LastAppliedSource } from './lastApplied';
import { manifestFiles } from './manifestFiles';
import { ManifestSource } from './manifests';

const signal = new AbortController().signal;
const request = { signal, priority: 'pass' } as const;
const FLUX = 'kustomize.toolkit.fluxcd.io';
const byFlux = { [`${FLUX}/name`]: 'shop', [`${FLUX}/namespace`]: 'default' };
const TRACKING = 'argocd.argoproj.io/tracking-id';

function configMap(name: string, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', ...metadata },
    data: { k: 'v' },
  };
}

describe('gitOpsOwnerOf', () => {
  const annotated = (id: string) =>
    configMap('web', { annotations: { [TRACKING]: id } });

  it('knows what Flux and Argo CD leave on what they apply', () => {
    expect(evidenceOf(configMap('web', { labels: byFlux }))).toEqual({
      name: 'Flux',
      evidence:
        'Its labels say that the Kustomization default/shop applies it.',
    });
    const helm = 'helm.toolkit.fluxcd.io';
    expect(
      gitOpsOwnerOf(
        configMap('web', {
          labels: { [`${helm}/name`]: 'web', [`${helm}/namespace`]: 'apps' },
        }),
      ),
    ).toMatchObject({ kind: 'HelmRelease', namespace: 'apps' });
    expect(
      gitOpsOwnerOf(
        configMap('web', { labels: { 'argocd.argoproj.io/instance': 'app' } }),
      ),
    ).toMatchObject({ name: 'Argo CD', ownerName: 'app' });
    expect(gitOpsOwnerOf(annotated('app:/ConfigMap:default/web'))).toEqual(
      expect.objectContaining({ kind: 'Application', ownerName: 'app' }),
    );
    expect(
      gitOpsOwnerOf(annotated('teams_app:/ConfigMap:default/web')),
    ).toMatchObject({ namespace: 'teams', ownerName: 'app' });
  });

  it('believes no mark that was copied from another object', () => {
    expect(gitOpsOwnerOf(configMap('web'))).toBeUndefined();
    for (const id of [
      'app:/ConfigMap:default/other',
      'app:/Secret:default/web',
      'app:apps/ConfigMap:default/web',
      'app',
    ]) {
      expect(gitOpsOwnerOf(annotated(id))).toBeUndefined();
    }
  });
});

describeOnServers('Objects that are applied from Git', start => {
  let server: TestServer;
  let cluster: Cluster;
  let folder: string;

  beforeAll(async () => {
    server = await start();
    cluster = new Cluster(
      staticAccess(
        { name: 'test', title: 'Test', requestsPerMinute: 1000 },
        server.access,
      ),
      testContext(),
    );
    folder = await mkdtemp(path.join(tmpdir(), 'git-ops-'));
    await installKind(cluster, FLUX, 'Kustomization', signal);
    await installKind(cluster, 'argoproj.io', 'Application', signal);
  }, 90_000);

  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function create(plural: string, object: JsonObject): Promise<void> {
    const { apiVersion } = object;
    await cluster.connection.send({
      method: 'POST',
      path: `/${
        apiVersion === 'v1' ? 'api' : 'apis'
      }/${apiVersion}/namespaces/default/${plural}`,
      body: object,
      ...request,
    });
  }

  const annotationsOf = async (kind: string, name: string) =>
    stringMapAt(
      await cluster.objects.get(
        { gvk: parseKind(kind)!, namespace: 'default', name },
        request,
      ),
      'metadata',
      'annotations',
    );

  async function first(source: LastAppliedSource | ManifestSource) {
    const all: DeclaredResource[] = [];
    for await (const page of source.list({ signal })) all.push(...page.items);
    return all[0];
  }

  it('are Flux’s, which is asked, where a manifest declares them as well', async () => {
    await writeFile(
      path.join(folder, 'web.yaml'),
      JSON.stringify(configMap('web')),
    );
    const target = {
      cluster: 'test',
      type: 'file',
      target: folder,
      namespace: 'default',
    } as const;
    const source = new ManifestSource(
      cluster,
      target,
      manifestFiles(target, mockServices.urlReader.mock()),
    );
    const declared = await first(source);
    const read = () => source.get(declared.origin, declared.ref, { signal });
    expect(await read()).toEqual({ found: true, declared });
    await create('configmaps', configMap('web', { labels: byFlux }));
    expect(await read()).toMatchObject({
      declared: { controller: { name: 'Flux' } },
    });

    const options = { signal, requestedAt: '2026-12-01T00:00:00Z' };
    await expect(source.nudge(declared, options)).rejects.toMatchObject({
      classification: 'gone',
    });
    await create('kustomizations', {
      apiVersion: `${FLUX}/v1`,
      kind: 'Kustomization',
      metadata: { name: 'shop' },
    });
    expect(await source.nudge(declared, options)).toEqual({
      message: 'asked Flux to look at Kustomization default/shop again',
    });
    expect(await annotationsOf(`${FLUX}/v1/Kustomization`, 'shop')).toEqual({
      'reconcile.fluxcd.io/requestedAt': options.requestedAt,
    });
  });

  it('are Argo CD’s, which is asked, where kubectl applied them once', async () => {
    const annotations = {
      [LAST_APPLIED]: JSON.stringify(configMap('api')),
      [TRACKING]: 'shop:/ConfigMap:default/api',
    };
    await create('configmaps', configMap('api', { annotations }));
    const source = new LastAppliedSource(cluster, {
      kinds: [parseKind('v1/ConfigMap')!],
      namespaces: ['default'],
    });
    const declared = await first(source);
    expect(declared.controller?.name).toBe('Argo CD');
    const options = { signal, requestedAt: '2026-12-01T00:00:00Z' };
    await expect(source.nudge(declared, options)).rejects.toMatchObject({
      classification: 'invalid',
      message: expect.stringContaining('has no Application called shop'),
    });
    await create('applications', {
      apiVersion: 'argoproj.io/v1',
      kind: 'Application',
      metadata: { name: 'shop' },
    });
    await source.nudge(declared, options);
    expect(await annotationsOf('argoproj.io/v1/Application', 'shop')).toEqual({
      'argocd.argoproj.io/refresh': 'normal',
    });
  });
});
