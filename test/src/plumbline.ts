/** The whole backend in this process against the embedded sandbox: real HTTP to both platforms, a real database. */
import konnectModule from '@plumbline/backstage-plugin-drift-backend-module-konnect';
import { driftModuleKubernetes } from '@plumbline/backstage-plugin-drift-backend-module-kubernetes';
import {
  KonnectClient,
  KubeClient,
  startSandbox,
  TOKENS,
  type Sandbox,
} from '@plumbline/drift-sandbox';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startDriftBackend,
  type ConfigData,
  type DriftBackend,
  type DriftBackendOptions,
} from './driftBackend';

export { waitFor } from './driftBackend';

export interface PlumblineOptions
  extends Pick<DriftBackendOptions, 'entities' | 'knex'> {
  /** Merged over `drift` of the configuration. */
  drift?: ConfigData;
  /** Merged over the settings of each control plane. */
  controlPlane?: Record<string, string | number | boolean>;
}

/** A running backend with its sandbox, and the hands of those who edit on either side. */
export interface Plumbline extends DriftBackend {
  sandbox: Sandbox;
  konnect: KonnectClient;
  kube: KubeClient;
  writes(): { konnect: number; kubernetes: number };
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
    ...options.controlPlane,
  });
  const backend = await startDriftBackend({
    modules: [konnectModule, driftModuleKubernetes],
    entities: options.entities,
    knex: options.knex,
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
  });

  return {
    ...backend,
    sandbox,
    konnect: new KonnectClient({
      url: sandbox.konnect.url,
      token: TOKENS.konnect.console,
    }),
    kube: new KubeClient({
      url: sandbox.kubernetes.url,
      token: TOKENS.kubernetes.console,
    }),
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
