/*
 * The first step: one side of a resource as it is compared, stored and shown.
 */
import {
  Json,
  NormaliseOptions,
  Pointer,
  ResourceSchema,
  State,
} from '../types';
import { isObject, removeAt } from '../pointer';
import { compile, SchemaNode } from '../schema/compile';
import { applyRules } from './rules';
import { appliedAt, readOwners } from './owners';
import { makeState, ownershipOf } from './state';
import { Walk, walkValue } from './walk';

function run(
  document: Json,
  schema: ResourceSchema,
  root: SchemaNode,
  walk: Walk,
): Json {
  if (!isObject(document)) {
    walk.problems.push({
      path: '',
      reason: 'NotAnObject',
      message: 'The document must be an object.',
    });
    return null;
  }
  return walkValue(root, applyRules(document, walk, schema), walk) ?? {};
}

/**
 * Normalises and redacts one side. Never throws on JSON: what is wrong with the document is in `problems`
 * (declared: the verdict will be `Invalid`; live: `Unknown`).
 *
 * `digest` and `owners` are worked out when first read, because most passes need neither; the state is plain data
 * all the same (`JSON.stringify`, spread and structured clone see ordinary properties).
 *
 * @public
 */
export function normalise(document: Json, options: NormaliseOptions): State {
  const root = compile(options.schema);
  const walk: Walk = {
    declared: options.side === 'declared',
    digest: options.secretDigest,
    problems: [],
    warnings: [],
    path: [],
  };
  const value = run(document, options.schema, root, walk);
  return makeState(
    value,
    walk.problems,
    walk.warnings,
    options.schema.platform === 'kubernetes'
      ? {
          all: () => readOwners(document, root, options.ourManager),
          appliedAt: path => appliedAt(document, options.ourManager, path),
        }
      : undefined,
  );
}

/**
 * Normalises without redacting: for writes, in memory only. Never store, log or return the result.
 *
 * @public
 */
export function normaliseRaw(
  document: Json,
  schema: ResourceSchema,
  side: 'declared' | 'live',
): Json {
  return run(document, schema, compile(schema), {
    declared: side === 'declared',
    digest: undefined,
    problems: [],
    warnings: [],
    path: [],
  });
}

/**
 * The state to keep as last agreed, once both sides were verified equal: the live state, with the values of
 * write-only fields that were declared (they never come back from the platform, and a change of the declaration
 * could not be seen without them).
 *
 * @public
 */
export function agreedState(
  declared: State,
  live: State,
  schema: ResourceSchema,
): State {
  const value = withWriteOnly(compile(schema), declared.value, live.value);
  return makeState(value, [], [], ownershipOf(live));
}

/**
 * What counts as last agreed once a write was acknowledged, before anybody looks what came of it: the values of
 * write-only fields that it sent show in no fresh read, so the acknowledgement is all that will ever be known of them.
 *
 * @param declared - what the write was made from
 * @param unsent - pointers of differing fields that the write left alone
 * @public
 */
export function acknowledgedState(
  lastAgreed: State,
  declared: State,
  unsent: readonly Pointer[],
  schema: ResourceSchema,
): State {
  const sent = unsent.reduce<Json>(
    (value, pointer) => removeAt(value, pointer),
    declared.value,
  );
  const value = withWriteOnly(compile(schema), sent, lastAgreed.value);
  return value === lastAgreed.value
    ? lastAgreed
    : makeState(value, [], [], ownershipOf(lastAgreed));
}

function withWriteOnly(node: SchemaNode, declared: Json, live: Json): Json {
  if (!isObject(declared) || !isObject(live)) {
    return live;
  }
  let out = live;
  for (const name of node.propertyNames()) {
    const child = node.property(name);
    const given = Object.prototype.hasOwnProperty.call(declared, name)
      ? declared[name]
      : undefined;
    if (child && given !== undefined) {
      const before = out[name];
      let after: Json | undefined;
      if (child.writeOnly) {
        after = given;
      } else if (before !== undefined) {
        after = withWriteOnly(child, given, before);
      }
      if (after !== undefined && after !== before) {
        out = { ...out, [name]: after };
      }
    }
  }
  return out;
}
