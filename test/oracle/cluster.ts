/*
 * The few requests that the oracle needs, over one kept-alive connection.
 */
import { Agent, request } from 'node:https';
import { Json, parseJson, stringifyJson } from '@plumbline/drift-engine';

export interface Answer {
  status: number;
  body: Json;
}

/** Where a server is, and how to get in. */
export interface Endpoint {
  url: string;
  token: string;
  ca: string;
}

export class Cluster {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 4 });

  constructor(private readonly endpoint: Endpoint) {}

  call(
    method: string,
    path: string,
    body?: Json,
    type: string = 'application/json',
  ): Promise<Answer> {
    const text = body === undefined ? undefined : stringifyJson(body);
    return new Promise((resolve, reject) => {
      const req = request(
        `${this.endpoint.url}${path}`,
        {
          method,
          agent: this.agent,
          ca: this.endpoint.ca,
          headers: {
            authorization: `Bearer ${this.endpoint.token}`,
            accept: 'application/json',
            ...(text === undefined
              ? {}
              : {
                  'content-type': type,
                  'content-length': Buffer.byteLength(text),
                }),
          },
        },
        res => {
          const chunks: Buffer[] = [];
          res.on('data', chunk => chunks.push(chunk));
          res.on('end', () => {
            const answer = Buffer.concat(chunks).toString('utf8');
            resolve({
              status: res.statusCode ?? 0,
              body: /^\s*[{[]/.test(answer) ? parseJson(answer) : answer,
            });
          });
          res.on('error', reject);
        },
      );
      req.on('error', reject);
      req.end(text);
    });
  }

  /** Server-side apply, taking over fields of others. */
  apply(
    path: string,
    manager: string,
    body: Json,
    dryRun: boolean,
  ): Promise<Answer> {
    return this.call(
      'PATCH',
      `${path}?fieldManager=${manager}&force=true${
        dryRun ? '&dryRun=All' : ''
      }`,
      body,
      'application/apply-patch+yaml',
    );
  }

  close(): void {
    this.agent.destroy();
  }
}
