/*
 * The question to the oracle: would a server-side apply of this declaration change anything, and where? And whether
 * the engine says the same.
 */
import {
  canonical,
  digest,
  evaluate,
  Evaluation,
  Json,
  JsonObject,
  normalise,
  ResourceSchema,
} from '@plumbline/drift-engine';

/** One pair with the server's answer. */
export interface Pair {
  gvk: string;
  declared: Json;
  live: Json;
  /** What a dry run of the apply gave. */
  after: Json;
}

export const OUR_MANAGER = 'plumbline';

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object without what changes with every write. */
function substance(object: Json): Json {
  if (!isObject(object)) {
    return object;
  }
  const { status: _status, metadata, ...rest } = object;
  if (!isObject(metadata)) {
    return rest;
  }
  const {
    managedFields: _managed,
    resourceVersion: _version,
    generation: _generation,
    creationTimestamp: _created,
    uid: _uid,
    selfLink: _link,
    annotations,
    ...kept
  } = metadata;
  // The server counts the generations of a DaemonSet's template here.
  const { 'deprecated.daemonset.template.generation': _count, ...notes } =
    isObject(annotations) ? annotations : {};
  return { ...rest, metadata: { ...kept, annotations: notes } };
}

/** Null and absent are the same to a server, but where a definition says that a field may be null. */
const text = (value: Json | undefined) => canonical(value ?? null);

/** Top-level fields and, below `spec` and the like, second-level ones: enough to see that both mean the same place. */
function changedPlaces(before: Json, after: Json): string[] {
  const out: string[] = [];
  const visit = (a: Json | undefined, b: Json | undefined, path: string[]) => {
    if (isObject(a) && isObject(b)) {
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
        visit(a[key], b[key], [...path, key]);
      }
    } else if (text(a) !== text(b)) {
      out.push(`/${path.join('/')}`);
    }
  };
  visit(before, after, []);
  return out;
}

export interface Judgement {
  agree: boolean;
  /** Where the server would change something. */
  server: string[];
  evaluation: Evaluation;
}

/** Up to the first list, in which places are told differently. */
const plainPrefix = (path: string) => path.split('/[')[0].replace(/~1/g, '/');

/** Does the engine agree with what the server would change? */
export function judge(pair: Pair, schema: ResourceSchema): Judgement {
  const options = {
    schema,
    secretDigest: (value: string) => digest(value),
    ourManager: OUR_MANAGER,
  };
  const evaluation = evaluate({
    schema,
    declared: normalise(pair.declared, { ...options, side: 'declared' }),
    live: normalise(pair.live, { ...options, side: 'live' }),
  });
  const server = changedPlaces(substance(pair.live), substance(pair.after));
  const ours = evaluation.changes
    .filter(change => !(change.declared === null && change.live === undefined))
    .map(change => plainPrefix(change.path));
  const near = (a: string, b: string) =>
    a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
  const agree =
    evaluation.verdict !== 'Invalid' &&
    server.every(place => ours.some(path => near(place, path))) &&
    ours.every(path => server.some(place => near(place, path)));
  return { agree, server, evaluation };
}
