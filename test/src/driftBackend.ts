/** The whole drift backend in this process, on a free port, and what a test sees of it through its API. */
import {
  type BackendFeature,
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
import type { Knex } from 'knex';
import { setTimeout as pause } from 'node:timers/promises';

/** A part of the configuration. */
export type ConfigData = NonNullable<mockServices.rootConfig.Options['data']>;

export interface DriftBackendOptions {
  /** The modules that bring platforms and declarations. */
  modules: BackendFeature[];
  /** `drift` of the configuration. */
  drift: ConfigData;
  /** Entities of the catalog. */
  entities?: Entity[];
  /** The plugin's database; an SQLite in memory where it is left out. */
  knex?: Knex;
}

export interface DriftBackend {
  client: DriftClient;
  /** The resource of this kind and name, whatever its verdict. */
  find(kind: string, name: string): Promise<ApiResourceSummary>;
  /** Waits until the resource is as asked. */
  until(
    kind: string,
    name: string,
    what: (resource: ApiResourceDetail) => boolean,
  ): Promise<ApiResourceDetail>;
  /** When each platform was last read completely; ISO 8601, empty where it never was. */
  lastSweeps(): Promise<string[]>;
  /** Waits until this many more complete reads of everything are over. */
  sweeps(count: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startDriftBackend(
  options: DriftBackendOptions,
): Promise<DriftBackend> {
  const { knex } = options;
  const backend = await startTestBackend({
    features: [
      driftPlugin,
      ...options.modules,
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
          drift: options.drift,
        },
      }),
    ],
  });
  const client = new DriftClient({
    baseUrl: `http://127.0.0.1:${backend.server.port()}/api/drift`,
    fetch: (...args) => fetch(...args),
    token: mockCredentials.user.token(),
  });

  async function find(kind: string, name: string) {
    const { items } = await client.listResources({ kind: [kind], q: name });
    const found = items.find(item => item.ref.name === name);
    if (!found) throw new Error(`No ${kind} ${name} among the resources`);
    return found;
  }

  async function lastSweeps() {
    const { platforms } = await client.getFleet();
    return platforms.map(platform => platform.lastCompleteAt ?? '');
  }

  return {
    client,
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
    lastSweeps,
    async sweeps(count) {
      for (let i = 0; i < count; i += 1) {
        const before = await lastSweeps();
        await waitFor(
          lastSweeps,
          after => after.every((time, n) => time > before[n]),
          after => `last complete reads were ${after?.join(', ')}`,
        );
      }
    },
    stop: () => backend.stop(),
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
