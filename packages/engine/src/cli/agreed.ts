/*
 * The last agreed state from a document that a person wrote down: what the platform answered, or what was declared.
 */
import { agreedState, normalise } from '../normalise/normalise';
import { canonical } from '../json/canonical';
import { isObject, own } from '../pointer';
import { Json, JsonObject, NormaliseOptions, State } from '../types';

/** What is in `value` and not, to the letter, in `other`. */
function without(value: Json, other: Json | undefined): Json | undefined {
  if (other !== undefined && canonical(value) === canonical(other)) {
    return undefined;
  }
  if (!isObject(value) || !isObject(other)) {
    return value;
  }
  const out: JsonObject = {};
  for (const [name, child] of Object.entries(value)) {
    const left = without(child, own(other, name));
    if (left !== undefined) {
      out[name] = left;
    }
  }
  return out;
}

/**
 * A write-only value in the document is what was declared then, unless live answers with the same: then it is the
 * platform's own stand-in for it, and says nothing.
 */
export function agreedFrom(
  document: Json,
  live: Json | undefined,
  options: Omit<NormaliseOptions, 'side'>,
): State {
  const as = (value: Json, side: NormaliseOptions['side']) =>
    normalise(value, { ...options, side });
  const given = as(document, 'declared');
  const echo = live === undefined ? undefined : as(live, 'declared').value;
  return agreedState(
    { ...given, value: without(given.value, echo) ?? {} },
    as(document, 'live'),
    options.schema,
  );
}
