/*
 * Rule 2: a write carries only what was declared, laid over the fresh live state. What nobody declared keeps its value.
 */
import { Json, JsonObject, Pointer, ResourceSchema } from './types';
import {
  getAt,
  indexOfToken,
  isObject,
  own,
  parsePointer,
  PointerToken,
  put,
  removeAt,
} from './pointer';
import { canonical } from './json/canonical';
import { compile, SchemaNode } from './schema/compile';
import { normaliseRaw } from './normalise/normalise';
import { isServerMember } from './compare/equal';

/** @public */
export interface OverlayArgs {
  schema: ResourceSchema;
  /** The live document as it was read, with its secrets; `null`: there is none yet. */
  live: Json | null;
  /** The declared document as it was given, with its secrets. */
  declared: Json;
  /** Pointers to set to their declared value (`Decision.fields`). Not declared: taken away. */
  fields: Pointer[];
  /** Pointers to take away. */
  removals?: Pointer[];
}

/** Declared members beside those that are live; book-keeping members of controllers stay. */
function laySet(node: SchemaNode, live: Json, declared: Json): Json {
  if (!Array.isArray(live) || !Array.isArray(declared)) {
    return declared;
  }
  const known = new Set(live.map(canonical));
  const fresh = declared.filter(
    member => !known.has(canonical(member)) && !isServerMember(node, member),
  );
  return [...live, ...fresh];
}

/** The declared value over the live one, as deep as the schema lets several managers share it. */
function layValue(
  node: SchemaNode,
  live: Json | undefined,
  declared: Json,
): Json {
  if (live === undefined || node.schema.atomic) {
    return declared;
  }
  if (isObject(declared) && isObject(live)) {
    const out = { ...live };
    for (const key of Object.keys(declared)) {
      put(out, key, layValue(node.child(key), own(live, key), declared[key]));
    }
    return out;
  }
  return node.list === 'set' && node.schema.open
    ? laySet(node, live, declared)
    : declared;
}

function setField(
  node: SchemaNode,
  live: Json | undefined,
  declared: Json,
  tokens: readonly PointerToken[],
  at: number,
): Json {
  if (at === tokens.length) {
    return layValue(node, live, declared);
  }
  const token = tokens[at];
  if (Array.isArray(declared)) {
    const from = declared[indexOfToken(declared, token)];
    if (from === undefined) {
      return live ?? declared;
    }
    const copy = Array.isArray(live) ? live.slice() : [];
    const index = indexOfToken(copy, token);
    if (index < 0) {
      // The item is new: the whole of it, because part of an item means nothing.
      copy.push(from);
    } else {
      copy[index] = setField(node.items, copy[index], from, tokens, at + 1);
    }
    return copy;
  }
  if (!isObject(declared) || typeof token !== 'string') {
    return live ?? declared;
  }
  const from = own(declared, token);
  if (from === undefined) {
    return live ?? declared;
  }
  const copy: JsonObject = isObject(live) ? { ...live } : {};
  const below = node.child(token);
  put(copy, token, setField(below, own(copy, token), from, tokens, at + 1));
  return copy;
}

/** Write-only values come back hashed or not at all: sending that again would destroy them. */
function withoutEchoes(
  node: SchemaNode,
  value: JsonObject,
  declared: Json | undefined,
): JsonObject {
  let out = value;
  for (const name of node.propertyNames()) {
    const child = node.property(name);
    const now = own(out, name);
    const given = isObject(declared) ? own(declared, name) : undefined;
    const hidden = child?.writeOnly || child?.schema.withheld;
    if (hidden && now === undefined && given !== undefined) {
      // It did not come back, and a write without it would take it away.
      out = { ...out, [name]: given };
    } else if (child && now !== undefined) {
      if (child.writeOnly) {
        out = { ...out };
        if (given === undefined) {
          delete out[name];
        } else {
          out[name] = given;
        }
      } else if (isObject(now)) {
        const clean = withoutEchoes(child, now, given);
        if (clean !== now) {
          out = { ...out, [name]: clean };
        }
      }
    }
  }
  return out;
}

/**
 * The document to write: the named declared fields laid over the raw live document. Everything else of live is kept,
 * except values of write-only fields, which are never sent back as they came: they are the declared ones, or left out.
 * With no live document it is the declared one (shorthands spelled out, as `normaliseRaw` does).
 *
 * Raw values, secrets included: for a write, in memory only.
 *
 * @public
 */
export function overlay(args: OverlayArgs): Json {
  const { schema, live, fields, removals = [] } = args;
  const declared = normaliseRaw(args.declared, schema, 'declared');
  if (live === null) {
    return declared;
  }
  const root = compile(schema);
  let out: Json = live;
  for (const pointer of fields) {
    const tokens = parsePointer(pointer);
    out =
      getAt(declared, tokens) === undefined
        ? removeAt(out, tokens)
        : setField(root, out, declared, tokens, 0);
  }
  for (const pointer of removals) {
    out = removeAt(out, pointer);
  }
  return isObject(out) ? withoutEchoes(root, out, declared) : out;
}
