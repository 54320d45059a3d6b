/*
 * Schemas of Kubernetes kinds: from the cluster's own documents where there are any, from the built-in snapshot else.
 */
import { FieldSchema, Json, JsonObject, ResourceSchema } from '../types';
import { isObject, own } from '../pointer';
import { crdSchema, readStructural } from './crd';
import { HINTS, SERVER_ROOT } from './hints';
import {
  ALLOCATED_LABELS,
  SERVER_ANNOTATIONS,
  SERVER_FINALIZERS,
} from './marks';
import { Definitions, readOpenApi } from './openapi';
import { withSecretFields } from './secretFields';
import { snapshot } from './snapshot';
import { withSiblingZeros } from './zeros';

/** Where a schema may come from. Each document as the server returned it. @public */
export interface KubernetesSchemaSource {
  /** `GET /openapi/v2` */
  openapiV2?: Json;
  /** `GET /openapi/v3/apis/GROUP/VERSION` (or `/openapi/v3/api/v1`) */
  openapiV3?: Json;
  /** The custom resource definition of the kind. */
  crd?: Json;
}

function splitKind(gvk: string): {
  group: string;
  version: string;
  kind: string;
} {
  const parts = gvk.split('/');
  const kind = parts.pop() ?? '';
  const version = parts.pop() ?? '';
  return { group: parts.join('/'), version, kind };
}

const BY_KIND: Record<string, string[]> = {
  '/Secret': ['kubernetes.stringData'],
  '/Pod': ['kubernetes.podTolerations'],
  'rbac.authorization.k8s.io/ClusterRole': ['kubernetes.aggregatedRules'],
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': [
    'kubernetes.injectedCaBundle',
  ],
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': [
    'kubernetes.injectedCaBundle',
  ],
  'apiextensions.k8s.io/CustomResourceDefinition': [
    'kubernetes.injectedCaBundle',
  ],
  'apiregistration.k8s.io/APIService': ['kubernetes.injectedCaBundle'],
};

function withHints(name: string, schema: FieldSchema): FieldSchema {
  const hints = own(HINTS as unknown as JsonObject, name) as unknown as
    | Record<string, Partial<FieldSchema>>
    | undefined;
  if (!hints || !schema.properties) {
    return schema;
  }
  const properties = { ...schema.properties };
  for (const [property, hint] of Object.entries(hints)) {
    const known = properties[property];
    if (known) {
      properties[property] = { ...known, ...hint };
    }
  }
  return { ...schema, properties };
}

/** Metadata of every object, with what belongs to the server taken out. */
function metadata(base: FieldSchema | undefined): FieldSchema {
  const annotations: Record<string, FieldSchema> = {};
  for (const name of SERVER_ANNOTATIONS) {
    annotations[name] = { serverOwned: true };
  }
  const known = base?.properties ?? {
    name: { type: 'string' },
    generateName: { type: 'string' },
    labels: {},
    finalizers: {},
    ownerReferences: {
      type: 'list',
      list: 'map',
      keys: ['uid'],
      items: {
        type: 'object',
        properties: {
          apiVersion: { type: 'string' },
          kind: { type: 'string' },
          name: { type: 'string' },
          uid: { type: 'string' },
          controller: { type: 'boolean' },
          blockOwnerDeletion: { type: 'boolean' },
        },
      },
    },
  };
  const properties: Record<string, FieldSchema> = {
    ...known,
    // Where only its beginning is declared, the server makes up the rest.
    name: { type: 'string', emptyIsAbsent: true, allocated: true },
    generateName: { type: 'string', emptyIsAbsent: true },
    labels: {
      type: 'map',
      properties: Object.fromEntries(
        ALLOCATED_LABELS.map(name => [
          name,
          { type: 'string', allocated: true },
        ]),
      ),
      values: { type: 'string' },
      emptyIsAbsent: true,
    },
    annotations: {
      type: 'map',
      properties: annotations,
      values: { type: 'string' },
      emptyIsAbsent: true,
    },
    finalizers: {
      type: 'list',
      list: 'set',
      open: true,
      unique: true,
      allocatedMembers: [...SERVER_FINALIZERS],
      items: { type: 'string' },
      emptyIsAbsent: true,
    },
  };
  for (const [name, hint] of Object.entries(HINTS['meta.v1.ObjectMeta'])) {
    properties[name] = { ...properties[name], ...hint };
  }
  return {
    type: 'object',
    properties,
    pruneUnknown: true,
    emptyIsAbsent: true,
  };
}

function rootOf(
  base: FieldSchema,
  meta: FieldSchema,
  isSecret: boolean,
): FieldSchema {
  const properties: Record<string, FieldSchema> = {
    ...base.properties,
    metadata: meta,
  };
  for (const [name, hint] of Object.entries(SERVER_ROOT)) {
    properties[name] = { ...properties[name], ...hint };
  }
  const root: FieldSchema = { ...base, type: 'object', properties };
  delete root.required;
  if (isSecret) {
    root.unknownSecret = true;
  }
  return root;
}

const caches = new WeakMap<object, Definitions>();

function definitionsOf(document: Json): Definitions {
  if (!isObject(document)) {
    return { definitions: {}, kinds: {} };
  }
  let known = caches.get(document);
  if (!known) {
    const read = readOpenApi(document);
    known = {
      ...read,
      definitions: hinted(read.definitions, packedDefinitions()),
    };
    caches.set(document, known);
  }
  return known;
}

function hinted(
  definitions: Record<string, FieldSchema>,
  known: Record<string, FieldSchema> = {},
): Record<string, FieldSchema> {
  const out: Record<string, FieldSchema> = {};
  const filled = withSiblingZeros(definitions, known);
  for (const [name, schema] of Object.entries(filled)) {
    out[name] = withHints(name, schema);
  }
  // Claims inside other objects bring their own header, which the server fills in.
  const claim = out['core.v1.PersistentVolumeClaim'];
  if (claim) {
    out['core.v1.PersistentVolumeClaim'] = rootOf(
      claim,
      { ref: 'meta.v1.ObjectMeta' },
      false,
    );
  }
  out['meta.v1.ObjectMeta'] = metadata(out['meta.v1.ObjectMeta']);
  return out;
}

let unpacked: Definitions | undefined;

function packedDefinitions(): Record<string, FieldSchema> {
  unpacked ??= snapshot();
  return unpacked.definitions;
}

let builtIn: Definitions | undefined;

function builtInDefinitions(): Definitions {
  if (!builtIn) {
    const definitions = hinted(packedDefinitions());
    builtIn = { kinds: unpacked?.kinds ?? {}, definitions };
  }
  return builtIn;
}

function reachable(
  root: FieldSchema,
  all: Record<string, FieldSchema>,
): Record<string, FieldSchema> {
  const out: Record<string, FieldSchema> = {};
  const visit = (schema: FieldSchema | undefined) => {
    if (!schema) {
      return;
    }
    if (schema.ref !== undefined && !(schema.ref in out) && all[schema.ref]) {
      out[schema.ref] = all[schema.ref];
      visit(all[schema.ref]);
    }
    visit(schema.items);
    visit(schema.values);
    Object.values(schema.properties ?? {}).forEach(visit);
  };
  visit(root);
  return out;
}

function fromDefinitions(
  gvk: string,
  from: Definitions,
): ResourceSchema | undefined {
  const name = own(from.kinds as unknown as JsonObject, gvk);
  const base = typeof name === 'string' ? from.definitions[name] : undefined;
  if (!base?.properties) {
    return undefined;
  }
  const { group, kind } = splitKind(gvk);
  const isSecret = group === '' && kind === 'Secret';
  const meta = from.definitions['meta.v1.ObjectMeta'] ?? metadata(undefined);
  const root = rootOf(base, meta, isSecret);
  return {
    kind: gvk,
    platform: 'kubernetes',
    root,
    definitions: reachable(root, from.definitions),
    rules: rulesOf(gvk),
  };
}

function rulesOf(gvk: string): string[] {
  const { group, kind } = splitKind(gvk);
  return ['kubernetes.identity', ...(BY_KIND[`${group}/${kind}`] ?? [])];
}

function fromCrd(gvk: string, crd: Json): ResourceSchema | undefined {
  const { version } = splitKind(gvk);
  const raw = crdSchema(crd, version);
  if (!raw) {
    return undefined;
  }
  const base = readStructural(raw);
  const root = rootOf(base, metadata(undefined), false);
  // The header and the status are not the declaration's to give.
  root.required = (base.required ?? []).filter(
    name => name !== 'metadata' && !(name in SERVER_ROOT),
  );
  return {
    kind: gvk,
    platform: 'kubernetes',
    root,
    rules: rulesOf(gvk),
    insists: true,
  };
}

/** Groups whose kinds nobody but Kubernetes itself defines. */
const isBuiltInGroup = (group: string) =>
  !group.includes('.') || group.endsWith('.k8s.io');

const partials = new Map<string, ResourceSchema>();

/**
 * The schema of a kind.
 *
 * @param gvk - `apps/v1/Deployment`, `v1/Pod`, `configuration.konghq.com/v1alpha1/KongService`
 * @param source - the cluster's own documents; without any (or where they lack the kind), built-in kinds come from a
 *   snapshot, and all others are `partial`: compared by structure, lists as a whole
 * @public
 */
export function kubernetesSchema(
  gvk: string,
  source: KubernetesSchemaSource = {},
): ResourceSchema {
  const { group, kind } = splitKind(gvk);
  let found: ResourceSchema | undefined;
  if (source.crd !== undefined) {
    found = fromCrd(gvk, source.crd);
  }
  for (const document of [source.openapiV3, source.openapiV2]) {
    if (!found && document !== undefined) {
      found = fromDefinitions(gvk, definitionsOf(document));
    }
  }
  if (found) {
    return { ...found, root: withSecretFields(group, kind, found.root) };
  }
  const known = partials.get(gvk);
  if (known) {
    return known;
  }
  found = isBuiltInGroup(group)
    ? fromDefinitions(gvk, builtInDefinitions())
    : undefined;
  const schema: ResourceSchema = found ?? {
    kind: gvk,
    platform: 'kubernetes',
    root: withSecretFields(
      group,
      kind,
      rootOf(
        { type: 'object', wellKnownNames: true },
        metadata(undefined),
        kind === 'Secret',
      ),
    ),
    rules: rulesOf(gvk),
    partial: true,
  };
  partials.set(gvk, schema);
  return schema;
}
