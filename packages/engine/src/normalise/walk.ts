/*
 * One walk over a document along its schema: drops what does not count, fills in list keys, finds what is wrong, and
 * replaces secrets. What does not change is not copied.
 */
/* eslint-disable guard-for-in -- JSON values inherit no enumerable properties, and this is the hot path */
import { Json, JsonObject, Problem, SecretDigest } from '../types';
import { FREE, SchemaNode } from '../schema/compile';
import { formatPointer, put } from '../pointer';
import { canonical } from '../json/canonical';
import { escapeKey, isSecretName, redactedValue } from '../redact/secrets';
import { hiddenText, redactText } from '../redact/text';
import { itemToken, keyText, withKeys } from './keys';
import { refusalOf } from './limits';
import { renamed } from './renamed';
import { fits, nameOf, TYPE_WORDS } from './types';

/** Deeper documents are refused: no real one comes near, and the call stack has an end. */
export const MAX_DEPTH = 400;

/** A document that is wrong everywhere must not fill the memory. */
const MAX_PROBLEMS = 10_000;

type Step = string | { node: SchemaNode; item: Json; index: number };

/** What one walk needs and finds. */
export interface Walk {
  declared: boolean;
  /** Absent: nothing is redacted (the result stays in memory). */
  digest: SecretDigest | undefined;
  problems: Problem[];
  warnings: Problem[];
  path: Step[];
}

export function pathOf(walk: Walk): string {
  return formatPointer(
    walk.path.map(step =>
      typeof step === 'string'
        ? step
        : (step.node.list === 'map'
            ? itemToken(step.node, step.item)
            : undefined) ?? String(step.index),
    ),
  );
}

function problem(walk: Walk, reason: string, message: string): void {
  if (walk.problems.length < MAX_PROBLEMS) {
    walk.problems.push({ path: pathOf(walk), reason, message });
  }
}

function checkType(node: SchemaNode, value: Json, walk: Walk): boolean {
  if (fits(node, value)) {
    return true;
  }
  problem(
    walk,
    'WrongType',
    `${pathOf(walk) || 'The document'} must be ${
      TYPE_WORDS[node.type]
    }, but ${nameOf(value)} was given.`,
  );
  return false;
}

/** What the platform refuses although its type is right; live values are what they are. */
function checkLimits(node: SchemaNode, value: Json, walk: Walk): void {
  const refusal = walk.declared ? refusalOf(node, value) : undefined;
  if (refusal) {
    problem(walk, refusal.reason, `${pathOf(walk)} must be ${refusal.wanted}.`);
  }
}

function tidy(node: SchemaNode, text: string): string {
  let out = text;
  if (node.schema.trim) out = out.trim().replace(/\r\n/g, '\n');
  if (node.schema.base64) out = out.replace(/[\r\n]/g, '');
  if (node.schema.ignoreCase) out = out.toLowerCase();
  return out;
}

function redactAll(value: Json, walk: Walk): Json {
  return walk.digest
    ? redactedValue(
        walk.digest(typeof value === 'string' ? value : canonical(value)),
      )
    : value;
}

function secret(node: SchemaNode, value: Json, walk: Walk): Json | undefined {
  if (checkType(node, value, walk) && typeof value === 'string') {
    if (node.limited) checkLimits(node, value, walk);
    const clean = tidy(node, value);
    if (clean === '') {
      // Nothing is no secret, and must be seen to be nothing.
      return node.emptyIsAbsent && !walk.declared ? undefined : '';
    }
    return redactAll(clean, walk);
  }
  return redactAll(value, walk);
}

function plainText(node: SchemaNode, value: string, walk: Walk): string {
  const clean = node.loose ? tidy(node, value) : value;
  return walk.digest ? redactText(clean, walk.digest) : clean;
}

const scalar = (value: Json, walk: Walk): Json =>
  typeof value === 'string' && walk.digest
    ? redactText(value, walk.digest)
    : value;

/** Walks one value. `undefined`: it does not count. */
export function walkValue(
  node: SchemaNode,
  value: Json | undefined,
  walk: Walk,
): Json | undefined {
  if (value === undefined || node.serverOwned) {
    return undefined;
  }
  if (value === null) {
    // A declared null says that nothing is to be there; where several managers share a value, that nothing is
    // declared of it. A live null says that nothing is there.
    return node.nullable || (walk.declared && !node.shared) ? null : undefined;
  }
  if (node.writeOnly && !walk.declared) {
    return undefined;
  }
  if (node.secret) {
    return secret(node, value, walk);
  }
  if (typeof value === 'object') {
    if (walk.path.length >= MAX_DEPTH) {
      problem(
        walk,
        'TooDeep',
        `The document is nested deeper than ${MAX_DEPTH} levels.`,
      );
      return undefined;
    }
    if (node.type !== 'any' && !checkType(node, value, walk)) {
      return mistyped(node, value, walk);
    }
    return Array.isArray(value)
      ? walkList(node, value, walk)
      : walkObject(node, value, walk);
  }
  if (node.type !== 'any' && !checkType(node, value, walk)) {
    return node.mayHoldSecret ? redactAll(value, walk) : scalar(value, walk);
  }
  if (node.limited) checkLimits(node, value, walk);
  if (typeof value === 'string') {
    return plainText(node, value, walk);
  }
  return scalar(value, walk);
}

/** A list where an object belongs or the other way round: kept for the eye, without anything that may be secret. */
function mistyped(node: SchemaNode, value: Json, walk: Walk): Json | undefined {
  if (node.mayHoldSecret) {
    return redactAll(value, walk);
  }
  return Array.isArray(value)
    ? walkList(FREE, value, walk)
    : walkObject(FREE, value as JsonObject, walk);
}

/** Types whose values no secret has, whatever their name: `secrets: 10` in a quota. */
const mayBeText = (node: SchemaNode) =>
  node.type !== 'quantity' &&
  node.type !== 'integer' &&
  node.type !== 'boolean' &&
  node.type !== 'duration';

function unknownValue(
  node: SchemaNode,
  key: string,
  value: Json,
  walk: Walk,
): Json | undefined {
  const child = node.values ?? node.below(key);
  if (walk.digest && value !== null && !child.secret && mayBeText(child)) {
    if (node.schema.unknownSecret) {
      return redactAll(value, walk);
    }
    if (typeof value === 'string' || typeof value === 'number') {
      if (isSecretName(key) && value !== '') {
        return redactAll(value, walk);
      }
    } else if (Array.isArray(value) && isSecretName(key)) {
      return value.map(item =>
        typeof item === 'string' || typeof item === 'number'
          ? redactAll(item, walk)
          : walkValue(child.items, item, walk) ?? null,
      );
    }
  }
  return walkValue(child, value, walk);
}

/** The part of `value` before `key`, which nothing has changed so far. */
function copyUntil(value: JsonObject, key: string): JsonObject {
  const out: JsonObject = {};
  for (const name in value) {
    if (name === key) {
      break;
    }
    put(out, name, value[name]);
  }
  return out;
}

function walkObject(node: SchemaNode, raw: JsonObject, walk: Walk): Json {
  const aliases = node.schema.aliases;
  const value = aliases ? renamed(raw, aliases) : raw;
  const { path } = walk;
  let out: JsonObject | undefined;
  for (const key in value) {
    const before = value[key];
    const known = node.property(key);
    path.push(key);
    const after =
      known !== undefined
        ? walkValue(known, before, walk)
        : unknownValue(node, key, before, walk);
    path.pop();
    const name = walk.digest ? escapeKey(key) : key;
    if (out === undefined && (after !== before || name !== key)) {
      out = copyUntil(value, key);
    }
    if (out !== undefined && after !== undefined) {
      put(out, name, after);
    }
  }
  const result = out ?? value;
  return walk.digest ? redactNamedValue(result, walk) : result;
}

/** `{name: DB_PASSWORD, value: x}`, as in the environment of a container. */
function redactNamedValue(object: JsonObject, walk: Walk): JsonObject {
  const { name, value } = object;
  if (
    typeof name === 'string' &&
    (typeof value === 'string' || typeof value === 'number') &&
    value !== '' &&
    isSecretName(name)
  ) {
    return { ...object, value: redactAll(value, walk) };
  }
  return object;
}

const FLAG = /^--?([A-Za-z][\w-]*)$/;

/** `[--password, x]`, as in the arguments of a container; not `$(PASSWORD)`, and not the next flag. */
function followsSecretFlag(flag: Json, value: string): boolean {
  // Most texts are no flags.
  if (typeof flag !== 'string' || flag.charCodeAt(0) !== 45) {
    return false;
  }
  const match = FLAG.exec(flag);
  return (
    match !== null && isSecretName(match[1]) && !/^(?:-|\$[({]|$)/.test(value)
  );
}

function walkList(node: SchemaNode, value: Json[], walk: Walk): Json[] {
  const { path } = walk;
  const { items } = node;
  const byKey = node.list === 'map' && node.keys.length > 0;
  let out: Json[] | undefined;
  for (let index = 0; index < value.length; index += 1) {
    const before = value[index];
    const item = byKey ? withKeys(node, before) : before;
    path.push({ node, item, index });
    const after =
      walk.digest &&
      index > 0 &&
      typeof before === 'string' &&
      followsSecretFlag(value[index - 1], before)
        ? hiddenText(before, walk.digest)
        : walkValue(items, item, walk) ?? null;
    path.pop();
    if (out === undefined && after !== before) {
      out = value.slice(0, index);
    }
    if (out !== undefined) {
      out.push(after);
    }
  }
  const result = out ?? value;
  if (byKey && result.length > 0) {
    checkKeys(node, result, walk);
  } else if (node.schema.unique && walk.declared) {
    checkMembers(result, walk);
  }
  return result;
}

function checkMembers(list: Json[], walk: Walk): void {
  const members = new Set<Json>();
  for (const member of list) {
    if (members.has(member)) {
      problem(
        walk,
        'DuplicateMember',
        `${pathOf(walk)} has a member twice: the members of a set must differ.`,
      );
      return;
    }
    if (typeof member !== 'object') {
      members.add(member);
    }
  }
}

function checkKeys(node: SchemaNode, list: Json[], walk: Walk): void {
  const seen = new Set<string>();
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    const key = keyText(node, item);
    if (key !== undefined && !seen.has(key)) {
      seen.add(key);
    } else {
      walk.path.push({ node, item, index });
      const found = {
        path: pathOf(walk),
        reason: key === undefined ? 'MissingKey' : 'DuplicateKey',
        message:
          key === undefined
            ? `${pathOf(walk)} needs ${node.keys.join(
                ' and ',
              )}: items of this list are told apart by it.`
            : `${pathOf(
                walk,
              )} is there more than once: items of this list must differ in ${node.keys.join(
                ' and ',
              )}.`,
      };
      walk.path.pop();
      const where = walk.declared ? walk.problems : walk.warnings;
      if (where.length < MAX_PROBLEMS) {
        where.push(found);
      }
    }
  }
}
