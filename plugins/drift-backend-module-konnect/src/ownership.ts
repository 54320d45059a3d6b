/** Ownership tags: how an entity says which custom resource it belongs to, in the same words as Kong's operator. */
import { PlatformError } from '@plumbline/backstage-plugin-drift-node';
import type {
  DeclaredResource,
  LiveObject,
} from '@plumbline/backstage-plugin-drift-node';

/** The tag that proves ownership. */
export const MARK_KEY = 'k8s-uid';

/** Konnect's limits. */
export const MAX_TAGS = 20;
export const MAX_TAG_LENGTH = 128;

const OWNERSHIP_TAG =
  /^(?:k8s-(?:generation|group|kind|name|namespace|uid|version)|managed-by):/;

/** Whether a tag is somebody's bookkeeping rather than a declared one. */
export function isOwnershipTag(tag: string): boolean {
  return OWNERSHIP_TAG.test(tag);
}

function value(tags: readonly string[], key: string): string | undefined {
  return tags.find(tag => tag.startsWith(`${key}:`))?.slice(key.length + 1);
}

/** The ownership marks among an entity's tags, with the name of the owner where the tags tell it. */
export function marksOf(tags: readonly string[]): LiveObject['marks'] {
  const marks = tags.filter(tag => tag.startsWith(`${MARK_KEY}:`));
  if (marks.length === 0) {
    return [];
  }
  const name = value(tags, 'k8s-name');
  const namespace = value(tags, 'k8s-namespace');
  const owner =
    name &&
    `${value(tags, 'k8s-kind') ?? 'resource'} ${
      namespace ? `${namespace}/` : ''
    }${name}`;
  return marks.map(tag => ({
    key: MARK_KEY,
    value: tag.slice(MARK_KEY.length + 1),
    ...(owner && { description: owner }),
  }));
}

/**
 * Our tags for a declaration, the most important first; none where it bears no mark. `k8s-generation` is left out on
 * purpose: it would have to be rewritten after every edit, also after one that changes nothing in Konnect.
 */
export function ownershipTags(declared: DeclaredResource): string[] {
  const { mark, origin } = declared;
  if (!mark) {
    return [];
  }
  const [version, group] = origin.apiVersion.split('/').reverse();
  const tags: [string, string | undefined][] = [
    [mark.key, mark.value],
    ['k8s-kind', origin.kind],
    ['k8s-namespace', origin.namespace],
    ['k8s-name', origin.name],
    ['k8s-group', group],
    ['k8s-version', version],
  ];
  return tags.flatMap(([key, text]) =>
    text ? [`${key}:${text}`.slice(0, MAX_TAG_LENGTH)] : [],
  );
}

/**
 * The tags to write: `wanted` (what is declared, or what is live where no tags are declared), then the ownership tags
 * that are live already, then ours as far as there is room. A live mark is never replaced.
 *
 * @throws PlatformError `conflict` where the live mark is somebody else's, `invalid` where there is no room for ours.
 */
export function tagsToWrite(
  declared: DeclaredResource,
  wanted: readonly string[],
  live: readonly string[],
): string[] {
  const foreign = marksOf(live).find(
    ({ value: uid }) => declared.mark && uid !== declared.mark.value,
  );
  if (foreign) {
    throw new PlatformError(
      'conflict',
      `It belongs to ${
        foreign.description ?? 'another resource'
      } (tag ${MARK_KEY}:${foreign.value})`,
    );
  }
  const tags = [
    ...new Set([
      ...wanted.filter(tag => !isOwnershipTag(tag)),
      ...live.filter(isOwnershipTag),
    ]),
  ];
  if (marksOf(tags).length > 0) {
    return tags;
  }
  const ours = ownershipTags(declared).filter(tag => !tags.includes(tag));
  if (ours.length > 0 && tags.length >= MAX_TAGS) {
    throw new PlatformError(
      'invalid',
      `It has ${tags.length} tags: Konnect takes ${MAX_TAGS}, and one is needed for the ownership mark ${MARK_KEY}. Declare fewer tags`,
    );
  }
  return [...tags, ...ours.slice(0, MAX_TAGS - tags.length)];
}
