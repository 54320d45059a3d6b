/*
 * Fields of custom resources that hold secrets under names that do not say so.
 */
import { FieldSchema } from '../types';

/** By group and kind, whatever the version. */
const FIELDS: Record<string, readonly string[]> = {
  'configuration.konghq.com/KongCertificate': ['spec/key', 'spec/key_alt'],
  'configuration.konghq.com/KongCredentialAPIKey': ['spec/key'],
  'configuration.konghq.com/KongCredentialJWT': ['spec/key'],
};

function withSecret(
  schema: FieldSchema,
  [name, ...below]: readonly string[],
): FieldSchema {
  const known = schema.properties?.[name];
  const field =
    below.length > 0
      ? // Nothing may be known of what lies between: then its other fields are told by their names, as before.
        withSecret(known ?? { type: 'any', wellKnownNames: true }, below)
      : { ...(known ?? { type: 'string' }), secret: true };
  return {
    ...schema,
    properties: { ...schema.properties, [name]: field as FieldSchema },
  };
}

/** The root of a kind with its secret fields marked. */
export function withSecretFields(
  group: string,
  kind: string,
  root: FieldSchema,
): FieldSchema {
  const name = `${group}/${kind}`;
  const fields = Object.prototype.hasOwnProperty.call(FIELDS, name)
    ? FIELDS[name]
    : [];
  return fields.reduce(
    (schema, field) => withSecret(schema, field.split('/')),
    root,
  );
}
