/** The typed client of the drift API, for the frontend and for other backends. */
import { ResponseError } from '@backstage/errors';
import createClient, { type Client } from 'openapi-fetch';
import type { ResourceRef } from './ref';
import type { operations, paths } from './schema/openapi.generated';
import type {
  ApiActionResult,
  ApiConflict,
  ApiDecisionRecord,
  ApiEpisode,
  ApiFleet,
  ApiPlan,
  ApiPolicyRule,
  ApiPolicyRuleInput,
  ApiResourceDetail,
  ApiResourceSummary,
  ApiSeen,
  ApiSide,
  ApiSummary,
} from './types';

type Query<O extends keyof operations> = NonNullable<
  operations[O]['parameters']['query']
>;

/** @public */
export type ListResourcesQuery = Query<'listResources'>;
/** @public */
export type SummaryQuery = Query<'getSummary'>;
/** @public */
export type ListConflictsQuery = Query<'listConflicts'>;
/** @public */
export type PageQuery = Query<'listEpisodes'>;

/** @public */
export interface Page<T> {
  items: T[];
  nextCursor?: string;
}

/** @public */
export interface CountedPage<T> extends Page<T> {
  /** All that match and that the caller may see, not only this page. */
  total: number;
}

/** @public */
export interface DriftClientOptions {
  /** Base URL of the drift API, for example `plugin://drift` or what the discovery service says. */
  baseUrl: string;
  fetch: typeof fetch;
  /** Sent as a bearer token, if given. */
  token?: string;
}

/**
 * Every method throws a `ResponseError` when the API does not answer with success.
 *
 * @public
 */
export class DriftClient {
  readonly #client: Client<paths>;

  constructor(options: DriftClientOptions) {
    this.#client = createClient<paths>({
      baseUrl: options.baseUrl,
      Request: remembering(),
      fetch: request => {
        const { url, init } = request as Remembering;
        return options.fetch(url, init);
      },
      headers: options.token
        ? { Authorization: `Bearer ${options.token}` }
        : undefined,
    });
  }

  async listResources(
    query: ListResourcesQuery = {},
  ): Promise<CountedPage<ApiResourceSummary>> {
    return unwrap(
      await this.#client.GET('/v1/resources', { params: { query } }),
    );
  }

  async getSummary(query: SummaryQuery = {}): Promise<ApiSummary> {
    return unwrap(await this.#client.GET('/v1/summary', { params: { query } }));
  }

  async getResource(id: string): Promise<ApiResourceDetail> {
    return unwrap(
      await this.#client.GET('/v1/resources/{id}', {
        params: { path: { id } },
      }),
    );
  }

  /** Finds a resource by its ref; 404 where it is not known (yet). */
  async findResource(ref: ResourceRef): Promise<ApiResourceDetail> {
    return unwrap(
      await this.#client.POST('/v1/resources/by-ref', { body: ref }),
    );
  }

  /** Runs a pass now and answers when it is over. */
  async checkResource(id: string): Promise<ApiResourceDetail> {
    return unwrap(
      await this.#client.POST('/v1/resources/{id}/check', {
        params: { path: { id } },
      }),
    );
  }

  /** Brings forward the next pass of all resources of an entity or a platform. */
  async checkMany(scope: {
    entity?: string;
    platform?: string;
  }): Promise<{ due: number }> {
    return unwrap(await this.#client.POST('/v1/check', { body: scope }));
  }

  /**
   * What would be written if a person chose this side now, from fresh reads of both. Writes nothing.
   *
   * @param choice - default: the declared side, for all fields
   */
  async previewReconcile(
    id: string,
    choice: { side?: ApiSide; paths?: string[] } = {},
  ): Promise<ApiPlan> {
    return unwrap(
      await this.#client.POST('/v1/resources/{id}/preview', {
        params: { path: { id } },
        body: choice,
      }),
    );
  }

  /** Puts the declared side back, for `paths` or for all fields. 409 when either side is no longer what was seen. */
  async reconcile(
    id: string,
    body: { seen: ApiSeen; paths?: string[]; note?: string },
  ): Promise<ApiActionResult> {
    return unwrap(
      await this.#client.POST('/v1/resources/{id}/reconcile', {
        params: { path: { id } },
        body,
      }),
    );
  }

  /** Leaves live as it is, for `paths` or for all fields, until either side moves again. 409 when either side is no longer what was seen. */
  async keepLive(
    id: string,
    body: { seen: ApiSeen; paths?: string[]; note?: string },
  ): Promise<ApiActionResult> {
    return unwrap(
      await this.#client.POST('/v1/resources/{id}/keep-live', {
        params: { path: { id } },
        body,
      }),
    );
  }

  async listEpisodes(
    id: string,
    query: PageQuery = {},
  ): Promise<Page<ApiEpisode>> {
    return unwrap(
      await this.#client.GET('/v1/resources/{id}/episodes', {
        params: { path: { id }, query },
      }),
    );
  }

  async listDecisions(
    id: string,
    query: PageQuery = {},
  ): Promise<Page<ApiDecisionRecord>> {
    return unwrap(
      await this.#client.GET('/v1/resources/{id}/decisions', {
        params: { path: { id }, query },
      }),
    );
  }

  async listConflicts(
    query: ListConflictsQuery = {},
  ): Promise<CountedPage<ApiConflict>> {
    return unwrap(
      await this.#client.GET('/v1/conflicts', { params: { query } }),
    );
  }

  async getConflict(id: string): Promise<ApiConflict> {
    return unwrap(
      await this.#client.GET('/v1/conflicts/{id}', {
        params: { path: { id } },
      }),
    );
  }

  /** Chooses a side. 409 when either side is no longer what was seen. */
  async resolveConflict(
    id: string,
    body: { choice: ApiSide; seen: ApiSeen; note?: string },
  ): Promise<ApiActionResult> {
    return unwrap(
      await this.#client.POST('/v1/conflicts/{id}/resolve', {
        params: { path: { id } },
        body,
      }),
    );
  }

  /** The same choice for several questions, each checked and applied on its own. */
  async resolveConflicts(body: {
    choice: ApiSide;
    conflicts: { id: string; seen: ApiSeen }[];
    note?: string;
  }): Promise<{
    results: { id: string; applied: boolean; message: string }[];
  }> {
    return unwrap(
      await this.#client.POST('/v1/conflicts/resolve-many', { body }),
    );
  }

  async getFleet(): Promise<ApiFleet> {
    return unwrap(await this.#client.GET('/v1/fleet'));
  }

  async listPolicies(): Promise<{ items: ApiPolicyRule[] }> {
    return unwrap(await this.#client.GET('/v1/policies'));
  }

  async setPolicy(rule: ApiPolicyRuleInput): Promise<ApiPolicyRule> {
    return unwrap(await this.#client.POST('/v1/policies', { body: rule }));
  }

  async removePolicy(id: string): Promise<void> {
    const result = await this.#client.DELETE('/v1/policies/{id}', {
      params: { path: { id } },
    });
    if (!result.response.ok) throw await toError(result);
  }

  /** Declares a manifest at a declaration source. The same manifest twice changes nothing. */
  async applyDeclaration(body: {
    source: string;
    manifest: Record<string, unknown>;
    entityRef?: string;
    dryRun?: boolean;
  }): Promise<{
    outcome: 'created' | 'configured' | 'unchanged';
    version: string;
    resources: { ref: ResourceRef; id?: string }[];
  }> {
    return unwrap(
      await this.#client.POST('/v1/declarations/apply', {
        body: { dryRun: false, ...body },
      }),
    );
  }
}

/** A request that knows what it was made of. */
interface Remembering extends Request {
  init?: RequestInit;
}

// A `Request` that is made anew on its way through fetch middlewares becomes a streaming upload, which browsers refuse over
// HTTP/1.1: what is handed on is the address and the body as text.
function remembering(): typeof Request {
  return class extends Request implements Remembering {
    constructor(input: RequestInfo | URL, readonly init?: RequestInit) {
      super(input, init);
    }
  };
}

async function unwrap<T>(result: {
  data?: T;
  error?: unknown;
  response: Response;
}): Promise<T> {
  if (result.response.ok && result.data !== undefined) return result.data;
  throw await toError(result);
}

// openapi-fetch has read the body already: ResponseError wants a response that can still be read.
async function toError(result: { error?: unknown; response: Response }) {
  const { status, statusText, headers } = result.response;
  const text =
    typeof result.error === 'string'
      ? result.error
      : JSON.stringify(result.error ?? {});
  const copy = new Response(text || null, {
    status: status < 200 ? 502 : status,
    statusText,
    headers: {
      'content-type':
        headers.get('content-type') ?? 'application/json; charset=utf-8',
    },
  });
  Object.defineProperty(copy, 'url', { value: result.response.url });
  return ResponseError.fromResponse(copy);
}
