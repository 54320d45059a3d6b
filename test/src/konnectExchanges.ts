// Watches a Konnect client at work: records every exchange and what Kong's documents have against it.
import { Exchange, KonnectOpenApi, Violation } from './konnectOpenApi';

/** A `fetch` that records, and what it has recorded. */
export interface ExchangeRecorder {
  fetch: typeof fetch;
  exchanges: Exchange[];
  /** Always empty where Kong's documents are not present. */
  violations: Violation[];
}

/**
 * Wraps `fetch`. A request that the API refused (400 and above) is not held against the client here: only the answer is
 * judged then.
 */
export function recordExchanges(
  api: KonnectOpenApi | undefined,
  inner: typeof fetch = fetch,
): ExchangeRecorder {
  const exchanges: Exchange[] = [];
  const violations: Violation[] = [];
  const recording: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const requestText = await request.clone().text();
    const response = await inner(request);
    const { pathname } = new URL(request.url);
    if (pathname.startsWith('/v2')) {
      const exchange: Exchange = {
        method: request.method,
        url: request.url,
        requestBody: parsed(requestText),
        status: response.status,
        responseBody: parsed(await response.clone().text()),
      };
      exchanges.push(exchange);
      const found = api?.validateExchange(exchange) ?? [];
      violations.push(
        ...found.filter(
          ({ side }) => side === 'response' || exchange.status < 400,
        ),
      );
    }
    return response;
  };
  return { fetch: recording, exchanges, violations };
}

function parsed(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}
