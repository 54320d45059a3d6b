/** One Konnect control plane as a platform of record. */
import {
  isPlatformError,
  PlatformError,
} from '@plumbline/backstage-plugin-drift-node';
import type {
  DeclaredResource,
  LiveRead,
  Platform,
  PlatformBudget,
  PlatformHealth,
  PlatformProbe,
  RemovePlan,
  RequestGate,
  SweepPage,
  SweepScope,
  WritePlan,
  WriteReceipt,
} from '@plumbline/backstage-plugin-drift-node';
import type { ResourceSchema } from '@plumbline/drift-engine';
import { KonnectClient } from './client';
import type { ControlPlaneConfig } from './config';
import { ControlPlane } from './controlPlane';
import { Entities } from './entities';
import { findKind, KINDS, type Collection } from './kinds';
import { keyFromToken } from './version';
import { findDeclared, readByKey, type LookupContext } from './lookup';
import { Schemas } from './schemas';
import { sweepCollections } from './sweep';
import { removeLive, writePlan } from './write';

/** What a platform needs from outside. */
export interface KonnectPlatformOptions {
  config: ControlPlaneConfig;
  /** Makes the gate of the budget that all replicas share. */
  gate: (platform: { id: string; budget: PlatformBudget }) => RequestGate;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Default: the global one. */
  fetch?: typeof fetch;
  /**
   * Versions are stored, and entities may hold secrets: they are digests under this key, so that nobody who reads the store can try
   * out guesses. It must stay: under another key, everything looks changed. Default: made from the token.
   */
  versionKey?: string;
}

/** Share of the budget that is kept for what people ask for. */
const RESERVE = 0.2;

/** @see KonnectPlatformOptions */
export class KonnectPlatform implements Platform {
  readonly type = 'konnect';
  readonly id: string;
  readonly title: string;
  readonly budget: PlatformBudget;
  readonly kinds: readonly string[] = KINDS.filter(
    ({ onDemand }) => !onDemand,
  ).map(({ collection }) => collection);
  readonly probe?: PlatformProbe;
  readonly controlPlane: ControlPlane;
  readonly #entities: Entities;
  readonly #schemas: Schemas;
  readonly versionKey: string;

  constructor({
    config,
    gate,
    now,
    fetch: send,
    versionKey: key,
  }: KonnectPlatformOptions) {
    this.id = config.platformId;
    this.title = config.title;
    this.budget = {
      requestsPerMinute: config.requestsPerMinute,
      reserve: RESERVE,
    };
    const client = new KonnectClient({
      serverUrl: config.serverUrl,
      token: config.token,
      requestTimeoutMs: config.requestTimeoutMs,
      gate: gate({ id: this.id, budget: this.budget }),
      now,
      fetch: send,
    });
    this.controlPlane = new ControlPlane(config, client);
    this.probe = config.probeEveryMs
      ? {
          everyMs: config.probeEveryMs,
          ask: ({ signal }) => this.controlPlane.configHash(signal),
        }
      : undefined;
    this.#entities = new Entities(client, this.controlPlane, config.pageSize);
    this.#schemas = new Schemas(this.#entities, now);
    this.versionKey = key ?? keyFromToken(config.token);
  }

  async schema(
    kind: string,
    options: { signal: AbortSignal; declared?: DeclaredResource },
  ): Promise<ResourceSchema> {
    return this.#schemas.get(collectionOf(kind), options);
  }

  async health({ signal }: { signal: AbortSignal }): Promise<PlatformHealth> {
    try {
      await this.controlPlane.confirm(signal);
      return { status: 'ok' };
    } catch (error) {
      if (!isPlatformError(error)) {
        throw error;
      }
      const answered = error.status !== undefined && error.status < 500;
      return {
        status: answered ? 'degraded' : 'unreachable',
        message: error.message,
      };
    }
  }

  async *sweep(
    scope: SweepScope,
    {
      signal,
      knows,
    }: { signal: AbortSignal; knows?: (digest: string) => boolean },
  ): AsyncGenerator<SweepPage> {
    const wanted = new Set<string>(scope.kinds);
    const collections = KINDS.map(({ collection }) => collection).filter(
      collection => wanted.has(collection),
    );
    yield* sweepCollections(this.#entities, collections, {
      signal,
      versionKey: this.versionKey,
      knows,
    });
  }

  async get(
    key: string,
    { signal }: { signal: AbortSignal; declared?: DeclaredResource },
  ): Promise<LiveRead> {
    return readByKey(key, this.#context(signal));
  }

  async find(
    declared: DeclaredResource,
    { signal }: { signal: AbortSignal },
  ): Promise<LiveRead> {
    const collection = collectionOf(declared.ref.kind);
    return findDeclared(collection, declared, this.#context(signal));
  }

  async write(
    plan: WritePlan,
    { signal }: { signal: AbortSignal },
  ): Promise<WriteReceipt> {
    collectionOf(plan.ref.kind);
    return writePlan(plan, this.#context(signal));
  }

  async remove(
    plan: RemovePlan,
    { signal }: { signal: AbortSignal },
  ): Promise<void> {
    collectionOf(plan.live.kind);
    await removeLive(plan, this.#context(signal));
  }

  #context(signal: AbortSignal): LookupContext {
    return {
      entities: this.#entities,
      controlPlane: this.controlPlane,
      versionKey: this.versionKey,
      signal,
    };
  }
}

function collectionOf(kind: string): Collection {
  const found = findKind(kind);
  if (!found) {
    throw new PlatformError(
      'invalid',
      `Konnect has no kind '${kind}' here: there are ${KINDS.map(
        ({ collection }) => collection,
      ).join(', ')}`,
    );
  }
  return found.collection;
}
