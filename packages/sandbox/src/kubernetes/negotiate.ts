/** Which form of a body the client sent, and which form of an answer it takes. */
import { stringify as stringifyYaml, parse as parseYaml } from 'yaml';
import { badRequest, notAcceptable } from './errors';
import { Json, JsonObject, isObject, parseJson, stringifyJson } from './json';

/** The form of an answer. */
export interface Form {
  media: 'application/json' | 'application/yaml';
  /** True where only the metadata of objects is wanted. */
  metadataOnly: boolean;
}

/**
 * The first form that the client accepts and the server can give. Tables are left to the client, which always offers
 * plain JSON besides.
 *
 * @throws StatusError 406 where there is none
 */
export function acceptedForm(accept: string | undefined): Form {
  for (const offer of (accept || '*/*').split(',')) {
    const [media, ...parameters] = offer.split(';').map(part => part.trim());
    const as = parameters.find(part => part.startsWith('as='))?.slice(3);
    const metadataOnly =
      as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList';
    if (as !== undefined && !metadataOnly) {
      continue;
    }
    if (['application/json', 'application/*', '*/*'].includes(media)) {
      return { media: 'application/json', metadataOnly };
    }
    if (media === 'application/yaml') {
      return { media: 'application/yaml', metadataOnly };
    }
  }
  throw notAcceptable();
}

/** Writes a body in the given form. */
export function writeBody(form: Form, body: JsonObject): string {
  return form.media === 'application/yaml'
    ? stringifyYaml(body)
    : `${stringifyJson(body)}\n`;
}

/** An object or a list, cut down to its metadata where that was asked for. */
export function presented(form: Form, body: JsonObject): JsonObject {
  if (!form.metadataOnly || body.kind === 'Status') {
    return body;
  }
  const apiVersion = 'meta.k8s.io/v1';
  const metadata = body.metadata;
  if (!Array.isArray(body.items)) {
    return { kind: 'PartialObjectMetadata', apiVersion, metadata };
  }
  const items = body.items.map(item => ({
    metadata: isObject(item) ? item.metadata : {},
  }));
  return { kind: 'PartialObjectMetadataList', apiVersion, metadata, items };
}

/**
 * Reads a body as JSON.
 *
 * @throws StatusError 400 where it is none
 */
export function readJson(text: string, what: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${what}): couldn't get version/kind; json parse error: ${
        (error as Error).message
      }`,
    );
  }
}

/**
 * Reads a body as YAML, of which JSON is a part.
 *
 * @throws StatusError 400 where it is none
 */
export function readYaml(text: string): Json {
  let value: unknown;
  try {
    value = parseYaml(text, {
      intAsBigInt: true,
      version: '1.1',
      // An API server knows neither dates nor times of day in YAML: they are strings.
      customTags: tags =>
        tags.filter(
          tag =>
            typeof tag === 'string' ||
            (tag.tag !== 'tag:yaml.org,2002:timestamp' &&
              !('format' in tag && tag.format === 'TIME')),
        ),
    });
  } catch (error) {
    throw badRequest(`error decoding YAML: ${(error as Error).message}`);
  }
  return plain(value);
}

/** YAML integers as JSON has them: a number where it is exact, else a bigint. */
function plain(value: unknown): Json {
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, plain(item)]),
    );
  }
  return typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
    ? value
    : null;
}
