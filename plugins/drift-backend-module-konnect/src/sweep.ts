/** The bulk read of a control plane: whole lists, page by page, with as few requests as there are pages. */
import { textAt } from '@plumbline/backstage-plugin-drift-node';
import type {
  LiveObject,
  SweepPage,
} from '@plumbline/backstage-plugin-drift-node';
import { groupName, type Entities } from './entities';
import type { Collection } from './kinds';
import { toLiveObject } from './liveObject';
import type { RawEntity } from './pages';
import { textDigest } from './version';

/** Collections whose entities are described with the names of others, and which these are. */
const PARENTS: Partial<Record<Collection, Collection>> = {
  targets: 'upstreams',
  consumers: 'consumer_groups',
};

function isParent(collection: Collection): boolean {
  return Object.values(PARENTS).includes(collection);
}

/**
 * Reads the collections in the given order. Memberships cost one list for each consumer group; they and targets
 * cost the list of groups or upstreams where it was not asked for anyway. Never is there a request for each entity.
 *
 * @throws PlatformError where anything could not be read to its end.
 */
export async function* sweepCollections(
  entities: Entities,
  collections: readonly Collection[],
  options: {
    signal: AbortSignal;
    versionKey: string;
    /** See `Platform.sweep`. */
    knows?: (digest: string) => boolean;
  },
): AsyncGenerator<SweepPage> {
  const { signal, versionKey, knows } = options;
  const read = { signal, priority: 'sweep' as const };
  const wanted = new Set(collections);
  const upstreamNames = new Map<string, string>();
  const groups = new Map<string, string>();
  const groupsOf = new Map<string, string[]>();

  const noteParents = (parents: Collection, found: RawEntity[]) => {
    for (const entity of found) {
      if (parents === 'upstreams') {
        upstreamNames.set(entity.id, textAt(entity, 'name') ?? entity.id);
      } else if (parents === 'consumer_groups') {
        groups.set(entity.id, groupName(entity));
      }
    }
  };
  const noteMembers = async () => {
    for (const [groupId, name] of groups) {
      // A group that went between the two reads has no members any more.
      const members = (await entities.membersOf(groupId, read)) ?? [];
      for (const { id } of members) {
        groupsOf.set(id, [...(groupsOf.get(id) ?? []), name]);
      }
    }
  };

  for (const collection of collections) {
    const parents = PARENTS[collection];
    if (parents && !wanted.has(parents)) {
      noteParents(parents, await entities.all(parents, read));
    }
    if (collection === 'consumers') {
      await noteMembers();
    }
    // What live objects are made from besides the page.
    const beside = textDigest(
      JSON.stringify([
        collection,
        collection === 'targets' ? [...upstreamNames] : [],
        collection === 'consumers' ? [...groupsOf] : [],
      ]),
    );
    const digestOf = (page: string) => `${beside} ${page}`;
    const pages = entities.pages(collection, {
      ...read,
      ...(knows && { knows: page => knows(digestOf(page)) }),
    });
    for await (const page of pages) {
      if (isParent(collection)) {
        noteParents(collection, page.entities());
      }
      yield lazyPage(page.digest && digestOf(page.digest), () =>
        page
          .entities()
          .map(entity =>
            toLiveObject(
              collection,
              collection === 'consumers'
                ? withGroups(entity, groupsOf.get(entity.id) ?? [])
                : entity,
              { versionKey, upstreamNames },
            ),
          ),
      );
    }
  }
}

/** To make live objects is dear, and nobody needs them where the page is as it was. */
function lazyPage(
  digest: string | undefined,
  makeItems: () => LiveObject[],
): SweepPage {
  let items: LiveObject[] | undefined;
  return {
    digest,
    get items() {
      items ??= makeItems();
      return items;
    },
  };
}

/** Puts the names of a consumer's groups into its document, sorted: they have no order of their own. */
export function withGroups(
  consumer: RawEntity,
  groups: readonly string[],
): RawEntity {
  return { ...consumer, groups: [...new Set(groups)].sort() };
}
