/** The whole backend in this process against the embedded sandbox: real HTTP to both platforms, a real database. */
import {
  coreServices,
  createServiceFactory,
} from '@backstage/backend-plugin-api';
import {
  mockCredentials,
  mockServices,
  startTestBackend,
} from '@backstage/backend-test-utils';
import { catalogServiceMock } from '@backstage/plugin-catalog-node/testUtils';
import type { Entity } from '@backstage/catalog-model';
import driftPlugin from '@plumbline/backstage-plugin-drift-backend';
import {
  DriftClient,
  type ApiResourceDetail,
  type ApiResourceSummary,
} from '@plumbline/backstage-plugin-drift-common';
import konnectModule from '@plumbline/backstage-plugin-drift-backend-module-konnect';
import { driftModuleKubernetes } from '@plumbline/backstage-plugin-drift-backend-module-kubernetes';
import {
  KonnectClient,
  KubeClient,
  startSandbox,
  TOKENS,
  type Sandbox,
} from '@plumbline/drift-sandbox';
import type { Knex } from 'knex';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface PlumblineOptions {
  /** Entities of the catalog. */
  entities?: Entity[];
  /** Merged over `drift` of the configuration. */
  drift?: Record<string, unknown>;
  /** The plugin's database; an SQLite in memory where it is left out. */
  knex?: Knex;
}

/** A running backend with its sandbox, and the hands of those who edit on either side. */
export interface Plumbline {
  client: DriftClient;
  sandbox: Sandbox;
  konnect: KonnectClient;
  kube: KubeClient;
  /** The resource of this kind and name, whatever its verdict. */
  find(kind: string, name: string): Promise<ApiResourceSummary>;
  /** Waits until the resource is as asked. */
  until(
    kind: string,
    name: string,
    what: (resource: ApiResourceDetail) => boolean,
  ): Promise<ApiResourceDetail>;
  /** Waits until this many more complete reads of everything are over. */
  sweeps(count: number): Promise<void>;
  writes(): { konnect: number; kubernetes: number };
  stop(): Promise<void>;
}

/** Starts everything on free ports, with the seed without drifts, under `enforce`. */
export async function startPlumbline(
  options: PlumblineOptions = {},
): Promise<Plumbline> {
  const dataDir = await mkdtemp(join(tmpdir(), 'plumbline-'));
  const sandbox = await startSandbox({
    dataDir,
    ports: { konnect: 0, kubernetes: 0 },
    clean: true,
  });
  const controlPlane = (id: string) => ({
    id,
    serverUrl: sandbox.konnect.url,
    controlPlaneName: id,
    token: TOKENS.konnect.portal,
    requestsPerMinute: 100_000,
  });
  const { knex } = options;
  const backend = await startTestBackend({
    features: [
      driftPlugin,
      konnectModule,
      driftModuleKubernetes,
      catalogServiceMock.factory({ entities: options.entities ?? [] }),
      ...(knex
        ? [
            createServiceFactory({
              service: coreServices.database,
              deps: {},
              factory: () => ({ getClient: async () => knex }),
            }),
          ]
        : []),
      mockServices.rootConfig.factory({
        data: {
          backend: { baseUrl: 'http://localhost:0' },
          drift: {
            resync: '1s',
            maxStaleness: '6s',
            konnect: {
              controlPlanes: [
                controlPlane('prod-gateway'),
                controlPlane('edge-gateway'),
              ],
            },
            kubernetes: {
              useKubernetesPlugin: false,
              clusters: [
                {
                  name: 'sandbox',
                  url: sandbox.kubernetes.url,
                  serviceAccountToken: TOKENS.kubernetes.portal,
                  requestsPerMinute: 100_000,
                },
              ],
              kinds: ['v1/ConfigMap', 'v1/Service', 'apps/v1/Deployment'],
              manifests: [
                {
                  cluster: 'sandbox',
                  type: 'file',
                  target: sandbox.manifestsDir,
                },
              ],
            },
            defaults: { mode: 'enforce', actuator: 'direct' },
            policies: [
              {
                scope: { platform: 'konnect/edge-gateway' },
                onLiveEdit: 'ask',
              },
            ],
            ...options.drift,
          },
        },
      }),
    ],
  });
  const client = new DriftClient({
    baseUrl: `http://127.0.0.1:${backend.server.port()}/api/drift`,
    fetch: request => fetch(request),
    token: mockCredentials.user.token(),
  });

  async function find(kind: string, name: string) {
    const { items } = await client.listResources({ kind: [kind], q: name });
    const found = items.find(item => item.ref.name === name);
    if (!found) throw new Error(`No ${kind} ${name} among the resources`);
    return found;
  }

  return {
    client,
    sandbox,
    konnect: new KonnectClient({
      url: sandbox.konnect.url,
      token: TOKENS.konnect.console,
    }),
    kube: new KubeClient({
      url: sandbox.kubernetes.url,
      token: TOKENS.kubernetes.console,
    }),
    find,
    async until(kind, name, what) {
      return waitFor(
        async () => {
          const { id } = await find(kind, name);
          return client.getResource(id);
        },
        what,
        resource =>
          `${kind} ${name} is ${resource?.verdict} (${resource?.reason}): ${resource?.message}`,
      );
    },
    async sweeps(count) {
      const times = async () =>
        (await client.getFleet()).platforms.map(p => p.lastCompleteAt ?? '');
      for (let i = 0; i < count; i += 1) {
        const before = await times();
        await waitFor(
          times,
          after => after.every((time, n) => time > before[n]),
          after => `last complete reads were ${after?.join(', ')}`,
        );
      }
    },
    writes: () => ({
      konnect: sandbox.konnect.sandbox.requests.report().writes,
      kubernetes: sandbox.kubernetes.sandbox.requests.writes(),
    }),
    async stop() {
      await backend.stop();
      await sandbox.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Looks until it is as asked. The deadline only keeps a broken test from hanging. */
export async function waitFor<T>(
  look: () => Promise<T>,
  what: (value: T) => boolean,
  say: (value: T | undefined) => string,
  deadlineMs = 60_000,
): Promise<T> {
  const end = Date.now() + deadlineMs;
  let last: T | undefined;
  let failure: unknown;
  for (;;) {
    try {
      last = await look();
      failure = undefined;
      if (what(last)) return last;
    } catch (error) {
      failure = error;
    }
    if (Date.now() > end) {
      throw new Error(
        `Waited for ${deadlineMs / 1000} s in vain; last: ${
          failure ? String(failure) : say(last)
        }`,
      );
    }
    await pause(100);
  }
}
