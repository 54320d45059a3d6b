/*
 * Random edits of documents: what people and controllers do to live objects, and what authors do to declarations.
 */
import {
  FieldSchema,
  Json,
  JsonObject,
  ResourceSchema,
} from '@plumbline/drift-engine';
import { Random } from './random';

type Path = Array<string | number>;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every place of a document, except what the server owns or never lets anybody change. */
function places(value: Json, path: Path, out: Path[]): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => places(item, [...path, index], out));
  } else if (isObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      const fixed =
        (path.length === 0 && /^(?:apiVersion|kind|status)$/.test(key)) ||
        (path.length === 1 &&
          path[0] === 'metadata' &&
          !/^(?:labels|annotations|finalizers)$/.test(key));
      if (!fixed) {
        places(child, [...path, key], out);
      }
    }
  }
  if (path.length > 0 && !(path.length === 1 && path[0] === 'metadata')) {
    out.push(path);
  }
}

function at(document: Json, path: Path): Json | undefined {
  let value: Json | undefined = document;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) {
      return undefined;
    }
    value = (value as JsonObject)[step as string];
  }
  return value;
}

const clone = (value: Json): Json => structuredClone(value);

function replace(document: Json, path: Path, value: Json | undefined): Json {
  const out = clone(document);
  const parent = at(out, path.slice(0, -1));
  const last = path[path.length - 1];
  if (Array.isArray(parent)) {
    if (value === undefined) parent.splice(Number(last), 1);
    else parent[Number(last)] = value;
  } else if (isObject(parent)) {
    if (value === undefined) delete parent[last];
    else parent[last] = value;
  }
  return out;
}

const OTHER_WORDS: Record<string, string[]> = {
  imagePullPolicy: ['Always', 'IfNotPresent', 'Never'],
  protocol: ['TCP', 'UDP'],
  type: ['ClusterIP', 'NodePort', 'Opaque', 'RollingUpdate', 'Recreate'],
  effect: ['NoSchedule', 'NoExecute'],
  operator: ['Exists', 'Equal', 'In', 'NotIn'],
  pathType: ['Prefix', 'Exact', 'ImplementationSpecific'],
  failurePolicy: ['Fail', 'Ignore'],
  whenUnsatisfiable: ['ScheduleAnyway', 'DoNotSchedule'],
  concurrencyPolicy: ['Allow', 'Forbid'],
  dnsPolicy: ['Default', 'ClusterFirst'],
  sessionAffinity: ['None', 'ClientIP'],
  cpu: ['1', '1000m', '500m', '0.5', '2'],
  memory: ['1Gi', '1024Mi', '1G', '512Mi'],
  storage: ['1Gi', '1024Mi', '1000M', '1G'],
  targetPort: ['8080', 'http'],
};

function otherScalar(key: string | number, value: Json, random: Random): Json {
  const words = OTHER_WORDS[String(key)];
  if (words && random.chance(0.8)) {
    return random.pick(words);
  }
  switch (typeof value) {
    case 'boolean':
      return !value;
    case 'number':
      return Number.isInteger(value)
        ? value + 1 + random.below(3)
        : value + 0.5;
    case 'bigint':
      return value + 1n;
    default:
      return random.chance(0.5)
        ? `${value}x`
        : random.pick(['other', 'a', '1']);
  }
}

/** One random edit, as somebody might make it to any object. */
export function editDocument(document: Json, random: Random): Json {
  const all: Path[] = [];
  places(document, [], all);
  if (all.length === 0) {
    return document;
  }
  const path = random.pick(all);
  const value = at(document, path);
  const last = path[path.length - 1];
  if (random.chance(0.2)) {
    return replace(document, path, undefined);
  }
  if (Array.isArray(value)) {
    const items = [...value];
    const roll = random.below(4);
    if (roll === 0) {
      items.reverse();
    } else if (roll === 1 && items.length > 0) {
      items.splice(random.below(items.length), 1);
    } else if (items.length > 0) {
      const copy = clone(random.pick(items));
      if (isObject(copy)) {
        const name = ['name', 'ip', 'mountPath', 'containerPort', 'port'].find(
          key => copy[key] !== undefined,
        );
        if (name) copy[name] = otherScalar(name, copy[name], random);
        items.splice(random.below(items.length + 1), 0, copy);
      } else {
        items.push(otherScalar('', copy, random));
      }
    }
    return replace(document, path, items);
  }
  if (isObject(value)) {
    const sample = Object.values(value)[0];
    const added =
      sample !== undefined && typeof sample !== 'object'
        ? {
            ...value,
            [`extra${random.below(9)}`]: otherScalar('', sample, random),
          }
        : value;
    return replace(document, path, added);
  }
  return replace(
    document,
    path,
    value === null || value === undefined
      ? 'x'
      : otherScalar(last, value, random),
  );
}

function resolve(
  schema: FieldSchema | undefined,
  definitions: Record<string, FieldSchema>,
): FieldSchema {
  let at1 = schema ?? {};
  while (at1.ref !== undefined && definitions[at1.ref]) {
    const { ref, ...rest } = at1;
    at1 = { ...definitions[ref as string], ...rest };
  }
  return at1;
}

/** Behind feature gates that are off on the oracle's server, which drops them whatever their value. */
const GATED =
  /^(?:containerResource|ttlSecondsAfterFinished|allocateLoadBalancerNodePorts|ephemeral)$/;

function zeroOf(schema: FieldSchema): Json | undefined {
  switch (schema.type) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return 0;
    case 'list':
      return [];
    case 'map':
    case 'object':
      return {};
    default:
      return undefined;
  }
}

/** Sets a field that is not there to the zero value of its type: what generators of manifests love to write. */
function addZero(document: Json, schema: ResourceSchema, random: Random): Json {
  const definitions = schema.definitions ?? {};
  const candidates: Array<[Path, Json]> = [];
  const visit = (value: Json, raw: FieldSchema | undefined, path: Path) => {
    const node = resolve(raw, definitions);
    if (node.serverOwned || (path[0] === 'metadata' && path.length > 0)) {
      return;
    }
    if (Array.isArray(value)) {
      value.forEach((item, index) => visit(item, node.items, [...path, index]));
    } else if (isObject(value)) {
      for (const [name, child] of Object.entries(node.properties ?? {})) {
        const below = resolve(child, definitions);
        const given = value[name];
        if (given !== undefined) {
          visit(given, child, [...path, name]);
        } else if (!below.serverOwned && !GATED.test(name)) {
          const zero = zeroOf(below);
          if (zero !== undefined) candidates.push([[...path, name], zero]);
        }
      }
    }
  };
  visit(document, schema.root, []);
  if (candidates.length === 0) {
    return document;
  }
  const [path, zero] = random.pick(candidates);
  return replace(document, path, random.chance(0.15) ? null : zero);
}

/** Takes a value from the live object into the declaration: declaring what is there already. */
function adopt(document: Json, live: Json, random: Random): Json {
  const all: Path[] = [];
  places(live, [], all);
  const fresh = all.filter(
    path =>
      at(document, path) === undefined &&
      typeof at(document, path.slice(0, -1)) === 'object' &&
      !path.some(step => typeof step === 'number'),
  );
  if (fresh.length === 0) {
    return document;
  }
  const path = random.pick(fresh);
  return replace(document, path, at(live, path) ?? null);
}

/** Declares that something is null which is there live. */
function declareNull(document: Json, live: Json, random: Random): Json {
  const all: Path[] = [];
  places(live, [], all);
  const path = random.pick(
    all.filter(one => one.every(step => typeof step === 'string')),
  );
  return path && typeof at(document, path.slice(0, -1)) === 'object'
    ? replace(document, path, null)
    : document;
}

/** One random edit of a declaration: of its meaning, or only of how it is written. */
export function editDeclaration(
  document: Json,
  live: Json,
  schema: ResourceSchema,
  random: Random,
): Json {
  const roll = random.next();
  if (roll < 0.45) {
    return addZero(document, schema, random);
  }
  if (roll < 0.5) {
    return declareNull(document, live, random);
  }
  if (roll < 0.65) {
    return adopt(document, live, random);
  }
  return editDocument(document, random);
}
