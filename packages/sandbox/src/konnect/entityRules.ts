// Rules of single kinds that a table of fields cannot say: shorthands, and fields that depend on each other.
import { createHash } from 'node:crypto';
import { ErrorDetail, entityProblem, fieldProblem } from './errors';
import { isObject, JsonObject } from './json';

/** `url` is a write-only shorthand for protocol, host, port and path. */
export function expandUrl(input: JsonObject): {
  input: JsonObject;
  problems: ErrorDetail[];
} {
  const { url, ...rest } = input;
  if (url === undefined || url === null) {
    return { input: rest, problems: [] };
  }
  if (typeof url !== 'string' || !URL.canParse(url)) {
    return {
      input: rest,
      problems: [fieldProblem('url', 'must be a valid URL')],
    };
  }
  const parsed = new URL(url);
  const protocol = parsed.protocol.replace(/:$/, '');
  return {
    input: {
      ...rest,
      protocol,
      host: parsed.hostname,
      port: parsed.port ? Number(parsed.port) : defaultPort(protocol),
      // The parser adds a slash that the text did not have.
      ...((parsed.pathname !== '/' || url.endsWith('/')) && {
        path: parsed.pathname,
      }),
    },
    problems: [],
  };
}

function defaultPort(protocol: string): number {
  return ['https', 'grpcs', 'tls', 'wss'].includes(protocol) ? 443 : 80;
}

/** What a route must match on depends on its protocols. */
export function checkRoute(route: JsonObject): ErrorDetail[] {
  if (route.expression) return [];
  const protocols = route.protocols as string[];
  const oneOf = (...names: string[]): ErrorDetail[] =>
    names.some(field => isFilled(route, field))
      ? []
      : [
          entityProblem(
            `must set one of ${names
              .map(field => `'${field}'`)
              .join(', ')} when 'protocols' is '${protocols.join(', ')}'`,
          ),
        ];
  if (
    protocols.some(protocol =>
      ['tcp', 'udp', 'tls', 'tls_passthrough'].includes(protocol),
    )
  ) {
    return oneOf('sources', 'destinations', 'snis');
  }
  if (protocols.every(protocol => ['http', 'grpc', 'ws'].includes(protocol))) {
    return oneOf('methods', 'hosts', 'headers', 'paths');
  }
  return oneOf('methods', 'hosts', 'headers', 'paths', 'snis');
}

function isFilled(entity: JsonObject, field: string): boolean {
  const value = entity[field];
  if (Array.isArray(value)) return value.length > 0;
  return isObject(value) && Object.keys(value).length > 0;
}

/** Hashing on something needs the name of that something. */
export function checkUpstream(upstream: JsonObject): ErrorDetail[] {
  const needs: Record<string, string> = {
    header: 'header',
    query_arg: 'query_arg',
    uri_capture: 'uri_capture',
  };
  return ['hash_on', 'hash_fallback'].flatMap(field => {
    const needed = needs[String(upstream[field])];
    return needed && !upstream[`${field}_${needed}`]
      ? [
          entityProblem(
            `'${field}_${needed}' is required when '${field}' is '${upstream[field]}'`,
          ),
        ]
      : [];
  });
}

/** A consumer has one name or the other. */
export function checkConsumer(consumer: JsonObject): ErrorDetail[] {
  return consumer.username || consumer.custom_id
    ? []
    : [
        entityProblem(
          "at least one of these fields must be non-empty: 'custom_id', 'username'",
        ),
      ];
}

/** A key is given in one form, not in both. */
export function checkKey(key: JsonObject): ErrorDetail[] {
  const given = ['jwk', 'pem'].filter(field => key[field] !== undefined);
  if (given.length !== 1) {
    return [
      entityProblem(
        given.length === 0
          ? "at least one of these fields must be non-empty: 'jwk', 'pem'"
          : "only one of these fields must be non-empty: 'jwk', 'pem'",
      ),
    ];
  }
  const kid = key.jwk === undefined ? key.kid : kidOf(String(key.jwk));
  return kid === key.kid
    ? []
    : [fieldProblem('jwk', 'kid in jwk.kid must be equal to keys.kid')];
}

/** The `kid` of a JWK; what is a reference to one in a vault, nobody can check. */
function kidOf(jwk: string): unknown {
  try {
    const parsed: unknown = JSON.parse(jwk);
    return isObject(parsed) ? parsed.kid : undefined;
  } catch {
    return undefined;
  }
}

/** A CA certificate is known by the digest of what it certifies. */
export function digestOfCertificate(entity: JsonObject): JsonObject {
  const body = String(entity.cert).replace(/-----[^-]+-----|\s+/g, '');
  return {
    cert_digest: createHash('sha256')
      .update(Buffer.from(body, 'base64'))
      .digest('hex'),
  };
}

/** A target without a port means port 8000. */
export function expandTarget(input: JsonObject): {
  input: JsonObject;
  problems: ErrorDetail[];
} {
  const { target } = input;
  const bare = typeof target === 'string' && target && !/:\d+$/.test(target);
  return {
    input: bare ? { ...input, target: `${target}:8000` } : input,
    problems: [],
  };
}
