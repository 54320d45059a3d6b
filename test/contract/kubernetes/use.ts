// What the parts of the contract share: namespaces of their own, and short ways to say what is expected.
import { Answer, Body } from './client';
import { Server } from './servers';

/** Hands a part of the contract the server that is held against it. */
export interface Use {
  server: () => Server;
  isSandbox: boolean;
}

const namespaces = new Map<Server, string[]>();
const definitions = new Map<Server, string[]>();
let counter = 0;

const remember = (map: Map<Server, string[]>, server: Server, name: string) =>
  map.set(server, [...(map.get(server) ?? []), name]);

/** A name that nothing else in this run, nor an earlier run, has. */
export function uniqueName(prefix: string): string {
  counter += 1;
  return `${prefix}-${process.pid.toString(36)}-${Date.now().toString(
    36,
  )}-${counter}`;
}

/** Creates a namespace of its own; returns its name. */
export async function freshNamespace(server: Server): Promise<string> {
  const name = uniqueName('contract');
  const answer = await server.client.post('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  });
  expect(answer.status).toBe(201);
  remember(namespaces, server, name);
  return name;
}

/** A namespace for all tests of a describe block, made before the first of them. */
export function useNamespace(use: Use): () => string {
  let name: string;
  beforeAll(async () => {
    name = await freshNamespace(use.server());
  });
  return () => name;
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Posts a definition and waits until its kind is served. */
export async function define(
  server: Server,
  definition: {
    metadata: { name: string };
    spec: {
      group: string;
      names: { plural: string };
      versions: { name: string }[];
    };
  },
): Promise<void> {
  const { client } = server;
  const { name } = definition.metadata;
  const answer = await client.post(CRDS, definition);
  expect(answer).toMatchObject({ status: 201 });
  remember(definitions, server, name);
  const { group, names, versions } = definition.spec;
  await eventually(async () => {
    const { body } = await client.get(`${CRDS}/${name}`);
    expect(body.status).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Established', status: 'True' }),
      ]),
    });
    const list = await client.get(
      `/apis/${group}/${versions[0].name}/${names.plural}`,
    );
    expect(list.status).toBe(200);
  });
}

/** Removes what the run has left behind, so that a cluster that lives on is left as it was. */
export async function cleanUp(server: Server): Promise<void> {
  for (const name of namespaces.get(server) ?? []) {
    await server.client.delete(`/api/v1/namespaces/${name}`);
  }
  for (const name of definitions.get(server) ?? []) {
    await server.client.delete(`${CRDS}/${name}`);
  }
}

const PATIENCE_MS = 20_000;

/** Repeats an assertion until it holds. */
export async function eventually(
  assertion: () => Promise<void>,
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      await assertion();
      return;
    } catch (error) {
      if (Date.now() > deadline) {
        throw error;
      }
      await new Promise(resolve => {
        setTimeout(resolve, 50);
      });
    }
  }
}

/** A ConfigMap. */
export const configMap = (
  name: string,
  data?: { [key: string]: string },
  metadata: object = {},
) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  ...(data ? { data } : {}),
});

/** Expects a Status that tells of a failure. */
export function expectFailure(
  answer: Answer,
  code: number,
  reason: string | undefined,
  message?: string | RegExp,
): void {
  expect(answer.body).toMatchObject({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    ...(message instanceof RegExp
      ? { message: expect.stringMatching(message) }
      : {}),
    ...(typeof message === 'string' ? { message } : {}),
  });
  expect(answer.body.reason).toBe(reason);
  expect(answer.status).toBe(code);
}

/** The fields and reasons of a Status's causes, in the order of the fields. */
export function causesOf(answer: Answer): string[] {
  return answer.body.details.causes
    .map(({ field, reason }) => `${field} ${reason}`)
    .sort();
}

/** managedFields by manager, as `name/operation` with `/subresource` where there is one. */
export function owners(object: Body): { [manager: string]: object } {
  return Object.fromEntries(
    (object.metadata.managedFields ?? []).map(entry => [
      [entry.manager, entry.operation, entry.subresource]
        .filter(Boolean)
        .join('/'),
      entry.fieldsV1,
    ]),
  );
}
