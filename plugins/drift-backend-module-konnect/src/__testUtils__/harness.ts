/** For tests: a Konnect stand-in on loopback with ordered faults, and a platform that talks to it over HTTP. */
import type {
  DeclaredResource,
  LiveObject,
  RequestGate,
  SweepPage,
  WritePlan,
} from '@plumbline/backstage-plugin-drift-node';
import type { JsonObject } from '@plumbline/drift-engine';
import {
  createFaults,
  createKonnectSandbox,
  type Collection as SandboxCollection,
  type Faults,
  type KonnectSandbox,
} from '@plumbline/drift-sandbox';
import type { ControlPlaneConfig } from '../config';
import type { Collection } from '../kinds';
import { KonnectPlatform } from '../platform';

export const UID = '7c1f0f9e-6c52-4d2a-9a55-0d5f6f3b1c01';
export const TOKEN = 'kpat_test0123456789';

/** One request that reached the network. */
export interface SentRequest {
  method: string;
  path: string;
  query: string;
  body?: JsonObject;
}

/** Runs everything at once and remembers what it was told. */
export class OpenGate implements RequestGate {
  readonly observed: Parameters<RequestGate['observe']>[0][] = [];
  readonly priorities: (string | undefined)[] = [];

  async run<T>(
    options: Parameters<RequestGate['run']>[0],
    request: () => Promise<T>,
  ): Promise<T> {
    options.signal.throwIfAborted();
    this.priorities.push(options.priority);
    return request();
  }

  observe(headers: Parameters<RequestGate['observe']>[0]): void {
    this.observed.push(headers);
  }
}

/** @see startHarness */
export interface Harness {
  sandbox: KonnectSandbox;
  faults: Faults;
  controlPlaneId: string;
  url: string;
  gate: OpenGate;
  platform: KonnectPlatform;
  sent: SentRequest[];
  /** Another platform on the same stand-in; `answer` takes its place. */
  platformWith(
    config: Partial<ControlPlaneConfig>,
    answer?: typeof fetch,
  ): KonnectPlatform;
  /** Puts an entity in, past the API. */
  seed(
    collection: SandboxCollection,
    entity: JsonObject,
  ): JsonObject & { id: string };
  /** An entity as the stand-in holds it now. */
  stored(collection: SandboxCollection, id: string): JsonObject | undefined;
  /** Requests that were sent and are no GET. */
  writes(): string[];
  close(): Promise<void>;
}

export async function startHarness(): Promise<Harness> {
  const faults = createFaults();
  const sandbox = createKonnectSandbox({ middleware: [faults.middleware] });
  const server = await sandbox.listen();
  const controlPlane = sandbox.store.createControlPlane(
    { name: 'prod' },
    'test',
  );
  if (!controlPlane) {
    throw new Error('The stand-in did not make a control plane');
  }
  const sent: SentRequest[] = [];
  const recording: typeof fetch = async (input, init) => {
    const url = new URL(String(input));
    sent.push({
      method: init?.method ?? 'GET',
      path: url.pathname.replace(/^.*\/core-entities\//, ''),
      query: url.search,
      ...(typeof init?.body === 'string' && { body: JSON.parse(init.body) }),
    });
    return fetch(input, init);
  };
  const gate = new OpenGate();
  const platformWith = (
    config: Partial<ControlPlaneConfig>,
    answer: typeof fetch = recording,
  ) =>
    new KonnectPlatform({
      config: {
        id: 'prod',
        platformId: 'konnect/prod',
        title: 'Konnect prod',
        serverUrl: server.url,
        controlPlaneId: controlPlane.id,
        token: TOKEN,
        requestsPerMinute: 1000,
        pageSize: 1000,
        requestTimeoutMs: 10_000,
        probeEveryMs: 30_000,
        ...config,
      },
      gate: () => gate,
      now: Date.now,
      fetch: answer,
    });
  return {
    sandbox,
    faults,
    controlPlaneId: controlPlane.id,
    url: server.url,
    gate,
    platform: platformWith({}),
    sent,
    platformWith,
    seed: (collection, entity) =>
      sandbox.store.create(
        controlPlane.id,
        collection,
        entity as Parameters<typeof sandbox.store.create>[2],
        'test',
      ) as JsonObject & { id: string },
    stored: (collection, id) =>
      sandbox.store.find(controlPlane.id, collection, id) as
        | JsonObject
        | undefined,
    writes: () =>
      sent
        .filter(({ method }) => method !== 'GET')
        .map(({ method, path }) => `${method} ${path}`),
    close: server.close,
  };
}

export const anySignal = () => new AbortController().signal;

export async function collect(
  pages: AsyncIterable<SweepPage>,
): Promise<LiveObject[]> {
  const items: LiveObject[] = [];
  for await (const page of pages) {
    items.push(...page.items);
  }
  return items;
}

/** A declared resource as the mapper makes it, with as little as possible. */
export function declare(
  kind: Collection,
  document: JsonObject,
  more: Partial<DeclaredResource> = {},
): DeclaredResource {
  return {
    ref: { platform: 'konnect/prod', kind, namespace: 'shop', name: 'orders' },
    document,
    version: '1',
    origin: {
      source: 'test',
      type: 'customResource',
      apiVersion: 'configuration.konghq.com/v1alpha1',
      kind: 'KongService',
      namespace: 'shop',
      name: 'orders',
      uid: UID,
    },
    locators: [`id:${UID}`, `mark:k8s-uid:${UID}`],
    mark: { key: 'k8s-uid', value: UID },
    deterministicId: UID,
    ...more,
  };
}

/** A plan as the loop makes it. */
export async function planOf(
  platform: KonnectPlatform,
  declared: DeclaredResource,
  live: LiveObject | null,
  fields: string[],
  removals: string[] = [],
): Promise<WritePlan> {
  const { kind } = declared.ref;
  return {
    ref: declared.ref,
    declared,
    live,
    fields,
    removals,
    kept: [],
    schema: await platform.schema(kind, { signal: anySignal(), declared }),
  };
}
