// `sandbox konnect …`: look at and change the Konnect side, as somebody at Konnect's own console would.
import { request } from '../clients/http';
import { asCollection, declaredName, labelOf } from '../clients/konnectClient';
import { isObject, JsonObject } from '../konnect/json';
import { Context, endpoints, konnectClient, show, showTable } from './context';
import { parseAssignment, setField, unsetField } from './fieldPath';
import { UsageError } from './usage';

const VERBS = ['list', 'get', 'set', 'unset', 'create', 'delete'];

/** Runs one `konnect` command. @throws UsageError, RequestFailed, NotRunning */
export async function konnectCommand(
  context: Context,
  [verb, ...args]: string[],
): Promise<void> {
  if (verb === 'planes') {
    const planes = await konnectClient(context).controlPlanes();
    showTable(context, ['name', 'id', 'description'], planes as never[]);
    return;
  }
  if (verb === 'journal') {
    await journal(context);
    return;
  }
  const [plane, word, ...rest] = args;
  if (!verb || !VERBS.includes(verb)) {
    throw new UsageError(
      `There is no 'sandbox konnect ${
        verb ?? ''
      }': there are planes, journal, ${VERBS.join(', ')}`,
    );
  }
  if (!plane || !word) {
    throw new UsageError(`sandbox konnect ${verb} PLANE COLLECTION …`);
  }
  const collection = asCollection(word);
  const client = konnectClient(context);

  if (verb === 'list') {
    const entities = await client.list(plane, collection);
    showTable(
      context,
      ['name', 'resource', 'id', 'tags'],
      entities.map(entity => ({
        ...(context.json && entity),
        id: entity.id,
        name: labelOf(entity),
        resource: declaredName(entity),
        tags: shownTags(entity),
      })),
    );
    return;
  }
  if (verb === 'create') {
    const body = assigned({}, rest, verb);
    show(context, await client.create(plane, collection, body));
    return;
  }
  const [name, ...changes] = rest;
  if (!name)
    throw new UsageError(`sandbox konnect ${verb} ${plane} ${word} NAME …`);
  const entity = await client.find(plane, collection, name);
  switch (verb) {
    case 'get':
      show(context, entity);
      return;
    case 'set':
      show(
        context,
        await client.replace(
          plane,
          collection,
          assigned(entity, changes, verb),
        ),
      );
      return;
    case 'unset':
      if (changes.length === 0) throw new UsageError('Name a field to unset');
      show(
        context,
        await client.replace(
          plane,
          collection,
          changes.reduce(unsetField, entity),
        ),
      );
      return;
    default:
      await client.remove(plane, collection, entity);
      context.print(`Deleted ${word} ${name} (${entity.id}) from ${plane}`);
  }
}

/** `object` with all of `FIELD=VALUE…` set. */
export function assigned(
  object: JsonObject,
  assignments: string[],
  verb: string,
): JsonObject {
  if (assignments.length === 0) {
    throw new UsageError(`Name what to ${verb}: FIELD=VALUE…`);
  }
  return assignments
    .map(parseAssignment)
    .reduce(
      (changed, { path, value }) => setField(changed, path, value),
      object,
    );
}

/** The tags that somebody declared, without the operator's bookkeeping. */
function shownTags({ tags }: JsonObject): string {
  return Array.isArray(tags)
    ? tags.filter(tag => !/^(k8s-|managed-by:)/.test(String(tag))).join(' ')
    : '';
}

async function journal(context: Context): Promise<void> {
  const answer = await request(
    endpoints(context).konnect,
    'GET',
    '/sandbox/journal',
  );
  const entries = (answer?.entries ?? []) as JsonObject[];
  showTable(
    context,
    ['at', 'by', 'action', 'collection', 'name', 'changed'],
    entries.map(entry => ({
      ...(context.json && entry),
      at: entry.at,
      by: entry.by,
      action: entry.action,
      collection: entry.collection,
      name:
        labelOf((entry.after ?? entry.before ?? {}) as JsonObject) ?? entry.id,
      changed: changedFields(entry),
    })),
  );
}

function changedFields({ before, after }: JsonObject): string {
  if (!isObject(before) || !isObject(after)) return '';
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter(
      field =>
        field !== 'updated_at' &&
        JSON.stringify(before[field]) !== JSON.stringify(after[field]),
    )
    .join(' ');
}
