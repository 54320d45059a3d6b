// `sandbox manifest …`: the declarations that live in files. Comments and layout of a file survive a change.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, parseAllDocuments } from 'yaml';
import { isObject, JsonObject, stableText } from '../konnect/json';
import { filesOf } from '../runner/layout';
import { Context, show, showTable } from './context';
import { unsetField } from './fieldPath';
import { assigned } from './konnectCommands';
import type { ObjectOptions } from './kubeCommands';
import { UsageError } from './usage';

interface Manifest {
  file: string;
  documents: Document[];
  document: Document;
  object: JsonObject;
}

const VERBS = ['list', 'get', 'set', 'unset'];

/** Runs one `manifest` command. @throws UsageError, Error */
export function manifestCommand(
  context: Context,
  [verb, kind, name, ...changes]: string[],
  { namespace }: ObjectOptions,
): void {
  if (!verb || !VERBS.includes(verb)) {
    throw new UsageError(
      `There is no 'sandbox manifest ${verb ?? ''}': there are ${VERBS.join(
        ', ',
      )}`,
    );
  }
  const manifests = readAll(filesOf(context.dataDir).manifests);
  if (verb === 'list') {
    showTable(
      context,
      ['file', 'kind', 'namespace', 'name'],
      manifests.map(({ file, object }) => {
        const metadata = object.metadata as JsonObject;
        return {
          file,
          kind: object.kind,
          namespace: metadata.namespace,
          name: metadata.name,
        };
      }),
    );
    return;
  }
  if (!kind || !name) {
    throw new UsageError(`sandbox manifest ${verb} KIND [-n NAMESPACE] NAME …`);
  }
  const found = manifests.find(({ object }) => {
    const metadata = object.metadata as JsonObject;
    return (
      String(object.kind).toLowerCase() === kind.toLowerCase() &&
      metadata.name === name &&
      (!namespace || metadata.namespace === namespace)
    );
  });
  if (!found) {
    throw new Error(
      `No manifest declares ${kind} ${name}: see 'sandbox manifest list'`,
    );
  }
  if (verb === 'get') {
    show(context, found.object);
    return;
  }
  if (verb === 'unset' && changes.length === 0) {
    throw new UsageError('Name a field to unset');
  }
  const changed =
    verb === 'set'
      ? assigned(found.object, changes, verb)
      : changes.reduce(unsetField, found.object);
  merge(found.document, [], found.object, changed);
  writeFileSync(
    found.file,
    found.documents.map(document => document.toString()).join(''),
  );
  context.print(`Changed ${found.file}`);
}

function readAll(folder: string): Manifest[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    throw new Error(
      `There are no manifests in ${folder} yet: they come with the first start of the sandbox`,
    );
  }
  return names
    .filter(name => /\.ya?ml$/.test(name))
    .sort()
    .flatMap(name => {
      const file = join(folder, name);
      const documents: Document[] = [
        ...parseAllDocuments(readFileSync(file, 'utf8')),
      ];
      return documents.flatMap(document => {
        const object: unknown = document.toJS();
        return isObject(object) && isObject(object.metadata)
          ? [{ file, documents, document, object }]
          : [];
      });
    });
}

/** Brings only what differs into the document, so that the rest of its text stays. */
function merge(
  document: Document,
  path: Array<string | number>,
  before: unknown,
  after: unknown,
): void {
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([
      ...Object.keys(before),
      ...Object.keys(after),
    ])) {
      if (after[key] === undefined) document.deleteIn([...path, key]);
      else merge(document, [...path, key], before[key], after[key]);
    }
    return;
  }
  if (
    Array.isArray(before) &&
    Array.isArray(after) &&
    before.length === after.length
  ) {
    after.forEach((item, index) =>
      merge(document, [...path, index], before[index], item),
    );
    return;
  }
  const same =
    before !== undefined &&
    stableText(before as JsonObject) === stableText(after as JsonObject);
  if (!same) document.setIn(path, after);
}
