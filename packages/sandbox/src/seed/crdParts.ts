// What the demonstration's own definitions of Kong's kinds are made of.
import { JsonObject } from '../konnect/json';

export const text = { type: 'string' };
export const integer = { type: 'integer', format: 'int64' };
export const decimal = { type: 'number' };
export const flag = { type: 'boolean' };
export const list = (items: JsonObject, more: JsonObject = {}) => ({
  type: 'array',
  items,
  ...more,
});
export const mapOf = (values: JsonObject) => ({
  type: 'object',
  additionalProperties: values,
});
export const record = (properties: JsonObject, required: string[] = []) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});
export const choice = (...values: string[]) => ({
  type: 'string',
  enum: values,
});
export const anything = {
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
};

export const ref = record({ name: text, namespace: text }, ['name']);
export const controlPlaneRef = record({
  type: {
    ...choice('konnectNamespacedRef', 'kic'),
    default: 'kic',
  },
  konnectNamespacedRef: ref,
});
export const adopt = record(
  {
    from: choice('konnect'),
    mode: choice('match', 'override'),
    konnect: record({ id: text }, ['id']),
  },
  ['from'],
);
export const tags = list({ type: 'string' }, { maxItems: 20 });
export const addresses = list(record({ ip: text, port: integer }));
const condition = record(
  {
    type: text,
    status: choice('True', 'False', 'Unknown'),
    reason: text,
    message: text,
    observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
    lastTransitionTime: { type: 'string', format: 'date-time' },
  },
  ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
);
export const conditions = list(condition, {
  maxItems: 8,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
});
export const entityStatus = record({
  conditions,
  konnect: record(
    Object.fromEntries(
      [
        'id',
        'serverURL',
        'organizationID',
        'controlPlaneID',
        'serviceID',
        'upstreamID',
        'consumerID',
        'certificateID',
        'keySetID',
      ].map(field => [field, text]),
    ),
  ),
});
export const check = (fields: JsonObject) => record(fields);

export const CONFIGURATION = 'configuration.konghq.com';
export const KONNECT = 'konnect.konghq.com';

export function definition(
  group: string,
  version: string,
  kind: string,
  schema: JsonObject,
  shortNames: string[] = [],
  scope: 'Namespaced' | 'Cluster' = 'Namespaced',
): JsonObject {
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural: `${singular}s`,
        singular,
        categories: ['kong'],
        ...(shortNames.length > 0 && { shortNames }),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
}

export function entity(
  version: string,
  kind: string,
  spec: JsonObject,
  required: string[] = [],
  scope: 'Namespaced' | 'Cluster' = 'Namespaced',
): JsonObject {
  const schema = record(
    {
      apiVersion: text,
      kind: text,
      metadata: { type: 'object' },
      spec: record({ ...spec, adopt, tags }, required),
      status: entityStatus,
    },
    ['spec'],
  );
  return definition(CONFIGURATION, version, kind, schema, [], scope);
}
