/*
 * Where nothing and a zero value are the same to a server, because the Go type is no pointer. No OpenAPI document says
 * it; the Go types do, from which the snapshot is made.
 */
import { FieldSchema } from '../types';

function withZeros(
  schema: FieldSchema,
  known: FieldSchema | undefined,
): FieldSchema {
  if (!schema.properties || !known?.properties) {
    return schema;
  }
  const properties = { ...schema.properties };
  for (const [name, field] of Object.entries(properties)) {
    const { emptyIsAbsent, zeroIsAbsent } = known.properties[name] ?? {};
    if (emptyIsAbsent || zeroIsAbsent) {
      properties[name] = {
        ...field,
        ...(emptyIsAbsent ? { emptyIsAbsent } : {}),
        ...(zeroIsAbsent ? { zeroIsAbsent } : {}),
      };
    }
  }
  return { ...schema, properties };
}

/** `autoscaling.v2beta2.MetricSpec` without its version. */
const unversioned = (name: string) => name.replace(/\.v\d\w*\./, '.');

/**
 * Definitions with what is known of their zero values. A type that is gone from newer servers is the same Go type in
 * the versions that stayed.
 */
export function withSiblingZeros(
  definitions: Record<string, FieldSchema>,
  known: Record<string, FieldSchema>,
): Record<string, FieldSchema> {
  const siblings = Object.fromEntries(
    Object.entries(known).map(([name, schema]) => [unversioned(name), schema]),
  );
  return Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [
      name,
      withZeros(schema, known[name] ?? siblings[unversioned(name)]),
    ]),
  );
}
