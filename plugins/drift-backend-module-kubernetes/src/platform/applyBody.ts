/*
 * The body of a server-side apply that makes exactly the planned change.
 *
 * An apply replaces the whole set of fields that its manager asked for before: a field that we own and leave out is
 * removed. So the body is cut out of the document that should result (the plan laid over the live one, which the engine
 * makes): every field that is declared, and every field that we own from earlier. What is neither is somebody else's, and
 * never appears.
 */
import {
  type FieldSchema,
  type Json,
  type JsonObject,
  normaliseRaw,
  overlay,
  parseJson,
  type PointerToken,
  type ResourceSchema,
  stringifyJson,
} from '@plumbline/drift-engine';
import {
  at,
  isObject,
  listAt,
  textAt,
  without,
} from '@plumbline/backstage-plugin-drift-node';
import type { WritePlan } from '@plumbline/backstage-plugin-drift-node';
import { FIELD_MANAGER, LAST_APPLIED } from '../constants';
import { AtomicObjects } from './atomicObjects';
import { Place, PointerSet } from './paths';

type Maybe = Json | undefined;

const SERVER_METADATA = [
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
];

/** Without what the server writes, or refuses in an apply. */
function withoutServerSide(document: Json): Json {
  if (!isObject(document)) {
    return document;
  }
  const copy = without(document, ['status']);
  if (isObject(copy.metadata)) {
    const metadata = without(copy.metadata, SERVER_METADATA);
    if (isObject(metadata.annotations)) {
      metadata.annotations = without(metadata.annotations, [LAST_APPLIED]);
    }
    copy.metadata = metadata;
  }
  return copy;
}

/** What our manager applied before, as FieldsV1 trees. */
function ownedFields(live: JsonObject): Json[] {
  return listAt(live, 'metadata', 'managedFields')
    .filter(
      entry =>
        textAt(entry, 'manager') === FIELD_MANAGER &&
        textAt(entry, 'operation') === 'Apply' &&
        textAt(entry, 'subresource') === undefined,
    )
    .map(entry => at(entry, 'fieldsV1') ?? {});
}

class Cutter {
  private readonly atomicObjects: AtomicObjects;

  constructor(
    private readonly schema: ResourceSchema,
    live: JsonObject | null,
    private readonly kept: PointerSet,
  ) {
    this.atomicObjects = new AtomicObjects(live);
  }

  /** The part of `wanted` that has the shape of the declaration. */
  declared(
    shape: Json,
    wanted: Maybe,
    raw: FieldSchema | undefined,
    place: Place,
  ): Maybe {
    // Taking a field over only to leave it as it is would make us one more owner in a dispute.
    if (
      shape === null ||
      wanted === undefined ||
      wanted === null ||
      this.kept.covers(place)
    ) {
      return undefined;
    }
    const schema = this.resolve(raw);
    if (isObject(shape) && isObject(wanted)) {
      if (this.isAtomic(schema, place)) {
        return wanted;
      }
      const names = Object.keys(shape).filter(name => isKnown(schema, name));
      const result: JsonObject = {};
      for (const name of names) {
        const child = this.declared(
          shape[name],
          at(wanted, name),
          fieldOf(schema, name),
          place.child(name),
        );
        if (child !== undefined) {
          result[name] = child;
        }
      }
      // What was declared empty asks for its presence only.
      return names.length === 0 || Object.keys(result).length > 0
        ? result
        : undefined;
    }
    if (Array.isArray(shape) && Array.isArray(wanted)) {
      if (schema?.list === 'map' && schema.keys) {
        return this.declaredItems(shape, wanted, schema, schema.keys, place);
      }
      if (schema?.list === 'set') {
        return shape.filter(member => includes(wanted, member));
      }
    }
    return wanted;
  }

  private declaredItems(
    shape: Json[],
    wanted: Json[],
    schema: FieldSchema,
    keys: string[],
    place: Place,
  ): Maybe {
    const items = this.resolve(schema.items);
    const result: Json[] = [];
    for (const item of shape) {
      const identity = this.identity(item, keys, items);
      const match = wanted.find(candidate =>
        sameIdentity(this.identity(candidate, keys, items), identity, keys),
      );
      const value = this.declared(
        item,
        match,
        schema.items,
        place.child(itemToken(identity, keys)),
      );
      if (value !== undefined) {
        result.push(isObject(value) ? { ...identity, ...value } : value);
      }
    }
    return result.length > 0 || shape.length === 0 ? result : undefined;
  }

  /** The keys of a list item, defaults filled in as the server does. */
  private identity(
    item: Json,
    keys: string[],
    items: FieldSchema | undefined,
  ): JsonObject {
    const identity: JsonObject = {};
    for (const name of keys) {
      const value =
        at(item, name) ?? this.resolve(items?.properties?.[name])?.default;
      if (value !== undefined && value !== null) {
        identity[name] = value;
      }
    }
    return identity;
  }

  /** Adds to `body` what we own from earlier (a FieldsV1 tree) and `wanted` still has. */
  owned(
    owned: Json,
    wanted: Maybe,
    body: Maybe,
    raw: FieldSchema | undefined,
    place: Place,
  ): Maybe {
    if (wanted === undefined) {
      return body;
    }
    const schema = this.resolve(raw);
    const below = isObject(owned)
      ? Object.entries(owned).filter(([name]) => name !== '.')
      : [];
    if (below.length === 0) {
      return body ?? this.ownedLeaf(owned, wanted, schema, place);
    }
    let result = body;
    for (const [name, fields] of below) {
      result = this.ownedChild(name, fields, wanted, result, schema, place);
    }
    return result;
  }

  /** `{".": {}}`, and an empty object, own the presence of something, not what others put into it. */
  private ownedLeaf(
    owned: Json,
    wanted: Json,
    schema: FieldSchema | undefined,
    place: Place,
  ): Json {
    if (isObject(wanted)) {
      return this.isAtomic(schema, place) ? wanted : {};
    }
    const presenceOnly = isObject(owned) && Object.hasOwn(owned, '.');
    return presenceOnly && Array.isArray(wanted) ? [] : wanted;
  }

  private ownedChild(
    name: string,
    fields: Json,
    wanted: Json,
    body: Maybe,
    schema: FieldSchema | undefined,
    place: Place,
  ): Maybe {
    const text = name.slice(2);
    if (name.startsWith('f:')) {
      if (body !== undefined && !isObject(body)) {
        return body;
      }
      const child = this.owned(
        fields,
        at(wanted, text),
        at(body, text),
        fieldOf(schema, text),
        place.child(text),
      );
      return child === undefined ? body : { ...body, [text]: child };
    }
    const list = body ?? [];
    if (!Array.isArray(wanted) || !Array.isArray(list)) {
      return body;
    }
    const value = parseJson(text);
    if (name.startsWith('v:')) {
      return includes(wanted, value) && !includes(list, value)
        ? [...list, value]
        : body;
    }
    return name.startsWith('k:') && isObject(value)
      ? this.ownedItem(value, fields, wanted, list, schema, place)
      : body;
  }

  private ownedItem(
    identity: JsonObject,
    fields: Json,
    wanted: Json[],
    list: Json[],
    schema: FieldSchema | undefined,
    place: Place,
  ): Json[] | undefined {
    const keys = Object.keys(identity);
    const isIt = (item: Json) =>
      isObject(item) && sameIdentity(item, identity, keys);
    const index = list.findIndex(isIt);
    const child = this.owned(
      fields,
      wanted.find(isIt),
      index >= 0 ? list[index] : undefined,
      schema?.items,
      place.child(itemToken(identity, keys)),
    );
    if (child === undefined) {
      return list.length > 0 ? list : undefined;
    }
    const whole = isObject(child) ? { ...identity, ...child } : child;
    return index >= 0 ? list.with(index, whole) : [...list, whole];
  }

  /** The parts of an atomic object cannot be owned one by one: it goes as a whole, or the rest of it would be lost. */
  private isAtomic(schema: FieldSchema | undefined, place: Place): boolean {
    return schema?.atomic === true || this.atomicObjects.has(place);
  }

  private resolve(schema: FieldSchema | undefined): FieldSchema | undefined {
    let current = schema;
    for (let depth = 0; current?.ref !== undefined && depth < 16; depth++) {
      const { ref, ...own } = current;
      const target: FieldSchema | undefined = this.schema.definitions?.[ref];
      current = { ...target, ...own };
    }
    return current;
  }
}

function fieldOf(
  schema: FieldSchema | undefined,
  name: string,
): FieldSchema | undefined {
  return schema?.properties?.[name] ?? schema?.values;
}

/** A field that the kind does not have would make the server refuse the whole apply, where a plain create drops it. */
function isKnown(schema: FieldSchema | undefined, name: string): boolean {
  return (
    schema?.pruneUnknown !== true ||
    schema.properties === undefined ||
    fieldOf(schema, name) !== undefined
  );
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

function itemToken(identity: JsonObject, keys: string[]): PointerToken {
  return { keys: keys.map(name => [name, textOf(identity[name] ?? '')]) };
}

function includes(list: Json[], value: Json): boolean {
  const text = stringifyJson(value);
  return list.some(item => stringifyJson(item) === text);
}

function sameIdentity(a: JsonObject, b: JsonObject, keys: string[]): boolean {
  return keys.every(
    name => stringifyJson(a[name] ?? null) === stringifyJson(b[name] ?? null),
  );
}

/** Builds the body without identity and version, which the caller adds. */
export function applyBody(
  plan: Pick<
    WritePlan,
    'declared' | 'live' | 'schema' | 'fields' | 'removals' | 'kept'
  >,
): JsonObject {
  const { schema, fields, removals } = plan;
  const live =
    plan.live && isObject(plan.live.document) ? plan.live.document : null;
  const wanted = overlay({
    schema,
    live,
    declared: plan.declared.document,
    fields,
    removals,
  });
  const shape = normaliseRaw(plan.declared.document, schema, 'declared');
  const cutter = new Cutter(schema, live, new PointerSet(plan.kept));
  let body: Maybe = cutter.declared(
    withoutServerSide(shape),
    wanted,
    schema.root,
    Place.root,
  );
  for (const owned of live ? ownedFields(live) : []) {
    body = cutter.owned(owned, wanted, body, schema.root, Place.root);
  }
  return isObject(body) ? body : {};
}
