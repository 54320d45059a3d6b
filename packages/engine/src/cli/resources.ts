/*
 * From files of documents to resources: which document is which thing, and which belong together.
 */
import { readFileSync } from 'node:fs';
import { isObject } from '../pointer';
import { Json, JsonObject } from '../types';
import { parseDocuments } from './documents';
import { UsageError } from './errors';

/** One thing, as one file shows it. */
export interface Resource {
  platform: 'kubernetes' | 'konnect';
  kind: string;
  /** What it is matched by: kind without version, namespace and name. */
  identity: string;
  /** For people. */
  title: string;
  document: JsonObject;
}

/** Which kind the caller says the documents are of. */
export interface KindOptions {
  platform?: 'kubernetes' | 'konnect';
  kind?: string;
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new UsageError(
      code === 'ENOENT'
        ? `${file}: there is no such file.`
        : `${file} cannot be read (${code ?? 'unknown error'}).`,
    );
  }
}

/**
 * All documents of a file; Kubernetes lists and Konnect pages are taken apart.
 *
 * @throws Error where there is none: an empty answer does not say that nothing is there, an empty list does
 */
export function readDocuments(file: string): Json[] {
  const documents = parseDocuments(readText(file), file, 'manifests');
  if (documents.length === 0) {
    throw new Error(
      `${file}: there is no document in it. (An empty list would say that nothing is there.)`,
    );
  }
  return documents.flatMap(document => {
    if (Array.isArray(document)) {
      return document;
    }
    if (isObject(document)) {
      const { items, data, kind } = document;
      if (Array.isArray(items) && String(kind).endsWith('List')) {
        return items;
      }
      if (Array.isArray(data) && kind === undefined) {
        return data;
      }
    }
    return [document];
  });
}

/** Fields by which a Konnect entity is told from its like, in this order. */
const NAMES = [
  'instance_name',
  'name',
  'username',
  'custom_id',
  'target',
  'group',
  'kid',
  'key',
  'id',
];

const SECRET_NAMES = ['key'];

function konnectResource(document: JsonObject, kind: string): Resource {
  const field = NAMES.find(name => typeof document[name] === 'string');
  const name = field ? String(document[field]) : '';
  return {
    platform: 'konnect',
    kind,
    identity: `${kind} ${name}`,
    title: `${kind} ${
      field && SECRET_NAMES.includes(field) ? '(by its key)' : name
    }`.trim(),
    document,
  };
}

function kubernetesResource(document: JsonObject, kind: string): Resource {
  const metadata = isObject(document.metadata) ? document.metadata : {};
  const parts = kind.split('/');
  const type = parts.pop();
  const group = parts.slice(0, -1).join('/');
  const namespace =
    typeof metadata.namespace === 'string' ? `${metadata.namespace}/` : '';
  const name = typeof metadata.name === 'string' ? metadata.name : '';
  return {
    platform: 'kubernetes',
    kind,
    identity: `${group}/${type} ${namespace}${name}`,
    title: `${type} ${namespace}${name}`,
    document,
  };
}

/** What a document is: by what it says itself, or by what the caller says. */
export function toResource(
  document: Json,
  options: KindOptions,
  file: string,
): Resource {
  if (!isObject(document)) {
    throw new UsageError(`${file}: a document is no object.`);
  }
  const { apiVersion, kind } = document;
  const own =
    typeof apiVersion === 'string' && typeof kind === 'string'
      ? `${apiVersion}/${kind}`
      : undefined;
  if (own && options.platform !== 'konnect') {
    return kubernetesResource(document, own);
  }
  if (!options.kind) {
    throw new UsageError(
      `${file}: a document has no apiVersion and kind; say what it is with --kind.`,
    );
  }
  return options.platform === 'konnect' ||
    (options.platform === undefined && !options.kind.includes('/'))
    ? konnectResource(document, options.kind)
    : kubernetesResource(document, options.kind);
}

/** A declared thing with its live and its agreed side. */
export interface Match {
  declared?: Resource;
  live?: Resource;
  lastAgreed?: Resource;
}

function byIdentity(
  resources: Resource[],
  file: string,
): Map<string, Resource> {
  const out = new Map<string, Resource>();
  for (const resource of resources) {
    if (out.has(resource.identity)) {
      throw new UsageError(`${file}: ${resource.title} is there twice.`);
    }
    out.set(resource.identity, resource);
  }
  return out;
}

/** Finds the other side of a thing: by identity, then without its namespace, then because there is only one. */
function counterpart(
  wanted: Resource,
  among: Map<string, Resource>,
  alone: boolean,
): Resource | undefined {
  const exact = among.get(wanted.identity);
  if (exact) {
    return exact;
  }
  const bare = (resource: Resource) => resource.identity.replace(/ .*\//, ' ');
  const same = [...among.values()].filter(
    other =>
      bare(other) === bare(wanted) &&
      (other.identity === bare(other) || wanted.identity === bare(wanted)),
  );
  if (same.length === 1) {
    return same[0];
  }
  return alone && among.size === 1 ? [...among.values()][0] : undefined;
}

/** Matches documents of the files; one alone on each side belong together whatever they are called. */
export function matchResources(files: {
  declared: { name: string; resources: Resource[] };
  live: { name: string; resources: Resource[] };
  lastAgreed?: { name: string; resources: Resource[] };
}): Match[] {
  const declared = byIdentity(files.declared.resources, files.declared.name);
  const live = byIdentity(files.live.resources, files.live.name);
  const agreed = byIdentity(
    files.lastAgreed?.resources ?? [],
    files.lastAgreed?.name ?? '',
  );
  const alone = declared.size === 1;
  const taken = new Set<Resource>();
  const matches: Match[] = [];
  for (const resource of declared.values()) {
    const match: Match = { declared: resource };
    const other = counterpart(resource, live, alone);
    const before = counterpart(resource, agreed, alone);
    if (other) {
      match.live = other;
      taken.add(other);
    }
    if (before) {
      match.lastAgreed = before;
    }
    matches.push(match);
  }
  for (const resource of live.values()) {
    if (!taken.has(resource)) {
      const before = counterpart(resource, agreed, false);
      matches.push({
        live: resource,
        ...(before ? { lastAgreed: before } : {}),
      });
    }
  }
  return matches;
}
