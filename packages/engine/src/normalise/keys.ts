/*
 * By what an item of a list is told from the others.
 */
import { Json } from '../types';
import { isObject, own, PointerToken, tokenText } from '../pointer';
import { SchemaNode } from '../schema/compile';

/** Key token of a list item, or `undefined` where it lacks a key. */
export function itemToken(
  node: SchemaNode,
  item: Json,
): Exclude<PointerToken, string> | undefined {
  if (node.list === 'set') {
    return { member: tokenText(item) };
  }
  if (!isObject(item)) {
    return undefined;
  }
  const keys: Array<[string, string]> = [];
  for (const name of node.keys) {
    const value = own(item, name) ?? node.items.property(name)?.default;
    if (value === undefined || value === null || typeof value === 'object') {
      return undefined;
    }
    keys.push([name, tokenText(value)]);
  }
  return keys.length > 0 ? { keys } : undefined;
}

/** Text under which an item is found again, or `undefined` where it lacks a key. */
export function keyText(node: SchemaNode, item: Json): string | undefined {
  if (!isObject(item)) {
    return undefined;
  }
  if (node.keys.length === 1) {
    const value = own(item, node.keys[0]);
    return value === undefined || typeof value === 'object'
      ? undefined
      : tokenText(value);
  }
  let text = '';
  for (const name of node.keys) {
    const value = own(item, name);
    if (value === undefined || typeof value === 'object') {
      return undefined;
    }
    text += `${tokenText(value)}\u0000`;
  }
  return text;
}

/** The item with the keys that the platform fills in by default. */
export function withKeys(node: SchemaNode, item: Json): Json {
  if (!isObject(item)) {
    return item;
  }
  let out = item;
  for (const name of node.keys) {
    const given = own(item, name);
    if (given === undefined || given === null) {
      const value = node.items.property(name)?.default;
      if (value !== undefined) {
        out = { ...out, [name]: value };
      }
    }
  }
  return out;
}
