/**
 * Who owns which field: `metadata.managedFields`, and the two ways in which it changes. An update makes its manager
 * the owner of every field that it changed; an apply makes it the owner of every field that it declares, conflicts
 * where another manager owns one of these with another value, and removes what only this manager owned before.
 */
import { Cause, StatusError } from './errors';
import { FieldSet, printElement } from './fieldset';
import { Json, JsonObject, equal } from './json';
import { Schema } from './schema';
import { fieldSetOf, removeFields, withNamedParents } from './fields';
import { compare, merge } from './typed';
import { ManagedFieldsEntry } from './types';

interface Manager {
  name: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  subresource: string;
  time?: string;
  fields: FieldSet;
}

/** Fields that nobody owns because the server keeps them. */
const SERVER_OWNED = FieldSet.parse({
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    'f:name': {},
    'f:namespace': {},
    'f:creationTimestamp': {},
    'f:selfLink': {},
    'f:uid': {},
    'f:generation': {},
    'f:managedFields': {},
    'f:resourceVersion': {},
    'f:deletionTimestamp': {},
    'f:deletionGracePeriodSeconds': {},
  },
});

/** What every write tells about itself. */
export interface Writer {
  schema: Schema;
  /** The manager's name. */
  manager: string;
  apiVersion: string;
  /** The subresource that was written, or ''. */
  subresource: string;
  /** Fields that a write through this path does not change, such as `status` beside a status subresource. */
  ignored: FieldSet;
  /** The time of the write, RFC 3339 with seconds. */
  now: string;
}

function read(entries: readonly ManagedFieldsEntry[] | undefined): Manager[] {
  return (entries ?? []).map(entry => ({
    name: entry.manager ?? '',
    operation: entry.operation ?? 'Update',
    apiVersion: entry.apiVersion ?? '',
    subresource: entry.subresource ?? '',
    ...(entry.time ? { time: entry.time } : {}),
    fields: FieldSet.parse(entry.fieldsV1 ?? {}),
  }));
}

function write(managers: Manager[]): ManagedFieldsEntry[] {
  const by = (manager: Manager) =>
    [
      manager.operation,
      manager.time ?? '',
      manager.name,
      manager.apiVersion,
      manager.subresource,
    ].join('\0');
  return managers
    .filter(manager => !manager.fields.isEmpty())
    .sort((a, b) => (by(a) < by(b) ? -1 : 1))
    .map(manager => ({
      manager: manager.name,
      operation: manager.operation,
      apiVersion: manager.apiVersion,
      ...(manager.time ? { time: manager.time } : {}),
      fieldsType: 'FieldsV1',
      fieldsV1: manager.fields.toJson(),
      ...(manager.subresource ? { subresource: manager.subresource } : {}),
    }));
}

/** An update counts per version of the API; an apply is the same manager's whichever version it used. */
const isSame = (
  manager: Manager,
  writer: Writer,
  operation: 'Apply' | 'Update',
) =>
  manager.name === writer.manager &&
  manager.operation === operation &&
  manager.subresource === writer.subresource &&
  (operation === 'Apply' || manager.apiVersion === writer.apiVersion);

const ownable = (set: FieldSet, writer: Writer) => {
  const stripped = set.difference(SERVER_OWNED);
  return stripped.without(writer.ignored);
};

/**
 * The managed fields after an update.
 *
 * @param live - the object before, without managedFields (for a create: the empty object of its kind)
 * @param next - the object after, without managedFields
 */
export function trackUpdate(
  writer: Writer,
  entries: readonly ManagedFieldsEntry[] | undefined,
  live: Json,
  next: Json,
): ManagedFieldsEntry[] {
  const { added, modified, removed } = compare(writer.schema, live, next);
  const changed = ownable(added.union(modified), writer);
  const gone = removed.without(writer.ignored);
  const managers = read(entries).map(manager => ({
    ...manager,
    fields: manager.fields.difference(changed).difference(gone),
  }));
  if (!changed.isEmpty()) {
    const mine = managers.find(manager => isSame(manager, writer, 'Update'));
    if (mine) {
      mine.fields = mine.fields.union(changed);
      mine.time = writer.now;
    } else {
      managers.push({
        name: writer.manager,
        operation: 'Update',
        apiVersion: writer.apiVersion,
        subresource: writer.subresource,
        time: writer.now,
        fields: changed,
      });
    }
  }
  return write(managers);
}

/** The object that an apply yields, and who owns it then. */
export interface Applied {
  object: JsonObject;
  managedFields: ManagedFieldsEntry[];
}

/**
 * Server-side apply.
 *
 * @param live - the object before, without managedFields (where there is none: the empty object of its kind)
 * @param config - what was applied, without managedFields
 * @param force - take fields over from other managers instead of failing
 * @throws StatusError 409 with a cause for each field that another manager owns with another value
 */
export function apply(
  writer: Writer,
  entries: readonly ManagedFieldsEntry[] | undefined,
  live: JsonObject,
  config: JsonObject,
  force: boolean,
): Applied {
  const { schema } = writer;
  const before = read(entries);
  const previous = before.find(manager => isSame(manager, writer, 'Apply'));
  const others = before.filter(manager => manager !== previous);
  const declared = fieldSetOf(schema, config);
  const mine: Manager = {
    name: writer.manager,
    operation: 'Apply',
    apiVersion: writer.apiVersion,
    subresource: writer.subresource,
    ...(previous?.time ? { time: previous.time } : {}),
    fields: ownable(declared, writer),
  };

  const merged = merge(schema, live, config) ?? {};
  const next = previous
    ? prune(schema, merged, previous.fields, [
        ...others.map(({ fields }) => fields),
        declared,
      ])
    : merged;

  const { added, modified, removed } = compare(schema, live, next);
  const changed = added.union(modified);
  const conflicts = others
    .map(manager => ({ manager, fields: manager.fields.intersection(changed) }))
    .filter(({ fields }) => !fields.isEmpty());
  if (conflicts.length > 0 && !force) {
    throw conflictError(conflicts);
  }
  for (const manager of others) {
    manager.fields = manager.fields.difference(changed).difference(removed);
  }
  if (
    !mine.time ||
    !equal(live, next) ||
    !previous?.fields.equals(mine.fields)
  ) {
    mine.time = writer.now;
  }
  return {
    object: next as JsonObject,
    managedFields: write([...others, mine]),
  };
}

/** Takes away what `last` owned, except what is in one of the sets that are kept. */
function prune(
  schema: Schema,
  merged: Json,
  last: FieldSet,
  kept: FieldSet[],
): Json {
  const named = (set: FieldSet) => withNamedParents(schema, set);
  const fieldsIn = (value: Json) => named(fieldSetOf(schema, value));
  const lastNamed = named(last);
  const mergedFields = fieldsIn(merged);

  const cut = removeFields(schema, merged, lastNamed) ?? {};
  const owned = named(
    kept.reduce((all, fields) => all.union(fields), new FieldSet()),
  );
  const restored =
    removeFields(
      schema,
      merged,
      mergedFields.difference(fieldsIn(cut).union(owned)),
    ) ?? {};
  return (
    removeFields(
      schema,
      merged,
      mergedFields.difference(fieldsIn(restored)).intersection(lastNamed),
    ) ?? {}
  );
}

function conflictError(
  conflicts: { manager: Manager; fields: FieldSet }[],
): StatusError {
  const found = conflicts
    .map(({ manager, fields }) => ({
      who: printManager(manager),
      paths: fields.paths().map(path => path.map(printElement).join('')),
    }))
    .sort((a, b) => (a.who < b.who ? -1 : 1));
  const causes: Cause[] = found.flatMap(({ who, paths }) =>
    paths.map(field => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${who}`,
      field,
    })),
  );
  const what =
    causes.length === 1
      ? `${causes[0].message}: ${causes[0].field}`
      : found
          .map(
            ({ who, paths }) =>
              `conflicts with ${who}:${paths
                .map(path => `\n- ${path}`)
                .join('')}`,
          )
          .join('\n');
  return new StatusError(
    409,
    'Conflict',
    `Apply failed with ${causes.length} conflict${
      causes.length === 1 ? '' : 's'
    }: ${what}`,
    { causes },
  );
}

function printManager(manager: Manager): string {
  const name = JSON.stringify(manager.name);
  const through = manager.subresource
    ? `${name} with subresource ${JSON.stringify(manager.subresource)}`
    : name;
  return manager.operation === 'Update'
    ? `${through} using ${manager.apiVersion}`
    : through;
}

/** The owner of all fields of an object that nobody was recorded for when it is first applied. */
export function beforeFirstApply(
  writer: Writer,
  live: Json,
): ManagedFieldsEntry[] {
  return write([
    {
      name: 'before-first-apply',
      operation: 'Update',
      apiVersion: writer.apiVersion,
      subresource: '',
      fields: ownable(fieldSetOf(writer.schema, live), writer),
    },
  ]);
}
