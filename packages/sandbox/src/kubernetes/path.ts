/** Reads a request's path and query as the Kubernetes API means them. */
import { badRequest } from './errors';

/** A path below `/api/v1` or `/apis/group/version`. */
export interface ResourcePath {
  group: string;
  version: string;
  namespace?: string;
  plural: string;
  name?: string;
  subresource?: string;
}

const NAMESPACE_SUBRESOURCES = ['status', 'finalize'];

/** The resource that a path names, or undefined where it names none. */
export function resourcePath(path: string): ResourcePath | undefined {
  let parts: string[];
  try {
    parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch (error) {
    if (error instanceof URIError) {
      return undefined;
    }
    throw error;
  }
  const root = parts.shift();
  let group = '';
  if (root === 'apis') {
    group = parts.shift() ?? '';
  } else if (root !== 'api') {
    return undefined;
  }
  const version = parts.shift();
  if (!version || parts.length === 0 || (root === 'apis' && !group)) {
    return undefined;
  }
  let namespace: string | undefined;
  // `/namespaces/x` and `/namespaces/x/status` are the namespace itself; what lies deeper lies in it.
  const inNamespace =
    parts[0] === 'namespaces' &&
    parts.length > 2 &&
    !(
      group === '' &&
      parts.length === 3 &&
      NAMESPACE_SUBRESOURCES.includes(parts[2])
    );
  if (inNamespace) {
    namespace = parts[1];
    parts.splice(0, 2);
  }
  const [plural, name, subresource, ...rest] = parts;
  if (rest.length > 0) {
    return undefined;
  }
  return {
    group,
    version,
    plural,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** A request's query parameters; of a repeated one the first counts, except for `dryRun`. */
export class Query {
  private readonly parameters: URLSearchParams;

  constructor(url: string) {
    this.parameters = new URL(url, 'http://localhost').searchParams;
  }

  text(name: string): string | undefined {
    const value = this.parameters.get(name);
    return value === null || value === '' ? undefined : value;
  }

  all(name: string): string[] {
    return this.parameters.getAll(name).filter(value => value !== '');
  }

  /** True for `true`, `1` and a bare name. */
  flag(name: string): boolean {
    const value = this.parameters.get(name);
    return value !== null && value !== 'false' && value !== '0';
  }

  /** @throws StatusError 400 where it is no number */
  number(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) {
      return undefined;
    }
    if (!/^-?\d+$/.test(value)) {
      throw badRequest(
        `strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`,
      );
    }
    return Number(value);
  }
}
