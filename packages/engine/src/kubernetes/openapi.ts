/*
 * From a cluster's own OpenAPI document (v2 or v3) to the engine's schema: list types and keys, patch merge keys,
 * int-or-string, quantities, durations.
 */
import { FieldSchema, Json, JsonObject } from '../types';
import { isObject, own } from '../pointer';
import { limitsOf } from './limits';

/** Field schemas by short name, and which of them is the root of which kind. */
export interface Definitions {
  definitions: Record<string, FieldSchema>;
  /** `apps/v1/Deployment` → name of its definition. */
  kinds: Record<string, string>;
}

/**
 * `io.k8s.api.apps.v1.Deployment` → `apps.v1.Deployment`: the same name in every document, whoever serves it.
 */
export function shortName(name: string): string {
  return name
    .replace(/^#\/(?:definitions|components\/schemas)\//, '')
    .replace(
      /^io\.k8s\.(?:api|apimachinery\.pkg\.apis|kube-aggregator\.pkg\.apis|apiextensions-apiserver\.pkg\.apis)\./,
      '',
    )
    .replace(/^io\.k8s\.apimachinery\.pkg\./, '');
}

/** Types of the API machinery that stand for more than their structure. */
const SPECIAL: Record<string, FieldSchema> = {
  'api.resource.Quantity': { type: 'quantity' },
  'util.intstr.IntOrString': { type: 'intOrString' },
  'meta.v1.Duration': { type: 'duration' },
  'meta.v1.Time': { type: 'string', lenient: 'time' },
  'meta.v1.MicroTime': { type: 'string', lenient: 'time' },
  'meta.v1.FieldsV1': { type: 'any' },
  'runtime.RawExtension': { type: 'any' },
  'meta.v1.Patch': { type: 'any' },
};

const strings = (value: Json | undefined): string[] | undefined =>
  Array.isArray(value)
    ? value.filter((item): item is string => typeof item === 'string')
    : undefined;

/** List semantics as the server's own structured merge derives them (kube-openapi, schemaconv). */
function listOf(
  raw: JsonObject,
): Pick<FieldSchema, 'list' | 'keys' | 'open' | 'unique'> {
  const type = raw['x-kubernetes-list-type'];
  const keys = strings(raw['x-kubernetes-list-map-keys']);
  if (type === 'map' && keys && keys.length > 0) {
    return { list: 'map', keys };
  }
  if (type === 'set') {
    return { list: 'set', open: true, unique: true };
  }
  if (type === 'atomic') {
    return { list: 'atomic' };
  }
  const strategy = raw['x-kubernetes-patch-strategy'];
  if (typeof strategy === 'string' && strategy.split(',').includes('merge')) {
    const key = raw['x-kubernetes-patch-merge-key'];
    return typeof key === 'string'
      ? { list: 'map', keys: [key] }
      : { list: 'set', open: true, unique: true };
  }
  return { list: 'atomic' };
}

function referenceOf(raw: JsonObject): string | undefined {
  if (typeof raw.$ref === 'string') {
    return raw.$ref;
  }
  // OpenAPI v3 wraps a reference that has a default or a description.
  const [only, ...more] = Array.isArray(raw.allOf) ? raw.allOf : [];
  return more.length === 0 && isObject(only) && typeof only.$ref === 'string'
    ? only.$ref
    : undefined;
}

/** Zero values that OpenAPI v3 states for every field that is no pointer in Go: they say nothing. */
function isZero(value: Json): boolean {
  return (
    value === '' ||
    value === 0 ||
    value === false ||
    (isObject(value) && Object.keys(value).length === 0)
  );
}

function isIntOrString(raw: JsonObject): boolean {
  if (
    raw['x-kubernetes-int-or-string'] === true ||
    raw.format === 'int-or-string'
  ) {
    return true;
  }
  const any = raw.oneOf ?? raw.anyOf;
  const types = Array.isArray(any)
    ? any.map(one => (isObject(one) ? one.type : undefined))
    : [];
  return (
    types.length === 2 && types.includes('integer') && types.includes('string')
  );
}

/** Where a schema that is being read stands. */
export interface ReadOptions {
  /** Built-in kinds: the server prunes, and Go's `omitempty` drops empty lists and maps. */
  builtIn: boolean;
  /** Is a reference known? Others are read as anything. */
  isKnown(name: string): boolean;
}

function readObject(raw: JsonObject, options: ReadOptions): FieldSchema {
  const out: FieldSchema = { type: 'object' };
  const more = raw.additionalProperties;
  if (isObject(raw.properties)) {
    out.properties = {};
    for (const [name, property] of Object.entries(raw.properties)) {
      if (isObject(property)) {
        out.properties[name] = readSchema(property, options);
      }
    }
    if (isObject(more)) {
      out.values = readSchema(more, options);
    }
    const required = strings(raw.required);
    if (required && required.length > 0) {
      out.required = required;
    }
    if (options.builtIn) {
      out.pruneUnknown = true;
    }
  } else if (isObject(more)) {
    out.type = 'map';
    out.values = readSchema(more, options);
    if (options.builtIn) {
      out.emptyIsAbsent = true;
    }
  } else {
    out.type = 'any';
  }
  if (raw['x-kubernetes-map-type'] === 'atomic') {
    out.atomic = true;
  }
  return out;
}

/** Reads one OpenAPI schema. */
export function readSchema(raw: JsonObject, options: ReadOptions): FieldSchema {
  const ref = referenceOf(raw);
  if (ref !== undefined) {
    const name = shortName(ref);
    const special = SPECIAL[name];
    let out: FieldSchema = { type: 'any' };
    if (special) {
      out = { ...special };
    } else if (options.isKnown(name)) {
      out = { ref: name };
    }
    if (raw.default !== undefined && !isZero(raw.default)) {
      out.default = raw.default;
    }
    return out;
  }
  if (isIntOrString(raw)) {
    return { type: 'intOrString' };
  }
  let out: FieldSchema;
  switch (raw.type) {
    case 'array':
      out = { type: 'list', ...listOf(raw) };
      if (isObject(raw.items)) {
        out.items = readSchema(raw.items, options);
      }
      if (options.builtIn) {
        out.emptyIsAbsent = true;
      }
      break;
    case 'object':
      out = readObject(raw, options);
      break;
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      out = { type: raw.type };
      if (!options.builtIn) {
        Object.assign(out, limitsOf(raw));
      } else if (raw.format === 'byte') {
        out.base64 = true;
      }
      break;
    default:
      out = isObject(raw.properties)
        ? readObject(raw, options)
        : { type: 'any' };
  }
  if (raw.default !== undefined && !isZero(raw.default)) {
    out.default = raw.default;
  }
  return out;
}

function kindsOf(raw: JsonObject): string[] {
  const all = raw['x-kubernetes-group-version-kind'];
  return (Array.isArray(all) ? all : []).flatMap(one =>
    isObject(one) && typeof one.kind === 'string'
      ? [`${one.group ? `${one.group}/` : ''}${one.version}/${one.kind}`]
      : [],
  );
}

/**
 * Reads a whole document: `definitions` of OpenAPI v2, `components.schemas` of v3.
 *
 * @param document - as the server returned it
 */
export function readOpenApi(document: Json): Definitions {
  const out: Definitions = { definitions: {}, kinds: {} };
  const components = isObject(document) ? document.components : undefined;
  const schemas = isObject(document)
    ? own(document, 'definitions') ??
      (isObject(components) ? components.schemas : undefined)
    : undefined;
  if (!isObject(schemas)) {
    return out;
  }
  const names = new Set(Object.keys(schemas).map(shortName));
  for (const [name, raw] of Object.entries(schemas)) {
    const short = shortName(name);
    if (isObject(raw) && !SPECIAL[short]) {
      // Definitions outside Kubernetes' own packages are custom resources: nothing is omitted there.
      out.definitions[short] = readSchema(raw, {
        builtIn: /^io\.k8s\./.test(name),
        isKnown: known => names.has(known),
      });
      const kinds = kindsOf(raw);
      // Several kinds: a type that every group shares, such as DeleteOptions.
      if (kinds.length === 1) {
        out.kinds[kinds[0]] = short;
      }
    }
  }
  return out;
}
