/** From the fields of a custom resource to the body of a core entity, by the table of kinds. */
import {
  at,
  isObject,
  listAt,
  textAt,
  textsAt,
  without,
} from '@plumbline/backstage-plugin-drift-node';
import type { LiveReference } from '@plumbline/backstage-plugin-drift-node';
import type { ResourceRef } from '@plumbline/backstage-plugin-drift-common';
import {
  setAt,
  type Json,
  type JsonObject,
  type Problem,
} from '@plumbline/drift-engine';
import { kindOf, type KonnectKind, type ReferenceField } from '../kinds';
import {
  checkGrant,
  dangling,
  type MapContext,
  type ObjectRef,
} from './lookup';
import type { DeclaredBody } from './plugin';
import { vaultConfig } from './vault';

/** What a reference field of a custom resource names. */
export interface NamedReference {
  path: string;
  to: string;
  isParent: boolean;
  object: ObjectRef;
  resource: Omit<ResourceRef, 'platform'>;
}

/** The references that the table knows of and that this object has. */
export function namedReferences(
  kind: KonnectKind,
  object: Json,
): NamedReference[] {
  return kind.customResource.references.flatMap(row => {
    const path = `/spec/${row.field}`;
    if (row.form === 'list') {
      return listAt(object, 'spec', row.field).flatMap((item, index) =>
        namedReference(row, object, item, {
          path: `${path}/${index}`,
          to: `${row.to}/${index}`,
        }),
      );
    }
    const inner =
      row.form === 'typed'
        ? at(object, 'spec', row.field, 'namespacedRef')
        : at(object, 'spec', row.field);
    return namedReference(row, object, inner, { path, to: row.to });
  });
}

function namedReference(
  { kind, isParent = false }: ReferenceField,
  object: Json,
  named: Json | undefined,
  { path, to }: { path: string; to: string },
): NamedReference[] {
  const name = textAt(named, 'name');
  if (!name) {
    return [];
  }
  const namespace =
    textAt(named, 'namespace') ?? textAt(object, 'metadata', 'namespace');
  const { group, kind: refKind } = kindOf(kind).customResource;
  return [
    {
      path,
      to,
      isParent,
      object: { group, kind: refKind, namespace, name },
      resource: { kind, ...(namespace && { namespace }), name },
    },
  ];
}

/** The body of every kind but plugins. @param platform - id of the platform that the object is for */
export async function entityBody(
  kind: KonnectKind,
  object: Json,
  platform: string,
  context: MapContext,
): Promise<DeclaredBody> {
  const problems: Problem[] = secretProblems(kind, object);
  const madeFrom: Json[] = [];
  let document: Json = ownFields(kind, object);

  const references: LiveReference[] = [];
  let parent: ResourceRef | undefined;
  for (const named of namedReferences(kind, object)) {
    const target = await context.lookup(named.object);
    if (target === undefined) {
      problems.push(dangling(named.path, named.object));
    } else if (
      named.object.namespace !== textAt(object, 'metadata', 'namespace')
    ) {
      problems.push(
        ...(await checkGrant(object, named.object, named.path, context)),
      );
    }
    const ref = { platform, ...named.resource };
    references.push({ path: named.to, ref });
    if (named.isParent) {
      parent = ref;
    }
  }

  if (kind.collection === 'vaults') {
    const vault = await vaultConfig(object, context);
    problems.push(...vault.problems);
    madeFrom.push(...vault.madeFrom);
    document = {
      ...(document as JsonObject),
      ...(vault.config !== undefined && { config: vault.config }),
    };
  }
  if (kind.collection === 'consumers') {
    const groups = await consumerGroups(object, context);
    problems.push(...groups.problems);
    madeFrom.push(...groups.madeFrom);
    const tags = at(object, 'spec', 'tags');
    document = {
      ...(document as { [key: string]: Json }),
      ...(tags !== undefined && { tags }),
      ...(groups.names && { groups: groups.names }),
    };
  }
  return {
    document: isObject(document) ? document : {},
    references,
    parent,
    problems,
    madeFrom,
  };
}

/** The fields that the entity shares with the custom resource, and those of its references that need no looking up. */
function ownFields(kind: KonnectKind, object: Json): JsonObject {
  const { customResource } = kind;
  const fields = customResource.body === 'spec' ? at(object, 'spec') : object;
  if (!isObject(fields)) {
    return {};
  }
  const own = without(fields, [
    ...customResource.notFields,
    ...customResource.references.map(({ field }) => field),
    ...(customResource.secretRefs ?? []).map(({ field }) => field),
  ]);
  let document: Json = Object.fromEntries(
    Object.entries(own).map(([name, value]) => [
      customResource.renamed?.[name] ?? name,
      value,
    ]),
  );
  for (const { field, form, to } of customResource.references) {
    const given = at(fields, field);
    const konnectId = textAt(given, 'konnectID');
    if (form === 'typed' && konnectId) {
      document = setAt(document, to, konnectId);
    } else if (Array.isArray(given)) {
      // So many places for live ids.
      document = setAt(
        document,
        to,
        given.map(item => `(${textAt(item, 'name') ?? ''})`),
      );
    }
  }
  return isObject(document) ? document : {};
}

/** Secrets are not read: what stands in them could not be told from other values afterwards, and would show. */
function secretProblems(kind: KonnectKind, object: Json): Problem[] {
  return (kind.customResource.secretRefs ?? []).flatMap(({ field, values }) => {
    const name = textAt(object, 'spec', field, 'name');
    return name
      ? [
          {
            path: `/spec/${field}`,
            reason: 'SecretNotReadable',
            message: `The ${values} of this ${kind.noun} stand in the Secret ${name}, which is not read. Declare them inline (spec.type: inline), a private key best as a reference {vault://…}.`,
          },
        ]
      : [];
  });
}

/**
 * Memberships are declared by the names of KongConsumerGroups and compared by the names that the groups have in
 * Konnect: those are unique in a control plane, and a person can read them.
 */
async function consumerGroups(
  consumer: Json,
  context: MapContext,
): Promise<{ names?: string[]; problems: Problem[]; madeFrom: Json[] }> {
  if (at(consumer, 'consumerGroups') === undefined) {
    return { problems: [], madeFrom: [] };
  }
  const names: string[] = [];
  const problems: Problem[] = [];
  const madeFrom: Json[] = [];
  const { group, kind } = kindOf('consumer_groups').customResource;
  const namespace = textAt(consumer, 'metadata', 'namespace');
  for (const [index, name] of textsAt(consumer, 'consumerGroups').entries()) {
    const ref = { group, kind, namespace, name };
    const found = await context.lookup(ref);
    const groupName = textAt(found, 'spec', 'name');
    const path = `/consumerGroups/${index}`;
    if (found === undefined) {
      problems.push(dangling(path, ref));
    } else if (!groupName) {
      problems.push({
        path,
        reason: 'MissingField',
        message: `The KongConsumerGroup ${name} has no spec.name, by which Konnect would know it.`,
      });
    } else {
      names.push(groupName);
      madeFrom.push(found);
    }
  }
  return { names: names.sort(), problems, madeFrom };
}

/** Where the annotation `konghq.com/tags` adds tags, as it does for the operator. */
export function annotatedTags(object: Json): string[] {
  const text = at(object, 'metadata', 'annotations', 'konghq.com/tags');
  return typeof text === 'string'
    ? text
        .split(',')
        .map(tag => tag.trim())
        .filter(Boolean)
    : [];
}

/** The tags that a document and the object's annotation declare; `undefined` where neither does. */
export function declaredTags(document: Json, object: Json): Json | undefined {
  const annotated = annotatedTags(object);
  const tags = at(document, 'tags');
  if (annotated.length === 0) {
    return tags;
  }
  return [...new Set([...listAt(document, 'tags'), ...annotated])];
}
