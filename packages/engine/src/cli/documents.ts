/*
 * Reads YAML and JSON text into JSON values, every digit kept. Manifests are read as the tools around them read them:
 * YAML 1.1 without its clock times, dates and one-letter answers (`0644` is octal, `yes` is true, `12:30` and `y` are
 * text). Cases are YAML 1.2, where `yes` is text; octal numbers are octal there too.
 */
import {
  LineCounter,
  parseAllDocuments,
  type Document,
  type ScalarTag,
  type Tags,
} from 'yaml';
import { Json } from '../types';

/** `bigint` where a double would lose digits, `number` everywhere else. */
function narrow(value: unknown): Json {
  if (typeof value === 'bigint') {
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
      ? Number(value)
      : value;
  }
  if (Array.isArray(value)) {
    return value.map(narrow);
  }
  if (typeof value === 'object' && value !== null) {
    if (value instanceof Date) {
      return value.toISOString();
    }
    const out: { [key: string]: Json } = {};
    for (const [key, child] of Object.entries(value)) {
      Object.defineProperty(out, key, {
        value: narrow(child),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return out;
  }
  return (value ?? null) as Json;
}

/** What the commonest errors of the YAML library mean; none of its messages, which may quote the text. */
const MEANINGS: Record<string, string> = {
  BAD_INDENT: 'it is indented wrongly',
  DUPLICATE_KEY: 'a key is there twice',
  MISSING_CHAR: 'something is not closed',
  RESOURCE_EXHAUSTION: 'it is nested too deep',
  TAB_AS_INDENT: 'it is indented with a tab',
};

/** Resolves aliases: those that hold themselves have no end, and few may stand for a great deal of data. */
function resolved(document: Document, where: string): Json {
  try {
    return narrow(document.toJS({ maxAliasCount: 1000 }));
  } catch (error) {
    if (error instanceof RangeError || error instanceof ReferenceError) {
      throw new Error(
        `${where}: its aliases hold themselves, or stand for too much.`,
      );
    }
    throw error;
  }
}

const OCTAL: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?0[0-7]+$/,
  resolve: text => {
    const value = BigInt(`0o${text.replace(/^[-+]/, '')}`);
    return text.startsWith('-') ? -value : value;
  },
};

const DATES_AND_COLLECTIONS = ['timestamp', 'omap', 'pairs', 'set'].map(
  name => `tag:yaml.org,2002:${name}`,
);

const isTime = (tag: ScalarTag | Exclude<Tags[number], string>) =>
  DATES_AND_COLLECTIONS.includes(tag.tag) ||
  ('format' in tag && tag.format === 'TIME');

/** A single letter is the name of something far more often than an answer. */
function withoutLetters<T extends Tags[number]>(tag: T): T {
  return typeof tag === 'object' &&
    tag.tag === 'tag:yaml.org,2002:bool' &&
    'test' in tag &&
    tag.test
    ? { ...tag, test: new RegExp(`(?=..)(?:${tag.test.source})`) }
    : tag;
}

const manifestTags = (tags: Tags): Tags =>
  tags
    .filter(tag => typeof tag === 'string' || !isTime(tag))
    .map(withoutLetters);

/** How a text is read. */
export type Reading = 'manifests' | 'cases';

/**
 * All documents of a YAML (or JSON) text. Empty documents are left out.
 *
 * @throws Error that names the place, never quoting the text (it may hold secrets).
 */
export function parseDocuments(
  text: string,
  name: string,
  reading: Reading,
): Json[] {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    ...(reading === 'manifests'
      ? { version: '1.1', customTags: manifestTags }
      : { customTags: (tags: Tags): Tags => [OCTAL, ...tags] }),
    logLevel: 'silent',
    intAsBigInt: true,
    prettyErrors: false,
    lineCounter,
    merge: true,
    // Aliases that blow up are refused by the library; repeated keys are an error in YAML.
    uniqueKeys: true,
  });
  if (!Array.isArray(documents)) {
    return [];
  }
  return documents.flatMap((document, index) => {
    const [error] = document.errors;
    if (error) {
      const { line, col } = lineCounter.linePos(error.pos[0]);
      throw new Error(
        `${name}: line ${line}, column ${col} is no valid YAML: ${
          MEANINGS[error.code] ?? error.code
        }.`,
      );
    }
    const value = resolved(document, `${name}: document ${index + 1}`);
    return value === null ? [] : [value];
  });
}
