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
import { setAt, type Json, type Problem } from '@plumbline/drift-engine';
import { kindOf, type KonnectKind } from '../kinds';
import {
  checkGrant,
  dangling,
  type MapContext,
  type ObjectRef,
} from './lookup';
import type { DeclaredBody } from './plugin';

/** What a reference field of a custom resource names. */
export interface NamedReference {
  path: string;
  to: string;
  object: ObjectRef;
  resource: Omit<ResourceRef, 'platform'>;
}

/** The references that the table knows of and that this object has. */
export function namedReferences(
  kind: KonnectKind,
  object: Json,
): NamedReference[] {
  const ownNamespace = textAt(object, 'metadata', 'namespace');
  return kind.customResource.references.flatMap(({ field, form, ...row }) => {
    const inner =
      form === 'typed'
        ? at(object, 'spec', field, 'namespacedRef')
        : at(object, 'spec', field);
    const name = textAt(inner, 'name');
    if (!name) {
      return [];
    }
    const namespace = textAt(inner, 'namespace') ?? ownNamespace;
    const { group, kind: refKind } = kindOf(row.kind).customResource;
    return [
      {
        path: `/spec/${field}`,
        to: row.to,
        object: { group, kind: refKind, namespace, name },
        resource: { kind: row.kind, ...(namespace && { namespace }), name },
      },
    ];
  });
}

/** The body of every kind but plugins. @param platform - id of the platform that the object is for */
export async function entityBody(
  kind: KonnectKind,
  object: Json,
  platform: string,
  context: MapContext,
): Promise<DeclaredBody> {
  const { customResource } = kind;
  const fields = customResource.body === 'spec' ? at(object, 'spec') : object;
  const problems: Problem[] = [];
  const madeFrom: Json[] = [];
  let document: Json = isObject(fields)
    ? without(fields, [
        ...customResource.notFields,
        ...customResource.references.map(({ field }) => field),
        ...customResource.fromStatus.map(({ field }) => field),
      ])
    : {};

  const references: LiveReference[] = [];
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
    references.push({ path: named.to, ref: { platform, ...named.resource } });
  }

  for (const { field, status, to } of customResource.fromStatus) {
    if (at(object, 'spec', field) === undefined) {
      continue;
    }
    const ids = at(object, 'status', 'konnect', status);
    if (ids === undefined || ids === '') {
      problems.push({
        path: `/spec/${field}`,
        reason: 'UnsupportedReference',
        message: `It refers to a certificate, which is not looked after yet, and the operator's status does not say its id (status.konnect.${status}).`,
      });
    } else {
      document = setAt(document, to, ids);
    }
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
    parent: references[0]?.ref,
    problems,
    madeFrom,
  };
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
