/*
 * How much of an undeclared live value our own earlier writes set.
 */
/* eslint-disable guard-for-in -- JSON values inherit no enumerable properties */
import { Json } from '../types';
import { formatToken, isObject } from '../pointer';
import { itemToken } from '../normalise/keys';
import { SchemaNode } from '../schema/compile';
import { isDefault } from './equal';
import { OwnedTree } from './owned';

const isScalar = (value: Json) => typeof value !== 'object' || value === null;

/** How much of a live value did our writes set? Defaults that came with it count for neither. */
export function ourShare(
  node: SchemaNode,
  live: Json,
  owned: OwnedTree,
): 'all' | 'some' | 'none' {
  // We set the container itself, empty, but not what others put into it.
  const container =
    owned.leaf &&
    !owned.whole &&
    owned.children.size === 0 &&
    node.shared &&
    !isScalar(live);
  if (owned.leaf && !container) {
    return 'all';
  }
  let ours = container;
  let others = false;
  const count = (child: SchemaNode, value: Json, tree?: OwnedTree) => {
    const share = tree ? ourShare(child, value, tree) : 'none';
    if (share !== 'none') ours = true;
    if (share === 'some' || (share === 'none' && !isDefault(child, value))) {
      others = true;
    }
  };
  if (Array.isArray(live)) {
    for (const item of live) {
      const token = itemToken(node, item);
      count(node.items, item, token && owned.children.get(formatToken(token)));
    }
  } else if (isObject(live)) {
    for (const key in live) {
      count(node.child(key), live[key], owned.children.get(formatToken(key)));
    }
  }
  if (!ours || (container && others)) {
    return 'none';
  }
  return others ? 'some' : 'all';
}
