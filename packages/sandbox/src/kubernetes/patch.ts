/** JSON patch (RFC 6902) and JSON merge patch (RFC 7386). */
import { badRequest, unprocessable } from './errors';
import { Json, JsonObject, clone, equal, isObject } from './json';

/** The target with a merge patch applied; null removes. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) {
    return clone(patch);
  }
  const out: JsonObject = isObject(target) ? clone(target) : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) {
      delete out[key];
    } else {
      out[key] = mergePatch(out[key], value);
    }
  }
  return out;
}

/**
 * The target with a list of operations applied, all or none.
 *
 * @throws StatusError 400 where the patch is no list of operations, 422 where one does not fit
 */
export function jsonPatch(target: JsonObject, patch: Json): JsonObject {
  if (!Array.isArray(patch)) {
    throw badRequest(
      'json: cannot unmarshal object into Go value of type jsonpatch.Patch',
    );
  }
  const holder: { root: Json } = { root: clone(target) };
  for (const operation of patch) {
    applyOperation(holder, operation);
  }
  return isObject(holder.root) ? holder.root : {};
}

const misfit = () =>
  unprocessable(
    'the server rejected our request due to an error in our request',
  );

function pointer(value: Json | undefined): string[] {
  if (typeof value !== 'string' || (value !== '' && !value.startsWith('/'))) {
    throw misfit();
  }
  return value === ''
    ? []
    : value
        .slice(1)
        .split('/')
        .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function applyOperation(holder: { root: Json }, operation: Json): void {
  if (!isObject(operation)) {
    throw misfit();
  }
  const path = pointer(operation.path);
  switch (operation.op) {
    case 'add':
      add(holder, path, clone(operation.value ?? null));
      return;
    case 'remove':
      remove(holder, path);
      return;
    case 'replace':
      read(holder, path);
      remove(holder, path);
      add(holder, path, clone(operation.value ?? null));
      return;
    case 'move': {
      const from = pointer(operation.from);
      const moved = read(holder, from);
      remove(holder, from);
      add(holder, path, moved);
      return;
    }
    case 'copy':
      add(holder, path, clone(read(holder, pointer(operation.from))));
      return;
    case 'test':
      if (!equal(read(holder, path), operation.value)) {
        throw misfit();
      }
      return;
    default:
      throw misfit();
  }
}

function read(holder: { root: Json }, path: string[]): Json {
  let here = holder.root;
  for (const part of path) {
    let next: Json | undefined;
    if (Array.isArray(here)) {
      next = here[index(here, part, false)];
    } else if (isObject(here) && Object.hasOwn(here, part)) {
      next = here[part];
    }
    if (next === undefined) {
      throw misfit();
    }
    here = next;
  }
  return here;
}

function index(list: Json[], part: string, adding: boolean): number {
  if (adding && part === '-') {
    return list.length;
  }
  const number = /^(0|[1-9]\d*)$/.test(part) ? Number(part) : -1;
  if (number < 0 || number > (adding ? list.length : list.length - 1)) {
    throw misfit();
  }
  return number;
}

function add(holder: { root: Json }, path: string[], value: Json): void {
  if (path.length === 0) {
    holder.root = value;
    return;
  }
  const parent = read(holder, path.slice(0, -1));
  const last = path[path.length - 1];
  if (Array.isArray(parent)) {
    parent.splice(index(parent, last, true), 0, value);
  } else if (isObject(parent)) {
    parent[last] = value;
  } else {
    throw misfit();
  }
}

function remove(holder: { root: Json }, path: string[]): void {
  if (path.length === 0) {
    holder.root = null;
    return;
  }
  const parent = read(holder, path.slice(0, -1));
  const last = path[path.length - 1];
  if (Array.isArray(parent)) {
    parent.splice(index(parent, last, false), 1);
  } else if (isObject(parent) && Object.hasOwn(parent, last)) {
    delete parent[last];
  } else {
    throw misfit();
  }
}
