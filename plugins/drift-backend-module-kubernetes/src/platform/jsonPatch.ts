/* Pointers with list items by key, as plain RFC 6901 paths with indexes into one known document. */
import {
  type Json,
  type PointerToken,
  stringifyJson,
} from '@plumbline/drift-engine';
import { at, isObject } from '@plumbline/backstage-plugin-drift-node';

/** The path, or `undefined` where the document has nothing there. */
export function jsonPatchPath(
  document: Json,
  tokens: readonly PointerToken[],
): string | undefined {
  let current: Json | undefined = document;
  let path = '';
  for (const token of tokens) {
    if (Array.isArray(current)) {
      const index = indexOf(current, token);
      current = current[index];
      path += `/${index}`;
    } else if (typeof token === 'string') {
      current = at(current, token);
      path += `/${token.replace(/~/g, '~0').replace(/\//g, '~1')}`;
    } else {
      return undefined;
    }
    if (current === undefined) {
      return undefined;
    }
  }
  return path;
}

function indexOf(list: Json[], token: PointerToken): number {
  if (typeof token === 'string') {
    return Number(token);
  }
  const text = (value: Json) =>
    typeof value === 'string' ? value : stringifyJson(value);
  if ('member' in token) {
    return list.findIndex(item => text(item) === token.member);
  }
  return list.findIndex(
    item =>
      isObject(item) &&
      token.keys.every(([name, wanted]) => {
        const value = at(item, name);
        return value === undefined ? wanted === '' : text(value) === wanted;
      }),
  );
}
