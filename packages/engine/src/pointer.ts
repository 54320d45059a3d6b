/*
 * Pointers into documents: RFC 6901, with list items by key (`/spec/containers/[name=app]/image`) and members of
 * sets by value (`/metadata/finalizers/[=example.com/hold]`).
 *
 * Escapes beside RFC 6901's `~0` (`~`) and `~1` (`/`): `~2` is a comma inside a bracket, `~3` a `[` that begins
 * an ordinary key.
 */
import { Json, JsonObject, Pointer } from './types';
import { canonical } from './json/canonical';

/** One step of a pointer: a property or index, an item by its keys, or a member of a set by its value. @public */
export type PointerToken =
  | string
  | { keys: Array<[name: string, value: string]> }
  | { member: string };

function escapeText(text: string): string {
  return text.includes('~') || text.includes('/')
    ? text.replace(/~/g, '~0').replace(/\//g, '~1')
    : text;
}

function unescapeText(text: string): string {
  return text.includes('~')
    ? text.replace(/~([0123])/g, (_match, code) => '~/,['[Number(code)])
    : text;
}

const escapeInBracket = (text: string) => escapeText(text).replace(/,/g, '~2');

/** The text by which a value is looked up inside a bracket. */
export function tokenText(value: Json): string {
  return typeof value === 'string' ? value : canonical(value);
}

/** @public */
export function formatToken(token: PointerToken): string {
  if (typeof token === 'string') {
    const text = escapeText(token);
    return text.startsWith('[') ? `~3${text.slice(1)}` : text;
  }
  if ('member' in token) {
    return `[=${escapeInBracket(token.member)}]`;
  }
  const pairs = token.keys.map(
    ([name, value]) => `${escapeInBracket(name)}=${escapeInBracket(value)}`,
  );
  return `[${pairs.join(',')}]`;
}

/** @public */
export function formatPointer(tokens: readonly PointerToken[]): Pointer {
  let text = '';
  for (const token of tokens) {
    text += `/${formatToken(token)}`;
  }
  return text;
}

function parseToken(text: string): PointerToken {
  if (text.startsWith('[') && text.endsWith(']')) {
    const inner = text.slice(1, -1);
    if (inner.startsWith('=')) {
      return { member: unescapeText(inner.slice(1)) };
    }
    if (inner.includes('=')) {
      return {
        keys: inner.split(',').map(pair => {
          const at = pair.indexOf('=');
          return at < 0
            ? [unescapeText(pair), '']
            : [
                unescapeText(pair.slice(0, at)),
                unescapeText(pair.slice(at + 1)),
              ];
        }),
      };
    }
  }
  return unescapeText(text);
}

/**
 * Takes a pointer apart. The empty pointer is the whole document. A missing leading slash is tolerated.
 *
 * @public
 */
export function parsePointer(pointer: Pointer): PointerToken[] {
  if (pointer === '' || pointer === '/') {
    return [];
  }
  const text = pointer.startsWith('/') ? pointer.slice(1) : pointer;
  return text.split('/').map(parseToken);
}

/** Own property, never one that objects inherit: a document may well have a key called `constructor`. */
export function own(object: JsonObject, key: string): Json | undefined {
  return Object.prototype.hasOwnProperty.call(object, key)
    ? object[key]
    : undefined;
}

/** Sets an own property, also one called `__proto__`. */
export function put(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else {
    // eslint-disable-next-line no-param-reassign
    object[key] = value;
  }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function matches(item: Json, token: Exclude<PointerToken, string>): boolean {
  if ('member' in token) {
    return tokenText(item) === token.member;
  }
  return (
    isObject(item) &&
    token.keys.every(([name, wanted]) => {
      const value = own(item, name);
      // A key of '' also stands for a key that is not there (see `itemToken`).
      return value === undefined ? wanted === '' : tokenText(value) === wanted;
    })
  );
}

/** Index of the item that a token means, or -1. */
export function indexOfToken(list: Json[], token: PointerToken): number {
  if (typeof token === 'string') {
    return /^(0|[1-9]\d*)$/.test(token) && Number(token) < list.length
      ? Number(token)
      : -1;
  }
  return list.findIndex(item => matches(item, token));
}

/**
 * The value at a pointer, or `undefined` where there is none.
 *
 * @public
 */
export function getAt(
  document: Json | undefined,
  pointer: Pointer | readonly PointerToken[],
): Json | undefined {
  const tokens = typeof pointer === 'string' ? parsePointer(pointer) : pointer;
  let value = document;
  for (const token of tokens) {
    if (Array.isArray(value)) {
      value = value[indexOfToken(value, token)];
    } else if (isObject(value) && typeof token === 'string') {
      value = own(value, token);
    } else {
      return undefined;
    }
  }
  return value;
}

function newItem(token: Exclude<PointerToken, string>): Json {
  if ('member' in token) {
    return token.member;
  }
  const item: JsonObject = {};
  for (const [name, value] of token.keys) {
    put(item, name, value);
  }
  return item;
}

function setIn(
  value: Json | undefined,
  tokens: readonly PointerToken[],
  at: number,
  next: Json,
): Json {
  if (at === tokens.length) {
    return next;
  }
  const token = tokens[at];
  const list = Array.isArray(value);
  if (list || typeof token !== 'string') {
    const copy = list ? value.slice() : [];
    const index = indexOfToken(copy, token);
    if (index >= 0) {
      copy[index] = setIn(copy[index], tokens, at + 1, next);
    } else {
      const fresh = typeof token === 'string' ? undefined : newItem(token);
      copy.push(setIn(fresh, tokens, at + 1, next));
    }
    return copy;
  }
  const copy: JsonObject = isObject(value) ? { ...value } : {};
  put(copy, token, setIn(own(copy, token), tokens, at + 1, next));
  return copy;
}

/**
 * A copy of the document with the value at the pointer set; parents and keyed list items are made as needed.
 * Only what lies on the way is copied.
 *
 * @public
 */
export function setAt(
  document: Json | undefined,
  pointer: Pointer | readonly PointerToken[],
  value: Json,
): Json {
  const tokens = typeof pointer === 'string' ? parsePointer(pointer) : pointer;
  return setIn(document, tokens, 0, value);
}

function removeIn(
  value: Json,
  tokens: readonly PointerToken[],
  at: number,
): Json {
  const token = tokens[at];
  const last = at === tokens.length - 1;
  if (Array.isArray(value)) {
    const index = indexOfToken(value, token);
    if (index < 0) {
      return value;
    }
    const copy = value.slice();
    if (last) {
      copy.splice(index, 1);
    } else {
      copy[index] = removeIn(copy[index], tokens, at + 1);
    }
    return copy;
  }
  if (!isObject(value) || typeof token !== 'string') {
    return value;
  }
  const child = own(value, token);
  if (child === undefined) {
    return value;
  }
  const copy = { ...value };
  if (last) {
    delete copy[token];
  } else {
    put(copy, token, removeIn(child, tokens, at + 1));
  }
  return copy;
}

/**
 * A copy of the document without the value at the pointer. Removing the whole document gives `null`.
 *
 * @public
 */
export function removeAt(
  document: Json,
  pointer: Pointer | readonly PointerToken[],
): Json {
  const tokens = typeof pointer === 'string' ? parsePointer(pointer) : pointer;
  return tokens.length === 0 ? null : removeIn(document, tokens, 0);
}
