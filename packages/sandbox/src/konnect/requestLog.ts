// Counts the requests that arrive, by method and class of path, so that a test can say that nothing was written.
import type { RequestHandler } from 'express';
import { isRead } from './access';

/** How many requests of one method and class of path. */
export interface RequestCount {
  method: string;
  /** The path with its IDs replaced: `/v2/control-planes/{id}/core-entities/services/{id}`. */
  path: string;
  count: number;
}

/** All counts since the start or the last reset. */
export interface RequestReport {
  total: number;
  reads: number;
  writes: number;
  requests: RequestCount[];
}

/** The counters. Requests to `/sandbox/…` do not count. */
export class RequestLog {
  readonly #counts = new Map<string, RequestCount>();

  readonly middleware: RequestHandler = (request, _response, next) => {
    if (!request.path.startsWith('/sandbox')) {
      const path = pathClass(request.path);
      const key = `${request.method} ${path}`;
      const count = this.#counts.get(key) ?? {
        method: request.method,
        path,
        count: 0,
      };
      count.count += 1;
      this.#counts.set(key, count);
    }
    next();
  };

  report(): RequestReport {
    const requests = [...this.#counts.values()]
      .map(count => ({ ...count }))
      .sort((a, b) => b.count - a.count || a.path.localeCompare(b.path));
    const sum = (counted: RequestCount[]) =>
      counted.reduce((total, { count }) => total + count, 0);
    return {
      total: sum(requests),
      reads: sum(requests.filter(({ method }) => isRead(method))),
      writes: sum(requests.filter(({ method }) => !isRead(method))),
      requests,
    };
  }

  reset(): void {
    this.#counts.clear();
  }
}

/** In Konnect's paths every word is followed by an ID, but for the two prefixes. */
function pathClass(path: string): string {
  const [, version, planes, plane, area, ...rest] = path.split('/');
  if (planes !== 'control-planes') return path;
  const head = [
    version,
    planes,
    ...(plane ? ['{id}'] : []),
    ...(area ? [area] : []),
  ];
  const tail =
    rest[0] === 'schemas'
      ? rest
      : rest.map((segment, index) =>
          index % 2 === 1 && segment ? '{id}' : segment,
        );
  return `/${[...head, ...tail].join('/')}`;
}
