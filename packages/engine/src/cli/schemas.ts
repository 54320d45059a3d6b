/*
 * Which schema the CLI compares with: from files that were given, from the built-in tables else.
 */
import { konnectSchema } from '../konnect/schema';
import { kubernetesSchema, KubernetesSchemaSource } from '../kubernetes/schema';
import { isObject } from '../pointer';
import { Json, JsonObject, ResourceSchema } from '../types';
import { readDocuments } from './resources';

/** Documents from `--schema` files: OpenAPI, custom resource definitions, Konnect plugin schemas, our own schemas. */
export interface SchemaFiles {
  documents: Json[];
}

const SAME_TYPE = /^(?:CustomResourceDefinition)$/;

function crdFor(documents: Json[], kind: string): JsonObject | undefined {
  const parts = kind.split('/');
  const name = parts.pop();
  parts.pop();
  const group = parts.join('/');
  return documents.find((document): document is JsonObject => {
    if (!isObject(document) || !SAME_TYPE.test(String(document.kind))) {
      return false;
    }
    const spec = document.spec;
    return (
      isObject(spec) &&
      spec.group === group &&
      isObject(spec.names) &&
      spec.names.kind === name
    );
  });
}

function isOurs(document: Json): boolean {
  return (
    isObject(document) &&
    typeof document.kind === 'string' &&
    typeof document.platform === 'string' &&
    isObject(document.root)
  );
}

const isPluginSchema = (document: Json) =>
  isObject(document) && Array.isArray(document.fields);

const isOpenApi = (document: Json) =>
  isObject(document) &&
  (isObject(document.definitions) || isObject(document.components));

/**
 * The documents of a `--schema` file.
 *
 * @throws Error where one of them is no schema of a known form
 */
export function readSchemas(file: string): Json[] {
  const documents = readDocuments(file);
  documents.forEach((document, index) => {
    const isKnown =
      isOurs(document) ||
      isPluginSchema(document) ||
      isOpenApi(document) ||
      (isObject(document) && SAME_TYPE.test(String(document.kind)));
    if (!isKnown) {
      throw new Error(
        `${file}: document ${
          index + 1
        } is no schema: neither an OpenAPI document, a CustomResourceDefinition, a Konnect plugin schema, nor a schema in Plumbline's own form.`,
      );
    }
  });
  return documents;
}

/** Is it the name of no Konnect collection, written like one? */
export const isUnknownCollection = (kind: string) =>
  !kind.includes('/') && konnectSchema(kind).partial === true;

/**
 * @param platform - `kubernetes` or `konnect`
 * @param kind - `apps/v1/Deployment`, or a Konnect collection
 */
export function schemaFor(
  platform: string,
  kind: string,
  files: SchemaFiles = { documents: [] },
): ResourceSchema {
  const { documents } = files;
  const ours = documents.find(
    document =>
      isOurs(document) &&
      (document as JsonObject).kind === kind &&
      (document as JsonObject).platform === platform,
  );
  if (ours) {
    return ours as unknown as ResourceSchema;
  }
  if (platform === 'konnect') {
    return konnectSchema(kind, documents.find(isPluginSchema));
  }
  const source: KubernetesSchemaSource = {};
  const crd = crdFor(documents, kind);
  if (crd) source.crd = crd;
  const v2 = documents.find(
    d => isObject(d) && isObject(d.definitions) && !isOurs(d),
  );
  if (v2 !== undefined) source.openapiV2 = v2;
  const v3 = documents.find(d => isObject(d) && isObject(d.components));
  if (v3 !== undefined) source.openapiV3 = v3;
  return kubernetesSchema(kind, source);
}
