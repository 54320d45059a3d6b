/*
 * Text of a manifest file as objects. YAML is read as the ecosystem reads it (version 1.1 without its clock times and
 * dates: `0644` is octal, `yes` is true, `12:30` is text), with every digit of an integer. Errors name file, document
 * and line, and never quote the text, which may hold secrets.
 */
import {
  isObject,
  listAt,
  PlatformError,
  textAt,
} from '@plumbline/backstage-plugin-drift-node';
import type { Json, JsonObject } from '@plumbline/drift-engine';
import { LineCounter, parseAllDocuments, type Document, type Tags } from 'yaml';
import { type Gvk, gvkOf } from '../gvk';

/** One object of a manifest file. */
export interface ManifestObject {
  gvk: Gvk;
  name: string;
  object: JsonObject;
  /** For people: `document 2, line 14`. */
  where: string;
}

const DATES_AND_COLLECTIONS = [
  'tag:yaml.org,2002:timestamp',
  'tag:yaml.org,2002:omap',
  'tag:yaml.org,2002:pairs',
  'tag:yaml.org,2002:set',
];

function withoutClockTimes(tags: Tags): Tags {
  return tags.filter(
    tag =>
      typeof tag === 'string' ||
      !(
        DATES_AND_COLLECTIONS.includes(tag.tag) ||
        ('format' in tag && tag.format === 'TIME')
      ),
  );
}

function fault(file: string, where: string, what: string): PlatformError {
  return new PlatformError('invalid', `manifest ${file}, ${where}: ${what}`);
}

/** Parses a file with any number of documents. Throws `PlatformError` `invalid` for the first fault. */
export function parseManifest(file: string, text: string): ManifestObject[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: '1.1',
    customTags: withoutClockTimes,
    intAsBigInt: true,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const found: ManifestObject[] = [];
  const list: Document[] = Array.isArray(documents) ? documents : [];
  list.forEach((document, index) => {
    const line = (offset: number) => lines.linePos(offset).line;
    const start = document.contents?.range?.[0] ?? document.range?.[0] ?? 0;
    const where = `document ${index + 1}, line ${line(start)}`;
    const error = document.errors[0];
    if (error) {
      const at = `document ${index + 1}, line ${line(error.pos[0])}`;
      throw fault(file, at, describeSyntaxError(error.code));
    }
    const value = toJson(document, file, where);
    if (value !== null) {
      found.push(...objectsOf(value, file, where));
    }
  });
  return found;
}

/** `DUPLICATE_KEY` → `duplicate key`; the parser's own sentence may quote the text. */
function describeSyntaxError(code: string): string {
  return `it is not valid YAML (${code.toLowerCase().replace(/_/g, ' ')})`;
}

function toJson(document: Document, file: string, where: string): Json {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch {
    throw fault(
      file,
      where,
      'its aliases cannot be resolved, or there are too many',
    );
  }
  return plain(value, what => fault(file, where, what));
}

/** Plain JSON: small integers as numbers, long ones as `bigint`; anything that JSON does not have is a fault. */
function plain(value: unknown, wrong: (what: string) => PlatformError): Json {
  if (value === null || value === undefined) {
    return null;
  }
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    case 'number':
      if (!Number.isFinite(value)) {
        throw wrong('it holds a number that JSON does not have (.inf or .nan)');
      }
      return value;
    default:
  }
  if (Array.isArray(value)) {
    return value.map(item => plain(item, wrong));
  }
  if (value instanceof Uint8Array) {
    return Buffer.from(value).toString('base64');
  }
  if (Object.getPrototypeOf(value) === Object.prototype) {
    return Object.fromEntries(
      Object.entries(value as object).map(([key, item]) => [
        key,
        plain(item, wrong),
      ]),
    );
  }
  throw wrong('it holds a value that JSON does not have');
}

function objectsOf(value: Json, file: string, where: string): ManifestObject[] {
  if (!isObject(value)) {
    throw fault(
      file,
      where,
      'it is not an object: it needs apiVersion, kind and metadata',
    );
  }
  const gvk = gvkOf(value.apiVersion, value.kind);
  if (!gvk) {
    throw fault(
      file,
      where,
      'it has no apiVersion and kind of a Kubernetes object',
    );
  }
  if (gvk.group === 'kustomize.config.k8s.io') {
    throw fault(
      file,
      where,
      'it is a kustomization, which is not built here: name the rendered manifests instead',
    );
  }
  if (gvk.kind.endsWith('List') && Array.isArray(value.items)) {
    return listAt(value, 'items').flatMap((item, index) =>
      objectsOf(item, file, `${where}, item ${index + 1}`),
    );
  }
  const name = textAt(value, 'metadata', 'name');
  if (!name) {
    throw fault(file, where, `the ${gvk.kind} has no metadata.name`);
  }
  return [{ gvk, name, object: value, where }];
}
