/** Reads a paged list of core entities to its end, or throws: half a list must never look like a whole one. */
import {
  at,
  isObject,
  PlatformError,
  textAt,
} from '@plumbline/backstage-plugin-drift-node';
import { parseJson, type JsonObject, type Json } from '@plumbline/drift-engine';
import type { KonnectClient, Priority } from './client';
import { textDigest } from './version';

/** An entity as it came over the wire: with an id, and with all its digits. */
export type RawEntity = JsonObject & { id: string };

/** One page of a list. */
export interface RawPage {
  /** Of the text that the entities were read from, where that can be told from what follows it. */
  digest?: string;
  /** Parsed when asked for, where somebody knew the digest. */
  entities(): RawEntity[];
}

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
  /** Whether the entities of the page with this digest are known: hardly ever will anybody ask for them. */
  knows?: (digest: string) => boolean;
}

/**
 * @returns the pages in order. Returning normally means complete.
 * @throws PlatformError also where a page has a wrong shape, or the pages go round in circles.
 */
export async function* readPages(
  client: KonnectClient,
  { path, noun, size, filter, signal, priority, knows }: ListRequest,
): AsyncGenerator<RawPage> {
  const seen = new Set<string>();
  let offset: string | undefined;
  do {
    let text = '';
    let digest: string | undefined;
    let isKnown = false;
    const body = await client.send({
      method: 'GET',
      path,
      what: `GET ${noun}`,
      query: { ...filter, size, ...(offset !== undefined && { offset }) },
      signal,
      priority,
      parse: received => {
        text = received;
        digest = knows && listDigest(text);
        isKnown = digest !== undefined && knows?.(digest) === true;
        return isKnown ? parseRest(text) : parseJson(text);
      },
    });
    if (!isKnown && digest !== undefined && !endsAlike(body, text)) {
      digest = undefined;
    }
    const all = isKnown ? undefined : readData(body, noun);
    yield {
      digest,
      entities: () => all ?? readData(parseJson(text), noun),
    };
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
    all.push(...page.entities());
  }
  return all;
}

/** A digest of all that stands before the end of the last list in the text. */
function listDigest(text: string): string {
  return textDigest(text.slice(0, text.lastIndexOf(']')));
}

/** The page without its entities: what stands behind the last list in the text. */
function parseRest(text: string): Json {
  return parseJson(`{"data":[${text.slice(text.lastIndexOf(']'))}`);
}

/**
 * Whether {@link parseRest} finds the same next page as stands in the body. Once it does for a text, it does for every text with the
 * same {@link listDigest}.
 */
function endsAlike(body: Json | undefined, text: string): boolean {
  let rest: Json;
  try {
    rest = parseRest(text);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return false;
    }
    throw error;
  }
  return ['next', 'offset'].every(name => at(body, name) === at(rest, name));
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
