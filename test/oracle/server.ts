/*
 * The oracle's API server: the one that KUBEBUILDER_ASSETS brings, or none.
 */
import { Json } from '@plumbline/drift-engine';
import { KubeApiserver, startKubeApiserver } from '../src/kubeApiserver';
import { Cluster } from './cluster';
import { builtInKinds, Kind, kongKinds } from './kinds';
import { Random } from './random';
import { install, makePairs, Report } from './run';

/** A server with every kind installed. */
export interface Oracle {
  cluster: Cluster;
  openapiV2: Json;
  kinds: Kind[];
  stop(): Promise<void>;
}

/**
 * Starts a server and installs the definitions.
 *
 * @param assets - the folder that holds etcd and kube-apiserver
 */
export async function startOracle(assets: string): Promise<Oracle> {
  const server: KubeApiserver = await startKubeApiserver(assets);
  const cluster = new Cluster(server);
  const stop = async () => {
    cluster.close();
    await server.stop();
  };
  try {
    const kinds = [...builtInKinds(), ...kongKinds()];
    for (const kind of kinds) {
      await install(cluster, kind);
    }
    const { body } = await cluster.call('GET', '/openapi/v2');
    return { cluster, openapiV2: body, kinds, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Pairs of one kind from a running oracle. */
export function ask(
  oracle: Oracle,
  kind: Kind,
  count: number,
  random: Random,
): Promise<Report> {
  return makePairs(oracle, kind, count, random);
}
