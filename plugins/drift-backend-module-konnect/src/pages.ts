/** Reads a paged list of core entities to its end, or throws: half a list must never look like a whole one. */
import { PlatformError } from '@plumbline/backstage-plugin-drift-node';
import type { JsonObject, Json } from '@plumbline/drift-engine';
import type { KonnectClient, Priority } from './client';
import { at, isObject, textAt } from './json';

/** An entity as it came over the wire: with an id, and with all its digits. */
export type RawEntity = JsonObject & { id: string };

/** What to list. */
export interface ListRequest {
  /** The collection's path below the server's address. */
  path: string;
  /** For people: `services`. */
  noun: string;
  size: number;
  /** Further parameters, such as `tags`. */
  filter?: Record<string, string>;
  signal: AbortSignal;
  priority?: Priority;
}

/**
 * @returns the pages in order. Returning normally means complete.
 * @throws PlatformError also where a page has a wrong shape, or the pages go round in circles.
 */
export async function* readPages(
  client: KonnectClient,
  { path, noun, size, filter, signal, priority }: ListRequest,
): AsyncGenerator<RawEntity[]> {
  const seen = new Set<string>();
  let offset: string | undefined;
  do {
    const body = await client.send({
      method: 'GET',
      path,
      what: `GET ${noun}`,
      query: { ...filter, size, ...(offset !== undefined && { offset }) },
      signal,
      priority,
    });
    yield readData(body, noun);
    offset = nextOffset(body, noun);
    if (offset !== undefined && seen.has(offset)) {
      throw incomplete(
        noun,
        'a page names one as the next that was read before',
      );
    }
    if (offset !== undefined) {
      seen.add(offset);
    }
  } while (offset !== undefined);
}

/** @see readPages */
export async function readAll(
  client: KonnectClient,
  request: ListRequest,
): Promise<RawEntity[]> {
  const all: RawEntity[] = [];
  for await (const page of readPages(client, request)) {
    all.push(...page);
  }
  return all;
}

function readData(body: Json | undefined, noun: string): RawEntity[] {
  const data = at(body, 'data');
  if (!Array.isArray(data)) {
    throw incomplete(noun, 'a page has no data');
  }
  return data.map(item => {
    if (!isEntity(item)) {
      throw incomplete(noun, 'a page holds something that is no entity');
    }
    return item;
  });
}

/** Whether it is an object with an id. */
export function isEntity(item: Json | undefined): item is RawEntity {
  return isObject(item) && textAt(item, 'id') !== undefined;
}

/** `next` and `offset` both tell of a next page; some lists give one of them only. */
function nextOffset(body: Json | undefined, noun: string): string | undefined {
  const offset = textAt(body, 'offset');
  const next = textAt(body, 'next');
  if (offset !== undefined || next === undefined) {
    return offset;
  }
  const inNext = new URLSearchParams(next.slice(next.indexOf('?') + 1)).get(
    'offset',
  );
  if (!inNext) {
    throw incomplete(noun, 'a page says that there is a next one, not where');
  }
  return inNext;
}

function incomplete(noun: string, why: string): PlatformError {
  return new PlatformError(
    'transient',
    `The list of ${noun} could not be read to its end: ${why}`,
  );
}
