/*
 * Fields that our own writes set: as pointers (what a write of a declaration sets), and as a tree to look them up in.
 */
import { FieldOwner, Json, Pointer, ResourceSchema, State } from '../types';
import {
  formatPointer,
  formatToken,
  isObject,
  parsePointer,
  PointerToken,
} from '../pointer';
import { compile, SchemaNode } from '../schema/compile';
import { itemToken } from '../normalise/keys';
import { secretMark } from './equal';

/** Pointers as a tree; keys are formatted tokens. */
export interface OwnedTree {
  /** A pointer ends here: all below is ours, but for what others put into a container that we applied empty. */
  leaf: boolean;
  /** A pointer of our own memory ends here: all below is ours, also in a container. */
  whole: boolean;
  children: Map<string, OwnedTree>;
}

/** Shorthands under which a field may have been declared, by the rule that spells them out. */
const SHORTHANDS: Record<string, (pointer: Pointer) => Pointer[]> = {
  'kubernetes.stringData': pointer =>
    pointer.startsWith('/stringData/')
      ? [pointer.replace('/stringData/', '/data/')]
      : [pointer],
  'konnect.serviceUrl': pointer =>
    pointer === '/url' ? ['/protocol', '/host', '/port', '/path'] : [pointer],
};

/** A pointer with the names that its fields have now. */
function renewed(pointer: Pointer, schema: ResourceSchema): Pointer[] {
  const tokens = parsePointer(pointer);
  let node = compile(schema);
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (typeof token !== 'string') {
      node = node.items;
    } else {
      const aliases = node.schema.aliases ?? {};
      if (Object.prototype.hasOwnProperty.call(aliases, token)) {
        return [aliases[token]]
          .flat()
          .map(name =>
            formatPointer([
              ...tokens.slice(0, at),
              ...name.split('/'),
              ...tokens.slice(at + 1),
            ]),
          );
      }
      node = node.child(token);
    }
  }
  return [pointer];
}

/** Pointers as they are after normalisation. */
export function spelledOut(
  pointers: readonly Pointer[],
  schema: ResourceSchema,
): Pointer[] {
  const spelled = (schema.rules ?? []).reduce<Pointer[]>(
    (all, rule) =>
      Object.prototype.hasOwnProperty.call(SHORTHANDS, rule)
        ? all.flatMap(SHORTHANDS[rule])
        : all,
    [...pointers],
  );
  return spelled.flatMap(pointer => renewed(pointer, schema));
}

const emptyTree = (): OwnedTree => ({
  leaf: false,
  whole: false,
  children: new Map(),
});

function childOf(tree: OwnedTree, token: PointerToken): OwnedTree {
  const key = formatToken(token);
  let next = tree.children.get(key);
  if (next === undefined) {
    next = emptyTree();
    tree.children.set(key, next);
  }
  return next;
}

/**
 * @param pointers - fields that our own writes set, as we remember them
 * @param applied - fields that the live document says we applied, with empty containers among them
 */
export function ownedTree(
  pointers: readonly Pointer[],
  applied: readonly Pointer[] = [],
): OwnedTree {
  const root = emptyTree();
  const add = (pointer: Pointer, remembered: boolean) => {
    let at = root;
    for (const token of parsePointer(pointer)) {
      at = childOf(at, token);
      if (remembered && typeof token === 'object' && 'keys' in token) {
        // Who sets anything in an item sets its keys too.
        for (const [name] of token.keys) {
          const key = childOf(at, name);
          key.leaf = true;
          key.whole = true;
        }
      }
    }
    if (at !== root) {
      at.leaf = true;
      at.whole ||= remembered;
    }
  };
  pointers.forEach(pointer => add(pointer, true));
  applied.forEach(pointer => add(pointer, false));
  return root;
}

/** What of an item of a list our writes set. */
export function ownedItem(
  node: SchemaNode,
  item: Json,
  owned: OwnedTree | undefined,
): OwnedTree | undefined {
  const token = owned && itemToken(node, item);
  return token && owned?.children.get(formatToken(token));
}

/** Fields that server-side apply records as ours alone. */
export function appliedByUs(
  owners: Record<Pointer, FieldOwner[]> | undefined,
): Pointer[] {
  return Object.entries(owners ?? {})
    .filter(([, all]) =>
      all.every(owner => owner.ours && owner.operation === 'Apply'),
    )
    .map(([pointer]) => pointer);
}

function leaves(
  node: SchemaNode,
  value: Json,
  path: PointerToken[],
  out: Pointer[],
): void {
  if (Array.isArray(value)) {
    const byItem =
      (node.list === 'map' && node.keys.length > 0) ||
      (node.list === 'set' && node.schema.open === true);
    const tokens = byItem ? value.map(item => itemToken(node, item)) : [];
    if (byItem && tokens.every(token => token)) {
      value.forEach((item, index) => {
        path.push(tokens[index]!);
        leaves(node.items, item, path, out);
        path.pop();
      });
      return;
    }
  } else if (
    isObject(value) &&
    secretMark(value) === undefined &&
    node.schema.atomic !== true
  ) {
    const keys = Object.keys(value);
    for (const key of keys) {
      path.push(key);
      leaves(node.child(key), value[key], path, out);
      path.pop();
    }
    // Empty, it sets nothing: what others put into it is theirs.
    return;
  }
  // Neither does a declared null.
  if (path.length > 0 && value !== null) {
    out.push(formatPointer(path));
  }
}

/**
 * The leaves that a write of this declaration sets: keep them, they are `ownedBefore` next time. Lists and maps that
 * are owned as a whole count as one leaf.
 *
 * @public
 */
export function ownedPointers(
  declared: State,
  schema: ResourceSchema,
): Pointer[] {
  const out: Pointer[] = [];
  leaves(compile(schema), declared.value, [], out);
  return out.sort();
}
