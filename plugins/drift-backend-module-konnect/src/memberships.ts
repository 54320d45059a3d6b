/** Memberships of consumers in groups: no field of either entity, but requests of their own. */
import {
  isPlatformError,
  PlatformError,
  textsAt,
  type WritePlan,
} from '@plumbline/backstage-plugin-drift-node';
import { parsePointer, type Json } from '@plumbline/drift-engine';
import { groupName } from './entities';
import type { KonnectKind } from './kinds';
import type { LookupContext } from './lookup';

/** What to do about the memberships of one consumer. */
export interface GroupChanges {
  /** Group ids by name. */
  add: Map<string, string>;
  remove: Map<string, string>;
  /** Names of the groups after the changes. */
  after: string[];
}

/** Works out the changes; every group is looked up before anything is written. */
export async function planGroups(
  kind: KonnectKind,
  { declared, live, fields, removals }: WritePlan,
  { entities, signal }: LookupContext,
): Promise<GroupChanges> {
  const now = live ? textsAt(live.document, 'groups') : [];
  const changes: GroupChanges = {
    add: new Map(),
    remove: new Map(),
    after: now,
  };
  if (kind.collection !== 'consumers') {
    return changes;
  }
  const declaredGroups = textsAt(declared.document, 'groups');
  const planned = plannedGroups([...fields, ...removals]);
  const isPlanned = (name: string) =>
    !live || planned === 'all' || planned.has(name);
  const add = declaredGroups.filter(
    name => !now.includes(name) && isPlanned(name),
  );
  const remove = now.filter(
    name => !declaredGroups.includes(name) && isPlanned(name),
  );
  if (add.length === 0 && remove.length === 0) {
    return changes;
  }
  const all = await entities.all('consumer_groups', { signal });
  const idByName = new Map(all.map(group => [groupName(group), group.id]));
  for (const name of add) {
    const id = idByName.get(name);
    if (!id) {
      throw new PlatformError(
        'transient',
        `The consumer group '${name}' is not in Konnect (yet): the consumer waits for it`,
      );
    }
    changes.add.set(name, id);
  }
  for (const name of remove) {
    const id = idByName.get(name);
    // A group that is gone has no members any more.
    if (id) {
      changes.remove.set(name, id);
    }
  }
  changes.after = [...now.filter(name => !remove.includes(name)), ...add];
  return changes;
}

/** Pointers may mean the whole of a consumer's groups, or single ones: `/groups/[=gold]`. */
function plannedGroups(pointers: readonly string[]): 'all' | Set<string> {
  const members = new Set<string>();
  for (const [first, second] of pointers.map(parsePointer)) {
    if (first === 'groups' && second === undefined) {
      return 'all';
    }
    if (
      first === 'groups' &&
      typeof second === 'object' &&
      'member' in second
    ) {
      members.add(second.member);
    }
  }
  return members;
}

/** Carries the changes out; what is sent is added to `requests`. */
export async function writeGroups(
  consumerId: string,
  { add, remove }: GroupChanges,
  { entities, signal }: LookupContext,
  requests: string[],
): Promise<void> {
  for (const groupId of add.values()) {
    const path = `consumer_groups/${encodeURIComponent(groupId)}/consumers`;
    try {
      const body: Json = { consumer: consumerId };
      await entities.write('POST', path, { signal, body });
    } catch (error) {
      // Konnect refuses a second membership of the same consumer: it is there, which is what was wanted.
      const isMember =
        isPlatformError(error) &&
        error.classification === 'conflict' &&
        error.status !== 404;
      if (!isMember) {
        throw error;
      }
    }
    requests.push('POST consumer_groups/{id}/consumers');
  }
  for (const groupId of remove.values()) {
    const path = `consumer_groups/${encodeURIComponent(
      groupId,
    )}/consumers/${encodeURIComponent(consumerId)}`;
    try {
      await entities.write('DELETE', path, { signal });
    } catch (error) {
      // Somebody else took the consumer out, or the group away: it is no member, which is what was wanted.
      if (!(isPlatformError(error) && error.status === 404)) {
        throw error;
      }
    }
    requests.push('DELETE consumer_groups/{id}/consumers/{id}');
  }
}

/** Whether a pointer is about the memberships. */
export function isGroupsPointer(pointer: string): boolean {
  return /^\/groups(?:\/|$)/.test(pointer);
}
