/* The roles in the README are enough for what they are there for, and for no more: tried on a real API server. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { mockServices } from '@backstage/backend-test-utils';
import { type JsonObject, parseJson } from '@plumbline/drift-engine';
import { parse } from 'yaml';
import { isObject, textAt } from '@plumbline/backstage-plugin-drift-node';
import { testContext } from './__testUtils__/context';
import {
  hasKubeApiserver,
  READER_TOKEN,
  startKubeApiserver,
  type TestApiserver,
} from './__testUtils__/kubeApiserver';
import { declaredFrom, planOf } from './__testUtils__/plan';
import { staticAccess } from './cluster/access';
import { Cluster } from './cluster/cluster';
import { readKubernetesConfig } from './config';
import { KubernetesPlatform } from './platform/platform';

const signal = new AbortController().signal;

/** The ClusterRoles of the README. */
function rolesOfReadme(): JsonObject[] {
  const readme = readFileSync(path.join(__dirname, '..', 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```yaml\n([\s\S]*?)```/g)];
  return blocks
    .map(([, text]) => parseJson(JSON.stringify(parse(text))))
    .filter(isObject)
    .filter(document => document.kind === 'ClusterRole');
}

const real = hasKubeApiserver ? describe : describe.skip;

real(
  'the roles of the README (real kube-apiserver of KUBEBUILDER_ASSETS)',
  () => {
    let server: TestApiserver;

    function platformOf(token: string) {
      const context = testContext();
      const cluster = new Cluster(
        staticAccess(
          { name: 'test', title: 'Test', requestsPerMinute: 1000 },
          {
            url: server.url,
            caFile: server.caFile,
            serviceAccountToken: token,
          },
        ),
        context,
      );
      const { kinds } = readKubernetesConfig(mockServices.rootConfig());
      const logger = mockServices.logger.mock();
      const platform = new KubernetesPlatform(
        cluster,
        { kinds, logger },
        context,
      );
      return { cluster, platform };
    }

    async function grant(role: JsonObject) {
      const { cluster } = platformOf(server.token);
      const name = textAt(role, 'metadata', 'name') ?? '';
      const group = '/apis/rbac.authorization.k8s.io/v1';
      const options = { method: 'POST', signal, priority: 'pass' } as const;
      await cluster.connection.send({
        ...options,
        path: `${group}/clusterroles`,
        body: role,
      });
      await cluster.connection.send({
        ...options,
        path: `${group}/clusterrolebindings`,
        body: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name },
          roleRef: {
            apiGroup: 'rbac.authorization.k8s.io',
            kind: 'ClusterRole',
            name,
          },
          subjects: [
            {
              apiGroup: 'rbac.authorization.k8s.io',
              kind: 'User',
              name: 'reader',
            },
          ],
        },
      });
    }

    /** Rights take effect a moment after they are granted. */
    async function untilAllowed(run: () => Promise<unknown>): Promise<void> {
      for (;;) {
        try {
          await run();
          return;
        } catch (error) {
          if (!(error instanceof Error && error.message.includes('403'))) {
            throw error;
          }
        }
      }
    }

    beforeAll(async () => {
      server = await startKubeApiserver();
    }, 90_000);

    afterAll(async () => server?.stop());

    it('let it observe, then enforce', async () => {
      const [observe, enforce] = rolesOfReadme();
      const { platform } = platformOf(READER_TOKEN);
      const declared = declaredFrom(platform.id, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'c', namespace: 'default' },
        data: { k: 'v' },
      });
      const sweep = async () => {
        for await (const page of platform.sweep(
          { kinds: [...platform.kinds] },
          { signal },
        )) {
          expect(page.items).toBeDefined();
        }
      };
      await expect(sweep()).rejects.toMatchObject({ classification: 'denied' });

      await grant(observe);
      await untilAllowed(sweep);
      const schema = await platform.schema('v1/ConfigMap', { signal });
      const plan = planOf(declared, null, schema);
      expect(await platform.dryRun(plan, { signal })).toEqual({
        unavailable: expect.stringContaining(
          'our account may not patch this kind',
        ),
      });
      await expect(platform.write(plan, { signal })).rejects.toMatchObject({
        classification: 'denied',
        status: 403,
      });

      await grant(enforce);
      await untilAllowed(() => platform.write(plan, { signal }));
      expect(await platform.find(declared, { signal })).toMatchObject({
        found: true,
      });
    });
  },
);
