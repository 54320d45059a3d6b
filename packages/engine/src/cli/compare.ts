/*
 * `drift compare`: one verdict for each declared document.
 */
import { stringify } from 'yaml';
import { evaluate } from '../classify';
import { stringifyJson } from '../json/canonical';
import { normalise } from '../normalise/normalise';
import {
  EvaluateInput,
  Evaluation,
  Json,
  NormaliseOptions,
  ResourceSchema,
  State,
} from '../types';
import { agreedFrom } from './agreed';
import type { Output } from './main';
import { renderText } from './render';
import {
  KindOptions,
  Match,
  matchResources,
  readDocuments,
  Resource,
  toResource,
} from './resources';
import { isUnknownCollection, readSchemas, schemaFor } from './schemas';
import { secretDigest } from './secret';

export const OUTPUTS = ['text', 'json', 'yaml'] as const;

/** The options of `drift compare`, checked. */
export interface CompareOptions extends KindOptions {
  /** File names; `-` is standard input. */
  declared: string;
  live: string;
  lastAgreed?: string;
  firstSight: boolean;
  schemas: string[];
  output: (typeof OUTPUTS)[number];
  all: boolean;
}

interface Result {
  title: string;
  kind: string;
  evaluation: Evaluation;
}

function state(
  resource: Resource | undefined,
  schema: ResourceSchema,
  side: NormaliseOptions['side'],
): State | null {
  return resource
    ? normalise(resource.document, { schema, side, secretDigest })
    : null;
}

function judge(
  match: Match,
  options: CompareOptions,
  documents: Json[],
): Result {
  const { declared, live, lastAgreed } = match;
  const subject = (declared ?? live)!;
  const schema = schemaFor(subject.platform, subject.kind, { documents });
  const input: EvaluateInput = {
    schema,
    declared: state(declared, schema, 'declared'),
    live: state(live, schema, 'live'),
  };
  if (lastAgreed) {
    input.lastAgreed = agreedFrom(lastAgreed.document, live?.document, {
      schema,
      secretDigest,
    });
    // It was agreed once, so it is known to us also where its declaration is gone.
    input.facts = { createdBefore: true };
  } else if (!options.firstSight && !options.lastAgreed && input.declared) {
    input.lastAgreed = input.declared;
  }
  return {
    title: subject.title,
    kind: subject.kind,
    evaluation: evaluate(input),
  };
}

function print(results: Result[], options: CompareOptions, output: Output) {
  if (options.output !== 'text') {
    const data = results.map(({ title, kind, evaluation }) => ({
      resource: title,
      kind,
      ...evaluation,
    })) as unknown as Json;
    output.out(
      options.output === 'json'
        ? stringifyJson(data, 2)
        : stringify(data, { aliasDuplicateObjects: false }).trimEnd(),
    );
    return;
  }
  for (const { title, evaluation } of results) {
    const quiet =
      evaluation.verdict === 'InSync' &&
      evaluation.warnings.length === 0 &&
      evaluation.reordered.length === 0 &&
      results.length > 1;
    if (!quiet || options.all) {
      output.out(renderText(evaluation, { colour: output.colour, title }));
    }
  }
  if (results.length > 1) {
    const equal = results.filter(r => r.evaluation.verdict === 'InSync').length;
    output.out(`${equal} in sync, ${results.length - equal} not`);
  }
}

function exitCode(results: Result[]): number {
  const verdicts = results.map(result => result.evaluation.verdict);
  if (verdicts.some(v => v === 'Invalid' || v === 'Unknown')) {
    return 2;
  }
  return verdicts.every(v => v === 'InSync') ? 0 : 1;
}

/**
 * Compares files and prints the verdicts.
 *
 * @returns 0 where all is in sync, 1 where something drifted, 2 where something cannot be compared
 * @throws UsageError where a file cannot be read or its documents cannot be told apart
 */
export function runCompare(options: CompareOptions, output: Output): number {
  const read = (name: string) => ({
    name,
    resources: readDocuments(name).map(document =>
      toResource(document, options, name),
    ),
  });
  const files: Parameters<typeof matchResources>[0] = {
    declared: read(options.declared),
    live: read(options.live),
  };
  if (options.lastAgreed) {
    files.lastAgreed = read(options.lastAgreed);
  }
  const documents = options.schemas.flatMap(readSchemas);
  const { kind, platform } = options;
  if (kind && platform !== 'kubernetes' && isUnknownCollection(kind)) {
    output.err(
      `drift: ${kind} is no collection that drift knows: it is compared by its structure alone.`,
    );
  }
  const results: Result[] = [];
  let strangers = 0;
  for (const match of matchResources(files)) {
    const result = judge(match, options, documents);
    if (result.evaluation.rule === 'unmanaged') {
      strangers += 1;
    } else {
      results.push(result);
    }
  }
  print(results, options, output);
  if (strangers > 0 && options.output === 'text') {
    output.out(
      `${strangers} live ${
        strangers === 1 ? 'document is' : 'documents are'
      } not declared`,
    );
  }
  return exitCode(results);
}
