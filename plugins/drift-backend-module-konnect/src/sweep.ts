/** The bulk read of a control plane: whole lists, page by page, with as few requests as there are pages. */
import type {
  LiveObject,
  SweepPage,
} from '@plumbline/backstage-plugin-drift-node';
import { groupName, type Entities } from './entities';
import { textAt } from './json';
import type { Collection } from './kinds';
import { toLiveObject } from './liveObject';
import type { RawEntity } from './pages';

/**
 * Reads the collections in the given order. Memberships cost one list for each consumer group, and targets the list
 * of upstreams (where it was not asked for anyway), never a request for each entity.
 *
 * @throws PlatformError where anything could not be read to its end.
 */
export async function* sweepCollections(
  entities: Entities,
  collections: readonly Collection[],
  options: { signal: AbortSignal; versionKey: string },
): AsyncGenerator<SweepPage> {
  const { signal, versionKey } = options;
  const read = { signal, priority: 'sweep' as const };
  const wanted = new Set(collections);
  const upstreamNames = new Map<string, string>();
  const groupsOf = new Map<string, string[]>();

  const noteUpstreams = (page: RawEntity[]) => {
    for (const upstream of page) {
      upstreamNames.set(upstream.id, textAt(upstream, 'name') ?? upstream.id);
    }
  };
  const noteMembers = async (groups: RawEntity[]) => {
    for (const group of groups) {
      // A group that went between the two reads has no members any more.
      const members = (await entities.membersOf(group.id, read)) ?? [];
      for (const { id } of members) {
        groupsOf.set(id, [...(groupsOf.get(id) ?? []), groupName(group)]);
      }
    }
  };

  for (const collection of collections) {
    if (collection === 'targets' && !wanted.has('upstreams')) {
      noteUpstreams(await entities.all('upstreams', read));
    }
    if (collection === 'consumers') {
      await noteMembers(await entities.all('consumer_groups', read));
    }
    // An entity that moves between two pages while they are read would come twice.
    const seen = new Set<string>();
    for await (const page of entities.pages(collection, read)) {
      if (collection === 'upstreams') {
        noteUpstreams(page);
      }
      const items: LiveObject[] = [];
      for (const entity of page) {
        if (!seen.has(entity.id)) {
          seen.add(entity.id);
          items.push(
            toLiveObject(
              collection,
              collection === 'consumers'
                ? withGroups(entity, groupsOf.get(entity.id) ?? [])
                : entity,
              { versionKey, upstreamNames },
            ),
          );
        }
      }
      yield { items };
    }
  }
}

/** Puts the names of a consumer's groups into its document, sorted: they have no order of their own. */
export function withGroups(
  consumer: RawEntity,
  groups: readonly string[],
): RawEntity {
  return { ...consumer, groups: [...new Set(groups)].sort() };
}
