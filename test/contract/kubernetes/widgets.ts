// A definition of a custom resource with one of everything that matters.
import { uniqueName } from './use';

/** The structural schema of a widget's spec. */
const spec = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 10 },
    color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
    code: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 4 },
    ratio: { type: 'number', exclusiveMinimum: true, minimum: 0 },
    big: { type: 'integer', format: 'int64' },
    note: { type: 'string', nullable: true },
    on: { type: 'boolean' },
    words: { type: 'array', items: { type: 'string' }, maxItems: 3 },
    tags: {
      type: 'array',
      items: { type: 'string' },
      'x-kubernetes-list-type': 'set',
    },
    ports: {
      type: 'array',
      items: {
        type: 'object',
        required: ['port'],
        properties: {
          port: { type: 'integer' },
          protocol: { type: 'string', default: 'TCP' },
          label: { type: 'string' },
        },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
    },
    limits: { type: 'object', additionalProperties: { type: 'string' } },
    fixed: {
      type: 'object',
      additionalProperties: { type: 'string' },
      'x-kubernetes-map-type': 'atomic',
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    nested: {
      type: 'object',
      properties: {
        mode: { type: 'string', default: 'auto' },
        level: { type: 'integer' },
      },
    },
    replicas: { type: 'integer' },
  },
};

/** What tests need to know about a definition. */
export interface WidgetDefinition {
  apiVersion: string;
  group: string;
  definition: {
    apiVersion: string;
    kind: string;
    metadata: { name: string };
    spec: {
      group: string;
      scope: string;
      names: { plural: string; kind: string; shortNames: string[] };
      versions: { name: string; served: boolean; storage: boolean }[];
    };
  };
  widget: (name: string, spec?: object, metadata?: object) => object;
}

/** A definition under a group of its own, so that runs do not meet. */
export function widgetDefinition(
  options: { scope?: string; moreFields?: object; status?: boolean } = {},
): WidgetDefinition {
  const group = `${uniqueName('g')}.example.org`;
  const schema = {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        ...spec,
        properties: { ...spec.properties, ...options.moreFields },
      },
      status: {
        type: 'object',
        properties: {
          phase: { type: 'string' },
          replicas: { type: 'integer' },
        },
      },
    },
  };
  const subresources = {
    ...(options.status === false ? {} : { status: {} }),
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
    },
  };
  const version = {
    served: true,
    schema: { openAPIV3Schema: schema },
    subresources,
  };
  const apiVersion = `${group}/v1`;
  return {
    apiVersion,
    group,
    definition: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `widgets.${group}` },
      spec: {
        group,
        scope: options.scope ?? 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
        versions: [
          { name: 'v1', storage: true, ...version },
          { name: 'v1beta1', storage: false, ...version },
        ],
      },
    },
    widget: (name, fields = { size: 1 }, metadata = {}) => ({
      apiVersion,
      kind: 'Widget',
      metadata: { name, ...metadata },
      spec: fields,
    }),
  };
}
