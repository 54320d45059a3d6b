/** Every error that the server answers: a Status object with the reasons, codes and wording of a real API server. */
import { JsonObject } from './json';

/** One field-level reason of a 422 or a 409, as in `Status.details.causes`. */
export interface Cause extends JsonObject {
  reason: string;
  message: string;
  field: string;
}

interface Details extends JsonObject {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: Cause[];
  retryAfterSeconds?: number;
}

/** What an error message calls a kind: its group, its plural and its Kind. */
export interface Named {
  group: string;
  plural: string;
  kind: string;
}

/** Thrown anywhere in the server; its `body` is what the client gets. */
export class StatusError extends Error {
  readonly code: number;
  readonly body: JsonObject;

  constructor(
    code: number,
    reason: string | undefined,
    message: string,
    details?: Details,
  ) {
    super(message);
    this.name = 'StatusError';
    this.code = code;
    this.body = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason ? { reason } : {}),
      ...(details ? { details } : {}),
      code,
    };
  }
}

const qualified = (group: string, word: string) =>
  group ? `${word}.${group}` : word;

const ofKind = (named: Named, name?: string): Details => ({
  ...(name ? { name } : {}),
  ...(named.group ? { group: named.group } : {}),
  kind: named.plural,
});

/** 400. */
export const badRequest = (message: string) =>
  new StatusError(400, 'BadRequest', message);

/** 401. */
export const unauthorized = () =>
  new StatusError(401, 'Unauthorized', 'Unauthorized');

/** 403 for one object. */
export const forbidden = (
  named: Named,
  name: string,
  why: string,
  causes?: Cause[],
) =>
  new StatusError(
    403,
    'Forbidden',
    name
      ? `${qualified(named.group, named.plural)} "${name}" is forbidden: ${why}`
      : `${qualified(named.group, named.plural)} is forbidden: ${why}`,
    { ...ofKind(named, name), ...(causes ? { causes } : {}) },
  );

/** 404 for one object. */
export const notFound = (named: Named, name: string) =>
  new StatusError(
    404,
    'NotFound',
    `${qualified(named.group, named.plural)} "${name}" not found`,
    ofKind(named, name),
  );

/** 404 for a path that no kind is served under. */
export const noSuchResource = () =>
  new StatusError(
    404,
    'NotFound',
    'the server could not find the requested resource',
    {},
  );

/** 405. */
export const methodNotAllowed = () =>
  new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );

/** 406. */
export const notAcceptable = () =>
  new StatusError(
    406,
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/yaml',
    {},
  );

/** 409 where the name is taken. */
export const alreadyExists = (named: Named, name: string) =>
  new StatusError(
    409,
    'AlreadyExists',
    `${qualified(named.group, named.plural)} "${name}" already exists`,
    ofKind(named, name),
  );

/** 409 where the resourceVersion or the uid is not the stored one. */
export const conflict = (named: Named, name: string, why: string) =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(
      named.group,
      named.plural,
    )} "${name}": ${why}`,
    ofKind(named, name),
  );

/** What `conflict` says where the object has moved on. */
export const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

/** 410: a resourceVersion or continue token from before the kept history. */
export const expired = (message: string) =>
  new StatusError(410, 'Expired', message);

/** 413. */
export const tooLarge = () =>
  new StatusError(
    413,
    'RequestEntityTooLarge',
    'Request entity too large: limit is 3145728',
    {},
  );

/** 415. */
export const unsupportedMediaType = (accepted: string[]) =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(
      ', ',
    )}`,
    {},
  );

/** 422 with a cause for each wrong field. */
export const invalid = (
  group: string,
  kind: string,
  name: string,
  causes: Cause[],
) => {
  const told = causes.map(cause => `${cause.field}: ${cause.message}`);
  return new StatusError(
    422,
    'Invalid',
    `${qualified(group, kind)} "${name}" is invalid: ${
      told.length === 1 ? told[0] : `[${told.join(', ')}]`
    }`,
    {
      ...(name ? { name } : {}),
      ...(group ? { group } : {}),
      ...(kind ? { kind } : {}),
      causes,
    },
  );
};

/** 422 for query parameters, under the name of the options object that they stand for. */
export const invalidOptions = (kind: string, causes: Cause[]) =>
  invalid('meta.k8s.io', kind, '', causes);

/** 422 without causes, for a JSON patch that does not fit. */
export const unprocessable = (message: string) =>
  new StatusError(422, 'Invalid', message, {});

/** 500 without a reason, as a real server answers some unreadable patches. */
export const internal = (message: string) =>
  new StatusError(500, undefined, message);

const shown = (value: unknown): string =>
  typeof value === 'bigint'
    ? value.toString()
    : JSON.stringify(value) ?? 'null';

/** Cause: a field has a value that is not allowed. */
export const invalidValue = (
  field: string,
  value: unknown,
  why: string,
): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${shown(value)}: ${why}`,
  field,
});

/** Cause: a field is missing. */
export const required = (field: string, why = ''): Cause => ({
  reason: 'FieldValueRequired',
  message: why ? `Required value: ${why}` : 'Required value',
  field,
});

/** Cause: a value is not among the allowed ones. */
export const notSupported = (
  field: string,
  value: unknown,
  allowed: readonly unknown[],
): Cause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${shown(value)}: supported values: ${allowed
    .map(shown)
    .join(', ')}`,
  field,
});

/** Cause: a field may not be given here. */
export const forbiddenField = (field: string, why: string): Cause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${why}`,
  field,
});

/** Cause: a list has the same key or value twice. */
export const duplicate = (field: string, value: unknown): Cause => ({
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${shown(value)}`,
  field,
});
