// One HTTP request with JSON in and out, and errors that say what was asked and what came back.
import { isObject, JsonObject, JsonValue } from '../konnect/json';

/** Where a server is, and how to be let in. */
export interface Endpoint {
  url: string;
  token: string;
}

/** An answer of 400 or above, or none at all (`status` 0). */
export class RequestFailed extends Error {
  constructor(
    readonly status: number,
    readonly asked: string,
    readonly reason: string,
  ) {
    super(
      status === 0 ? `${asked}: ${reason}` : `${asked}: ${status} ${reason}`,
    );
    this.name = 'RequestFailed';
  }
}

/**
 * Sends a request. `body` is sent as JSON.
 *
 * @returns the parsed answer; undefined for an empty one
 * @throws RequestFailed
 */
export async function request(
  endpoint: Endpoint,
  method: string,
  path: string,
  body?: JsonValue,
  contentType = 'application/json',
): Promise<JsonObject | undefined> {
  const asked = `${method} ${path}`;
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${endpoint.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${endpoint.token}`,
        accept: 'application/json',
        // A server that was reset has cut the connections that a pool would keep.
        connection: 'close',
        ...(body !== undefined && { 'content-type': contentType }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    text = await response.text();
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    throw new RequestFailed(
      0,
      asked,
      `no answer from ${endpoint.url} (${cause?.code ?? String(error)})`,
    );
  }
  const parsed = parse(text);
  if (!response.ok) {
    throw new RequestFailed(response.status, asked, reasonIn(parsed) ?? text);
  }
  return isObject(parsed) ? parsed : undefined;
}

function parse(text: string): JsonValue | undefined {
  try {
    return text === '' ? undefined : (JSON.parse(text) as JsonValue);
  } catch {
    // Not JSON: the caller shows the text as it is.
    return undefined;
  }
}

/** The words for people in an error of any of the dialects. */
function reasonIn(body: JsonValue | undefined): string | undefined {
  if (!isObject(body)) return undefined;
  const { message, detail, details, invalid_parameters: invalid } = body;
  const more = [
    ...(Array.isArray(details) ? details : []),
    ...(Array.isArray(invalid) ? invalid : []),
  ]
    .filter(isObject)
    .map(({ field, messages, reason }) =>
      [field, Array.isArray(messages) ? messages.join('; ') : reason]
        .filter(Boolean)
        .join(': '),
    )
    .filter(Boolean);
  const head = message ?? detail;
  return head === undefined ? undefined : [String(head), ...more].join('; ');
}
