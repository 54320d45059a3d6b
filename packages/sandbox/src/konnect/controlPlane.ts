// A control plane, as the platform API has it: its fields, limits and answer.
import { InvalidParameter } from './errors';
import { isObject, JsonValue } from './json';

/** A control plane; times are ISO 8601. */
export interface ControlPlane {
  id: string;
  name: string;
  description: string;
  labels: Record<string, string>;
  config: {
    control_plane_endpoint: string;
    telemetry_endpoint: string;
    cluster_type: string;
    auth_type: string;
    cloud_gateway: boolean;
    proxy_urls: JsonValue[];
  };
  created_at: string;
  updated_at: string;
}

const CLUSTER_TYPES = [
  'CLUSTER_TYPE_CONTROL_PLANE',
  'CLUSTER_TYPE_K8S_INGRESS_CONTROLLER',
  'CLUSTER_TYPE_CONTROL_PLANE_GROUP',
  'CLUSTER_TYPE_SERVERLESS',
  'CLUSTER_TYPE_KAFKA_NATIVE_EVENT_PROXY',
  'CLUSTER_TYPE_SERVERLESS_V1',
];
const AUTH_TYPES = ['pinned_client_certs', 'pki_client_certs'];
const LABEL_VALUE = /^[a-z0-9A-Z]([a-z0-9A-Z\-._]*[a-z0-9A-Z]+)?$/;
const RESERVED_LABEL = /^(kong|konnect|mesh|kic|_)/;

/** What a client may set. Absent: not given. */
export interface ControlPlaneInput {
  name?: string;
  description?: string;
  labels?: Record<string, string>;
  auth_type?: string;
  proxy_urls?: JsonValue[];
  cluster_type?: string;
  cloud_gateway?: boolean;
}

/** Reads a create (`create: true`) or an update, with everything that is wrong with it. */
export function readControlPlane(
  body: unknown,
  create: boolean,
): { input: ControlPlaneInput; invalid: InvalidParameter[] } {
  const invalid: InvalidParameter[] = [];
  const fail = (field: string, reason: string, rule = 'invalid') => {
    invalid.push({ field, reason, rule, source: 'body' });
  };
  if (!isObject(body)) {
    return {
      input: {},
      invalid: [{ field: 'body', reason: 'request format is invalid' }],
    };
  }
  const settable = ['name', 'description', 'labels', 'auth_type', 'proxy_urls'];
  const known = create
    ? [...settable, 'cluster_type', 'cloud_gateway']
    : settable;
  for (const field of Object.keys(body)) {
    if (!known.includes(field)) {
      fail(field, `property ${field} should not exist`, 'unknown_property');
    }
  }
  const { name, description, labels, auth_type, proxy_urls } = body;
  if (name === undefined ? create : !isText(name, 2, 256)) {
    fail('name', 'must be a string of 2 to 256 characters');
  }
  if (description !== undefined && !isText(description, 0, 2048)) {
    fail('description', 'must be a string of at most 2048 characters');
  }
  if (auth_type !== undefined && !AUTH_TYPES.includes(String(auth_type))) {
    fail('auth_type', `must be one of ${AUTH_TYPES.join(', ')}`);
  }
  if (proxy_urls !== undefined && !Array.isArray(proxy_urls)) {
    fail('proxy_urls', 'must be an array', 'is_array');
  }
  const { cluster_type, cloud_gateway } = body;
  if (
    cluster_type !== undefined &&
    !CLUSTER_TYPES.includes(String(cluster_type))
  ) {
    fail('cluster_type', `must be one of ${CLUSTER_TYPES.join(', ')}`);
  }
  if (cloud_gateway !== undefined && typeof cloud_gateway !== 'boolean') {
    fail('cloud_gateway', 'must be a boolean', 'is_boolean');
  }
  if (labels !== undefined) checkLabels(labels, fail);
  return { input: body as ControlPlaneInput, invalid };
}

function checkLabels(
  labels: JsonValue,
  fail: (field: string, reason: string, rule?: string) => void,
): void {
  if (!isObject(labels)) {
    fail('labels', 'must be an object', 'is_object');
    return;
  }
  for (const [key, value] of Object.entries(labels)) {
    if (!isText(key, 1, 63) || RESERVED_LABEL.test(key)) {
      fail(`labels.${key}`, 'is no allowed label key', 'is_label');
    } else if (!isText(value, 1, 63) || !LABEL_VALUE.test(value)) {
      fail(`labels.${key}`, 'is no allowed label value', 'is_label');
    }
  }
}

function isText(value: unknown, min: number, max: number): value is string {
  return (
    typeof value === 'string' && value.length >= min && value.length <= max
  );
}

/** A new control plane from a checked input. `now` is ISO 8601. */
export function newControlPlane(
  id: string,
  input: ControlPlaneInput,
  now: string,
): ControlPlane {
  const short = id.replace(/-/g, '').slice(0, 10);
  return {
    id,
    name: input.name ?? '',
    description: input.description ?? '',
    labels: input.labels ?? {},
    config: {
      control_plane_endpoint: `https://${short}.cp.sandbox.invalid`,
      telemetry_endpoint: `https://${short}.tp.sandbox.invalid`,
      cluster_type: input.cluster_type ?? 'CLUSTER_TYPE_CONTROL_PLANE',
      auth_type: input.auth_type ?? 'pinned_client_certs',
      cloud_gateway: input.cloud_gateway ?? false,
      proxy_urls: input.proxy_urls ?? [],
    },
    created_at: now,
    updated_at: now,
  };
}

/** The control plane after an update with a checked input; what was not given stays. */
export function patchControlPlane(
  current: ControlPlane,
  input: ControlPlaneInput,
  now: string,
): ControlPlane {
  return {
    ...current,
    name: input.name ?? current.name,
    description: input.description ?? current.description,
    labels: input.labels ?? current.labels,
    config: {
      ...current.config,
      auth_type: input.auth_type ?? current.config.auth_type,
      proxy_urls: input.proxy_urls ?? current.config.proxy_urls,
    },
    updated_at: now,
  };
}
