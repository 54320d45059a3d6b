/** Watches: a stream of events from a version on, with bookmarks and an end. */
import type { Response } from 'express';
import { StatusError, internal } from './errors';
import { JsonObject, stringifyJson } from './json';
import { apiVersionOf } from './kinds';
import { Query } from './path';
import { Selection, readVersion, selected } from './reads';
import { Store, StoreEvent } from './store';
import { KubeObject } from './types';
import { inVersion, ordered } from './versions';
import { collectionOf } from './target';

/** What watches need from outside. */
export interface WatchOptions {
  /** How often a watch that allows bookmarks gets one, in milliseconds. */
  bookmarkInterval: number;
  /** How long a watch lasts that does not say it, in milliseconds. */
  defaultTimeout: number;
  /** Shows an object as the client asked for it. */
  present: (object: JsonObject) => JsonObject;
}

/**
 * Answers a watch; the response ends with its timeout, with an error event, or with the client.
 *
 * @throws StatusError 400 before the stream has begun
 */
export function serveWatch(
  store: Store,
  selection: Selection,
  query: Query,
  response: Response,
  options: WatchOptions,
): void {
  const matches = selected(selection, query);
  const collection = collectionOf(selection.kind);
  const from = watchedVersion(query);
  const timeout = query.number('timeoutSeconds');
  const duration = timeout ? timeout * 1000 : options.defaultTimeout;
  const bookmarks = query.flag('allowWatchBookmarks');
  const show = (object: KubeObject) =>
    options.present(
      ordered(inVersion(selection.kind, object, selection.version)),
    );

  response
    .status(200)
    .set('Content-Type', 'application/json')
    .set('Cache-Control', 'no-cache, private');
  response.flushHeaders();
  const send = (type: string, object: JsonObject) =>
    response.write(`${stringifyJson({ type, object })}\n`);
  const forward = (event: StoreEvent) => {
    const type =
      event.collection === collection ? eventType(event, matches) : undefined;
    if (type) {
      send(type, show(shownObject(event, type)));
    }
  };

  try {
    if (from === 0) {
      store
        .list(collection)
        .filter(matches)
        .forEach(object => send('ADDED', show(object)));
    } else {
      store.since(collection, from).forEach(forward);
    }
  } catch (error) {
    if (!(error instanceof StatusError)) {
      throw error;
    }
    send('ERROR', error.body);
    response.end();
    return;
  }

  const bookmark = () =>
    send('BOOKMARK', {
      kind: selection.kind.kind,
      apiVersion: apiVersionOf(selection.kind.group, selection.version),
      metadata: {
        resourceVersion: `${store.version}`,
        creationTimestamp: null,
      },
    });
  const timers: NodeJS.Timeout[] = [];
  if (bookmarks) {
    timers.push(setInterval(bookmark, options.bookmarkInterval));
  }
  const unsubscribe = store.subscribe(forward);
  timers.push(
    setTimeout(() => {
      if (bookmarks) {
        bookmark();
      }
      response.end();
    }, duration),
  );
  response.on('close', () => {
    unsubscribe();
    timers.forEach(clearInterval);
  });
}

/** 0 stands for: whatever is there now, then what changes. */
function watchedVersion(query: Query): number {
  try {
    return readVersion(query) ?? 0;
  } catch (error) {
    // A real API server answers this one with 500.
    throw error instanceof StatusError ? internal(error.message) : error;
  }
}

/** An object that starts or ceases to match appears or disappears for the watcher. */
function eventType(
  { type, object, previous }: StoreEvent,
  matches: (object: KubeObject) => boolean,
): StoreEvent['type'] | undefined {
  const before = previous !== undefined && matches(previous);
  const after = type !== 'DELETED' && matches(object);
  if (before) {
    return after ? 'MODIFIED' : 'DELETED';
  }
  return after ? 'ADDED' : undefined;
}

/** A disappearing object is shown as it was, with the version of its disappearance. */
function shownObject(
  { object, previous }: StoreEvent,
  type: StoreEvent['type'],
): KubeObject {
  const { resourceVersion } = object.metadata;
  return type === 'DELETED' && previous
    ? {
        ...previous,
        metadata: {
          ...previous.metadata,
          ...(resourceVersion ? { resourceVersion } : {}),
        },
      }
    : object;
}
