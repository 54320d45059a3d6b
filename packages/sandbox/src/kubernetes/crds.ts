/** Custom resource definitions: what may be posted, the status that the server gives them, and the kind they define. */
import { Cause, invalidValue, notSupported, required } from './errors';
import { Json, JsonObject, at, clone, isObject, objects } from './json';
import { Kind } from './kinds';
import { ANYTHING, OBJECT_META, Schema, reference } from './schema';
import { KubeObject } from './types';

const text = (value: Json | undefined): string =>
  typeof value === 'string' ? value : '';
const texts = (value: Json | undefined): string[] =>
  Array.isArray(value)
    ? value.filter((item): item is string => typeof item === 'string')
    : [];

const asSchema = (value: Json | undefined): Schema | undefined =>
  isObject(value) ? (value as unknown as Schema) : undefined;

/** Fills in what a definition may leave out, in place. */
export function defaultCrd(crd: KubeObject): void {
  const spec = crd.spec;
  if (!isObject(spec)) {
    return;
  }
  const names = spec.names;
  if (isObject(names) && text(names.kind)) {
    names.singular ??= text(names.kind).toLowerCase();
    names.listKind ??= `${text(names.kind)}List`;
  }
  spec.conversion ??= { strategy: 'None' };
}

/** Everything that is wrong with a definition. */
export function validateCrd(crd: KubeObject): Cause[] {
  const spec = isObject(crd.spec) ? crd.spec : {};
  const group = text(spec.group);
  const plural = text(at(spec, 'names', 'plural'));
  const versions = objects(spec.versions);
  const causes: Cause[] = [];
  if (crd.metadata.name !== `${plural}.${group}`) {
    causes.push(
      invalidValue(
        'metadata.name',
        crd.metadata.name ?? '',
        `must be spec.names.plural+"."+spec.group`,
      ),
    );
  }
  if (!group) {
    causes.push(required('spec.group'));
  }
  if (spec.scope !== 'Namespaced' && spec.scope !== 'Cluster') {
    causes.push(
      spec.scope
        ? notSupported('spec.scope', spec.scope, ['Cluster', 'Namespaced'])
        : required('spec.scope'),
    );
  }
  for (const name of ['plural', 'kind']) {
    if (!text(at(spec, 'names', name))) {
      causes.push(required(`spec.names.${name}`));
    }
  }
  const stored = versions.filter(version => version.storage === true).length;
  if (stored !== 1) {
    causes.push(
      invalidValue(
        'spec.versions',
        versions,
        'must have exactly one version marked as storage version',
      ),
    );
  }
  versions.forEach((version, index) => {
    const where = `spec.versions[${index}].schema.openAPIV3Schema`;
    const schema = asSchema(at(version, 'schema', 'openAPIV3Schema'));
    if (!schema) {
      causes.push(required(where, 'schemas are required'));
    } else {
      causes.push(...structuralCauses(schema, where, true));
    }
  });
  return causes;
}

/** A structural schema says the type of every field, and which list is keyed by what. */
function structuralCauses(
  schema: Schema,
  path: string,
  root: boolean,
): Cause[] {
  const causes: Cause[] = [];
  const untypedIsFine =
    schema['x-kubernetes-int-or-string'] ||
    schema['x-kubernetes-preserve-unknown-fields'];
  if (!schema.type && !untypedIsFine) {
    causes.push(
      required(
        `${path}.type`,
        `must not be empty for specified ${root ? 'root' : 'object fields'}`,
      ),
    );
  }
  if (root && schema.type && schema.type !== 'object') {
    causes.push(
      invalidValue(`${path}.type`, schema.type, 'must be object at the root'),
    );
  }
  if (schema.type === 'array' && !schema.items) {
    causes.push(required(`${path}.items`, 'must be specified'));
  }
  if (
    schema['x-kubernetes-list-type'] === 'map' &&
    !schema['x-kubernetes-list-map-keys']?.length
  ) {
    causes.push(
      required(
        `${path}.x-kubernetes-list-map-keys`,
        'must not be empty if x-kubernetes-list-type is map',
      ),
    );
  }
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (!(root && name === 'metadata')) {
      causes.push(
        ...structuralCauses(field, `${path}.properties[${name}]`, false),
      );
    }
  }
  if (schema.items) {
    causes.push(...structuralCauses(schema.items, `${path}.items`, false));
  }
  if (typeof schema.additionalProperties === 'object') {
    causes.push(
      ...structuralCauses(
        schema.additionalProperties,
        `${path}.additionalProperties`,
        false,
      ),
    );
  }
  return causes;
}

const condition = (
  type: string,
  reason: string,
  message: string,
  now: string,
): JsonObject => ({
  type,
  status: 'True',
  lastTransitionTime: now,
  reason,
  message,
});

/** The status that says that the names are taken and the kind is served. */
export function establishedStatus(crd: KubeObject, now: string): JsonObject {
  const spec = isObject(crd.spec) ? crd.spec : {};
  const storage = objects(spec.versions).find(
    version => version.storage === true,
  );
  const before = texts(at(crd.status, 'storedVersions'));
  const current = text(storage?.name);
  return {
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found', now),
      condition(
        'Established',
        'InitialNamesAccepted',
        'the initial names have been accepted',
        now,
      ),
    ],
    acceptedNames: clone(spec.names),
    storedVersions: before.includes(current) ? before : [...before, current],
  };
}

const path = (value: Json | undefined): string[] =>
  text(value).split('.').filter(Boolean);

/** The kind that a definition defines. */
export function kindOf(crd: KubeObject): Kind {
  const spec = isObject(crd.spec) ? crd.spec : {};
  const names = isObject(spec.names) ? spec.names : {};
  const versions = objects(spec.versions).filter(
    version => version.served === true,
  );
  const storage = objects(spec.versions).find(
    version => version.storage === true,
  );
  const subresources =
    versions.map(version => version.subresources).find(isObject) ?? {};
  const scale = subresources.scale;
  return {
    group: text(spec.group),
    kind: text(names.kind),
    plural: text(names.plural),
    listKind: text(names.listKind) || `${text(names.kind)}List`,
    singular: text(names.singular),
    namespaced: spec.scope === 'Namespaced',
    shortNames: texts(names.shortNames),
    categories: texts(names.categories),
    versions: versions.map(version => ({
      version: text(version.name),
      schema: withMetadata(
        asSchema(at(version, 'schema', 'openAPIV3Schema')) ?? ANYTHING,
      ),
    })),
    storage: text(storage?.name),
    status: isObject(subresources.status),
    ...(isObject(scale)
      ? {
          scale: {
            specPath: path(scale.specReplicasPath),
            statusPath: path(scale.statusReplicasPath),
            ...(scale.labelSelectorPath
              ? { selectorPath: path(scale.labelSelectorPath) }
              : {}),
          },
        }
      : {}),
    generation: true,
    selectable: [],
    names: 'subdomain',
    definedBy: crd.metadata.name,
  };
}

/** A definition says nothing about apiVersion, kind and metadata; these are the same everywhere. */
function withMetadata(schema: Schema): Schema {
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: reference(OBJECT_META),
    },
  };
}
