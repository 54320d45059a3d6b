/** Who asks, and what they may do. */
import { Named, forbidden, unauthorized } from './errors';

/** What a token's bearer may do: everything, only read, or what one of the rules allows. */
export type Access = 'admin' | 'read-only' | readonly AccessRule[];

/** A rule allows what all its lists contain; `*` contains everything, and an absent list counts as `*`. */
export interface AccessRule {
  verbs: readonly string[];
  groups?: readonly string[];
  /** Plurals, subresources as `deployments/scale`. */
  resources?: readonly string[];
  namespaces?: readonly string[];
}

/** One bearer token's holder. */
export interface TokenHolder {
  /** The user's name, as it appears in errors. */
  user: string;
  access: Access;
}

/** What somebody wants to do. */
export interface Attempt {
  verb: string;
  group: string;
  /** The plural, with `/subresource` where there is one. */
  resource: string;
  namespace?: string;
  name?: string;
}

const READS: readonly string[] = ['get', 'list', 'watch'];

const contains = (list: readonly string[] | undefined, item: string) =>
  list === undefined || list.includes('*') || list.includes(item);

/** True where the access allows the attempt. */
export function allows(access: Access, attempt: Attempt): boolean {
  if (access === 'admin') {
    return true;
  }
  if (access === 'read-only') {
    return READS.includes(attempt.verb);
  }
  return access.some(
    rule =>
      contains(rule.verbs, attempt.verb) &&
      contains(rule.groups, attempt.group) &&
      contains(rule.resources, attempt.resource) &&
      contains(rule.namespaces, attempt.namespace ?? ''),
  );
}

/**
 * The holder of the token in an Authorization header.
 *
 * @throws StatusError 401 where there is no known one
 */
export function authenticate(
  tokens: ReadonlyMap<string, TokenHolder>,
  authorization: string | undefined,
): TokenHolder {
  const token = /^Bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1];
  const holder = token === undefined ? undefined : tokens.get(token);
  if (!holder) {
    throw unauthorized();
  }
  return holder;
}

/** @throws StatusError 403 where the holder may not do it */
export function authorize(holder: TokenHolder, attempt: Attempt): void {
  if (allows(holder.access, attempt)) {
    return;
  }
  const named: Named = {
    group: attempt.group,
    plural: attempt.resource.split('/')[0],
    kind: '',
  };
  const where = attempt.namespace
    ? `in the namespace "${attempt.namespace}"`
    : 'at the cluster scope';
  throw forbidden(
    named,
    attempt.name ?? '',
    `User "${holder.user}" cannot ${attempt.verb} resource "${attempt.resource}" in API group "${attempt.group}" ${where}`,
  );
}
