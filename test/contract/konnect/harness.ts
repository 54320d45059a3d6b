// Starts a Konnect stand-in on a free port, calls it over HTTP, and holds every exchange against Kong's documents.
import {
  createKonnectSandbox,
  KonnectSandbox,
  KonnectSandboxOptions,
} from '@plumbline/drift-sandbox';
import { loadKonnectOpenApi, recordExchanges } from '../../src';
import { itWhere } from '../../src/leftOut';

/** An answer with its parsed body. */
export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

/** What a test needs to talk to the API. Bodies are typed by the caller: the contract is what the test asserts. */
export interface Harness {
  sandbox(): KonnectSandbox;
  call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<Body>>;
  /** Creates a control plane. @returns the path of its core entities */
  plane(name?: string): Promise<string>;
  clock: { now: number };
}

const openApi = loadKonnectOpenApi();
const recorders: Array<ReturnType<typeof recordExchanges>> = [];

/** Registers the hooks for one test file. A fresh stand-in for each test. */
export function useKonnect(options: KonnectSandboxOptions = {}): Harness {
  const clock = { now: 0 };
  const recorder = recordExchanges(openApi);
  let sandbox: KonnectSandbox;
  let running: { url: string; close(): Promise<void> };

  beforeEach(async () => {
    clock.now = Date.parse('2026-11-02T09:12:00.250Z');
    sandbox = createKonnectSandbox({ now: () => clock.now, ...options });
    running = await sandbox.listen(0);
  });
  afterEach(() => running.close());
  recorders.push(recorder);

  const harness: Harness = {
    sandbox: () => sandbox,
    clock,
    async call(method, path, body, headers) {
      const response = await recorder.fetch(`${running.url}${path}`, {
        method,
        headers: {
          authorization: 'Bearer kpat_contract',
          'content-type': 'application/json',
          ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text ? JSON.parse(text) : undefined,
      };
    },
    async plane(name = 'prod') {
      const { status, body } = await harness.call<{ id: string }>(
        'POST',
        '/v2/control-planes',
        { name },
      );
      expect(status).toBe(201);
      return `/v2/control-planes/${body.id}/core-entities`;
    },
  };
  return harness;
}

/** To be the last test of a file: every exchange of the file agreed with Kong's OpenAPI documents. */
export function agreesWithDocuments(): void {
  itWhere(
    openApi !== undefined,
    "Kong's OpenAPI documents are",
    "agreed with Kong's OpenAPI documents in every exchange",
    () => {
      expect(recorders.flatMap(({ exchanges }) => exchanges)).not.toEqual([]);
      expect(recorders.flatMap(({ violations }) => violations)).toEqual([]);
    },
  );
}
