/* Follows one kind of a cluster, wherever its path is at the moment: a kind may come and go while we watch. */
import type { LoggerService } from '@backstage/backend-plugin-api';
import { formatKind, type Gvk, resourcePath } from '../gvk';
import type { Cluster } from './cluster';
import { ANY_TIME } from './kept';
import {
  realTimers,
  reflect,
  type ReflectorTimers,
  type WatchEvent,
} from './reflector';
import { watchedCollection } from './watch';

export interface WatchKindOptions {
  signal: AbortSignal;
  /** Only these; all where absent. */
  namespaces?: readonly string[];
  /** The kind was listed before this watch begins: it may have changed in between. */
  late?: boolean;
  logger: LoggerService;
  timers?: ReflectorTimers;
  onEvent(event: WatchEvent): void;
  onRelist(): void;
}

/** Returns when `signal` aborts; never throws. */
export async function watchKind(
  cluster: Cluster,
  gvk: Gvk,
  options: WatchKindOptions,
): Promise<void> {
  await Promise.all(
    (options.namespaces ?? [undefined]).map(namespace =>
      watchNamespace(cluster, gvk, namespace, options),
    ),
  );
}

async function watchNamespace(
  cluster: Cluster,
  gvk: Gvk,
  namespace: string | undefined,
  options: WatchKindOptions,
): Promise<void> {
  const collection = async (signal: AbortSignal) => {
    const served = await cluster.discovery.require(gvk, {
      signal,
      priority: 'sweep',
      since: ANY_TIME,
    });
    const path = resourcePath(
      gvk,
      served.plural,
      served.namespaced ? namespace : undefined,
    );
    return watchedCollection(cluster.connection, cluster.objects, gvk, path);
  };
  await reflect(
    {
      position: async signal => (await collection(signal)).position(signal),
      follow: async follow => (await collection(follow.signal)).follow(follow),
    },
    {
      signal: options.signal,
      timers: options.timers ?? realTimers,
      late: options.late,
      onRelist: options.onRelist,
      onEvent: options.onEvent,
      onError: error =>
        options.logger.debug(
          `Watch of ${formatKind(gvk)} in cluster ${
            cluster.name
          } starts over: ${error.message}`,
        ),
    },
  );
}
