/* An object of a cluster as the loop sees it. */
import {
  listAt,
  stringMapAt,
  textAt,
} from '@plumbline/backstage-plugin-drift-node';
import type { LiveObject } from '@plumbline/backstage-plugin-drift-node';
import type { Json, JsonObject } from '@plumbline/drift-engine';
import { DECLARED_BY } from '../constants';
import { formatKey, formatKind, type Gvk, type ObjectName } from '../gvk';

/** The name under which a declaration and its live object find each other. */
export function nameLocator(object: ObjectName): string {
  return `name:${formatKey(object)}`;
}

/** Name and namespace of an object that a cluster sent. */
export function nameOf(gvk: Gvk, object: Json): ObjectName {
  return {
    gvk,
    namespace: textAt(object, 'metadata', 'namespace'),
    name: textAt(object, 'metadata', 'name') ?? '',
  };
}

export function locatorsOf(gvk: Gvk, object: Json): string[] {
  const uid = textAt(object, 'metadata', 'uid');
  return [...(uid ? [`id:${uid}`] : []), nameLocator(nameOf(gvk, object))];
}

/** Builds the live object; the document is the server's own, managedFields included. */
export function toLive(gvk: Gvk, object: JsonObject): LiveObject {
  const mark = stringMapAt(object, 'metadata', 'annotations')[DECLARED_BY];
  const change = lastChange(object);
  return {
    key: formatKey(nameOf(gvk, object)),
    kind: formatKind(gvk),
    id: textAt(object, 'metadata', 'uid') ?? '',
    document: object,
    version: textAt(object, 'metadata', 'resourceVersion') ?? '',
    locators: locatorsOf(gvk, object),
    marks: mark
      ? [{ key: DECLARED_BY, value: mark, description: `declared by ${mark}` }]
      : [],
    changedAt: change?.time ?? textAt(object, 'metadata', 'creationTimestamp'),
    changedBy: change?.manager,
    controlled: listAt(object, 'metadata', 'ownerReferences').length > 0,
  };
}

/** The newest entry of managedFields that is about more than status. */
function lastChange(
  object: Json,
): { manager: string | undefined; time: string } | undefined {
  let newest: { manager: string | undefined; time: string } | undefined;
  for (const entry of listAt(object, 'metadata', 'managedFields')) {
    const time = textAt(entry, 'time');
    // Status of any kind, and of custom resources whose controllers write it without the subresource.
    const ofStatus =
      textAt(entry, 'subresource') === 'status' || touchesOnlyStatus(entry);
    // Times are RFC 3339 in UTC with whole seconds, so they compare as text; of two in one second the later entry wins.
    if (time && !ofStatus && (!newest || time >= newest.time)) {
      newest = { manager: textAt(entry, 'manager'), time };
    }
  }
  return newest;
}

function touchesOnlyStatus(entry: Json): boolean {
  const fields =
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? entry.fieldsV1
      : undefined;
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    return false;
  }
  const names = Object.keys(fields);
  return names.length > 0 && names.every(name => name === 'f:status');
}
