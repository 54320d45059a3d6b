/**
 * Two values of one schema: laid over each other, and compared. With fields.ts these are the operations that
 * server-side apply is made of. `undefined` means absent, `null` is a value.
 */
import {
  FieldSet,
  PathElement,
  fieldElement,
  keyElement,
  valueElement,
} from './fieldset';
import { Json, JsonObject, equal, isObject, own } from './json';
import {
  ListShape,
  Schema,
  Shape,
  fieldSchema,
  resolve,
  shapeOf,
} from './schema';

/** A value, or its absence. */
export type Value = Json | undefined;
/** How a value is handled. */
export type Form = 'map' | 'list' | 'scalar';

/** The form in which a value is handled: its own where the schema allows it, else the first that the schema allows. */
export function formOf(shape: Shape, value: Value): Form {
  if (Array.isArray(value) && shape.list) {
    return 'list';
  }
  if (isObject(value) && shape.map) {
    return 'map';
  }
  if (
    value !== null &&
    value !== undefined &&
    typeof value !== 'object' &&
    shape.scalar
  ) {
    return 'scalar';
  }
  if (shape.map) {
    return 'map';
  }
  return shape.scalar ? 'scalar' : 'list';
}

/** The value as a map; anything else counts as an empty one. */
export const asMap = (value: Value): JsonObject =>
  isObject(value) ? value : {};
/** The value as a list; anything else counts as an empty one. */
export const asList = (value: Value): Json[] =>
  Array.isArray(value) ? value : [];

/** Keys that have a value, also null. */
export const keysOf = (object: JsonObject): string[] =>
  Object.keys(object).filter(key => object[key] !== undefined);

/**
 * The path element of a list's item.
 *
 * @throws Error where the item lacks its keys or is no scalar of a set.
 */
export function itemElement(list: ListShape, item: Json): PathElement {
  if (list.relation === 'set') {
    if (item === null || typeof item === 'object') {
      throw new Error(
        "associative list without keys has an element that's a map type",
      );
    }
    return valueElement(item);
  }
  if (!isObject(item)) {
    throw new Error('associative list with keys may not have non-map elements');
  }
  const fields = shapeOf(list.element).map?.fields ?? {};
  const keys: { [name: string]: Json } = {};
  for (const key of list.keys) {
    const declared = own(fields, key);
    const value = item[key] ?? (declared && resolve(declared).default);
    if (value !== undefined && value !== null) {
      keys[key] = value;
    }
  }
  if (Object.keys(keys).length === 0) {
    const names = list.keys.map(key => JSON.stringify(key)).join(' ');
    throw new Error(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(keys);
}

/** Items of a list by their path element, in order; of duplicates the first counts. */
function indexed(list: ListShape, items: Json[]): Map<PathElement, Json> {
  const out = new Map<PathElement, Json>();
  for (const item of items) {
    const element = itemElement(list, item);
    if (!out.has(element)) {
      out.set(element, item);
    }
  }
  return out;
}

/** `right` laid over `left`: what `right` has counts, what only `left` has stays. */
export function merge(schema: Schema, left: Value, right: Value): Value {
  const shape = shapeOf(schema);
  const form = formOf(
    shape,
    right === undefined || right === null ? left : right,
  );
  const leaf = right === undefined ? left : right;
  if (form === 'map' && shape.map && !shape.map.atomic) {
    const [a, b] = [asMap(left), asMap(right)];
    if (keysOf(a).length === 0 && keysOf(b).length === 0) {
      return leaf;
    }
    const out: JsonObject = {};
    for (const key of new Set([...keysOf(a), ...keysOf(b)])) {
      const field = fieldSchema(shape.map, key).schema;
      const merged = field ? merge(field, a[key], b[key]) : b[key] ?? a[key];
      if (merged !== undefined) {
        out[key] = merged;
      }
    }
    return keysOf(out).length > 0 ? out : undefined;
  }
  if (form === 'list' && shape.list && shape.list.relation !== 'atomic') {
    return asList(left).length === 0 && asList(right).length === 0
      ? leaf
      : mergeLists(shape.list, asList(left), asList(right));
  }
  return leaf;
}

/** Shared items stand in the order of `right`; an item that only one side has keeps its place among its neighbours. */
function mergeLists(
  list: ListShape,
  left: Json[],
  right: Json[],
): Json[] | undefined {
  const mine = indexed(list, left);
  const theirs = indexed(list, right);
  const mineOrder = [...mine.keys()];
  const theirOrder = [...theirs.keys()];
  const shared = theirOrder.filter(element => mine.has(element));
  const done = new Set<PathElement>();
  const out: Json[] = [];
  const take = (element: PathElement) => {
    const merged = merge(list.element, mine.get(element), theirs.get(element));
    if (merged !== undefined) {
      out.push(merged);
    }
  };
  let l = 0;
  let r = 0;
  while (l < mineOrder.length || r < theirOrder.length) {
    const a = mineOrder[l];
    const b = theirOrder[r];
    if (a !== undefined && b !== undefined && a !== b) {
      const next = shared.find(element => !done.has(element));
      if (theirs.has(a) && next !== undefined && next !== a) {
        l += 1;
        continue;
      }
    }
    if (a !== undefined && a !== b) {
      if (!theirs.has(a)) {
        take(a);
        l += 1;
        continue;
      }
      if (done.has(a)) {
        l += 1;
      }
    }
    if (b !== undefined) {
      done.add(b);
      take(b);
      r += 1;
      if (a === b) {
        l += 1;
      }
    }
  }
  return out.length > 0 ? out : undefined;
}

/** What `compare` found. */
export interface Comparison {
  added: FieldSet;
  modified: FieldSet;
  removed: FieldSet;
}

/** Which fields of `right` are new, which have another value than in `left`, and which are gone. */
export function compare(schema: Schema, left: Value, right: Value): Comparison {
  const out = {
    added: new FieldSet(),
    modified: new FieldSet(),
    removed: new FieldSet(),
  };
  walk(schema, left, right, [], out);
  return out;
}

function walk(
  schema: Schema,
  left: Value,
  right: Value,
  path: PathElement[],
  out: Comparison,
): void {
  const shape = shapeOf(schema);
  const rightForm = formOf(shape, right);
  const leftForm = formOf(shape, left);
  let leaf: boolean;
  if (right === undefined) {
    leaf = walkForm(leftForm, shape, left, right, path, out);
  } else if (
    left === undefined ||
    leftForm === rightForm ||
    left === null ||
    right === null
  ) {
    const form =
      right === null && left !== undefined && left !== null
        ? leftForm
        : rightForm;
    leaf = walkForm(form, shape, left, right, path, out);
  } else {
    walkForm(leftForm, shape, left, right, path, out);
    leaf = walkForm(rightForm, shape, left, right, path, out);
  }
  if (!leaf && left === undefined) {
    out.added.add(path);
  } else if (!leaf && right === undefined) {
    out.removed.add(path);
  }
}

/** Returns true where the value was handled as one leaf. */
function walkForm(
  form: Form,
  shape: Shape,
  left: Value,
  right: Value,
  path: PathElement[],
  out: Comparison,
): boolean {
  if (form === 'map' && shape.map && !shape.map.atomic) {
    const [a, b] = [asMap(left), asMap(right)];
    const keys = new Set([...keysOf(a), ...keysOf(b)]);
    if (keys.size > 0) {
      for (const key of keys) {
        const field = fieldSchema(shape.map, key).schema;
        if (field) {
          walk(field, a[key], b[key], [...path, fieldElement(key)], out);
        }
      }
      return false;
    }
  } else if (
    form === 'list' &&
    shape.list &&
    shape.list.relation !== 'atomic'
  ) {
    const mine = indexed(shape.list, asList(left));
    const theirs = indexed(shape.list, asList(right));
    if (mine.size > 0 || theirs.size > 0) {
      for (const element of new Set([...mine.keys(), ...theirs.keys()])) {
        walk(
          shape.list.element,
          mine.get(element),
          theirs.get(element),
          [...path, element],
          out,
        );
      }
      return false;
    }
  }
  if (left === undefined) {
    out.added.add(path);
  } else if (right === undefined) {
    out.removed.add(path);
  } else if (!equal(left, right)) {
    out.modified.add(path);
  }
  return true;
}
