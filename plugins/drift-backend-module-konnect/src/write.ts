/** Writes: creates that can be repeated, updates that change nothing but what was declared, removals that are confirmed. */
import {
  at,
  isObject,
  isPlatformError,
  PlatformError,
  textAt,
  textsAt,
  without,
} from '@plumbline/backstage-plugin-drift-node';
import type {
  LiveObject,
  RemovePlan,
  WritePlan,
  WriteReceipt,
} from '@plumbline/backstage-plugin-drift-node';
import { canonical, overlay, type JsonObject } from '@plumbline/drift-engine';
import { relativePath, unwrap } from './entities';
import { kindOf, type Collection, type KonnectKind } from './kinds';
import { parseKey, toLiveObject, withPort } from './liveObject';
import {
  isAdoption,
  parentIdOf,
  readByKey,
  type LookupContext,
} from './lookup';
import { isGroupsPointer, planGroups, writeGroups } from './memberships';
import { tagsToWrite } from './ownership';
import type { RawEntity } from './pages';
import { withGroups } from './sweep';

/** Creates or updates what the plan says. @throws PlatformError */
export async function writePlan(
  plan: WritePlan,
  context: LookupContext,
): Promise<WriteReceipt> {
  const kind = kindOf(plan.ref.kind as Collection);
  if (!isObject(plan.declared.document)) {
    throw new PlatformError('invalid', 'The declared document is no object');
  }
  const requests: string[] = [];
  const groups = await planGroups(kind, plan, context);
  const { live } = plan;
  const entity = live
    ? await update(kind, plan, live, context, requests)
    : await create(kind, plan, context, requests);
  try {
    await writeGroups(entity.id, groups, context, requests);
  } catch (error) {
    throw requests.length > 0 ? tookEffect(error) : error;
  }
  const written = toLiveObject(
    kind.collection,
    kind.collection === 'consumers' ? withGroups(entity, groups.after) : entity,
    context,
  );
  return {
    key: written.key,
    id: written.id,
    version: written.version,
    requests,
  };
}

/**
 * A create that can be repeated: under an id that we chose it is a PUT, and the same PUT twice makes one entity.
 * Without such an id it is a POST, whose repetition is refused where the kind has a unique name.
 */
async function create(
  kind: KonnectKind,
  plan: WritePlan,
  { entities, signal }: LookupContext,
  requests: string[],
): Promise<RawEntity> {
  const { declared, schema } = plan;
  if (isAdoption(declared)) {
    throw new PlatformError(
      'invalid',
      `The declaration adopts a ${kind.noun} that Konnect does not have: correct spec.adopt.konnect.id, or leave out spec.adopt to have one made`,
    );
  }
  // With no live document this spells shorthands out: Konnect's own schema wants a host beside a url.
  const document = overlay({
    live: null,
    declared: withPort(declared.document),
    fields: [],
    schema,
  });
  if (!isObject(document)) {
    throw new PlatformError('invalid', 'The declared document is no object');
  }
  const tags = tagsToWrite(declared, textsAt(document, 'tags'), []);
  const body: JsonObject = {
    ...without(document, kind.notInBody),
    ...(tags.length > 0 && { tags }),
  };
  const id = declared.deterministicId;
  const parentId = parentIdOf(kind, declared);
  const path = relativePath(kind, { id: id ?? '{id}', parentId });
  const answer = id
    ? await entities.write('PUT', path, { signal, body })
    : await entities.write('POST', path.slice(0, path.lastIndexOf('/')), {
        signal,
        body,
      });
  requests.push(id ? `PUT ${template(kind)}` : `POST ${template(kind, false)}`);
  return unwrap(kind, answer);
}

/** PUT replaces the whole entity: so the body is the live one with the planned fields laid over it. */
async function update(
  kind: KonnectKind,
  plan: WritePlan,
  live: LiveObject,
  { entities, signal }: LookupContext,
  requests: string[],
): Promise<RawEntity> {
  const before = live.document as JsonObject;
  const unchanged: RawEntity = { ...before, id: live.id };
  const { fields, removals, declared, schema } = plan;
  const isField = (pointer: string) => !isGroupsPointer(pointer);
  if (![...fields, ...removals].some(isField)) {
    return unchanged;
  }
  const laid = overlay({
    live: before,
    declared: withPort(declared.document),
    fields: fields.filter(isField),
    removals: removals.filter(isField),
    schema,
  });
  if (!isObject(laid)) {
    throw new PlatformError('invalid', 'The planned document is no object');
  }
  refuseLosses(kind, before, laid, removals);
  const tags = tagsToWrite(
    declared,
    textsAt(laid, 'tags'),
    textsAt(before, 'tags'),
  );
  const body: JsonObject = {
    ...without(laid, kind.notInBody),
    ...((tags.length > 0 || Array.isArray(laid.tags)) && { tags }),
  };
  if (canonical(body) === canonical(without(before, kind.notInBody))) {
    return unchanged;
  }
  const parsed = parseKey(live.key);
  const path = relativePath(kind, {
    id: live.id,
    parentId: parsed?.parentId,
  });
  const answer = await entities.write('PUT', path, { signal, body });
  requests.push(`PUT ${template(kind)}`);
  return unwrap(kind, answer);
}

/**
 * A value that nobody declares and that Konnect keeps to itself cannot be sent back as it is: a PUT without it would
 * take it away.
 *
 * @throws PlatformError `invalid`
 */
function refuseLosses(
  kind: KonnectKind,
  before: JsonObject,
  after: JsonObject,
  removals: readonly string[],
): void {
  for (const { value, toldBy } of kind.withheld ?? []) {
    const isLost =
      isThere(before, toldBy) &&
      !isThere(after, value) &&
      // What is to go may go.
      !removals.some(pointer =>
        `/${value.join('/')}/`.startsWith(`${pointer}/`),
      );
    const stays = toldBy.join() === value.join() || isThere(after, toldBy);
    if (isLost && stays) {
      throw new PlatformError(
        'invalid',
        `The ${kind.noun} has a ${value.join(
          '.',
        )} that nobody declares and that Konnect does not give out: a write would take it away. Declare it, or remove it in Konnect`,
      );
    }
  }
}

function isThere(document: JsonObject, path: readonly string[]): boolean {
  const found = at(document, ...path);
  return found !== undefined && found !== null && found !== '';
}

/** An earlier request of the same write went through: the caller must look before it tries again. */
function tookEffect(error: unknown): unknown {
  return isPlatformError(error) && !error.mayHaveTakenEffect
    ? new PlatformError(error.classification, error.message, {
        cause: error,
        status: error.status,
        retryAfterMs: error.retryAfterMs,
        mayHaveTakenEffect: true,
      })
    : error;
}

/**
 * Deletes one entity and looks whether it is gone: Konnect answers 204 also for what was never there.
 *
 * @throws PlatformError `transient` where it is still there, or where something still refers to it.
 */
export async function removeLive(
  { live }: RemovePlan,
  context: LookupContext,
): Promise<void> {
  const kind = kindOf(live.kind as Collection);
  const parsed = parseKey(live.key);
  const path = relativePath(kind, { id: live.id, parentId: parsed?.parentId });
  await context.entities.write('DELETE', path, { signal: context.signal });
  const read = await readByKey(live.key, context);
  if (read.found) {
    throw new PlatformError(
      'transient',
      `Konnect acknowledged that the ${kind.noun} ${
        textAt(live.document, kind.uniqueNames[0]) ?? live.id
      } was deleted, and still has it`,
      { mayHaveTakenEffect: true },
    );
  }
}

/** The request for the record, without ids. */
function template(kind: KonnectKind, one = true): string {
  const own = one ? `${kind.collection}/{id}` : kind.collection;
  return kind.nestedUnder ? `${kind.nestedUnder.collection}/{id}/${own}` : own;
}
