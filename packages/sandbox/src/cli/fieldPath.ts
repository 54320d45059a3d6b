// Finds and changes one field in a JSON object by a path that people can type.
import { parse } from 'yaml';
import { isObject, JsonObject, JsonValue } from '../konnect/json';
import { UsageError } from './usage';

/** A member of an object, an item of a list by index, or an item of a list by one of its fields. */
type Step =
  | { member: string }
  | { index: number }
  | { key: string; value: string };

const STEP = /^(?:([^.[\]]+)|\[(\d+)\]|\[([^\]=]+)=([^\]]*)\])/;

/**
 * Reads `spec.containers[name=app].image`, `spec.ports[0].port`, or a JSON pointer
 * (`/metadata/labels/app.kubernetes.io~1name`), where names may hold dots.
 *
 * @throws UsageError
 */
export function parsePath(text: string): Step[] {
  if (text.startsWith('/')) {
    return text
      .slice(1)
      .split('/')
      .map(part => part.replace(/~1/g, '/').replace(/~0/g, '~'))
      .map(part => {
        const match = /^\[([^\]=]+)=([^\]]*)\]$/.exec(part);
        return match ? { key: match[1], value: match[2] } : { member: part };
      });
  }
  const steps: Step[] = [];
  let rest = text;
  while (rest !== '') {
    const match = STEP.exec(rest);
    if (!match) {
      throw new UsageError(
        `'${text}' is no path: write it like spec.containers[name=app].image`,
      );
    }
    const [whole, member, index, key, value] = match;
    if (member !== undefined) steps.push({ member });
    else if (index !== undefined) steps.push({ index: Number(index) });
    else steps.push({ key, value });
    rest = rest.slice(whole.length).replace(/^\./, '');
  }
  if (steps.length === 0) throw new UsageError('A path must not be empty');
  return steps;
}

/** `retries=9` as path and value. The value is YAML: `9`, `true`, `text`, `[a, b]`, `"9"`. @throws UsageError */
export function parseAssignment(text: string): {
  path: string;
  value: JsonValue;
} {
  // A list item's key has an equals sign of its own.
  const match = /^((?:\[[^\]]*\]|[^=[])+)=(.*)$/s.exec(text);
  if (!match) {
    throw new UsageError(
      `'${text}' sets nothing: write field=value, for example retries=9`,
    );
  }
  const [, path, written] = match;
  return { path, value: written === '' ? '' : (parse(written) as JsonValue) };
}

/**
 * A copy of `root` with one field set; objects on the way are made where they are missing. A field that holds text
 * stays text, and so does a new one among nothing but text: `data.RETRY_LIMIT=9` in a ConfigMap is `"9"`.
 *
 * @throws UsageError when the path leads nowhere
 */
export function setField(
  root: JsonObject,
  path: string,
  value: JsonValue,
): JsonObject {
  const copy = structuredClone(root);
  const { holder, last } = walk(copy, path, true);
  const keepsText =
    holdsText(holder, read(holder, last)) &&
    (typeof value === 'number' || typeof value === 'boolean');
  const after = keepsText ? String(value) : value;
  if (Array.isArray(holder)) holder[indexIn(holder, last, path)] = after;
  else if ('member' in last) holder[last.member] = after;
  return copy;
}

/** A copy of `root` without one field. @throws UsageError when there is no such field */
export function unsetField(root: JsonObject, path: string): JsonObject {
  const copy = structuredClone(root);
  const { holder, last } = walk(copy, path, false);
  if (read(holder, last) === undefined) {
    throw new UsageError(`There is no field '${path}'`);
  }
  if (Array.isArray(holder)) holder.splice(indexIn(holder, last, path), 1);
  else if ('member' in last) delete holder[last.member];
  return copy;
}

function holdsText(
  holder: JsonObject | JsonValue[],
  before: JsonValue | undefined,
): boolean {
  if (before !== undefined) return typeof before === 'string';
  const others = Object.values(holder);
  return others.length > 0 && others.every(other => typeof other === 'string');
}

function walk(root: JsonObject, path: string, create: boolean) {
  const steps = parsePath(path);
  const last = steps[steps.length - 1];
  let holder: JsonObject | JsonValue[] = root;
  for (const step of steps.slice(0, -1)) {
    let next: JsonValue | undefined = read(holder, step);
    if (
      next === undefined &&
      create &&
      'member' in step &&
      !Array.isArray(holder)
    ) {
      next = {};
      holder[step.member] = next;
    }
    if (!isObject(next) && !Array.isArray(next)) {
      throw new UsageError(
        `'${path}' leads nowhere: ${describe(step)} is missing`,
      );
    }
    holder = next;
  }
  if (Array.isArray(holder) === 'member' in last) {
    throw new UsageError(
      `'${path}' leads nowhere: ${describe(last)} does not fit ${
        Array.isArray(holder) ? 'a list' : 'an object'
      }`,
    );
  }
  return { holder, last };
}

function read(
  holder: JsonObject | JsonValue[],
  step: Step,
): JsonValue | undefined {
  if (Array.isArray(holder)) {
    if ('index' in step) return holder[step.index];
    if ('key' in step) {
      return holder.find(
        item => isObject(item) && String(item[step.key]) === step.value,
      );
    }
    // A JSON pointer has numbers as members.
    return holder[Number(step.member)];
  }
  return 'member' in step ? holder[step.member] : undefined;
}

function indexIn(holder: JsonValue[], step: Step, path: string): number {
  const index =
    'index' in step ? step.index : holder.indexOf(read(holder, step) ?? null);
  if (index < 0 || index > holder.length) {
    throw new UsageError(
      `'${path}' leads nowhere: ${describe(step)} is missing`,
    );
  }
  return index;
}

function describe(step: Step): string {
  if ('member' in step) return `'${step.member}'`;
  return 'index' in step ? `[${step.index}]` : `[${step.key}=${step.value}]`;
}
