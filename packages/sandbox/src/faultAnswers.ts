// Gets hold of an answer before it leaves the server, to change it, to keep a copy, or to lose it.
import type { Response } from 'express';

/** A complete answer with a JSON body. */
export interface JsonAnswer {
  status: number;
  contentType: string;
  body: Buffer;
  /** The length that is announced when more was promised than is sent; the connection then ends early. */
  cutFrom?: number;
}

/** Answers larger than this pass unchanged. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Holds the body back until it is complete, hands a JSON answer to `change` and sends what comes back. Other answers
 * (no JSON, too large) pass as they are.
 */
export function captureAnswer(
  response: Response,
  change: (answer: JsonAnswer) => JsonAnswer,
): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  const chunks: Buffer[] = [];
  let size = 0;
  const keep = (chunk: unknown, encoding: unknown) => {
    if (chunk === undefined || chunk === null || typeof chunk === 'function') {
      return;
    }
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(
            chunk,
            typeof encoding === 'string'
              ? (encoding as BufferEncoding)
              : 'utf8',
          )
        : Buffer.from(chunk as Uint8Array);
    chunks.push(bytes);
    size += bytes.length;
  };
  const release = () => {
    response.write = write;
    response.end = end;
  };

  response.write = ((chunk: unknown, encoding?: unknown) => {
    keep(chunk, encoding);
    if (size <= MAX_BYTES) return true;
    release();
    return write(Buffer.concat(chunks));
  }) as Response['write'];
  response.end = ((chunk?: unknown, encoding?: unknown) => {
    keep(chunk, encoding);
    release();
    const body = Buffer.concat(chunks);
    const contentType = String(response.getHeader('content-type') ?? '');
    if (
      !contentType.includes('json') ||
      body.length === 0 ||
      response.headersSent
    ) {
      return end(body);
    }
    const answer = change({ status: response.statusCode, contentType, body });
    response.statusCode = answer.status;
    response.setHeader('content-length', answer.cutFrom ?? answer.body.length);
    if (answer.cutFrom === undefined) return end(answer.body);
    write(answer.body, () => response.destroy());
    return response;
  }) as Response['end'];
}

/** Lets the handlers answer into the void, then calls `instead` with a response that was not touched. */
export function swallowAnswer(response: Response, instead: () => void): void {
  const { write, end, writeHead, flushHeaders } = response;
  response.write = (() => true) as Response['write'];
  response.writeHead = (() => response) as Response['writeHead'];
  response.flushHeaders = () => {};
  response.end = (() => {
    Object.assign(response, { write, end, writeHead, flushHeaders });
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    instead();
    return response;
  }) as Response['end'];
}
