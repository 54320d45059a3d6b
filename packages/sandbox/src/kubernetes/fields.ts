/** The set of fields that a value has, and values without some of their fields. */
import { FieldSet, PathElement, fieldElement } from './fieldset';
import { Json, JsonObject, isObject } from './json';
import { Schema, fieldSchema, shapeOf } from './schema';
import { Value, asList, asMap, formOf, itemElement, keysOf } from './typed';

/** The set of fields that a value has, as a manager that applies it would own them. */
export function fieldSetOf(schema: Schema, value: Json): FieldSet {
  const set = new FieldSet();
  collect(schema, value, [], set);
  return set;
}

function collect(
  schema: Schema,
  value: Json,
  path: PathElement[],
  set: FieldSet,
): void {
  const shape = shapeOf(schema);
  const form = formOf(shape, value);
  if (form === 'map' && shape.map && !shape.map.atomic) {
    const map = shape.map;
    const object = asMap(value);
    for (const key of keysOf(object)) {
      const item = object[key] as Json;
      const field = fieldSchema(map, key);
      const below = [...path, fieldElement(key)];
      if (field.schema) {
        collect(field.schema, item, below, set);
      }
      if (
        item === null ||
        (isObject(item) && keysOf(item).length === 0) ||
        !field.named
      ) {
        set.add(below);
      }
    }
    return;
  }
  if (form === 'list' && shape.list && shape.list.relation !== 'atomic') {
    for (const item of asList(value)) {
      const below = [...path, itemElement(shape.list, item)];
      collect(shape.list.element, item, below, set);
      set.add(below);
    }
    return;
  }
  set.add(path);
}

/** The value without the given fields. */
export function removeFields(
  schema: Schema,
  value: Json,
  fields: FieldSet,
): Value {
  const shape = shapeOf(schema);
  const form = formOf(shape, value);
  if (form === 'scalar') {
    return value;
  }
  if (form === 'list' && shape.list) {
    if (shape.list.relation === 'atomic') {
      return undefined;
    }
    const list = shape.list;
    const kept = asList(value).flatMap(item => {
      const element = itemElement(list, item);
      if (fields.members.has(element)) {
        return [];
      }
      const below = fields.below(element);
      const left = below.isEmpty()
        ? item
        : removeFields(list.element, item, below);
      return [left ?? null];
    });
    return kept.length > 0 ? kept : undefined;
  }
  if (!shape.map || shape.map.atomic) {
    return undefined;
  }
  const out: JsonObject = {};
  const object = asMap(value);
  for (const key of keysOf(object)) {
    const element = fieldElement(key);
    if (fields.members.has(element)) {
      continue;
    }
    const below = fields.below(element);
    const field = fieldSchema(shape.map, key).schema;
    const left =
      below.isEmpty() || !field
        ? object[key]
        : removeFields(field, object[key] as Json, below);
    out[key] = left ?? null;
  }
  return keysOf(out).length > 0 ? out : undefined;
}

/** The set with every declared field that only has members below it as a member itself. */
export function withNamedParents(
  schema: Schema | undefined,
  set: FieldSet,
): FieldSet {
  const shape = schema ? shapeOf(schema) : undefined;
  const out = new FieldSet();
  set.members.forEach(element => out.members.add(element));
  for (const [element, below] of set.children) {
    let inner: Schema | undefined;
    if (element.startsWith('f:')) {
      const field = shape?.map && fieldSchema(shape.map, element.slice(2));
      inner = field?.schema;
      if (field?.named) {
        out.members.add(element);
      }
    } else {
      inner = shape?.list?.element;
    }
    out.children.set(element, withNamedParents(inner, below));
  }
  return out;
}
