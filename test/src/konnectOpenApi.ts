// Validates what goes to and comes from a Konnect API against Kong's own OpenAPI documents, where they are present.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import Ajv2020, { ErrorObject, ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import {
  Json,
  JsonObject,
  isObject,
  toComponents,
  toJsonSchema,
} from './openApiSchema';

/** One request and its answer. Bodies are parsed JSON; `undefined` where there was none. */
export interface Exchange {
  method: string;
  /** Absolute, or a path that starts with `/v2`. */
  url: string;
  requestBody?: unknown;
  status: number;
  responseBody?: unknown;
}

/** Something that the documents do not allow. */
export interface Violation {
  side: 'request' | 'response';
  /** Where: `GET /v2/control-planes path`, with a JSON pointer into the body. */
  where: string;
  message: string;
}

/** Kong's documents, ready to judge. */
export interface KonnectOpenApi {
  /** Everything about the exchange that the documents do not allow; empty when all is well. */
  validateExchange(exchange: Exchange): Violation[];
}

interface Operation {
  template: string;
  segments: string[];
  method: string;
  operation: JsonObject;
  parameters: JsonObject[];
  document: Document;
}

interface Document {
  id: string;
  root: JsonObject;
}

const FILES = ['control-planes-v2.yaml', 'control-planes-config-v2.yaml'];

/** The folder that holds Kong's documents: `KONNECT_OPENAPI_DIR`, or a folder `shared` beside the repository. */
export function konnectOpenApiFolder(): string | undefined {
  const folder =
    process.env.KONNECT_OPENAPI_DIR ??
    resolve(
      dirname(require.resolve('@plumbline/tests/package.json')),
      '../../shared/upstream/konnect-openapi',
    );
  return FILES.every(file => existsSync(join(folder, file)))
    ? folder
    : undefined;
}

/** Loads the documents; takes about a second. @returns undefined where they are not present */
export function loadKonnectOpenApi(): KonnectOpenApi | undefined {
  const folder = konnectOpenApiFolder();
  if (!folder) return undefined;
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    // Their patterns have escapes that are no unicode regular expressions.
    unicodeRegExp: false,
    formats: { path: true, url: true, set: true, int32: true, int64: true },
  });
  addFormats(ajv, { formats: ['uuid', 'date-time', 'uri'] });
  const operations = FILES.flatMap(file => {
    const root = parse(readFileSync(join(folder, file), 'utf8'), {
      maxAliasCount: -1,
    }) as JsonObject;
    const document = { id: file, root };
    for (const side of ['request', 'response'] as const) {
      const id = docId(document, side);
      ajv.addSchema(toComponents(root, side, id), id);
    }
    return operationsOf(document);
  });
  const compiled = new WeakMap<JsonObject, Map<string, ValidateFunction>>();

  function check(
    schema: JsonObject,
    value: unknown,
    side: 'request' | 'response',
    document: Document,
  ): string[] {
    const bySide = compiled.get(schema) ?? new Map<string, ValidateFunction>();
    compiled.set(schema, bySide);
    const judge =
      bySide.get(side) ??
      ajv.compile(
        toJsonSchema(schema, side, docId(document, side)) as JsonObject,
      );
    bySide.set(side, judge);
    return judge(value) ? [] : (judge.errors ?? []).map(describeError);
  }

  return {
    validateExchange: exchange => validate(exchange, operations, check),
  };
}

type Check = (
  schema: JsonObject,
  value: unknown,
  side: 'request' | 'response',
  document: Document,
) => string[];

function docId(document: Document, side: 'request' | 'response'): string {
  return `https://documents.invalid/${document.id}/${side}`;
}

function describeError({ instancePath, message, params }: ErrorObject): string {
  const { additionalProperty, allowedValues } = params as {
    additionalProperty?: string;
    allowedValues?: unknown[];
  };
  const more = additionalProperty ?? allowedValues?.join(', ');
  return `${instancePath || '/'} ${message}${more ? ` (${more})` : ''}`;
}

function operationsOf(document: Document): Operation[] {
  return Object.entries(document.root.paths as JsonObject).flatMap(
    ([path, item]) => {
      const { parameters: shared = [], ...methods } = item as JsonObject;
      return Object.entries(methods)
        .filter(([, operation]) => isObject(operation))
        .map(([method, operation]) => ({
          template: `/v2${path}`,
          segments: `/v2${path}`.split('/'),
          method: method.toUpperCase(),
          operation: operation as JsonObject,
          parameters: [
            ...(shared as Json[]),
            ...(((operation as JsonObject).parameters ?? []) as Json[]),
          ].map(parameter => resolveRef(document, parameter)),
          document,
        }));
    },
  );
}

function resolveRef(document: Document, value: Json | undefined): JsonObject {
  if (!isObject(value)) return {};
  if (typeof value.$ref !== 'string') return value;
  const target = value.$ref
    .slice(2)
    .split('/')
    .reduce<Json | undefined>(
      (node, key) =>
        isObject(node)
          ? node[key.replace(/~1/g, '/').replace(/~0/g, '~')]
          : undefined,
      document.root,
    );
  return resolveRef(document, target);
}

function validate(
  exchange: Exchange,
  operations: Operation[],
  check: Check,
): Violation[] {
  const url = new URL(exchange.url, 'http://konnect.invalid');
  const method = exchange.method.toUpperCase();
  const at = `${method} ${url.pathname}`;
  const found = operations
    .filter(
      candidate => candidate.method === method && fits(candidate, url.pathname),
    )
    // A path that is written out goes before one with a placeholder.
    .sort((a, b) => placeholders(a) - placeholders(b))[0];
  if (!found) {
    return [
      { side: 'request', where: at, message: 'there is no such operation' },
    ];
  }
  const say =
    (side: 'request' | 'response', part: string) =>
    (message: string): Violation => ({ side, where: `${at} ${part}`, message });
  return [
    ...checkQuery(found, url, check).map(say('request', 'query')),
    ...checkRequestBody(found, exchange, check).map(say('request', 'body')),
    ...checkResponse(found, exchange, check).map(
      say('response', `answer ${exchange.status}`),
    ),
  ];
}

function fits({ segments }: Operation, path: string): boolean {
  const actual = path.split('/');
  return (
    actual.length === segments.length &&
    segments.every(
      (segment, index) =>
        (segment.startsWith('{') && actual[index] !== '') ||
        segment === actual[index],
    )
  );
}

function placeholders({ segments }: Operation): number {
  return segments.filter(segment => segment.startsWith('{')).length;
}

function checkQuery(found: Operation, url: URL, check: Check): string[] {
  return [...url.searchParams].flatMap(([name, text]) => {
    const parameter = found.parameters.find(
      candidate =>
        candidate.in === 'query' &&
        (candidate.name === name ||
          (candidate.style === 'deepObject' &&
            name.startsWith(`${candidate.name}[`))),
    );
    if (!parameter) return [`there is no parameter '${name}'`];
    if (parameter.style === 'deepObject') {
      const keys = name.match(/\[[^\]]*\]/g) ?? [];
      const value = keys.reduceRight<Json>(
        (inner, key) => ({ [key.slice(1, -1)]: inner }),
        text,
      );
      return check(
        parameter.schema as JsonObject,
        value,
        'request',
        found.document,
      );
    }
    const schema = resolveRef(found.document, parameter.schema);
    const value = schema.type === 'integer' ? Number(text) : text;
    return check(schema, value, 'request', found.document).map(
      problem => `${name}: ${problem}`,
    );
  });
}

function checkRequestBody(
  found: Operation,
  { requestBody }: Exchange,
  check: Check,
): string[] {
  const documented = resolveRef(found.document, found.operation.requestBody);
  const schema = jsonSchemaOf(documented);
  if (requestBody === undefined) {
    return documented.required === true ? ['a body is required'] : [];
  }
  return schema
    ? check(schema, requestBody, 'request', found.document)
    : ['this operation takes no body'];
}

function checkResponse(
  found: Operation,
  { status, responseBody }: Exchange,
  check: Check,
): string[] {
  const responses = found.operation.responses as JsonObject;
  const documented = Object.hasOwn(responses, String(status));
  if (!documented) {
    // The documents describe success, 401 and 404 only; other errors are known from elsewhere.
    return status >= 400 ? checkError(responseBody) : ['is not documented'];
  }
  const response = resolveRef(found.document, responses[String(status)]);
  const schema = jsonSchemaOf(response);
  if (schema) return check(schema, responseBody, 'response', found.document);
  return responseBody === undefined || status >= 400
    ? []
    : ['has a body, but none is documented'];
}

/** An error that the documents leave out has at least a text: `message` in the core dialect, `detail` in the other. */
function checkError(body: unknown): string[] {
  const text = isObject(body) ? body.message ?? body.detail : undefined;
  return typeof text === 'string' ? [] : ['has neither message nor detail'];
}

function jsonSchemaOf(described: JsonObject): JsonObject | undefined {
  const content = described.content as JsonObject | undefined;
  const media = (content?.['application/json'] ??
    content?.['application/problem+json']) as JsonObject | undefined;
  return media?.schema as JsonObject | undefined;
}
