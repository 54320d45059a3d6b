/** From an entity as Konnect holds it to a live object: its key, version, marks and the keys it answers to. */
import { createHmac } from 'node:crypto';
import type {
  DeclaredResource,
  LiveObject,
} from '@plumbline/backstage-plugin-drift-node';
import { canonical, type Json } from '@plumbline/drift-engine';
import { at, isObject, textAt, textsAt, without } from './json';
import { kindOf, type Collection, type KonnectKind } from './kinds';
import { marksOf } from './ownership';
import type { RawEntity } from './pages';

/** Where the name of a target's upstream comes from; a target itself knows only its id. */
export type UpstreamNames = ReadonlyMap<string, string>;

/** What is needed besides the entity. */
export interface LiveContext {
  /** See {@link versionKey}. */
  versionKey: string;
  upstreamNames?: UpstreamNames;
}

const TIMESTAMPS = ['created_at', 'updated_at'];

/**
 * Makes a key for {@link versionOf} from the platform's token: versions are stored and entities may hold secrets, so
 * that a plain digest would let somebody who reads the store try out guesses. Every replica makes the same key.
 */
export function versionKey(token: string): string {
  return createHmac('sha256', 'plumbline version key')
    .update(token)
    .digest('hex');
}

/**
 * The version of a document. Timestamps are left out: the operator's PUT moves `updated_at` every minute also where
 * it changes nothing.
 */
export function versionOf(document: Json, key: string): string {
  const content = isObject(document) ? without(document, TIMESTAMPS) : document;
  return createHmac('sha256', key)
    .update(canonical(content))
    .digest('base64url')
    .slice(0, 22);
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
  const parentId =
    kind.nestedUnder && textAt(entity, kind.nestedUnder.field, 'id');
  const document = collection === 'targets' ? withPort(entity) : entity;
  const marks = marksOf(textsAt(entity, 'tags'));
  const parentName = parentId ? upstreamNames?.get(parentId) : undefined;
  return {
    key: keyOf(kind, entity.id, parentId),
    kind: collection,
    id: entity.id,
    document,
    version: versionOf(document, key),
    locators: [
      `id:${entity.id}`,
      ...marks.map(mark => `mark:${mark.key}:${mark.value}`),
      ...nameLocators(kind, document, parentName),
    ],
    marks,
    ...changedAt(entity),
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
  return kind.uniqueNames.flatMap(field => {
    const name = textAt(document, field);
    return name ? [nameLocator(kind, field, `${prefix}${name}`)] : [];
  });
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

function changedAt(entity: RawEntity): { changedAt?: string } {
  const seconds = at(entity, 'updated_at') ?? at(entity, 'created_at');
  const date =
    typeof seconds === 'number' ? new Date(seconds * 1000) : undefined;
  return date && !Number.isNaN(date.getTime())
    ? { changedAt: date.toISOString() }
    : {};
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
