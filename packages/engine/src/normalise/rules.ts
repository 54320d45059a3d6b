/*
 * Normalisations that are more than one field's business, by name: a schema lists those that its kind needs.
 */
import { Json, JsonObject, Problem, ResourceSchema } from '../types';
import { withPluginNames } from '../konnect/aliases';
import { formatPointer, isObject, own, put } from '../pointer';
import { decodeBase64, encodeBase64 } from '../values/base64';
import { nameOf } from './types';
import { Walk } from './walk';

type Rule = (
  document: JsonObject,
  walk: Walk,
  schema: ResourceSchema,
) => JsonObject;

function without(object: JsonObject, ...keys: string[]): JsonObject {
  const out = { ...object };
  for (const key of keys) {
    delete out[key];
  }
  return out;
}

/** Told where it was written, not where it would have come to stand. */
function wrongType(path: string[], wanted: string, value: Json): Problem {
  const pointer = formatPointer(path);
  return {
    path: pointer,
    reason: 'WrongType',
    message: `${pointer} must be ${wanted}, but ${nameOf(value)} was given.`,
  };
}

/** A Secret's `stringData` is a way to write `data`, and wins over it. */
const stringData: Rule = (document, walk) => {
  const data = own(document, 'data');
  const plain = own(document, 'stringData');
  let out = document;
  if (plain !== undefined) {
    out = without(document, 'stringData');
    if (isObject(plain)) {
      const merged: JsonObject = isObject(data) ? { ...data } : {};
      for (const [key, value] of Object.entries(plain)) {
        if (typeof value === 'string') {
          put(merged, key, encodeBase64(value));
        } else if (value !== null) {
          walk.problems.push(wrongType(['stringData', key], 'a string', value));
        }
      }
      out.data = merged;
    } else if (plain !== null) {
      walk.problems.push(wrongType(['stringData'], 'an object', plain));
    }
  }
  return out;
};

/** The rules of an aggregated ClusterRole are the server's. */
const aggregatedRules: Rule = document =>
  isObject(own(document, 'aggregationRule')) && document.rules !== undefined
    ? without(document, 'rules')
    : document;

/** Annotations by which somebody asks for a certificate authority to be injected. */
const INJECTS_CA =
  /^(?:cert-manager\.io\/inject-|service\.beta\.openshift\.io\/inject-cabundle|webhook\.cert-manager\.io\/)/;

/** Only white space: what generators write where a bundle is to be injected. */
const isPlaceholder = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && (decodeBase64(value) ?? 'x').trim() === '');

function withoutBundle(
  config: Json | undefined,
  always: boolean,
): Json | undefined {
  if (!isObject(config) || !('caBundle' in config)) {
    return config;
  }
  return always || isPlaceholder(config.caBundle)
    ? without(config, 'caBundle')
    : config;
}

/** A `caBundle` that is empty, or that an injector was asked to fill in, was not declared. */
const injectedCaBundle: Rule = (document, walk) => {
  if (!walk.declared) {
    return document;
  }
  const metadata = own(document, 'metadata');
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  const injected =
    isObject(annotations) &&
    Object.entries(annotations).some(
      ([name, value]) => INJECTS_CA.test(name) && value !== 'false',
    );
  const out = { ...document };
  if (Array.isArray(document.webhooks)) {
    out.webhooks = document.webhooks.map(webhook => {
      if (!isObject(webhook)) {
        return webhook;
      }
      const config = withoutBundle(webhook.clientConfig, injected);
      return config === webhook.clientConfig || config === undefined
        ? webhook
        : { ...webhook, clientConfig: config };
    });
  }
  if (isObject(document.spec)) {
    let spec = withoutBundle(document.spec, injected) as JsonObject;
    const conversion = own(spec, 'conversion');
    const webhook = isObject(conversion) ? conversion.webhook : undefined;
    if (isObject(conversion) && isObject(webhook)) {
      const config = withoutBundle(webhook.clientConfig, injected);
      if (config !== undefined) {
        spec = {
          ...spec,
          conversion: {
            ...conversion,
            webhook: { ...webhook, clientConfig: config },
          },
        };
      }
    }
    out.spec = spec;
  }
  return out;
};

/** A live object must be read at the version that was declared: fields of another version mean something else. */
const identity: Rule = (document, walk, schema) => {
  const at = schema.kind.lastIndexOf('/');
  const wanted: JsonObject = {
    apiVersion: schema.kind.slice(0, at),
    kind: schema.kind.slice(at + 1),
  };
  for (const [name, value] of Object.entries(wanted)) {
    const given = own(document, name);
    if (typeof given === 'string' && at > 0 && given !== value) {
      walk.problems.push({
        path: `/${name}`,
        reason: 'WrongVersion',
        message: `This is ${name} ${given}, but it is compared as ${value}: read it at the declared version.`,
      });
    }
  }
  return document;
};

const ADMITTED_TAINT = /^node\.kubernetes\.io\/(?:not-ready|unreachable)$/;

/** The two tolerations that admission adds to every pod, unless the pod has its own for these taints. */
const podTolerations: Rule = document => {
  const spec = own(document, 'spec');
  const list = isObject(spec) ? spec.tolerations : undefined;
  if (!isObject(spec) || !Array.isArray(list)) {
    return document;
  }
  const kept = list.filter(
    item =>
      !(
        isObject(item) &&
        ADMITTED_TAINT.test(String(item.key)) &&
        item.operator === 'Exists' &&
        item.effect === 'NoExecute' &&
        item.tolerationSeconds === 300
      ),
  );
  return kept.length === list.length
    ? document
    : { ...document, spec: { ...spec, tolerations: kept } };
};

const PORTS: Record<string, number> = {
  http: 80,
  https: 443,
  grpc: 80,
  grpcs: 443,
  ws: 80,
  wss: 443,
};

const URL_PARTS =
  /^([a-z][a-z0-9+.-]*):\/\/(\[[^\]]*\]|[^:/?#]*)(?::(\d+))?(\/[^?#]*)?$/i;

/** A service's `url` is a way to write protocol, host, port and path. */
const serviceUrl: Rule = (document, walk) => {
  const url = own(document, 'url');
  if (url === undefined) {
    return document;
  }
  const out = without(document, 'url');
  if (url === null) {
    return out;
  }
  const parts = typeof url === 'string' ? URL_PARTS.exec(url) : null;
  if (!parts || parts[2] === '') {
    walk.problems.push({
      path: '/url',
      reason: 'InvalidUrl',
      message:
        '/url must look like protocol://host:port/path, without user, query or fragment.',
    });
    return out;
  }
  const protocol = parts[1].toLowerCase();
  out.protocol = protocol;
  out.host = parts[2];
  const port = parts[3] === undefined ? PORTS[protocol] : Number(parts[3]);
  if (port !== undefined) {
    out.port = port;
  }
  if (parts[4] !== undefined) {
    out.path = parts[4];
  } else if (out.path === undefined) {
    // A URL is the whole address: one without a path says that there is none.
    out.path = null;
  }
  return out;
};

/** A target without a port is at 8000. An IPv6 address has colons of its own: only in brackets can a port follow it. */
const targetPort: Rule = document => {
  const target = own(document, 'target');
  return typeof target === 'string' && /^(?:[^:[\]]+|\[[^\]]+\])$/.test(target)
    ? { ...document, target: `${target}:8000` }
    : document;
};

/** What is set beside the name of a control plane comes back inside `config`. */
const controlPlaneConfig: Rule = document => {
  const config = own(document, 'config');
  if (!isObject(config)) {
    return document;
  }
  const out = { ...document };
  for (const name of [
    'cluster_type',
    'auth_type',
    'cloud_gateway',
    'proxy_urls',
  ]) {
    const value = own(config, name);
    if (value !== undefined && own(out, name) === undefined) {
      out[name] = value;
    }
  }
  return out;
};

const RULES: Record<string, Rule> = {
  'kubernetes.identity': identity,
  'kubernetes.stringData': stringData,
  'kubernetes.aggregatedRules': aggregatedRules,
  'kubernetes.injectedCaBundle': injectedCaBundle,
  'kubernetes.podTolerations': podTolerations,
  'konnect.serviceUrl': serviceUrl,
  'konnect.targetPort': targetPort,
  'konnect.controlPlaneConfig': controlPlaneConfig,
  'konnect.pluginAliases': withPluginNames,
};

/** Names of all rules that a schema may list. @public */
export const RULE_NAMES: readonly string[] = Object.keys(RULES);

/** Applies the rules that the schema lists, in its order. A rule that is not known is a warning. */
export function applyRules(
  document: JsonObject,
  walk: Walk,
  schema: ResourceSchema,
): JsonObject {
  let out = document;
  for (const name of schema.rules ?? []) {
    const rule = own(RULES as unknown as JsonObject, name) as unknown as
      | Rule
      | undefined;
    if (rule) {
      out = rule(out, walk, schema);
    } else {
      walk.warnings.push({
        path: '',
        reason: 'UnknownRule',
        message: `The schema of ${schema.kind} names the rule "${name}", which this version of the engine does not know.`,
      });
    }
  }
  return out;
}
