/**
 * Types of fields. Built-in kinds and custom resources are both described by OpenAPI schemas with Kubernetes'
 * extensions; this file resolves references and says how a value is merged (map, list by key, set, atomic, scalar).
 *
 * `definitions.json` holds the definitions that an API server publishes for the built-in kinds served here, with the
 * descriptions left out (Kubernetes, Apache-2.0).
 */
import definitionsJson from './definitions.json';
import { Json, own } from './json';

/** An OpenAPI (or structural) schema with the extensions that matter here. */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  properties?: { [name: string]: Schema };
  additionalProperties?: boolean | Schema;
  items?: Schema;
  required?: string[];
  enum?: Json[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  nullable?: boolean;
  default?: Json;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
  'x-kubernetes-patch-merge-key'?: string;
  'x-kubernetes-patch-strategy'?: string;
  'x-kubernetes-group-version-kind'?: {
    group: string;
    version: string;
    kind: string;
  }[];
}

const PREFIX = '#/definitions/';

/** The published definitions by name, for example `io.k8s.api.apps.v1.Deployment`. */
export const definitions = definitionsJson as unknown as {
  [name: string]: Schema;
};

export const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
export const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
export const TIME = 'io.k8s.apimachinery.pkg.apis.meta.v1.Time';

/** A schema that refers to a published definition. */
export const reference = (name: string): Schema => ({ $ref: PREFIX + name });

/** The name of the definition that a schema refers to. */
export const referenced = (schema: Schema): string | undefined =>
  schema.$ref?.startsWith(PREFIX)
    ? schema.$ref.slice(PREFIX.length)
    : undefined;

/**
 * The schema itself, its reference followed.
 *
 * @throws Error where a definition is missing, which is a fault of this package.
 */
export function resolve(schema: Schema): Schema {
  const name = referenced(schema);
  if (name === undefined) {
    return schema;
  }
  const found = own(definitions, name);
  if (!found) {
    throw new Error(`The definition ${name} is missing in definitions.json`);
  }
  return resolve(found);
}

/** How a map is merged. */
export interface MapShape {
  atomic: boolean;
  fields: { [name: string]: Schema };
  /** What undeclared keys hold; undefined where undeclared keys are not allowed. */
  element?: Schema;
}

/** How a list is merged: as one value, as a set of scalars, or as a map by the given keys. */
export interface ListShape {
  relation: 'atomic' | 'set' | 'map';
  keys: string[];
  element: Schema;
}

/** Which forms a value may take; a value of unknown type may take all three. */
export interface Shape {
  map?: MapShape;
  list?: ListShape;
  scalar?: 'string' | 'number' | 'boolean' | 'any';
}

/** Anything at all: what lies below a field whose content is not declared. Maps in it are merged field by field. */
export const ANYTHING: Schema = {
  'x-kubernetes-preserve-unknown-fields': true,
};

const DEDUCED: Shape = {
  scalar: 'any',
  list: { relation: 'atomic', keys: [], element: ANYTHING },
  map: { atomic: false, fields: {}, element: ANYTHING },
};

const shapes = new WeakMap<Schema, Shape>();

/** How values of this schema are merged. */
export function shapeOf(schema: Schema): Shape {
  const resolved = resolve(schema);
  let shape = shapes.get(resolved);
  if (!shape) {
    shape = makeShape(resolved);
    shapes.set(resolved, shape);
  }
  return shape;
}

function makeShape(schema: Schema): Shape {
  if (
    schema['x-kubernetes-int-or-string'] ||
    schema.format === 'int-or-string'
  ) {
    return { scalar: 'any' };
  }
  switch (schema.type) {
    case 'object':
      return { map: makeMapShape(schema) };
    case 'array':
      return { list: makeListShape(schema) };
    case 'string':
      return { scalar: 'string' };
    case 'integer':
    case 'number':
      return { scalar: 'number' };
    case 'boolean':
      return { scalar: 'boolean' };
    default:
      break;
  }
  return schema.properties ? { map: makeMapShape(schema) } : DEDUCED;
}

function makeMapShape(schema: Schema): MapShape {
  const extra = schema.additionalProperties;
  let element: Schema | undefined;
  if (typeof extra === 'object') {
    element = extra;
  } else if (
    extra === true ||
    schema['x-kubernetes-preserve-unknown-fields'] ||
    !schema.properties
  ) {
    element = ANYTHING;
  }
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    fields: schema.properties ?? {},
    ...(element ? { element } : {}),
  };
}

function makeListShape(schema: Schema): ListShape {
  const element = schema.items ?? ANYTHING;
  const type = schema['x-kubernetes-list-type'];
  if (type) {
    return {
      relation: type,
      keys: schema['x-kubernetes-list-map-keys'] ?? [],
      element,
    };
  }
  if (schema['x-kubernetes-patch-strategy']?.split(',').includes('merge')) {
    const key = schema['x-kubernetes-patch-merge-key'];
    return { relation: key ? 'map' : 'set', keys: key ? [key] : [], element };
  }
  return { relation: 'atomic', keys: [], element };
}

/** The schema of a map's key, and whether the key is declared by name. */
export function fieldSchema(
  map: MapShape,
  key: string,
): { schema: Schema | undefined; named: boolean } {
  const field = own(map.fields, key);
  return field
    ? { schema: field, named: true }
    : { schema: map.element, named: false };
}
