/*
 * Schemas of kinds from the cluster itself: its custom resource definitions and its OpenAPI document. Where neither may
 * be read, the engine's built-in knowledge serves, and the schema says that it is partial.
 */
import {
  type FieldSchema,
  type Json,
  kubernetesSchema,
  type ResourceSchema,
} from '@plumbline/drift-engine';
import { textAt } from '@plumbline/backstage-plugin-drift-node';
import type { Cluster } from '../cluster/cluster';
import { ClusterError } from '../cluster/errors';
import { DECLARED_BY, REQUESTED_AT } from '../constants';
import { formatKind, type Gvk, resourcePath } from '../gvk';

/** How long a schema is used before the server is asked whether it changed. */
const FRESH_FOR = 5 * 60_000;
/** The OpenAPI document of a cluster with many definitions is tens of megabytes. */
const DOCUMENT_TIMEOUT = 120_000;

const CRDS = { apiVersion: 'apiextensions.k8s.io/v1' };

interface OpenApi {
  document: Json | undefined;
  etag: string | undefined;
  readAt: number;
}

interface CachedSchema {
  schema: ResourceSchema;
  /** What it was made from: a new one is only built when this changes. */
  madeFrom: string;
  checkedAt: number;
}

interface CrdRead {
  crd: Json | undefined;
  version: string;
}

export class Schemas {
  private openApi: OpenApi | undefined;
  private reading: Promise<OpenApi> | undefined;
  private readonly cache = new Map<string, CachedSchema>();

  constructor(
    private readonly cluster: Cluster,
    private readonly now: () => number,
  ) {}

  /** The schema of a kind. Throws `PlatformError` while the cluster cannot be reached and nothing is known yet. */
  async get(gvk: Gvk, signal: AbortSignal): Promise<ResourceSchema> {
    const kind = formatKind(gvk);
    const cached = this.cache.get(kind);
    if (cached && this.now() - cached.checkedAt < FRESH_FOR) {
      return cached.schema;
    }
    let made: CachedSchema;
    try {
      made = await this.make(gvk, cached, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (
        cached &&
        error instanceof ClusterError &&
        error.classification !== 'gone'
      ) {
        // Known a moment ago, and schemas change rarely: better than to know nothing.
        return cached.schema;
      }
      throw error;
    }
    this.cache.set(kind, made);
    return made.schema;
  }

  private async make(
    gvk: Gvk,
    cached: CachedSchema | undefined,
    signal: AbortSignal,
  ): Promise<CachedSchema> {
    const { crd, version } = await this.readCrd(gvk, signal);
    const openApi = crd ? undefined : await this.readOpenApi(signal);
    const madeFrom = crd
      ? `crd:${version}`
      : `openapi:${openApi?.etag ?? openApi?.readAt}`;
    const schema =
      cached?.madeFrom === madeFrom
        ? cached.schema
        : withOwnAnnotations(
            kubernetesSchema(formatKind(gvk), {
              crd,
              openapiV2: openApi?.document,
            }),
          );
    return { schema, madeFrom, checkedAt: this.now() };
  }

  /** Built-in groups end in `.k8s.io` or have no dot; everything else may be a custom resource. */
  private async readCrd(gvk: Gvk, signal: AbortSignal): Promise<CrdRead> {
    const none = { crd: undefined, version: '' };
    if (!gvk.group.includes('.') || gvk.group.endsWith('.k8s.io')) {
      return none;
    }
    const { discovery, connection } = this.cluster;
    const served = await discovery.require(gvk, { signal, priority: 'pass' });
    const path = resourcePath(
      CRDS,
      'customresourcedefinitions',
      undefined,
      `${served.plural}.${gvk.group}`,
    );
    try {
      const { body } = await connection.get(path, { signal, priority: 'pass' });
      return {
        crd: body,
        version: textAt(body, 'metadata', 'resourceVersion') ?? '',
      };
    } catch (error) {
      if (isRefusal(error)) {
        return none;
      }
      throw error;
    }
  }

  private async readOpenApi(signal: AbortSignal): Promise<OpenApi> {
    if (this.openApi && this.now() - this.openApi.readAt < FRESH_FOR) {
      return this.openApi;
    }
    // The document is large and passes come in crowds: one read serves all that wait for it.
    this.reading ??= this.fetchOpenApi().finally(() => {
      this.reading = undefined;
    });
    const read = await this.reading;
    signal.throwIfAborted();
    return read;
  }

  private async fetchOpenApi(): Promise<OpenApi> {
    const known = this.openApi;
    try {
      const answer = await this.cluster.connection.get('/openapi/v2', {
        // Not one pass's signal: others wait for the same document.
        signal: AbortSignal.timeout(DOCUMENT_TIMEOUT),
        priority: 'pass',
        timeout: DOCUMENT_TIMEOUT,
        headers: known?.etag ? { 'If-None-Match': known.etag } : undefined,
      });
      this.openApi =
        answer.status === 304 && known
          ? { ...known, readAt: this.now() }
          : {
              document: answer.body,
              etag: answer.headers.etag,
              readAt: this.now(),
            };
    } catch (error) {
      if (!isRefusal(error)) {
        throw error;
      }
      this.openApi = { document: undefined, etag: 'none', readAt: this.now() };
    }
    return this.openApi;
  }
}

/** What we write for our own book-keeping is nobody's drift and no extra. */
function withOwnAnnotations(schema: ResourceSchema): ResourceSchema {
  const metadata = schema.root.properties?.metadata;
  const annotations = metadata?.properties?.annotations;
  if (!annotations) {
    return schema;
  }
  const own: FieldSchema = {
    ...annotations,
    properties: {
      ...annotations.properties,
      [DECLARED_BY]: { serverOwned: true },
      [REQUESTED_AT]: { serverOwned: true },
    },
  };
  return {
    ...schema,
    root: {
      ...schema.root,
      properties: {
        ...schema.root.properties,
        metadata: {
          ...metadata,
          properties: { ...metadata.properties, annotations: own },
        },
      },
    },
  };
}

/** We may not read it, or the server has no such thing: then we do without. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof ClusterError &&
    (error.status === 403 || error.status === 404 || error.status === 406)
  );
}
