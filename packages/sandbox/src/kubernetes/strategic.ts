/**
 * Strategic merge patch: lists of objects are merged by their merge key, lists of scalars as sets where the schema
 * says `merge`; `$patch: replace|delete`, `$retainKeys`, `$deleteFromPrimitiveList/…` and `$setElementOrder/…` work.
 */
import { badRequest } from './errors';
import { Json, JsonObject, clone, equal, isObject, own } from './json';
import { Schema, resolve } from './schema';

const DELETE_FROM = '$deleteFromPrimitiveList/';
const ORDER = '$setElementOrder/';

const mergeKey = (field: Schema): string | undefined =>
  field['x-kubernetes-patch-merge-key'];

const merges = (field: Schema): boolean =>
  field['x-kubernetes-patch-strategy']?.split(',').includes('merge') ?? false;

/**
 * The target with the patch merged into it.
 *
 * @throws StatusError 400 where a list's item lacks the merge key
 */
export function strategicMerge(
  schema: Schema,
  target: JsonObject,
  patch: JsonObject,
): JsonObject {
  if (patch.$patch === 'replace') {
    const { $patch: _, ...rest } = patch;
    return clone(rest);
  }
  if (patch.$patch === 'delete') {
    return {};
  }
  const resolved = resolve(schema);
  const out = clone(target);
  const retained = patch.$retainKeys;
  if (Array.isArray(retained)) {
    Object.keys(out)
      .filter(key => !retained.includes(key))
      .forEach(key => delete out[key]);
  }
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined || key === '$retainKeys' || key.startsWith(ORDER)) {
      continue;
    }
    if (key.startsWith(DELETE_FROM)) {
      removeFrom(out, key.slice(DELETE_FROM.length), value);
      continue;
    }
    const field =
      (resolved.properties && own(resolved.properties, key)) ??
      (typeof resolved.additionalProperties === 'object'
        ? resolved.additionalProperties
        : {});
    const merged = mergeField(field, out[key], value, key);
    if (merged === undefined) {
      delete out[key];
    } else {
      out[key] = merged;
    }
  }
  for (const [key, order] of Object.entries(patch)) {
    if (key.startsWith(ORDER) && Array.isArray(order)) {
      const name = key.slice(ORDER.length);
      const field =
        (resolved.properties && own(resolved.properties, name)) ?? {};
      reorder(out, name, order, mergeKey(field));
    }
  }
  return out;
}

function mergeField(
  field: Schema,
  current: Json | undefined,
  value: Json,
  name: string,
): Json | undefined {
  if (value === null) {
    return undefined;
  }
  if (isObject(value)) {
    if (value.$patch === 'delete') {
      return undefined;
    }
    const replaces = field['x-kubernetes-patch-strategy']
      ?.split(',')
      .includes('replace');
    return strategicMerge(
      field,
      isObject(current) && !replaces ? current : {},
      value,
    );
  }
  if (!Array.isArray(value)) {
    return value;
  }
  if (!merges(field)) {
    return clone(value);
  }
  const list = Array.isArray(current) ? current : [];
  const key = mergeKey(field);
  return key
    ? mergeByKey(field, key, list, value, name)
    : mergeSet(list, value);
}

/** What the patch names comes in its order; what only the list has keeps its place before what came after it there. */
function interleave(
  patched: Json[],
  rest: Json[],
  list: Json[],
  identity: (item: Json) => Json | undefined,
): Json[] {
  const place = (item: Json) =>
    list.findIndex(other => equal(identity(other), identity(item)));
  const [left, right] = [[...rest], [...patched]];
  const out: Json[] = [];
  while (left.length > 0 && right.length > 0) {
    const [before, after] = [place(left[0]), place(right[0])];
    const next = before >= 0 && after >= 0 && before < after ? left : right;
    out.push(...next.splice(0, 1));
  }
  return [...out, ...left, ...right];
}

function mergeSet(list: Json[], patch: Json[]): Json[] {
  const rest = list.filter(item => !patch.some(other => equal(other, item)));
  return interleave(clone(patch), clone(rest), list, item => item);
}

function mergeByKey(
  field: Schema,
  key: string,
  list: Json[],
  patch: Json[],
  name: string,
): Json[] {
  if (patch.some(item => isObject(item) && item.$patch === 'replace')) {
    return clone(
      patch.filter(item => !(isObject(item) && item.$patch === 'replace')),
    );
  }
  const identity = (item: Json) => (isObject(item) ? item[key] : undefined);
  const patched: Json[] = [];
  const named: Json[] = [];
  for (const item of patch) {
    if (!isObject(item)) {
      throw badRequest(`the items of ${name} must be objects`);
    }
    const itsKey = item[key];
    if (itsKey === undefined) {
      throw badRequest(
        `map: ${JSON.stringify(
          item,
        )} does not contain declared merge key: ${key}`,
      );
    }
    named.push(itsKey);
    if (item.$patch !== 'delete') {
      const current = list.find(other => equal(identity(other), itsKey));
      patched.push(
        strategicMerge(
          field.items ?? {},
          isObject(current) ? current : {},
          item,
        ),
      );
    }
  }
  const rest = list.filter(
    item => !named.some(value => equal(value, identity(item))),
  );
  return interleave(patched, clone(rest), list, identity);
}

function removeFrom(out: JsonObject, name: string, value: Json): void {
  const list = out[name];
  if (Array.isArray(list) && Array.isArray(value)) {
    out[name] = list.filter(item => !value.some(gone => equal(gone, item)));
  }
}

/** Items that the order names come first, in that order; the others keep theirs behind them. */
function reorder(
  out: JsonObject,
  name: string,
  order: Json[],
  key: string | undefined,
): void {
  const list = out[name];
  if (!Array.isArray(list)) {
    return;
  }
  const identity = (item: Json) => (key && isObject(item) ? item[key] : item);
  const place = (item: Json) => {
    const found = order.findIndex(wanted =>
      equal(identity(wanted), identity(item)),
    );
    return found < 0 ? order.length : found;
  };
  out[name] = [...list].sort((a, b) => place(a) - place(b));
}
