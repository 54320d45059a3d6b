/**
 * Sets of field paths, as `metadata.managedFields[].fieldsV1` holds them. A path element is kept in its written form
 * (`f:name`, `k:{"name":"app"}`, `v:"x"`), which is also its identity.
 */
import { Json, JsonObject, isObject, parseJson, stringifyJson } from './json';

/** A path element in its written form. */
export type PathElement = string;

/** The element for a field of an object. */
export const fieldElement = (name: string): PathElement => `f:${name}`;

/** The element for an item of a set. */
export const valueElement = (value: Json): PathElement =>
  `v:${stringifyJson(value)}`;

/** The element for an item of a list by key; the keys are written in the order of their names. */
export function keyElement(keys: { [name: string]: Json }): PathElement {
  const sorted: JsonObject = {};
  for (const name of Object.keys(keys).sort()) {
    sorted[name] = keys[name];
  }
  return `k:${stringifyJson(sorted)}`;
}

/** How an element is written in messages for people: `.spec`, `[name="app"]`, `[="x"]`. */
export function printElement(element: PathElement): string {
  const content = element.slice(2);
  if (element.startsWith('f:')) {
    return `.${content}`;
  }
  if (element.startsWith('k:')) {
    const keys = parseJson(content);
    const parts = Object.entries(isObject(keys) ? keys : {}).map(
      ([name, value]) => `${name}=${stringifyJson(value)}`,
    );
    return `[${parts.join(',')}]`;
  }
  return `[=${content}]`;
}

/** A set of paths; a path may be a member although longer paths below it are members too. */
export class FieldSet {
  readonly members = new Set<PathElement>();
  readonly children = new Map<PathElement, FieldSet>();

  /** Reads `fieldsV1`. */
  static parse(fields: JsonObject): FieldSet {
    const set = new FieldSet();
    for (const [element, below] of Object.entries(fields)) {
      if (element === '.' || !isObject(below)) {
        continue;
      }
      const keys = Object.keys(below);
      if (keys.length === 0 || '.' in below) {
        set.members.add(element);
      }
      if (keys.some(key => key !== '.')) {
        set.children.set(element, FieldSet.parse(below));
      }
    }
    return set;
  }

  /** Writes `fieldsV1`. */
  toJson(): JsonObject {
    const out: JsonObject = {};
    for (const element of [
      ...new Set([...this.members, ...this.children.keys()]),
    ].sort()) {
      const below = this.children.get(element);
      const inner = below && !below.isEmpty() ? below.toJson() : {};
      out[element] =
        this.members.has(element) && Object.keys(inner).length > 0
          ? { '.': {}, ...inner }
          : inner;
    }
    return out;
  }

  isEmpty(): boolean {
    return (
      this.members.size === 0 &&
      [...this.children.values()].every(set => set.isEmpty())
    );
  }

  add(path: readonly PathElement[]): void {
    if (path.length === 0) {
      return;
    }
    const [first, ...rest] = path;
    if (rest.length === 0) {
      this.members.add(first);
      return;
    }
    let below = this.children.get(first);
    if (!below) {
      below = new FieldSet();
      this.children.set(first, below);
    }
    below.add(rest);
  }

  /** The paths below an element, without that element. */
  below(element: PathElement): FieldSet {
    return this.children.get(element) ?? new FieldSet();
  }

  union(other: FieldSet): FieldSet {
    return this.combine(
      other,
      (mine, theirs) => mine || theirs,
      (mine, theirs) => mine.union(theirs),
    );
  }

  intersection(other: FieldSet): FieldSet {
    return this.combine(
      other,
      (mine, theirs) => mine && theirs,
      (mine, theirs) => mine.intersection(theirs),
    );
  }

  /** The members that `other` does not have; a parent is another member than its child. */
  difference(other: FieldSet): FieldSet {
    return this.combine(
      other,
      (mine, theirs) => mine && !theirs,
      (mine, theirs) => mine.difference(theirs),
    );
  }

  /** The members that neither are in `other` nor lie below one of its members. */
  without(other: FieldSet): FieldSet {
    const out = new FieldSet();
    for (const element of this.members) {
      if (!other.members.has(element)) {
        out.members.add(element);
      }
    }
    for (const [element, below] of this.children) {
      if (!other.members.has(element)) {
        out.children.set(element, below.without(other.below(element)));
      }
    }
    return out;
  }

  /** Every path of the set, in its written order. */
  paths(): PathElement[][] {
    const out: PathElement[][] = [];
    for (const element of [...this.members].sort()) {
      out.push([element]);
    }
    for (const element of [...this.children.keys()].sort()) {
      for (const rest of this.below(element).paths()) {
        out.push([element, ...rest]);
      }
    }
    return out;
  }

  equals(other: FieldSet): boolean {
    return this.difference(other).isEmpty() && other.difference(this).isEmpty();
  }

  private combine(
    other: FieldSet,
    keep: (mine: boolean, theirs: boolean) => boolean,
    descend: (mine: FieldSet, theirs: FieldSet) => FieldSet,
  ): FieldSet {
    const out = new FieldSet();
    for (const element of new Set([...this.members, ...other.members])) {
      if (keep(this.members.has(element), other.members.has(element))) {
        out.members.add(element);
      }
    }
    for (const element of new Set([
      ...this.children.keys(),
      ...other.children.keys(),
    ])) {
      const below = descend(this.below(element), other.below(element));
      if (!below.isEmpty()) {
        out.children.set(element, below);
      }
    }
    return out;
  }
}
