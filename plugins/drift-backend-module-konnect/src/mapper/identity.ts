/** By what the live entity of a custom resource is known, and under which id it may be created. */
import type { Json, JsonObject, Problem } from '@plumbline/drift-engine';
import { textAt } from '@plumbline/backstage-plugin-drift-node';
import type { KonnectKind } from '../kinds';
import { MARK_KEY, MAX_TAG_LENGTH, MAX_TAGS } from '../ownership';
import type { DirectoryEntry } from './directory';

/**
 * How the live entity is known: by the id that the operator wrote down, by the id that is declared, or by the custom
 * resource's own uid, under which we create it, so that a create can be repeated without making a second one.
 */
export function identify(
  kind: KonnectKind,
  object: Json,
  document: JsonObject,
  entry: DirectoryEntry,
): {
  locators: string[];
  mark?: { key: string; value: string };
  deterministicId?: string;
  adopts: boolean;
  problems: Problem[];
} {
  const uid = textAt(object, 'metadata', 'uid');
  const statusOf = textAt(object, 'status', 'konnect', 'controlPlaneID');
  const known = entry.knownId();
  const isOfOther = statusOf && known && statusOf.toLowerCase() !== known;
  const statusId = isOfOther
    ? undefined
    : textAt(object, 'status', 'konnect', 'id');
  const declaredId =
    kind.customResource.body === 'spec'
      ? textAt(object, 'spec', 'id')
      : undefined;
  const adoptId = textAt(object, 'spec', 'adopt', 'konnect', 'id');
  const adopts = adoptId !== undefined && statusId === undefined;
  const deterministicId = adopts ? undefined : statusId ?? declaredId ?? uid;
  const ids = [statusId, adoptId, deterministicId].filter(
    (id): id is string => id !== undefined,
  );
  const isNamed = kind.uniqueNames.some(field => textAt(document, field));
  return {
    locators: [
      ...[...new Set(ids)].map(id => `id:${id}`),
      ...(adopts ? [`adopt:${adoptId}`] : []),
      ...(uid ? [`mark:${MARK_KEY}:${uid}`] : []),
    ],
    ...(uid && { mark: { key: MARK_KEY, value: uid } }),
    deterministicId,
    adopts,
    problems:
      ids.length > 0 || uid || isNamed || kind.uniqueScope || kind.uniqueText
        ? []
        : [
            {
              path: '',
              reason: 'NoIdentity',
              message: `This ${kind.noun} has no name, no id and no uid: it could not be told from others. Give it a name.`,
            },
          ],
  };
}

/** What is wrong with the declared tags. */
export function tagProblems(tags: Json | undefined): Problem[] {
  if (!Array.isArray(tags)) {
    return [];
  }
  // One is needed for the ownership mark.
  const room = MAX_TAGS - 1;
  const tooLong = tags.filter(
    tag => typeof tag === 'string' && tag.length > MAX_TAG_LENGTH,
  );
  return [
    ...(tags.length > room
      ? [
          {
            path: '/tags',
            reason: 'TooManyTags',
            message: `It declares ${tags.length} tags: Konnect takes ${MAX_TAGS}, and one is needed for the ownership mark. Declare ${room} at most.`,
          },
        ]
      : []),
    ...(tooLong.length > 0
      ? [
          {
            path: '/tags',
            reason: 'TagTooLong',
            message: `${tooLong.length} of its tags are longer than the ${MAX_TAG_LENGTH} characters that Konnect takes.`,
          },
        ]
      : []),
  ];
}
