/** The server: an Express application in front of the store, and how to start it on loopback. */
import express from 'express';
import { TokenHolder, authenticate } from './access';
import { Controllers } from './controllers';
import { kindOf } from './crds';
import { discover } from './discovery';
import {
  StatusError,
  internal,
  methodNotAllowed,
  noSuchResource,
  tooLarge,
} from './errors';
import { Answer, ApiContext, ApiRequest, verbOf } from './apiRequest';
import { handle } from './handlers';
import { reviewAccess } from './review';
import { convertAutoscaler } from './hpa';
import { JsonObject } from './json';
import { KindRegistry } from './kinds';
import { RunningSandbox, listen } from './listen';
import { Form, acceptedForm, presented, writeBody } from './negotiate';
import { Query, ResourcePath, resourcePath } from './path';
import { RequestCounters } from './requests';
import { Store, StoreSnapshot } from './store';
import { KubeObject, timestamp } from './types';
import { ObjectWriter } from './writes';

/** How a Kubernetes sandbox behaves. All has sensible values by default. */
export interface KubernetesSandboxOptions {
  /** Bearer tokens and what their holders may do. Default: `sandbox-admin` with all rights. */
  tokens?: { [token: string]: TokenHolder };
  /** Handlers that run before everything else, for example to order faults. */
  middleware?: express.RequestHandler[];
  /** How many changes watches and paged lists can look back. Default 1000. */
  historyLimit?: number;
  /** How often a watch that allows bookmarks gets one, in milliseconds. Default 10 000. */
  bookmarkInterval?: number;
  /** How long a watch lasts that names no timeout, in milliseconds. Default 30 minutes. */
  watchTimeout?: number;
  /** Empty deleted namespaces, collect dependents. Default true. */
  controllers?: boolean;
  /** Default: the real time. */
  now?: () => Date;
  /** Default: `Math.random`. */
  random?: () => number;
}

/** A stand-in for a Kubernetes API server. */
export interface KubernetesSandbox {
  app: express.Express;
  store: Store;
  /** Counters of requests, also at `GET /sandbox/requests`; `DELETE` there resets them. */
  requests: RequestCounters;
  /** Starts on 127.0.0.1; without a port on a free one. */
  listen(port?: number): Promise<RunningSandbox>;
  /** A kubeconfig for a URL and one of the tokens (default: the first), as an object that is also valid YAML once written as JSON. */
  kubeconfig(url: string, token?: string): JsonObject;
  /** Everything that a restart must know again. */
  snapshot(): StoreSnapshot;
  restore(snapshot: StoreSnapshot): void;
}

const CRD = {
  collection: 'apiextensions.k8s.io/customresourcedefinitions',
  kind: 'CustomResourceDefinition',
};
const BODY_LIMIT = 3 * 1024 * 1024;
const DEFAULT_TOKENS = {
  'sandbox-admin': { user: 'sandbox-admin', access: 'admin' },
} as const;
const FIRST_NAMESPACES = [
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
];

/** Creates a sandbox; nothing listens before `listen` is called. */
export function createKubernetesSandbox(
  options: KubernetesSandboxOptions = {},
): KubernetesSandbox {
  const now = options.now ?? (() => new Date());
  const tokens = new Map<string, TokenHolder>(
    Object.entries(options.tokens ?? DEFAULT_TOKENS),
  );
  const store = new Store(options.historyLimit ?? 1000);
  const kinds = new KindRegistry({
    HorizontalPodAutoscaler: convertAutoscaler,
  });
  const writer = new ObjectWriter({
    store,
    now,
    random: options.random ?? Math.random,
  });
  const requests = new RequestCounters();

  serveDefinitions(store, kinds);
  seedNamespaces(store, now());
  if (options.controllers ?? true) {
    new Controllers(store, kinds, now).start();
  }

  const api: Omit<ApiContext, 'watch'> = { store, kinds, writer, now };
  const watch = {
    bookmarkInterval: options.bookmarkInterval ?? 10_000,
    defaultTimeout: options.watchTimeout ?? 30 * 60_000,
  };

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  (options.middleware ?? []).forEach(handler => app.use(handler));
  app.get('/sandbox/requests', (_request, response) => {
    response.json(requests.all());
  });
  app.delete('/sandbox/requests', (_request, response) => {
    requests.reset();
    response.status(204).end();
  });
  app.get(['/healthz', '/livez', '/readyz'], (_request, response) => {
    response.type('text/plain').send('ok');
  });
  app.use(express.raw({ type: () => true, limit: BODY_LIMIT }));
  app.use((request, response) => {
    const path = resourcePath(request.path);
    const query = new Query(request.originalUrl);
    const mediaType = (request.get('Content-Type') ?? '')
      .split(';')[0]
      .trim()
      .toLowerCase();
    record(requests, request, path, query, mediaType);
    const form = acceptedForm(request.get('Accept'));
    const holder = authenticate(tokens, request.get('Authorization'));
    const incoming = {
      method: request.method,
      query,
      mediaType,
      body: Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '',
      userAgent: request.get('User-Agent') ?? '',
      holder,
    };
    const context = {
      ...api,
      watch: {
        ...watch,
        present: (object: JsonObject) => presented(form, object),
      },
    };
    send(
      response,
      form,
      answer(context, request.path, path, incoming, response),
    );
  });
  app.use(((error, _request, response, _next) => {
    if (response.headersSent) {
      response.end();
      return;
    }
    const status = asStatus(error);
    response.status(status.code);
    send(
      response,
      { media: 'application/json', metadataOnly: false },
      {
        code: status.code,
        body: status.body,
      },
    );
  }) as express.ErrorRequestHandler);

  return {
    app,
    store,
    requests,
    listen: port => listen(app, port ?? 0),
    kubeconfig: (url, token) =>
      kubeconfig(url, token ?? [...tokens.keys()][0] ?? ''),
    snapshot: () => store.snapshot(),
    restore: snapshot => {
      kinds
        .all()
        .filter(kind => kind.definedBy)
        .forEach(kind => kinds.unregister(kind.group, kind.plural));
      store.restore(snapshot);
      store.list(CRD.collection).forEach(crd => kinds.register(kindOf(crd)));
    },
  };
}

function answer(
  context: ApiContext,
  url: string,
  path: ResourcePath | undefined,
  incoming: Omit<ApiRequest, 'path'>,
  response: express.Response,
): Answer {
  if (
    path?.group === 'authorization.k8s.io' &&
    path.plural === 'selfsubjectaccessreviews'
  ) {
    if (incoming.method !== 'POST') {
      throw methodNotAllowed();
    }
    return reviewAccess({ ...incoming, path });
  }
  if (path) {
    return handle(context, { ...incoming, path }, response);
  }
  if (incoming.method !== 'GET') {
    throw methodNotAllowed();
  }
  const body = discover(context.kinds, url);
  if (!body) {
    throw noSuchResource();
  }
  return { code: 200, body };
}

function send(response: express.Response, form: Form, answered: Answer): void {
  if (!answered) {
    return;
  }
  response
    .status(answered.code)
    .set('Content-Type', form.media)
    .set('Cache-Control', 'no-cache, private')
    .send(writeBody(form, presented(form, answered.body)));
}

function asStatus(error: unknown): StatusError {
  if (error instanceof StatusError) {
    return error;
  }
  if (
    error instanceof Error &&
    'type' in error &&
    error.type === 'entity.too.large'
  ) {
    return tooLarge();
  }
  return internal(
    `Internal error occurred: ${
      error instanceof Error ? error.message : 'unknown'
    }`,
  );
}

function record(
  requests: RequestCounters,
  request: express.Request,
  path: ResourcePath | undefined,
  query: Query,
  mediaType: string,
): void {
  const subresource = path?.subresource ? `/${path.subresource}` : '';
  requests.record({
    method: request.method,
    verb: path
      ? verbOf({ method: request.method, path, query, mediaType })
      : request.method.toLowerCase(),
    resource: path
      ? `${path.group}/${path.plural}${subresource}`
      : request.path,
    dryRun: query.text('dryRun') !== undefined,
  });
}

/** A stored definition is served at once, a removed one no longer, and its objects go with it. */
function serveDefinitions(store: Store, kinds: KindRegistry): void {
  store.subscribe(({ collection, type, object }) => {
    if (collection !== CRD.collection) {
      return;
    }
    const kind = kindOf(object);
    if (type !== 'DELETED') {
      kinds.register(kind);
      return;
    }
    const name = `${kind.group}/${kind.plural}`;
    store.list(name).forEach(custom => store.remove(name, custom));
    kinds.unregister(kind.group, kind.plural);
  });
}

function seedNamespaces(store: Store, now: Date): void {
  for (const name of FIRST_NAMESPACES) {
    const namespace: KubeObject = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name,
        uid: `00000000-0000-4000-8000-${Buffer.from(name)
          .toString('hex')
          .padEnd(12, '0')
          .slice(0, 12)}`,
        creationTimestamp: timestamp(now),
        labels: { 'kubernetes.io/metadata.name': name },
      },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    };
    store.put('/namespaces', namespace);
  }
}

function kubeconfig(server: string, token: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'sandbox',
    clusters: [
      {
        name: 'sandbox',
        // Clients want to hear that there is no certificate before they speak plain HTTP.
        cluster: { server, 'insecure-skip-tls-verify': true },
      },
    ],
    users: [{ name: 'sandbox', user: { token } }],
    contexts: [
      {
        name: 'sandbox',
        context: { cluster: 'sandbox', user: 'sandbox', namespace: 'default' },
      },
    ],
  };
}
