/** Lists in pages: a page says where the next one starts, and all pages show the same moment. */
import { StatusError, badRequest, expired } from './errors';
import { JsonObject, isObject, parseJson } from './json';
import { Kind, apiVersionOf } from './kinds';
import { Query } from './path';
import { fieldSelector, labelSelector } from './selectors';
import { Store, keyOf } from './store';
import { KubeObject } from './types';
import { inVersion, ordered } from './versions';
import { collectionOf } from './target';

/** What a list or watch asks for. */
export interface Selection {
  kind: Kind;
  version: string;
  namespace?: string;
}

/** A test for the objects that a request selects. */
export function selected(
  selection: Selection,
  query: Query,
): (object: KubeObject) => boolean {
  const labels = labelSelector(query.text('labelSelector'));
  const fields = fieldSelector(selection.kind, query.text('fieldSelector'));
  return object =>
    (selection.namespace === undefined ||
      object.metadata.namespace === selection.namespace) &&
    labels(object) &&
    fields(object);
}

interface Continue {
  version: number;
  /** The key after which the page starts. */
  after: string;
}

const TOKEN_FORMAT = 'meta.k8s.io/v1';

const writeContinue = ({ version, after }: Continue) =>
  Buffer.from(
    JSON.stringify({ v: TOKEN_FORMAT, rv: version, start: `${after}\0` }),
  ).toString('base64url');

function readContinue(token: string): Continue {
  let content: unknown;
  try {
    content = parseJson(Buffer.from(token, 'base64url').toString('utf8'));
  } catch (error) {
    throw badRequest(
      `invalid continue token: continue key is not valid: ${
        (error as Error).message
      }`,
    );
  }
  if (
    !isObject(content) ||
    typeof content.rv !== 'number' ||
    typeof content.start !== 'string'
  ) {
    throw badRequest(
      'invalid continue token: continue key is not valid: incorrect encoded start resourceVersion',
    );
  }
  return { version: content.rv, after: content.start.replace(/\0$/, '') };
}

/** The version that a request names. @throws StatusError 400 where it is no version */
export function readVersion(query: Query): number | undefined {
  const text = query.text('resourceVersion');
  if (text === undefined) {
    return undefined;
  }
  if (!/^\d+$/.test(text)) {
    throw badRequest(
      `resourceVersion: Invalid value: ${JSON.stringify(
        text,
      )}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  return Number(text);
}

const keyOfObject = (object: KubeObject) =>
  keyOf(object.metadata.namespace, object.metadata.name ?? '');

/**
 * One page of a list.
 *
 * @throws StatusError 400, 410 where the continue token or the exact version is too old, 504 where it is in the future
 */
export function listObjects(
  store: Store,
  selection: Selection,
  query: Query,
): JsonObject {
  const { kind, version } = selection;
  const matches = selected(selection, query);
  const token = query.text('continue');
  const limit = query.number('limit') ?? 0;
  const wanted = readVersion(query);
  if (token && wanted) {
    throw badRequest(
      'specifying resource version is not allowed when using continue',
    );
  }
  if (wanted !== undefined && wanted > store.version) {
    throw new StatusError(
      504,
      'Timeout',
      `Too large resource version: ${wanted}, current: ${store.version}`,
      {
        causes: [
          {
            reason: 'ResourceVersionTooLarge',
            message: 'Too large resource version',
            field: '',
          },
        ],
        retryAfterSeconds: 1,
      },
    );
  }
  const from = token ? readContinue(token) : undefined;
  const exact =
    query.text('resourceVersionMatch') === 'Exact' ? wanted : undefined;
  const asOf = from?.version ?? exact ?? store.version;
  const objects = readAsOf(store, collectionOf(kind), asOf, from)
    .filter(object => matches(object))
    .filter(object => from === undefined || keyOfObject(object) > from.after);

  const page = limit > 0 ? objects.slice(0, limit) : objects;
  const rest = objects.length - page.length;
  const last = page[page.length - 1];
  const unfiltered =
    !query.text('labelSelector') && !query.text('fieldSelector');
  return {
    kind: kind.listKind,
    apiVersion: apiVersionOf(kind.group, version),
    metadata: {
      // Lists of custom resources always have the field.
      ...(kind.definedBy ? { continue: '' } : {}),
      resourceVersion: `${asOf}`,
      ...(rest > 0 && last
        ? {
            continue: writeContinue({
              version: asOf,
              after: keyOfObject(last),
            }),
            ...(unfiltered ? { remainingItemCount: rest } : {}),
          }
        : {}),
    },
    items: page.map(object => listItem(kind, version, object)),
  };
}

/** An API server leaves kind and apiVersion out of the items of built-in kinds. */
export function listItem(
  kind: Kind,
  version: string,
  object: KubeObject,
): JsonObject {
  const shown = ordered(inVersion(kind, object, version));
  if (kind.definedBy) {
    return shown;
  }
  const { kind: _, apiVersion: __, ...item } = shown;
  return item;
}

function readAsOf(
  store: Store,
  collection: string,
  version: number,
  from: Continue | undefined,
): KubeObject[] {
  try {
    return store.list(collection, version);
  } catch (error) {
    if (from && error instanceof StatusError && error.code === 410) {
      throw continueExpired(store.version, from);
    }
    throw error;
  }
}

/** Says that the moment is gone, and offers a token for the rest of the list as it is now. */
function continueExpired(version: number, from: Continue): StatusError {
  const error = expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  );
  error.body.metadata = {
    continue: writeContinue({ version, after: from.after }),
  };
  return error;
}
