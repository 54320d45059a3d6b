/*
 * Fields that the platform insists on and that nobody gives: neither the declaration, nor what is live already, nor a
 * default.
 */
import { Json, JsonObject, Problem, ResourceSchema } from '../types';
import { formatPointer, isObject, own, PointerToken } from '../pointer';
import { compile, SchemaNode } from '../schema/compile';
import { isRedacted } from '../redact/secrets';
import { itemToken, keyText } from './keys';

type Path = PointerToken[];

const isMissing = (node: SchemaNode, object: JsonObject, name: string) => {
  const value = own(object, name);
  return value === undefined || (value === null && !node.nullable);
};

function inObject(
  node: SchemaNode,
  declared: JsonObject,
  live: Json | undefined,
  path: Path,
  out: Problem[],
): void {
  const there = isObject(live) ? live : {};
  for (const name of node.schema.required ?? []) {
    const child = node.property(name);
    if (
      child !== undefined &&
      !child.serverOwned &&
      child.default === undefined &&
      isMissing(child, declared, name) &&
      isMissing(child, there, name)
    ) {
      const pointer = formatPointer([...path, name]);
      out.push({
        path: pointer,
        reason: 'Required',
        message: `${pointer} is required.`,
      });
    }
  }
  for (const [name, value] of Object.entries(declared)) {
    visit(node.child(name), value, own(there, name), [...path, name], out);
  }
}

function inList(
  node: SchemaNode,
  declared: Json[],
  live: Json | undefined,
  path: Path,
  out: Problem[],
): void {
  const byKey = node.list === 'map' && node.keys.length > 0;
  declared.forEach((item, index) => {
    // An item of a list that is one value brings all of itself.
    const other =
      byKey && Array.isArray(live)
        ? live.find(one => keyText(node, one) === keyText(node, item))
        : undefined;
    const token = (byKey ? itemToken(node, item) : undefined) ?? String(index);
    visit(node.items, item, other, [...path, token], out);
  });
}

function visit(
  node: SchemaNode,
  declared: Json,
  live: Json | undefined,
  path: Path,
  out: Problem[],
): void {
  if (!node.mayRequire) {
    return;
  }
  if (Array.isArray(declared)) {
    inList(node, declared, live, path, out);
  } else if (isObject(declared) && !isRedacted(declared)) {
    inObject(node, declared, live, path, out);
  }
}

/**
 * What a write of the declaration would be refused for because it is not there. Only where the schema is known to be
 * what the platform insists on.
 *
 * @param declared - normalised
 * @param live - normalised; absent: nothing is there yet
 */
export function missingFields(
  schema: ResourceSchema,
  declared: Json,
  live: Json | undefined,
): Problem[] {
  const out: Problem[] = [];
  if (schema.insists) {
    visit(compile(schema), declared, live, [], out);
  }
  return out;
}
