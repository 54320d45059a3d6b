/** What is wrong with an applied value by its schema, before it is merged. */
import { PathElement, printElement } from './fieldset';
import { Json, isObject } from './json';
import { ListShape, Schema, fieldSchema, shapeOf } from './schema';
import { formOf, itemElement, keysOf } from './typed';

const SCALARS = {
  string: ['string'],
  number: ['number', 'bigint'],
  boolean: ['boolean'],
  any: ['string', 'number', 'bigint', 'boolean'],
};

const describe = (value: Json): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

/** What is wrong with a value by its schema, in the wording of an API server. Empty where all is well. */
export function typeErrors(schema: Schema, value: Json, path = ''): string[] {
  const shape = shapeOf(schema);
  if (value === null) {
    return [];
  }
  const form = formOf(shape, value);
  if (form === 'scalar') {
    const wanted = shape.scalar ?? 'any';
    return SCALARS[wanted].includes(typeof value)
      ? []
      : [
          `${path}: expected ${
            wanted === 'any' ? 'scalar' : wanted
          }, got &value.valueUnstructured{Value:${describe(value)}}`,
        ];
  }
  if (form === 'list' && shape.list) {
    if (!Array.isArray(value)) {
      return [
        `${path}: expected list, got &value.valueUnstructured{Value:${describe(
          value,
        )}}`,
      ];
    }
    return listErrors(shape.list, value, path);
  }
  if (!isObject(value) || !shape.map) {
    return [
      `${path}: expected map, got &value.valueUnstructured{Value:${describe(
        value,
      )}}`,
    ];
  }
  const map = shape.map;
  return keysOf(value).flatMap(key => {
    const field = fieldSchema(map, key).schema;
    return field
      ? typeErrors(field, value[key] as Json, `${path}.${key}`)
      : [`${path}.${key}: field not declared in schema`];
  });
}

function listErrors(list: ListShape, items: Json[], path: string): string[] {
  if (list.relation === 'atomic') {
    return items.flatMap((item, index) =>
      typeErrors(list.element, item, `${path}[${index}]`),
    );
  }
  const seen = new Set<PathElement>();
  return items.flatMap((item, index) => {
    let element: PathElement;
    try {
      element = itemElement(list, item);
    } catch (error) {
      return [`${path}: element ${index}: ${(error as Error).message}`];
    }
    if (seen.has(element)) {
      return [`${path}: duplicate entries for key ${printElement(element)}`];
    }
    seen.add(element);
    return typeErrors(list.element, item, path + printElement(element));
  });
}
