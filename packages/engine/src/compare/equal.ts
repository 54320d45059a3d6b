/*
 * Equality by meaning: scalars, defaults, sets, lists by key. No report, only yes or no.
 */
/* eslint-disable guard-for-in -- JSON values inherit no enumerable properties, and this is the hot path */
import { Json, JsonObject } from '../types';
import { isObject } from '../pointer';
import { canonical } from '../json/canonical';
import { keyText } from '../normalise/keys';
import { SchemaNode } from '../schema/compile';
import { sameDuration } from '../values/duration';
import { sameQuantity, parseQuantity } from '../values/quantity';
import { sameTime } from '../values/time';

/** What an object has under a key; never something it inherits. */
export function field(object: JsonObject, key: string): Json | undefined {
  const value: unknown = object[key];
  // JSON has no functions: these are methods of every object. `__proto__` is the one property that is no method.
  if (typeof value === 'function' || key === '__proto__') {
    return Object.prototype.hasOwnProperty.call(object, key)
      ? (value as Json)
      : undefined;
  }
  return value as Json | undefined;
}

/** The mark of a redacted value, where it is one. */
export function secretMark(value: Json): string | undefined {
  if (isObject(value)) {
    const mark = value.$secret;
    if (typeof mark === 'string') {
      return mark;
    }
  }
  return undefined;
}

/** Are two scalars (or `null`) the same at this place? */
export function sameScalar(node: SchemaNode, a: Json, b: Json): boolean {
  if (a === b) {
    return true;
  }
  const left = typeof a;
  const right = typeof b;
  if (left === 'object' || right === 'object') {
    return false;
  }
  if (node.type === 'quantity') {
    return left !== 'boolean' && right !== 'boolean' && sameQuantity(a, b);
  }
  if (left === 'bigint' || right === 'bigint') {
    // Exact on purpose: 9007199254740993n is not 9007199254740992.
    return left !== 'string' &&
      right !== 'string' &&
      left !== 'boolean' &&
      right !== 'boolean'
      ? // eslint-disable-next-line eqeqeq
        a == b
      : false;
  }
  if (node.type === 'duration') {
    return sameDuration(a, b);
  }
  switch (node.schema.lenient) {
    case 'duration':
      return sameDuration(a, b);
    case 'time':
      return sameTime(a, b);
    case 'quantity':
      return parseQuantity(a) !== undefined && sameQuantity(a, b);
    default:
      return false;
  }
}

/** Does the value mean the same as nothing at this place? */
export function isEmptyLike(node: SchemaNode, value: Json): boolean {
  if (value === null) {
    return !node.nullable;
  }
  if (node.emptyIsAbsent) {
    if (value === '') {
      return true;
    }
    if (Array.isArray(value)) {
      return value.length === 0;
    }
    if (typeof value === 'object') {
      for (const _key in value) {
        return false;
      }
      return true;
    }
  }
  return node.schema.zeroIsAbsent === true && (value === false || value === 0);
}

/** Is it what the platform fills in by itself (or as good as that)? */
export function isDefault(node: SchemaNode, value: Json): boolean {
  if (node.serverOwned || node.schema.allocated || isEmptyLike(node, value)) {
    return true;
  }
  if (node.default !== undefined && covers(node, value, node.default, true)) {
    return true;
  }
  if (
    isObject(value) &&
    (node.type === 'object' ||
      (node.type === 'map' && Object.keys(value).length > 0))
  ) {
    if (secretMark(value) !== undefined) {
      return false;
    }
    for (const key in value) {
      const child = node.property(key);
      if (child === undefined || !isDefault(child, value[key])) {
        return false;
      }
    }
    // An empty object that nobody declared says nothing; with a default of its own it was judged above.
    return true;
  }
  return false;
}

/** Would a declared value be in effect although live lacks it? */
export function isImplied(node: SchemaNode, declared: Json): boolean {
  if (node.schema.withheld || isEmptyLike(node, declared)) {
    return true;
  }
  if (node.default !== undefined) {
    return covers(node, declared, node.default, true);
  }
  if (isObject(declared) && node.type === 'object' && node.emptyIsAbsent) {
    for (const key in declared) {
      const child = node.property(key);
      if (child === undefined || !isImplied(child, declared[key])) {
        return false;
      }
    }
    return true;
  }
  return false;
}

/** Is there as good as nothing where nothing was declared to be? */
export function isNothing(node: SchemaNode, live: Json | undefined): boolean {
  if (live === undefined || live === null) {
    return true;
  }
  if (live === '' || (Array.isArray(live) && live.length === 0)) {
    return true;
  }
  return (
    (isObject(live) && Object.keys(live).length === 0) || isDefault(node, live)
  );
}

/** Once nobody declares it any more: would the server put the same value there again? */
export function comesBack(node: SchemaNode, live: Json): boolean {
  return (
    node.schema.allocated === true ||
    isEmptyLike(node, live) ||
    (node.default !== undefined && covers(node, live, node.default, true))
  );
}

function sameMembers(
  node: SchemaNode,
  declared: Json[],
  live: Json[],
  strict: boolean,
): boolean {
  const open = node.schema.open === true;
  const isLive = memberOf(live);
  for (const member of declared) {
    if (
      !isLive(member) &&
      !isServerMember(node, member) &&
      // Of two live states neither declares what the server adds.
      !(strict && isAllocatedMember(node, member)) &&
      !live.some(other => sameMember(node, member, other))
    ) {
      return false;
    }
  }
  if (open) {
    return true;
  }
  const isDeclared = memberOf(declared);
  const ofServer = node.serverMember
    ? live.filter(member => isServerMember(node, member)).length
    : 0;
  return (
    // Longer although it has no other members: something is there twice.
    live.length <= declared.length + ofServer &&
    live.every(
      member =>
        isDeclared(member) ||
        isServerMember(node, member) ||
        declared.some(other => sameMember(node, other, member)),
    )
  );
}

/** Below this, looking through a list is faster than making a set of it. */
const SMALL = 16;

const isScalar = (value: Json) => typeof value !== 'object' || value === null;

/** Says whether a value is, to the letter, a member of a list. */
export function memberOf(list: Json[]): (member: Json) => boolean {
  if (list.length <= SMALL && list.every(isScalar)) {
    const scalars: readonly unknown[] = list;
    return member => scalars.includes(member);
  }
  // Scalars stand for themselves, others for their text.
  const key = (value: Json) =>
    isScalar(value) ? value : `\u0000${canonical(value)}`;
  const known = new Set<unknown>(list.map(key));
  return member => known.has(key(member));
}

/** Members that are written differently may still be the same: defaults inside objects, quantities. */
export function sameMember(node: SchemaNode, declared: Json, live: Json) {
  return covers(node.items, declared, live, !node.items.free);
}

/** A member that a controller keeps for its own book-keeping. */
export function isServerMember(node: SchemaNode, member: Json): boolean {
  return (
    node.serverMember !== undefined &&
    typeof member === 'string' &&
    node.serverMember.test(member)
  );
}

/** A member that the server adds by itself. */
export function isAllocatedMember(node: SchemaNode, member: Json): boolean {
  return (
    typeof member === 'string' &&
    node.schema.allocatedMembers?.includes(member) === true
  );
}

function coversList(
  node: SchemaNode,
  declared: Json[],
  live: Json[],
  strict: boolean,
): boolean {
  const { items } = node;
  if (node.list === 'set') {
    return sameMembers(node, declared, live, strict);
  }
  if (node.list === 'map' && node.keys.length > 0) {
    if (strict && declared.length !== live.length) {
      return false;
    }
    const byKey = new Map(live.map(item => [keyText(node, item), item]));
    return declared.every(item =>
      covers(items, item, byKey.get(keyText(node, item)), strict),
    );
  }
  if (declared.length !== live.length) {
    return declared.length === 0 && isDefault(node, live);
  }
  const below = strict || !items.free;
  for (let at = 0; at < declared.length; at += 1) {
    if (!covers(items, declared[at], live[at], below)) {
      return false;
    }
  }
  return true;
}

/** A property that the server does not know, and drops. */
export function isUnknown(node: SchemaNode, key: string): boolean {
  return (
    node.schema.pruneUnknown === true &&
    node.schema.values === undefined &&
    node.property(key) === undefined
  );
}

function coversObject(
  node: SchemaNode,
  declared: JsonObject,
  live: JsonObject,
  strict: boolean,
): boolean {
  for (const key in declared) {
    const value = declared[key];
    const other = field(live, key);
    if (value !== other && !covers(node.child(key), value, other, strict)) {
      // What the server does not know it drops, here as everywhere.
      if (other !== undefined || !isUnknown(node, key)) {
        return false;
      }
    }
  }
  if (strict) {
    for (const key in live) {
      if (field(declared, key) === undefined) {
        if (!isDefault(node.child(key), live[key])) {
          return false;
        }
      }
    }
  }
  return true;
}

/**
 * Is everything that was declared there, and the same?
 *
 * @param strict - also: nothing else is there, defaults apart
 */
export function covers(
  node: SchemaNode,
  declared: Json,
  live: Json | undefined,
  strict: boolean,
): boolean {
  if (declared === live || node.writeOnly) {
    return true;
  }
  if (declared === null) {
    return isNothing(node, live) && !(node.nullable && live === undefined);
  }
  if (live === undefined || live === null) {
    return isImplied(node, declared);
  }
  if (Array.isArray(declared)) {
    return Array.isArray(live) && coversList(node, declared, live, strict);
  }
  if (isObject(declared)) {
    if (!isObject(live)) {
      return false;
    }
    const mark = secretMark(declared);
    if (mark !== undefined || secretMark(live) !== undefined) {
      return mark === secretMark(live);
    }
    return coversObject(
      node,
      declared,
      live,
      strict || node.schema.atomic === true,
    );
  }
  return (
    sameScalar(node, declared, live) ||
    (isEmptyLike(node, declared) && isDefault(node, live))
  );
}

/** Is a live value the same as it was, in everything? Absent counts as its default. */
export function unchanged(
  node: SchemaNode,
  before: Json | undefined,
  now: Json | undefined,
): boolean {
  if (before === undefined || now === undefined) {
    return isDefaultOrGone(node, before ?? now);
  }
  return covers(node, before, now, true) && covers(node, now, before, true);
}

function isDefaultOrGone(node: SchemaNode, value: Json | undefined): boolean {
  return value === undefined || isImplied(node, value);
}
