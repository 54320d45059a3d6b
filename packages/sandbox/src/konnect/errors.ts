// The two error dialects that a Konnect client meets: core entities, and the platform API's problem+json.
import { JsonObject } from './json';

/** What went wrong with one field, with the entity as a whole, or with a reference or unique key. */
export interface ErrorDetail {
  '@type': string;
  type: 'ERROR_TYPE_FIELD' | 'ERROR_TYPE_ENTITY' | 'ERROR_TYPE_REFERENCE';
  field?: string;
  messages: string[];
}

const DETAIL_TYPE = 'type.googleapis.com/kong.admin.model.v1.ErrorDetail';

/** An answer that is not a success, ready to be sent as it is. */
export class KonnectAnswer extends Error {
  constructor(
    readonly status: number,
    readonly contentType: 'application/json' | 'application/problem+json',
    readonly body: JsonObject,
  ) {
    super(`Konnect stand-in answers ${status}: ${JSON.stringify(body)}`);
    this.name = 'KonnectAnswer';
  }
}

/** A field's value is wrong. `field` is a dotted path, list items by index. */
export function fieldProblem(
  field: string,
  ...messages: string[]
): ErrorDetail {
  return { '@type': DETAIL_TYPE, type: 'ERROR_TYPE_FIELD', field, messages };
}

/** The entity as a whole is wrong: a missing or unknown field, a rule between fields. */
export function entityProblem(...messages: string[]): ErrorDetail {
  return { '@type': DETAIL_TYPE, type: 'ERROR_TYPE_ENTITY', messages };
}

/** 400 "validation error" of the core entities. */
export function validationError(problems: ErrorDetail[]): KonnectAnswer {
  return new KonnectAnswer(400, 'application/json', {
    code: 3,
    message: 'validation error',
    details: problems.map(detail => ({ ...detail })),
  });
}

/**
 * 400 with code 3 "data constraint error": a broken uniqueness, a dangling reference and a delete of what is
 * still referenced all look like this.
 */
export function constraintError(
  field: string,
  ...messages: string[]
): KonnectAnswer {
  return new KonnectAnswer(400, 'application/json', {
    code: 3,
    message: 'data constraint error',
    details: [
      { '@type': DETAIL_TYPE, type: 'ERROR_TYPE_REFERENCE', field, messages },
    ],
  });
}

/** 404 of the core entities. */
export function entityNotFound(): KonnectAnswer {
  return new KonnectAnswer(404, 'application/json', {
    code: 5,
    message: 'not found',
    details: [],
  });
}

/** 400 of the core entities for a request that is wrong outside the entity (paging, tags, body). */
export function badCoreRequest(message: string): KonnectAnswer {
  return new KonnectAnswer(400, 'application/json', {
    code: 3,
    message,
    details: [],
  });
}

/** 401 or 403 of the core entities. */
export function coreDenied(status: 401 | 403): KonnectAnswer {
  return new KonnectAnswer(status, 'application/json', {
    message: status === 401 ? 'Unauthorized' : 'Forbidden',
    status,
  });
}

/** One entry of `invalid_parameters` in the platform API's 400. */
export interface InvalidParameter {
  field: string;
  reason: string;
  rule?: string;
  source?: string;
}

/** An error of the platform API. `instance` is a trace ID that differs on each request, as it does there. */
export function problem(
  status: number,
  title: string,
  detail: string,
  trace: string,
  invalid?: InvalidParameter[],
): KonnectAnswer {
  return new KonnectAnswer(status, 'application/problem+json', {
    status,
    title,
    instance: `konnect:trace:${trace}`,
    detail,
    ...(invalid && {
      invalid_parameters: invalid.map(parameter => ({ ...parameter })),
    }),
  });
}
