/* A collection of a real API server, for the reflector: the client library's watch, behind our budget. */
import { isError } from '@backstage/errors';
import { Watch } from '@kubernetes/client-node';
import type { Json } from '@plumbline/drift-engine';
import { at, isObject, textAt } from '@plumbline/backstage-plugin-drift-node';
import { type Gvk, formatKind } from '../gvk';
import type { ClusterConnection } from './connection';
import { ClusterError, errorOfFailure, errorOfResponse } from './errors';
import type { ClusterObjects } from './objects';
import {
  PositionExpired,
  type WatchedCollection,
  type WatchEvent,
} from './reflector';

/** The library gives a silent connection up after this long; the reflector's own watchdog is the one that counts. */
const LIBRARY_SILENCE = 10 * 60_000;

/** What the library hands to `done` where the server refused the watch. */
function statusCodeOf(error: unknown): number | undefined {
  return isError(error) && typeof error.statusCode === 'number'
    ? error.statusCode
    : undefined;
}

export function watchedCollection(
  connection: ClusterConnection,
  objects: ClusterObjects,
  gvk: Gvk,
  path: string,
): WatchedCollection {
  return {
    async position(signal) {
      return objects.position(gvk, path, { signal, priority: 'sweep' });
    },

    async follow({ resourceVersion, timeoutSeconds, signal, onEvent }) {
      let stop = () => {};
      const ended = new Promise<void>((resolve, reject) => {
        const finish = (error: unknown) => {
          if (!error || signal.aborted) {
            resolve();
          } else {
            reject(explain(error, connection.name, `GET ${path}?watch`));
          }
        };
        // A failure inside the library's callback would be swallowed, so it ends the watch by hand.
        const onLine = (type: string, object: Json) => {
          try {
            receive(type, object, onEvent);
          } catch (error) {
            finish(error);
            stop();
          }
        };
        connection
          .throughGate({ signal, priority: 'sweep' }, async () => {
            const config = await connection.kubeConfig();
            const watch = new Watch(config);
            // Declared private, but there is no other way: its default ends a healthy, quiet watch after 30 s.
            Object.assign(watch, { requestTimeoutMs: LIBRARY_SILENCE });
            return watch.watch(
              path,
              {
                resourceVersion,
                timeoutSeconds,
                allowWatchBookmarks: true,
              },
              onLine,
              finish,
            );
          })
          .then(controller => {
            stop = () => controller.abort();
            if (signal.aborted) {
              stop();
            }
          }, finish);
        signal.addEventListener(
          'abort',
          () => {
            stop();
            resolve();
          },
          { once: true },
        );
      });
      try {
        await ended;
      } finally {
        stop();
      }
    },
  };

  function receive(
    type: string,
    object: Json,
    onEvent: (event: WatchEvent) => void,
  ) {
    if (type === 'ERROR') {
      const code = at(object, 'code');
      throw code === 410
        ? new PositionExpired()
        : new ClusterError(
            'transient',
            `cluster ${connection.name} ended the watch of ${formatKind(
              gvk,
            )}: ${textAt(object, 'reason') ?? 'no reason given'}`,
            {},
          );
    }
    const version = textAt(object, 'metadata', 'resourceVersion');
    const known =
      type === 'ADDED' ||
      type === 'MODIFIED' ||
      type === 'DELETED' ||
      type === 'BOOKMARK';
    if (!known || !isObject(object) || !version) {
      throw new ClusterError(
        'transient',
        `cluster ${connection.name} sent a watch event of ${formatKind(
          gvk,
        )} that cannot be read`,
        {},
      );
    }
    onEvent({
      type,
      object: { ...object, apiVersion: gvk.apiVersion, kind: gvk.kind },
      resourceVersion: version,
    });
  }

  function explain(error: unknown, cluster: string, request: string): unknown {
    if (error instanceof PositionExpired || error instanceof ClusterError) {
      return error;
    }
    const status = statusCodeOf(error);
    if (status === 410) {
      return new PositionExpired();
    }
    return status === undefined
      ? errorOfFailure(error, { cluster, request, writes: false })
      : errorOfResponse({
          status,
          body: '',
          request,
          cluster,
          sensitive: false,
        });
  }
}
