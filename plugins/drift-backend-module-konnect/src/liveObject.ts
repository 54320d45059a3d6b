/** From an entity as Konnect holds it to a live object: its key, version, marks and the keys it answers to. */
import { hash } from 'node:crypto';
import {
  isObject,
  textAt,
  textsAt,
} from '@plumbline/backstage-plugin-drift-node';
import type {
  DeclaredResource,
  LiveObject,
} from '@plumbline/backstage-plugin-drift-node';
import type { Json } from '@plumbline/drift-engine';
import { kindOf, type Collection, type KonnectKind } from './kinds';
import { marksOf } from './ownership';
import type { RawEntity } from './pages';
import { versionOf } from './version';

/** Where the name of a target's upstream comes from; a target itself knows only its id. */
export type UpstreamNames = ReadonlyMap<string, string>;

/** What is needed besides the entity. */
export interface LiveContext {
  /** See {@link versionOf}. */
  versionKey: string;
  upstreamNames?: UpstreamNames;
}

/** `services/<id>`, and for nested kinds `upstreams/<id>/targets/<id>`: the path of the entity. */
export function keyOf(
  { collection, nestedUnder }: KonnectKind,
  id: string,
  parentId?: string,
): string {
  return nestedUnder
    ? `${nestedUnder.collection}/${parentId}/${collection}/${id}`
    : `${collection}/${id}`;
}

/** The parts of a {@link keyOf} key; `undefined` where it is none. */
export function parseKey(
  key: string,
): { collection: string; id: string; parentId?: string } | undefined {
  const parts = key.split('/');
  if (parts.length === 2) {
    return { collection: parts[0], id: parts[1] };
  }
  return parts.length === 4
    ? { collection: parts[2], id: parts[3], parentId: parts[1] }
    : undefined;
}

/** The locator of a name: unique names other than the first say which field it is. */
export function nameLocator(
  kind: KonnectKind,
  field: string,
  name: string,
): string {
  return field === kind.uniqueNames[0]
    ? `name:${name}`
    : `name:${field}=${name}`;
}

/** Makes the live object of an entity. `groups` has to be in it already for consumers. */
export function toLiveObject(
  collection: Collection,
  entity: RawEntity,
  { versionKey: key, upstreamNames }: LiveContext,
): LiveObject {
  const kind = kindOf(collection);
  const { nestedUnder } = kind;
  const parentId = nestedUnder && textAt(entity, nestedUnder.field, 'id');
  const document = collection === 'targets' ? withPort(entity) : entity;
  const marks = marksOf(textsAt(entity, 'tags'));
  const parentName = parentId ? upstreamNames?.get(parentId) : undefined;
  const locators = [`id:${entity.id}`];
  for (const mark of marks) {
    locators.push(`mark:${mark.key}:${mark.value}`);
  }
  locators.push(...nameLocators(kind, document, parentName));
  return {
    key: keyOf(kind, entity.id, parentId),
    kind: collection,
    id: entity.id,
    document,
    version: versionOf(document, key),
    locators,
    marks,
    changedAt: changedAt(entity),
  };
}

/**
 * The locators that a document's unique names give. A nested entity's name is unique under its parent only.
 */
export function nameLocators(
  kind: KonnectKind,
  document: Json,
  parentName?: string,
): string[] {
  if (kind.nestedUnder && parentName === undefined) {
    return [];
  }
  const prefix = kind.nestedUnder ? `${parentName}/` : '';
  const locators: string[] = [];
  const text = kind.uniqueText && uniqueTextOf(kind.uniqueText, document);
  if (text) {
    locators.push(`name:${kind.uniqueText}=${text}`);
  }
  for (const field of kind.uniqueNames) {
    const name = textAt(document, field);
    if (name) {
      locators.push(nameLocator(kind, field, `${prefix}${name}`));
    }
  }
  return locators;
}

/** A digest of a text that tells apart what more than white space tells apart; of nothing secret. */
export function uniqueTextOf(
  field: string,
  document: Json,
): string | undefined {
  const text = textAt(document, field);
  return text && hash('sha256', text.replace(/\s+/g, ''), 'base64url');
}

/** Kong reads a target without a port as one on port 8000 and may or may not write that down. */
export function withPort(document: Json): Json {
  const target = textAt(document, 'target');
  // An IPv6 address has colons of its own: only in brackets can a port follow it.
  const bare =
    target !== undefined &&
    (/^[^:[\]]+$/.test(target) || /^\[[^\]]+\]$/.test(target));
  return bare && isObject(document)
    ? { ...document, target: `${target}:8000` }
    : document;
}

function changedAt(entity: RawEntity): string | undefined {
  const seconds = entity.updated_at ?? entity.created_at;
  const date =
    typeof seconds === 'number' ? new Date(seconds * 1000) : undefined;
  return date && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined;
}

/** Whether two documents have the same unique scope (a plugin's name and targets); absent and null are the same. */
export function sameScope(
  scope: readonly string[],
  one: Json,
  other: Json,
): boolean {
  return scope.every(field => {
    const [a, b] = [one, other].map(
      document => textAt(document, field, 'id') ?? textAt(document, field),
    );
    return a === b;
  });
}

/** The live ids that a declaration names, best first. */
export function idsOf(declared: DeclaredResource): string[] {
  const ids = declared.locators
    .filter(locator => locator.startsWith('id:'))
    .map(locator => locator.slice('id:'.length));
  return [
    ...new Set([
      ...ids,
      ...(declared.deterministicId ? [declared.deterministicId] : []),
    ]),
  ];
}
