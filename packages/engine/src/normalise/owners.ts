/*
 * Who owns which field of a Kubernetes object, from its managedFields (fieldsV1).
 */
import { FieldOwner, Json, JsonObject, Pointer } from '../types';
import {
  formatPointer,
  formatToken,
  isObject,
  PointerToken,
  tokenText,
} from '../pointer';
import { SchemaNode } from '../schema/compile';
import { parseJson } from '../json/parse';

function keyToken(text: string, node: SchemaNode | undefined): PointerToken {
  let parsed: Json;
  try {
    parsed = parseJson(text);
  } catch {
    // Not what a server writes; the text itself still names the item.
    return text;
  }
  if (!isObject(parsed)) {
    return { member: tokenText(parsed) };
  }
  const names = Object.keys(parsed);
  const order = node?.keys ?? [];
  names.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return {
    keys: names.map(name => [name, tokenText((parsed as JsonObject)[name])]),
  };
}

function step(
  key: string,
  node: SchemaNode | undefined,
): [PointerToken, SchemaNode | undefined] | undefined {
  switch (key.slice(0, 2)) {
    case 'f:': {
      const name = key.slice(2);
      return [name, node?.child(name)];
    }
    case 'k:':
      return [keyToken(key.slice(2), node), node?.items];
    case 'v:': {
      let member: string;
      try {
        member = tokenText(parseJson(key.slice(2)));
      } catch {
        // Not what a server writes; the text itself still names the member.
        member = key.slice(2);
      }
      return [{ member }, node?.items];
    }
    case 'i:':
      return [key.slice(2), node?.items];
    default:
      return undefined;
  }
}

function collect(
  fields: JsonObject,
  node: SchemaNode | undefined,
  path: PointerToken[],
  owner: FieldOwner,
  owners: Record<Pointer, FieldOwner[]>,
): void {
  let leaf = true;
  for (const [key, below] of Object.entries(fields)) {
    const next = step(key, node);
    if (next && path.length < 100) {
      leaf = false;
      path.push(next[0]);
      collect(isObject(below) ? below : {}, next[1], path, owner, owners);
      path.pop();
    }
  }
  if (leaf && path.length > 0) {
    const pointer = formatPointer(path);
    // eslint-disable-next-line no-param-reassign
    (owners[pointer] ??= []).push(owner);
  }
}

const text = (value: Json | undefined) =>
  typeof value === 'string' ? value : undefined;

function managedFields(document: Json): Json[] | undefined {
  const metadata = isObject(document) ? document.metadata : undefined;
  const entries = isObject(metadata) ? metadata.managedFields : undefined;
  return Array.isArray(entries) ? entries : undefined;
}

/**
 * Owners by pointer of every leaf that managedFields name; `undefined` where the document has none.
 *
 * @param document - the object as the server returned it
 */
export function readOwners(
  document: Json,
  root: SchemaNode,
  ourManager: string | undefined,
): Record<Pointer, FieldOwner[]> | undefined {
  const entries = managedFields(document);
  if (entries === undefined) {
    return undefined;
  }
  const owners: Record<Pointer, FieldOwner[]> = {};
  for (const entry of entries) {
    if (isObject(entry) && isObject(entry.fieldsV1)) {
      const manager = text(entry.manager) ?? 'unknown';
      const owner: FieldOwner = { manager };
      const operation = text(entry.operation);
      const subresource = text(entry.subresource);
      const time = text(entry.time);
      if (operation) owner.operation = operation;
      if (subresource) owner.subresource = subresource;
      if (time) owner.time = time;
      if (manager === ourManager) owner.ours = true;
      collect(entry.fieldsV1, root, [], owner, owners);
    }
  }
  return owners;
}

const inOrder = (token: Exclude<PointerToken, string>): PointerToken =>
  'keys' in token
    ? { keys: [...token.keys].sort(([a], [b]) => (a < b ? -1 : 1)) }
    : token;

/** What a step of fieldsV1 holds under a token. */
function heldUnder(fields: JsonObject, token: PointerToken): Json | undefined {
  if (typeof token === 'string') {
    return fields[`f:${token}`] ?? fields[`i:${token}`];
  }
  const wanted = formatToken(inOrder(token));
  const key = Object.keys(fields).find(name => {
    const [found] = step(name, undefined) ?? [''];
    return typeof found !== 'string' && formatToken(inOrder(found)) === wanted;
  });
  return key && fields[key];
}

function reach(fields: JsonObject, path: readonly PointerToken[]): boolean {
  let at = fields;
  for (const token of path) {
    const next = heldUnder(at, token);
    if (next === undefined) {
      // What has nothing below it is owned as a whole.
      return Object.keys(at).every(key => key === '.');
    }
    at = isObject(next) ? next : {};
  }
  return true;
}

/**
 * Do the fields that we applied reach into a place? Asks managedFields directly: making pointers of all of them costs
 * more than a whole comparison.
 */
export function appliedAt(
  document: Json,
  ourManager: string | undefined,
  path: readonly PointerToken[],
): boolean {
  return (managedFields(document) ?? []).some(
    entry =>
      isObject(entry) &&
      entry.manager === ourManager &&
      entry.operation === 'Apply' &&
      isObject(entry.fieldsV1) &&
      reach(entry.fieldsV1, path),
  );
}
