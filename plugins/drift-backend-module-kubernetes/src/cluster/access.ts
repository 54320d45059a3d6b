/*
 * How a cluster is reached: its address, its authority, and credentials that are fetched anew for every request, so
 * that a rotated token or a replaced kubeconfig is honoured without a restart.
 */
import { readFile } from 'node:fs/promises';
import { KubeConfig, type RequestContext } from '@kubernetes/client-node';
import type {
  AuthenticationStrategy,
  ClusterDetails,
} from '@backstage/plugin-kubernetes-node';
import { PlatformError } from '@plumbline/backstage-plugin-drift-node';
import { reasonOf } from '../reason';
import { isLoopback } from './loopback';

/** One cluster as this module knows it. */
export interface ClusterAccess {
  /** Unique among the clusters; part of the platform's id. */
  name: string;
  title: string;
  requestsPerMinute: number;
  /** A configuration with credentials that are valid now. Throws `PlatformError`. */
  kubeConfig(): Promise<KubeConfig>;
}

type Dispatcher = NonNullable<ReturnType<RequestContext['getDispatcher']>>;

/**
 * The client library makes a new connection pool for every request to a server with its own authority; this keeps the
 * first, so that connections are reused.
 */
class PooledKubeConfig extends KubeConfig {
  private dispatcher: Dispatcher | undefined;

  async applySecurityAuthentication(context: RequestContext): Promise<void> {
    await super.applySecurityAuthentication(context);
    const fresh = context.getDispatcher();
    if (!fresh || this.getCurrentUser()?.exec) {
      // A credential plugin may bring another client certificate each time.
      return;
    }
    this.dispatcher ??= fresh;
    context.setDispatcher(this.dispatcher);
  }
}

/** Address and identity, as plain data. */
interface Endpoint {
  server: string;
  /** Base64 of a PEM bundle. */
  caData?: string;
  skipTLSVerify?: boolean;
  user:
    | { token: string }
    | { certData: string; keyData: string }
    | Record<string, never>;
}

/** Keeps one configuration, and with it its connections, for as long as nothing but the token changes. */
class EndpointConfigs {
  private current: { identity: string; config: PooledKubeConfig } | undefined;

  constructor(private readonly name: string) {}

  configFor(endpoint: Endpoint): KubeConfig {
    const { server, caData, skipTLSVerify, user } = endpoint;
    const identity = JSON.stringify([
      server,
      caData,
      skipTLSVerify,
      'certData' in user ? user : undefined,
    ]);
    if (this.current?.identity !== identity) {
      this.current = { identity, config: new PooledKubeConfig() };
    }
    this.current.config.loadFromClusterAndUser(
      {
        name: this.name,
        server,
        caData,
        // The client library refuses plain HTTP otherwise; the configuration allows it for loopback addresses only.
        skipTLSVerify: (skipTLSVerify ?? false) || server.startsWith('http:'),
      },
      { name: this.name, ...user },
    );
    return this.current.config;
  }
}

async function readConfigured(
  cluster: string,
  what: string,
  path: string,
): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new PlatformError(
      'denied',
      `the ${what} of cluster ${cluster} cannot be read, check that the file is there and readable: ${reasonOf(
        error,
      )}`,
    );
  }
}

/** Credentials from our own configuration. */
export interface StaticAccess {
  url: string;
  serviceAccountToken?: string;
  serviceAccountTokenFile?: string;
  caData?: string;
  caFile?: string;
  skipTLSVerify?: boolean;
}

/** A cluster of `drift.kubernetes.clusters` with a URL. */
export function staticAccess(
  cluster: Omit<ClusterAccess, 'kubeConfig'>,
  access: StaticAccess,
): ClusterAccess {
  const configs = new EndpointConfigs(cluster.name);
  return {
    ...cluster,
    async kubeConfig() {
      const token = access.serviceAccountTokenFile
        ? await readConfigured(
            cluster.name,
            'service account token',
            access.serviceAccountTokenFile,
          )
        : access.serviceAccountToken;
      const ca = access.caFile
        ? await readConfigured(cluster.name, 'authority', access.caFile)
        : undefined;
      return configs.configFor({
        server: access.url,
        caData: ca ? Buffer.from(ca).toString('base64') : access.caData,
        skipTLSVerify: access.skipTLSVerify,
        user: token ? { token: token.trim() } : {},
      });
    },
  };
}

/** A cluster of `drift.kubernetes.clusters` that a kubeconfig file describes. */
export function kubeconfigAccess(
  cluster: Omit<ClusterAccess, 'kubeConfig'>,
  file: string,
  context: string | undefined,
): ClusterAccess {
  let current: { text: string; config: KubeConfig } | undefined;
  return {
    ...cluster,
    async kubeConfig() {
      const text = await readConfigured(cluster.name, 'kubeconfig', file);
      if (current?.text !== text) {
        current = { text, config: loadKubeconfig(cluster.name, file, context) };
      }
      return current.config;
    },
  };
}

function loadKubeconfig(
  cluster: string,
  file: string,
  context: string | undefined,
): KubeConfig {
  const config = new PooledKubeConfig();
  try {
    config.loadFromFile(file);
  } catch {
    // The parser's own words may quote the file, which holds credentials.
    throw new PlatformError(
      'denied',
      `the kubeconfig ${file} of cluster ${cluster} is not a valid kubeconfig file`,
    );
  }
  const wanted = context ?? config.getCurrentContext();
  if (!wanted || !config.getContextObject(wanted)) {
    const known = config.getContexts().map(({ name }) => name);
    throw new PlatformError(
      'denied',
      `the kubeconfig ${file} of cluster ${cluster} has no context ${
        wanted || '(none is current)'
      }: use one of ${known.join(', ') || 'none'}`,
    );
  }
  config.setCurrentContext(wanted);
  const target = config.getCurrentCluster();
  const url = URL.parse(target?.server ?? '');
  if (url?.protocol === 'http:') {
    if (!isLoopback(url)) {
      throw new PlatformError(
        'denied',
        `the kubeconfig ${file} of cluster ${cluster} names a plain http address: a token must not travel in clear, use https`,
      );
    }
    config.clusters = config.clusters.map(one =>
      one.name === target?.name ? { ...one, skipTLSVerify: true } : one,
    );
  }
  if (!target) {
    throw new PlatformError(
      'denied',
      `the context ${wanted} of the kubeconfig ${file} names a cluster that the file does not hold`,
    );
  }
  return config;
}

/** A cluster that the Kubernetes plugin supplies, with the plugin's own authentication. */
export function pluginAccess(
  details: ClusterDetails,
  requestsPerMinute: number,
  authStrategy: AuthenticationStrategy,
  inCluster: () => KubeConfig | undefined,
): ClusterAccess {
  const configs = new EndpointConfigs(details.name);
  return {
    name: details.name,
    title: details.title ?? details.name,
    requestsPerMinute,
    async kubeConfig() {
      const own = inCluster();
      if (own) {
        return own;
      }
      const credential = await credentialOf(details, authStrategy);
      const ca = details.caFile
        ? await readConfigured(details.name, 'authority', details.caFile)
        : undefined;
      return configs.configFor({
        server: details.url,
        caData: ca ? Buffer.from(ca).toString('base64') : details.caData,
        skipTLSVerify: details.skipTLSVerify,
        user: credential,
      });
    },
  };
}

async function credentialOf(
  details: ClusterDetails,
  authStrategy: AuthenticationStrategy,
): Promise<Endpoint['user']> {
  let credential;
  try {
    credential = await authStrategy.getCredential(details, {});
  } catch (error) {
    throw new PlatformError(
      'denied',
      `the Kubernetes plugin has no credentials for cluster ${
        details.name
      }: check its authProvider in the plugin's configuration: ${reasonOf(
        error,
      )}`,
    );
  }
  switch (credential.type) {
    case 'bearer token':
      return { token: credential.token.trim() };
    case 'x509 client certificate':
      return {
        certData: Buffer.from(credential.cert).toString('base64'),
        keyData: Buffer.from(credential.key).toString('base64'),
      };
    default:
      return {};
  }
}

/** The cluster that this process runs in, with its mounted service account. */
export function inClusterConfig(): KubeConfig {
  const config = new PooledKubeConfig();
  config.loadFromCluster();
  return config;
}
