// Pages and filters of the core entities: `size` and an opaque `offset`, `tags`, `filter[name]`.
import type { Request } from 'express';
import { Entity } from './entityTable';
import { badCoreRequest } from './errors';
import { JsonObject } from './json';

const DEFAULT_SIZE = 100;
const MAX_SIZE = 1000;

/**
 * One page of `entities`, which are in the order of their IDs. The offset names the last ID of the page before, so
 * that entities which come and go between two pages neither hide nor repeat others.
 *
 * @throws KonnectAnswer 400
 */
export function page(
  request: Request,
  entities: readonly Entity[],
): JsonObject {
  const size = readSize(request.query.size);
  const after = readOffset(request.query.offset);
  const start = after === undefined ? 0 : firstAfter(entities, after);
  const data = entities.slice(start, start + size);
  if (start + size >= entities.length) return { data, next: null };
  const offset = Buffer.from(
    JSON.stringify({ after: data[data.length - 1].id }),
  ).toString('base64url');
  const next = new URLSearchParams(
    new URL(request.originalUrl, 'http://sandbox.invalid').search,
  );
  next.set('offset', offset);
  const path = request.originalUrl.split('?')[0];
  return { data, next: `${path}?${next}`, offset };
}

function readSize(given: unknown): number {
  if (given === undefined) return DEFAULT_SIZE;
  const size = Number(given);
  if (!Number.isInteger(size) || size < 1 || size > MAX_SIZE) {
    throw badCoreRequest(
      `invalid page size '${given}': must be an integer between 1 and ${MAX_SIZE}`,
    );
  }
  return size;
}

function readOffset(given: unknown): string | undefined {
  if (given === undefined || given === '') return undefined;
  try {
    const offset: unknown = JSON.parse(
      Buffer.from(String(given), 'base64url').toString('utf8'),
    );
    const { after } = offset as { after?: unknown };
    if (typeof after === 'string') return after;
  } catch {
    // Falls through: whatever is no offset of ours gets the same answer.
  }
  throw badCoreRequest(`invalid offset '${given}'`);
}

function firstAfter(entities: readonly Entity[], id: string): number {
  let [low, high] = [0, entities.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (entities[middle].id <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Applies `tags`, `filter[name][…]` and `custom_id`. @throws KonnectAnswer 400 */
export function filtered(
  request: Request,
  entities: readonly Entity[],
  nameField: string,
): readonly Entity[] {
  const tests: Array<(entity: Entity) => boolean> = [];
  const tags = readTags(request.query.tags);
  if (tags) {
    tests.push(entity => {
      const has = (tag: string) =>
        Array.isArray(entity.tags) && entity.tags.includes(tag);
      return tags.all ? tags.wanted.every(has) : tags.wanted.some(has);
    });
  }
  const name = (request.query.filter as { name?: unknown } | undefined)?.name;
  const { eq, contains } = (name ?? {}) as { eq?: unknown; contains?: unknown };
  if (typeof eq === 'string') tests.push(entity => entity[nameField] === eq);
  if (typeof contains === 'string') {
    tests.push(entity => String(entity[nameField] ?? '').includes(contains));
  }
  const customId = request.query.custom_id;
  if (typeof customId === 'string') {
    tests.push(entity => entity.custom_id === customId);
  }
  return tests.length === 0
    ? entities
    : entities.filter(entity => tests.every(test => test(entity)));
}

function readTags(
  given: unknown,
): { all: boolean; wanted: string[] } | undefined {
  if (given === undefined || given === '') return undefined;
  const text = String(given);
  if (text.includes(',') && text.includes('/')) {
    throw badCoreRequest(
      "invalid tags: ',' (and) and '/' (or) cannot be used together",
    );
  }
  const all = !text.includes('/');
  return { all, wanted: text.split(all ? ',' : '/').filter(Boolean) };
}
