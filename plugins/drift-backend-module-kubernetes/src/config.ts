/* Reads `drift.kubernetes`. Every wrong value is an error that names the key, the value and the remedy, never a token. */
import type { Config } from '@backstage/config';
import { InputError } from '@backstage/errors';
import {
  type ClusterAccess,
  kubeconfigAccess,
  staticAccess,
} from './cluster/access';
import { isLoopback } from './cluster/loopback';
import { type Gvk, parseKind } from './gvk';

/** One `drift.kubernetes.manifests` entry. */
export interface ManifestTarget {
  cluster: string;
  type: 'url' | 'file';
  target: string;
  namespace: string;
  /** Its name for people. */
  title?: string;
}

/** `drift.kubernetes`, checked, with its defaults filled in. */
export interface KubernetesConfig {
  useKubernetesPlugin: boolean;
  clusters: ClusterAccess[];
  kinds: Gvk[];
  /** `kinds` was not set. */
  kindsAreDefaults: boolean;
  namespaces?: string[];
  manifests: ManifestTarget[];
  /** `undefined` where it is not enabled. */
  lastApplied?: { clusters?: string[]; kinds?: Gvk[] };
  customResources: { clusters?: string[] };
}

const ROOT = 'drift.kubernetes';

export const DEFAULT_REQUESTS_PER_MINUTE = 600;

/** Secrets are left out: whoever wants them read names them, or declares one. */
const DEFAULT_KINDS = [
  'v1/ConfigMap',
  'v1/Service',
  'v1/ServiceAccount',
  'v1/PersistentVolumeClaim',
  'apps/v1/Deployment',
  'apps/v1/StatefulSet',
  'apps/v1/DaemonSet',
  'batch/v1/CronJob',
  'networking.k8s.io/v1/Ingress',
  'networking.k8s.io/v1/NetworkPolicy',
  'autoscaling/v2/HorizontalPodAutoscaler',
  'policy/v1/PodDisruptionBudget',
  'rbac.authorization.k8s.io/v1/Role',
  'rbac.authorization.k8s.io/v1/RoleBinding',
];

/** Names become parts of ids, paths and annotations. */
const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
/** RFC 1123 label, as namespaces are. */
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function wrong(key: string, value: unknown, remedy: string): InputError {
  return new InputError(
    `Invalid configuration at ${key}: ${JSON.stringify(value)}; ${remedy}`,
  );
}

export function readKubernetesConfig(root: Config): KubernetesConfig {
  const config = root.getOptionalConfig(ROOT);
  const lastApplied = config?.getOptionalConfig('lastApplied');
  const lastAppliedKinds = lastApplied?.has('kinds')
    ? readKinds(lastApplied, 'kinds', `${ROOT}.lastApplied.kinds`)
    : undefined;
  const customResources = config?.getOptionalConfig('customResources');
  return {
    useKubernetesPlugin:
      config?.getOptionalBoolean('useKubernetesPlugin') ?? true,
    clusters: readClusters(config),
    kinds: config?.has('kinds')
      ? readKinds(config, 'kinds', `${ROOT}.kinds`)
      : DEFAULT_KINDS.map(kind => parseKind(kind)).filter(
          kind => kind !== undefined,
        ),
    kindsAreDefaults: !config?.has('kinds'),
    namespaces: readNamespaces(config),
    manifests: readManifests(config),
    lastApplied: lastApplied?.getOptionalBoolean('enabled')
      ? {
          clusters: lastApplied.getOptionalStringArray('clusters'),
          kinds: lastAppliedKinds,
        }
      : undefined,
    customResources: {
      clusters: customResources?.getOptionalStringArray('clusters'),
    },
  };
}

/** Checks every name of a cluster in the configuration, once all clusters are known. */
export function checkClusterNames(
  config: KubernetesConfig,
  known: readonly string[],
): void {
  const check = (name: string, key: string) => {
    if (!known.includes(name)) {
      throw wrong(
        key,
        name,
        `no such cluster; known clusters: ${known.join(', ') || 'none'}`,
      );
    }
  };
  config.manifests.forEach((manifest, index) =>
    check(manifest.cluster, `${ROOT}.manifests[${index}].cluster`),
  );
  config.lastApplied?.clusters?.forEach((name, index) =>
    check(name, `${ROOT}.lastApplied.clusters[${index}]`),
  );
  config.customResources.clusters?.forEach((name, index) =>
    check(name, `${ROOT}.customResources.clusters[${index}]`),
  );
}

function readKinds(config: Config, key: string, path: string): Gvk[] {
  return config.getStringArray(key).map((text, index) => {
    const gvk = parseKind(text);
    if (!gvk) {
      throw wrong(
        `${path}[${index}]`,
        text,
        'write group/version/Kind such as apps/v1/Deployment, or version/Kind such as v1/Service',
      );
    }
    return gvk;
  });
}

function readNamespaces(config: Config | undefined): string[] | undefined {
  const namespaces = config?.getOptionalStringArray('namespaces');
  if (namespaces?.length === 0) {
    throw wrong(
      `${ROOT}.namespaces`,
      namespaces,
      'leave the key out to read all namespaces',
    );
  }
  namespaces?.forEach((namespace, index) => {
    if (!NAMESPACE.test(namespace)) {
      throw wrong(
        `${ROOT}.namespaces[${index}]`,
        namespace,
        'a namespace has lower-case letters, digits and dashes, at most 63',
      );
    }
  });
  return namespaces && [...new Set(namespaces)];
}

function readManifests(config: Config | undefined): ManifestTarget[] {
  const entries = config?.getOptionalConfigArray('manifests') ?? [];
  const seen = new Set<string>();
  return entries.map((entry, index) => {
    const key = `${ROOT}.manifests[${index}]`;
    const type = entry.getOptionalString('type') ?? 'url';
    const target = entry.getString('target');
    const cluster = entry.getString('cluster');
    const namespace = entry.getOptionalString('namespace') ?? 'default';
    if (type !== 'url' && type !== 'file') {
      throw wrong(`${key}.type`, type, "use 'url' or 'file'");
    }
    if (type === 'url' && !isHttpUrl(target)) {
      throw wrong(
        `${key}.target`,
        target,
        'write a full http(s) URL, or set type: file for a local path',
      );
    }
    if (!NAMESPACE.test(namespace)) {
      throw wrong(
        `${key}.namespace`,
        namespace,
        'a namespace has lower-case letters, digits and dashes, at most 63',
      );
    }
    const identity = `${cluster} ${type} ${target}`;
    if (seen.has(identity)) {
      throw wrong(`${key}.target`, target, 'the same target is listed twice');
    }
    seen.add(identity);
    const title = entry.getOptionalString('title');
    return { cluster, type, target, namespace, ...(title ? { title } : {}) };
  });
}

function readClusters(config: Config | undefined): ClusterAccess[] {
  const entries = config?.getOptionalConfigArray('clusters') ?? [];
  const names = new Set<string>();
  return entries.map((entry, index) => {
    const key = `${ROOT}.clusters[${index}]`;
    const name = entry.getString('name');
    if (!NAME.test(name)) {
      throw wrong(
        `${key}.name`,
        name,
        'use letters, digits, dots, dashes and underscores, at most 63',
      );
    }
    if (names.has(name)) {
      throw wrong(
        `${key}.name`,
        name,
        'another cluster has this name: choose a unique one',
      );
    }
    names.add(name);
    return readCluster(entry, key, name);
  });
}

function readCluster(entry: Config, key: string, name: string): ClusterAccess {
  const requestsPerMinute =
    entry.getOptionalNumber('requestsPerMinute') ?? DEFAULT_REQUESTS_PER_MINUTE;
  if (!(requestsPerMinute >= 1)) {
    throw wrong(
      `${key}.requestsPerMinute`,
      requestsPerMinute,
      'use a number of at least 1',
    );
  }
  const cluster = {
    name,
    title: entry.getOptionalString('title') ?? name,
    requestsPerMinute,
  };
  const kubeconfig = entry.getOptionalString('kubeconfig');
  if (kubeconfig !== undefined) {
    for (const other of [
      'url',
      'serviceAccountToken',
      'serviceAccountTokenFile',
      'caData',
      'caFile',
      'skipTLSVerify',
    ]) {
      if (entry.has(other)) {
        throw wrong(
          `${key}.kubeconfig`,
          kubeconfig,
          `a kubeconfig says everything itself: remove ${key}.${other}`,
        );
      }
    }
    return kubeconfigAccess(
      cluster,
      kubeconfig,
      entry.getOptionalString('context'),
    );
  }
  if (entry.has('context')) {
    throw wrong(
      `${key}.context`,
      entry.getString('context'),
      'a context needs a kubeconfig: set both or neither',
    );
  }
  return staticAccess(cluster, readEndpoint(entry, key));
}

function readEndpoint(entry: Config, key: string) {
  const url = entry.getOptionalString('url');
  if (url === undefined) {
    throw new InputError(
      `Missing configuration at ${key}: set url, or kubeconfig to a kubeconfig file`,
    );
  }
  checkServerUrl(`${key}.url`, url);
  const both = (one: string, other: string) => {
    if (entry.has(one) && entry.has(other)) {
      throw new InputError(
        `Invalid configuration at ${key}: ${one} and ${other} are both set; remove one of them`,
      );
    }
  };
  both('serviceAccountToken', 'serviceAccountTokenFile');
  both('caData', 'caFile');
  const caData = entry.getOptionalString('caData');
  if (caData !== undefined && !isPemInBase64(caData)) {
    throw new InputError(
      `Invalid configuration at ${key}.caData: it must be the base64 of a PEM certificate bundle; use caFile for a PEM file`,
    );
  }
  const withToken =
    entry.has('serviceAccountToken') || entry.has('serviceAccountTokenFile');
  if (!withToken && url.startsWith('https:')) {
    throw new InputError(
      `Missing configuration at ${key}: set serviceAccountToken, or serviceAccountTokenFile to a mounted token such as /var/run/secrets/kubernetes.io/serviceaccount/token`,
    );
  }
  return {
    url,
    caData,
    caFile: entry.getOptionalString('caFile'),
    skipTLSVerify: entry.getOptionalBoolean('skipTLSVerify'),
    serviceAccountToken: entry.getOptionalString('serviceAccountToken'),
    serviceAccountTokenFile: entry.getOptionalString('serviceAccountTokenFile'),
  };
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:';
}

function checkServerUrl(key: string, text: string): void {
  const url = URL.parse(text);
  if (!url || !isHttpUrl(text)) {
    throw wrong(
      key,
      text,
      'write the address of the API server such as https://10.0.0.1:6443',
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    // Not quoted: it may hold a password.
    throw new InputError(
      `Invalid configuration at ${key}: an address with credentials, query or fragment; use serviceAccountToken for credentials`,
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url)) {
    throw wrong(
      key,
      text,
      'a token must not travel in clear: use https (http is for loopback addresses only)',
    );
  }
}

function isPemInBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('latin1').includes('-----BEGIN');
}
