/*
 * Which objects inside a live document are atomic (a node selector, a label selector). The server's own record tells:
 * an atomic object is owned as a whole, so managedFields names it and nothing below it.
 */
import {
  type Json,
  type JsonObject,
  parseJson,
  stringifyJson,
} from '@plumbline/drift-engine';
import { at, isObject, listAt } from '@plumbline/backstage-plugin-drift-node';
import { Place } from './paths';

const text = (place: Place) => place.tokens.join('\u0000');

export class AtomicObjects {
  private readonly whole = new Set<string>();
  private readonly inParts = new Set<string>();

  constructor(live: JsonObject | null) {
    for (const entry of listAt(
      live ?? undefined,
      'metadata',
      'managedFields',
    )) {
      this.record(at(entry, 'fieldsV1') ?? {}, Place.root);
    }
  }

  has(place: Place): boolean {
    return this.whole.has(text(place)) && !this.inParts.has(text(place));
  }

  private record(owned: Json, place: Place): void {
    const names = isObject(owned) ? Object.keys(owned) : [];
    (names.length === 0 ? this.whole : this.inParts).add(text(place));
    for (const name of names) {
      if (name.startsWith('f:')) {
        this.record(at(owned, name) ?? {}, place.child(name.slice(2)));
      } else if (name.startsWith('k:')) {
        this.record(at(owned, name) ?? {}, place.child(itemToken(name)));
      }
    }
  }
}

function itemToken(name: string) {
  const keys = parseJson(name.slice(2));
  const pairs = Object.entries(isObject(keys) ? keys : {}).map(
    ([key, value]): [string, string] => [
      key,
      typeof value === 'string' ? value : stringifyJson(value),
    ],
  );
  return { keys: pairs };
}
