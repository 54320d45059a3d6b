/*
 * Words for people: values and paths as they stand in a sentence. Works on redacted values only.
 */
import { FieldChange, Json, Pointer } from './types';
import { secretMark } from './compare/equal';
import { stringifyJson } from './json/canonical';

const LONGEST = 60;

/** A value in a sentence: short, and never a secret. */
export function sayValue(value: Json | undefined): string {
  if (value === undefined) {
    return 'nothing';
  }
  if (secretMark(value) !== undefined) {
    return 'a secret value';
  }
  const text = stringifyJson(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** `a`, `a and b`, `a, b and 3 more`. */
export function sayList(items: readonly string[], most: number = 3): string {
  if (items.length <= 1) {
    return items[0] ?? '';
  }
  if (items.length > most) {
    const rest = items.length - most + 1;
    return `${items.slice(0, most - 1).join(', ')} and ${rest} more`;
  }
  return `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`;
}

export const sayPaths = (changes: readonly { path: Pointer }[]) =>
  sayList(changes.map(change => change.path));

/** What differs in one field, as half a sentence. */
export function sayChange(change: FieldChange): string {
  switch (change.kind) {
    case 'leftover':
      return `${change.path} is still there although it is no longer declared`;
    case 'absent':
      return `${change.path} is ${
        change.movedBy === 'live' || change.movedBy === 'both'
          ? 'gone'
          : 'not there'
      }; ${sayValue(change.declared)} is declared`;
    default:
      return sayDifference(change);
  }
}

function sayDifference(change: FieldChange): string {
  const { path, live, declared } = change;
  if (live === undefined) {
    return `${path} was declared anew`;
  }
  return change.secret
    ? `${path} holds another secret than the declared one`
    : `${path} is ${sayValue(live)}; ${sayValue(declared)} is declared`;
}

/** One change in words, or how many there are. */
export function sayChanges(changes: readonly FieldChange[]): string {
  return changes.length === 1
    ? sayChange(changes[0])
    : `${changes.length} fields differ (${sayPaths(changes)})`;
}
