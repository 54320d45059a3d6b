// A bare HTTP client for the API, so that a test sees exactly what a server answers.
import { IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createInterface } from 'node:readline';

/** Where a server is, and how to get in. */
export interface Endpoint {
  url: string;
  token?: string;
  ca?: string;
  cert?: string;
  key?: string;
}

/** Who owns which fields, one entry of managedFields. */
export interface ManagedFields {
  manager: string;
  operation: string;
  apiVersion: string;
  time: string;
  fieldsType: string;
  fieldsV1: object;
  subresource?: string;
}

/** The parts of an answered object, list or Status that tests look at; a test must know which of them are there. */
export interface Body {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion: string;
    generation: number;
    creationTimestamp: string;
    deletionTimestamp?: string;
    labels?: { [key: string]: string };
    annotations?: { [key: string]: string };
    finalizers?: string[];
    managedFields?: ManagedFields[];
    continue?: string;
    remainingItemCount?: number;
  };
  /** Of the answer of /version. */
  minor: string;
  spec: { [field: string]: unknown };
  status: unknown;
  data?: { [key: string]: string };
  items: Body[];
  message: string;
  reason?: string;
  code: number;
  details: {
    causes: { reason: string; message: string; field: string }[];
  };
}

/** What a server answered. */
export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  /** The body as it came. */
  text: string;
  /** The body read as JSON; empty where it is none. */
  body: Body;
}

/** What a request may say besides its method and path. */
export interface RequestOptions {
  body?: unknown;
  type?: string;
  headers?: { [name: string]: string };
  /** Another token than the endpoint's; null for none. */
  token?: string | null;
}

/** One event of a watch. */
export interface WatchEvent {
  type: string;
  object: Body;
}

/** An open watch. */
export interface Watching {
  status: number;
  /** The next event; fails where the watch ends first. */
  next(): Promise<WatchEvent>;
  /** All events until the server ends the watch. */
  rest(): Promise<WatchEvent[]>;
  close(): void;
}

/** Content types of patches. */
export const PATCH = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** A client of one server. */
export class Client {
  constructor(readonly endpoint: Endpoint) {}

  get(path: string, options?: RequestOptions): Promise<Answer> {
    return this.call('GET', path, options);
  }

  post(path: string, body: unknown, options?: RequestOptions): Promise<Answer> {
    return this.call('POST', path, { body, ...options });
  }

  put(path: string, body: unknown, options?: RequestOptions): Promise<Answer> {
    return this.call('PUT', path, { body, ...options });
  }

  delete(path: string, body?: unknown): Promise<Answer> {
    return this.call('DELETE', path, { body });
  }

  patch(
    kind: keyof typeof PATCH,
    path: string,
    body: unknown,
  ): Promise<Answer> {
    return this.call('PATCH', path, { body, type: PATCH[kind] });
  }

  /** Server-side apply. */
  apply(
    path: string,
    manager: string,
    body: unknown,
    parameters = '',
  ): Promise<Answer> {
    return this.patch(
      'apply',
      `${path}?fieldManager=${manager}${parameters}`,
      body,
    );
  }

  async call(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer> {
    const response = await this.open(method, path, options);
    const chunks: Buffer[] = [];
    for await (const chunk of response) {
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString('utf8');
    const isJson = `${response.headers['content-type']}`.includes('json');
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text,
      body: isJson && text ? JSON.parse(text) : {},
    };
  }

  async watch(path: string): Promise<Watching> {
    const response = await this.open('GET', path, {});
    const lines = createInterface({ input: response });
    const iterator = lines[Symbol.asyncIterator]();
    const next = async () => {
      const { value, done } = await iterator.next();
      return done ? undefined : (JSON.parse(value) as WatchEvent);
    };
    return {
      status: response.statusCode ?? 0,
      next: async () => {
        const event = await next();
        if (!event) {
          throw new Error('The watch ended before the event came');
        }
        return event;
      },
      rest: async () => {
        const events: WatchEvent[] = [];
        for (let event = await next(); event; event = await next()) {
          events.push(event);
        }
        return events;
      },
      close: () => {
        lines.close();
        response.destroy();
      },
    };
  }

  private open(
    method: string,
    path: string,
    options: RequestOptions,
  ): Promise<IncomingMessage> {
    const { ca, cert, key, url } = this.endpoint;
    const token =
      options.token === undefined ? this.endpoint.token : options.token;
    const content =
      options.body === undefined || typeof options.body === 'string'
        ? options.body
        : JSON.stringify(options.body);
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const outgoing = send(
        url + path,
        {
          method,
          ca,
          cert,
          key,
          headers: {
            'User-Agent': 'contract/1.0',
            ...(token ? { Authorization: `Bearer ${token}` } : {}),
            ...(content === undefined
              ? {}
              : {
                  'Content-Type': options.type ?? 'application/json',
                  // Node sends no body with a DELETE unless it is told how long it is.
                  'Content-Length': `${Buffer.byteLength(content)}`,
                }),
            ...options.headers,
          },
        },
        resolve,
      );
      outgoing.once('error', reject);
      outgoing.end(content);
    });
  }
}
