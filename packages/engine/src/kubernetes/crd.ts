/*
 * From the structural schema of a custom resource definition to the engine's schema.
 */
import { FieldSchema, Json, JsonObject } from '../types';
import { isObject } from '../pointer';
import { TIME_SPAN } from '../schema/names';
import { limitsOf } from './limits';

const strings = (value: Json | undefined): string[] =>
  Array.isArray(value)
    ? value.filter((item): item is string => typeof item === 'string')
    : [];

function listOf(
  raw: JsonObject,
): Pick<FieldSchema, 'list' | 'keys' | 'open' | 'unique'> {
  const keys = strings(raw['x-kubernetes-list-map-keys']);
  switch (raw['x-kubernetes-list-type']) {
    case 'map':
      return keys.length > 0 ? { list: 'map', keys } : { list: 'atomic' };
    case 'set':
      return { list: 'set', open: true, unique: true };
    default:
      return { list: 'atomic' };
  }
}

function readObject(raw: JsonObject, preserve: boolean): FieldSchema {
  const more = raw.additionalProperties;
  const out: FieldSchema = { type: 'object' };
  if (isObject(raw.properties)) {
    out.properties = {};
    for (const [name, property] of Object.entries(raw.properties)) {
      if (isObject(property)) {
        const field = readStructural(property);
        if (
          field.type === 'string' &&
          property.enum === undefined &&
          TIME_SPAN.test(name)
        ) {
          field.lenient = 'duration';
        }
        out.properties[name] = field;
      }
    }
  }
  if (isObject(more)) {
    out.values = readStructural(more);
    if (!out.properties) {
      out.type = 'map';
    }
  } else if (preserve || more === true) {
    out.wellKnownNames = true;
    out.verbatim = true;
  } else if (out.properties) {
    out.pruneUnknown = true;
  } else {
    // `type: object` and nothing else: the server drops everything inside.
    out.properties = {};
    out.pruneUnknown = true;
  }
  const required = strings(raw.required);
  if (required.length > 0) {
    out.required = required;
  }
  if (raw['x-kubernetes-map-type'] === 'atomic') {
    out.atomic = true;
  }
  return out;
}

function isQuantity(raw: JsonObject): boolean {
  // The pattern that controller-gen writes for resource.Quantity.
  return (
    typeof raw.pattern === 'string' &&
    raw.pattern.includes('KMGTPE') &&
    raw.pattern.includes('numkMGTPE')
  );
}

/** Reads one structural schema (`openAPIV3Schema` or a part of it). */
export function readStructural(raw: JsonObject): FieldSchema {
  const preserve = raw['x-kubernetes-preserve-unknown-fields'] === true;
  let out: FieldSchema;
  if (
    raw['x-kubernetes-embedded-resource'] === true &&
    !isObject(raw.properties)
  ) {
    out = { type: 'any', wellKnownNames: true, verbatim: true };
  } else if (raw['x-kubernetes-int-or-string'] === true) {
    out = isQuantity(raw) ? { type: 'quantity' } : { type: 'intOrString' };
  } else {
    switch (raw.type) {
      case 'object':
        out = readObject(raw, preserve);
        break;
      case 'array':
        out = { type: 'list', ...listOf(raw) };
        if (isObject(raw.items)) {
          out.items = readStructural(raw.items);
        }
        break;
      case 'string':
        out = { type: 'string' };
        if (raw.format === 'duration') out.lenient = 'duration';
        if (raw.format === 'date-time') out.lenient = 'time';
        if (raw.format === 'password') out.secret = true;
        if (isQuantity(raw)) out.lenient = 'quantity';
        break;
      case 'integer':
      case 'number':
      case 'boolean':
        out = { type: raw.type };
        break;
      default:
        out = { type: 'any', wellKnownNames: true, verbatim: true };
    }
  }
  Object.assign(out, limitsOf(raw));
  if (raw.nullable === true) {
    out.nullable = true;
  }
  if (raw.default !== undefined) {
    out.default = raw.default;
  }
  return out;
}

/**
 * The `openAPIV3Schema` of one version of a definition (`apiextensions.k8s.io/v1`, or `v1beta1` with one schema for
 * all versions); `undefined` where it has none.
 */
export function crdSchema(crd: Json, version: string): JsonObject | undefined {
  const spec = isObject(crd) ? crd.spec : undefined;
  if (!isObject(spec)) {
    return undefined;
  }
  const versions = Array.isArray(spec.versions) ? spec.versions : [];
  const own = versions.find(one => isObject(one) && one.name === version);
  const places = [isObject(own) ? own.schema : undefined, spec.validation];
  for (const place of places) {
    if (isObject(place) && isObject(place.openAPIV3Schema)) {
      return place.openAPIV3Schema;
    }
  }
  return undefined;
}
