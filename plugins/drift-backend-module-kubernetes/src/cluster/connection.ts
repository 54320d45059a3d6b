/*
 * The one way to an API server: every request takes a place in the shared budget, carries fresh credentials and a
 * deadline, and its answer is raw JSON that keeps all digits (the client library's models would drop unknown fields).
 */
import {
  HttpMethod,
  IsomorphicFetchHttpLibrary,
  type KubeConfig,
  RequestContext,
} from '@kubernetes/client-node';
import type { RequestGate } from '@plumbline/backstage-plugin-drift-node';
import { type Json, parseJson, stringifyJson } from '@plumbline/drift-engine';
import type { ClusterAccess } from './access';
import { reasonOf } from '../reason';
import {
  ClusterError,
  errorOfFailure,
  errorOfResponse,
  malformed,
} from './errors';

export type Priority = 'person' | 'pass' | 'sweep';

/** A request to an API server. */
export interface ClusterRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, string | undefined>;
  body?: Json;
  contentType?: string;
  headers?: Record<string, string>;
  signal: AbortSignal;
  priority: Priority;
  /** The request or its answer may hold secret values: nothing of the answer is quoted in errors. */
  sensitive?: boolean;
  /** Milliseconds; longer for the schema document of a whole cluster. */
  timeout?: number;
}

export interface ClusterResponse {
  status: number;
  headers: Record<string, string>;
  body: Json;
}

const REQUEST_TIMEOUT = 30_000;

/** `GET /api/v1/pods`, for people and for receipts; query values are kept to those that carry no cursor. */
export function describeRequest(request: {
  method: string;
  path: string;
}): string {
  return `${request.method} ${request.path}`;
}

/** A connection to one cluster. */
export class ClusterConnection {
  readonly name: string;
  private readonly http = new IsomorphicFetchHttpLibrary();

  constructor(
    private readonly access: ClusterAccess,
    private readonly gate: RequestGate,
  ) {
    this.name = access.name;
  }

  /** A configuration with credentials that are valid now, for a watch. Throws `PlatformError`. */
  kubeConfig(): Promise<KubeConfig> {
    return this.access.kubeConfig();
  }

  /** Takes a place in the budget for something that is no plain request (the start of a watch). */
  throughGate<T>(
    options: { signal: AbortSignal; priority: Priority },
    start: () => Promise<T>,
  ): Promise<T> {
    return this.gate.run(options, start);
  }

  /** Sends one request and parses its answer. Throws `PlatformError`. */
  async send(request: ClusterRequest): Promise<ClusterResponse> {
    const { signal, priority } = request;
    return this.gate.run({ signal, priority }, () => this.exchange(request));
  }

  /** A read of one path. */
  async get(
    path: string,
    options: Pick<
      ClusterRequest,
      'signal' | 'priority' | 'query' | 'sensitive' | 'timeout' | 'headers'
    >,
  ): Promise<ClusterResponse> {
    return this.send({ method: 'GET', path, ...options });
  }

  private async exchange(request: ClusterRequest): Promise<ClusterResponse> {
    const { method, path, signal, sensitive = false } = request;
    const what = describeRequest(request);
    const config = await this.access.kubeConfig();
    const server = config.getCurrentCluster()?.server ?? '';
    const context = new RequestContext(
      `${server.replace(/\/+$/, '')}${path}`,
      HttpMethod[method],
    );
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) {
        context.setQueryParam(name, value);
      }
    }
    context.setHeaderParam('Accept', 'application/json');
    for (const [name, value] of Object.entries(request.headers ?? {})) {
      context.setHeaderParam(name, value);
    }
    if (request.body !== undefined) {
      context.setHeaderParam(
        'Content-Type',
        request.contentType ?? 'application/json',
      );
      context.setBody(stringifyJson(request.body));
    }
    const deadline = AbortSignal.timeout(request.timeout ?? REQUEST_TIMEOUT);
    context.setSignal(AbortSignal.any([signal, deadline]));

    let status: number;
    let headers: Record<string, string>;
    let text: string;
    await this.authenticate(config, context);
    try {
      const response = await this.http.send(context).toPromise();
      status = response.httpStatusCode;
      headers = response.headers;
      text = status === 304 ? '' : await response.body.text();
    } catch (error) {
      signal.throwIfAborted();
      throw errorOfFailure(error, {
        cluster: this.name,
        request: what,
        writes: method !== 'GET',
      });
    }
    if (status === 304) {
      return { status, headers, body: null };
    }
    if (status < 200 || status > 299) {
      throw errorOfResponse({
        status,
        body: text,
        retryAfter: headers['retry-after'],
        request: what,
        cluster: this.name,
        sensitive,
      });
    }
    return { status, headers, body: this.parse(text, what) };
  }

  private async authenticate(
    config: KubeConfig,
    context: RequestContext,
  ): Promise<void> {
    try {
      await config.applySecurityAuthentication(context);
    } catch (error) {
      // A credential plugin that fails, or a certificate that cannot be read.
      throw new ClusterError(
        'denied',
        `the credentials for cluster ${
          this.name
        } cannot be prepared: ${reasonOf(error)}`,
        {},
      );
    }
  }

  private parse(text: string, what: string): Json {
    try {
      return parseJson(text);
    } catch {
      // Cut off in the middle, or a proxy's page; the parser's own words would quote it.
      throw malformed(this.name, what, 'it is not JSON');
    }
  }
}
