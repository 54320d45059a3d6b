/** Fresh reads of single entities: by key, and by everything that a declaration may be known by. */
import {
  at,
  isObject,
  PlatformError,
  textAt,
  textsAt,
} from '@plumbline/backstage-plugin-drift-node';
import type {
  DeclaredResource,
  LiveObject,
  LiveRead,
} from '@plumbline/backstage-plugin-drift-node';
import type { ControlPlane } from './controlPlane';
import { groupName, type Entities } from './entities';
import { kindOf, type Collection, type KonnectKind } from './kinds';
import {
  idsOf,
  parseKey,
  sameScope,
  toLiveObject,
  uniqueTextOf,
  withPort,
} from './liveObject';
import type { RawEntity } from './pages';
import { withGroups } from './sweep';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What the lookups work on. */
export interface LookupContext {
  entities: Entities;
  controlPlane: ControlPlane;
  versionKey: string;
  signal: AbortSignal;
}

/** Reads the entity of a key freshly. */
export async function readByKey(
  key: string,
  context: LookupContext,
): Promise<LiveRead> {
  const parsed = parseKey(key);
  if (!parsed) {
    throw new PlatformError('invalid', `'${key}' is no key of a core entity`);
  }
  const collection = parsed.collection as Collection;
  const { entities, controlPlane, signal } = context;
  const entity = await entities.read({ ...parsed, collection }, signal);
  const live = entity && (await toLive(collection, entity, context));
  if (live) {
    return { found: true, live };
  }
  await controlPlane.confirm(signal);
  return { found: false };
}

/**
 * Looks for the live object of a declaration: by its ids, by its ownership mark, by its unique names, by what else is
 * unique. Stops at the first that finds something; says `found: false` only when all of them were answered.
 */
export async function findDeclared(
  collection: Collection,
  declared: DeclaredResource,
  context: LookupContext,
): Promise<LiveRead> {
  const kind = kindOf(collection);
  const searches = [byId, byMark, byName, byScope];
  for (const search of searches) {
    const found = await search(kind, declared, context);
    const live: LiveObject[] = [];
    for (const entity of unique(found)) {
      const object = await toLive(collection, entity, context);
      if (object && isUnderParent(kind, declared, object, search)) {
        live.push(object);
      }
    }
    if (live.length === 1) {
      return { found: true, live: live[0] };
    }
    if (live.length > 1) {
      return { found: 'several', keys: live.map(({ key }) => key).sort() };
    }
  }
  await context.controlPlane.confirm(context.signal);
  return { found: false };
}

/**
 * Before the reference to its parent is filled in, a nested entity that was found by its name may be another parent's:
 * then the parent's name has to be the declared one.
 */
function isUnderParent(
  kind: KonnectKind,
  declared: DeclaredResource,
  live: LiveObject,
  search: Search,
): boolean {
  return (
    search !== byName ||
    !kind.nestedUnder ||
    parentIdOf(kind, declared) !== undefined ||
    live.locators.some(
      locator =>
        locator.startsWith('name:') && declared.locators.includes(locator),
    )
  );
}

type Search = (
  kind: KonnectKind,
  declared: DeclaredResource,
  context: LookupContext,
) => Promise<RawEntity[]>;

async function byId(
  kind: KonnectKind,
  declared: DeclaredResource,
  { entities, signal }: LookupContext,
): Promise<RawEntity[]> {
  const ids = idsOf(declared);
  if (ids.length === 0) {
    return [];
  }
  const parentId = parentIdOf(kind, declared);
  if (kind.nestedUnder && !parentId) {
    // The flat list knows entities of every parent.
    const all = await entities.all(kind.collection, { signal });
    return all.filter(({ id }) => ids.includes(id)).slice(0, 1);
  }
  for (const id of ids) {
    const entity = await entities.read(
      { collection: kind.collection, id, parentId },
      signal,
    );
    if (entity) {
      return [entity];
    }
  }
  return [];
}

async function byMark(
  kind: KonnectKind,
  declared: DeclaredResource,
  { entities, signal }: LookupContext,
): Promise<RawEntity[]> {
  if (!declared.mark) {
    return [];
  }
  const tag = `${declared.mark.key}:${declared.mark.value}`;
  const found = await entities.all(kind.collection, {
    signal,
    filter: { tags: tag },
  });
  // A server that ignores the filter must not make everything ours.
  return found.filter(entity => textsAt(entity, 'tags').includes(tag));
}

async function byName(
  kind: KonnectKind,
  declared: DeclaredResource,
  { entities, signal }: LookupContext,
): Promise<RawEntity[]> {
  if (isAdoption(declared)) {
    return [];
  }
  const document = withPort(declared.document);
  const parentId = parentIdOf(kind, declared);
  for (const field of kind.uniqueNames) {
    const name = textAt(document, field);
    if (!name) {
      continue;
    }
    const matches = (entity: RawEntity) =>
      textAt(withPort(entity), field) === name;
    const inPath =
      field === kind.nameInPath &&
      !UUID.test(name) &&
      (!kind.nestedUnder || parentId !== undefined);
    const found = inPath
      ? [
          await entities.read(
            { collection: kind.collection, id: name, parentId },
            signal,
          ),
        ]
      : await entities.all(kind.collection, {
          signal,
          ...(field === 'custom_id' && { filter: { custom_id: name } }),
        });
    const same = found.filter(
      (entity): entity is RawEntity =>
        entity !== undefined &&
        matches(entity) &&
        (!kind.nestedUnder ||
          !parentId ||
          textAt(entity, kind.nestedUnder.field, 'id') === parentId),
    );
    if (same.length > 0) {
      return same;
    }
  }
  return [];
}

async function byScope(
  kind: KonnectKind,
  declared: DeclaredResource,
  { entities, signal }: LookupContext,
): Promise<RawEntity[]> {
  const { uniqueScope, uniqueText } = kind;
  const { document } = declared;
  const text = uniqueText && uniqueTextOf(uniqueText, document);
  if (uniqueText && text && !isAdoption(declared)) {
    const all = await entities.all(kind.collection, { signal });
    return all.filter(entity => uniqueTextOf(uniqueText, entity) === text);
  }
  if (!uniqueScope || !isObject(document) || isAdoption(declared)) {
    return [];
  }
  const unresolved = declared.references?.some(
    ({ path }) => at(document, ...path.slice(1).split('/')) === undefined,
  );
  if (unresolved) {
    return [];
  }
  const all = await entities.all(kind.collection, { signal });
  return all.filter(entity => sameScope(uniqueScope, document, entity));
}

/** It names one existing entity: no other one will do, whatever it is called. */
export function isAdoption(declared: DeclaredResource): boolean {
  return declared.locators.some(locator => locator.startsWith('adopt:'));
}

/** The live id of the parent that the entity is nested under, once the reference to it is filled in. */
export function parentIdOf(
  kind: KonnectKind,
  declared: DeclaredResource,
): string | undefined {
  return (
    kind.nestedUnder && textAt(declared.document, kind.nestedUnder.field, 'id')
  );
}

async function toLive(
  collection: Collection,
  entity: RawEntity,
  { entities, signal, versionKey }: LookupContext,
): Promise<LiveObject | undefined> {
  if (collection === 'consumers') {
    const groups = await entities.groupsOf(entity.id, { signal });
    // A consumer without an answer about its groups went between the two reads.
    return (
      groups &&
      toLiveObject(collection, withGroups(entity, groups.map(groupName)), {
        versionKey,
      })
    );
  }
  if (collection === 'targets') {
    const upstreamId = textAt(entity, 'upstream', 'id');
    const upstream =
      upstreamId === undefined
        ? undefined
        : await entities.read(
            { collection: 'upstreams', id: upstreamId },
            signal,
          );
    const name = upstream && textAt(upstream, 'name');
    return toLiveObject(collection, entity, {
      versionKey,
      ...(upstream && {
        upstreamNames: new Map([[upstream.id, name ?? upstream.id]]),
      }),
    });
  }
  return toLiveObject(collection, entity, { versionKey });
}

function unique(found: RawEntity[]): RawEntity[] {
  return [...new Map(found.map(entity => [entity.id, entity])).values()];
}
