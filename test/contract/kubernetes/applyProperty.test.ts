// Random sequences of applies and patches by several managers come out the same on the sandbox and on a real server.
import * as fc from 'fast-check';
import { itWhere } from '../../src/leftOut';
import { Answer } from './client';
import { REAL_SERVER, Server, candidates, realServer } from './servers';
import { cleanUp, define, freshNamespace, owners } from './use';
import { widgetDefinition } from './widgets';

jest.setTimeout(300_000);

const { widget, group, definition } = widgetDefinition();

/** What is always there and never touched, so that no list and no map ever runs empty, which old servers cannot do. */
const base = {
  size: 1,
  tags: ['base'],
  ports: [{ port: 99, protocol: 'TCP' }],
  limits: { base: '1' },
  nested: { level: 0 },
};

const few = <T>(...values: T[]) => fc.constantFrom(...values);
const nonEmpty = <T>(values: T[]) =>
  fc.subarray(values, { minLength: 1 }).chain(list => fc.constant(list));

const port = fc.record(
  {
    port: few(1, 2),
    protocol: few('TCP', 'UDP'),
    label: few('a', 'b'),
  },
  { requiredKeys: ['port', 'protocol'] },
);

const spec = fc.record(
  {
    size: few(1, 2, 3),
    color: few('red', 'blue'),
    code: few('ab', 'cd'),
    note: few('x', 'y'),
    on: fc.boolean(),
    words: fc.array(few('a', 'b'), { minLength: 1, maxLength: 3 }),
    tags: nonEmpty(['x', 'y', 'z']),
    ports: fc.uniqueArray(port, {
      minLength: 1,
      maxLength: 3,
      selector: item => `${item.port}/${item.protocol}`,
    }),
    limits: nonEmpty(['cpu', 'memory', 'disk']).chain(keys =>
      few('1', '2').map(value =>
        Object.fromEntries(keys.map(key => [key, value])),
      ),
    ),
    fixed: few({ a: '1' }, { a: '2' }, { b: '1' }),
    nested: fc.record({ mode: few('on', 'off') }),
    replicas: few(1, 2),
  },
  { requiredKeys: [] },
);

const labels = fc.option(few({ team: 'a' }, { team: 'b' }), { nil: undefined });

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      action: fc.constant('apply' as const),
      manager: few('ann', 'bob', 'eve'),
      spec,
      labels,
      force: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      action: fc.constant('patch' as const),
      manager: few('ann', 'zoe'),
      spec: fc.record(
        {
          size: few(1, 2, 3),
          code: fc.option(few('ab', 'cd')),
          words: fc.option(fc.constant(['c'])),
          replicas: fc.option(few(1, 2)),
        },
        { requiredKeys: [] },
      ),
    }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Port {
  port: number;
  protocol: string;
}

/** Order in sets, in lists by key and among causes says nothing; times differ. */
function comparable({ status, body }: Answer): object {
  if (status >= 400) {
    const causes = body.details.causes.map(
      ({ field, message }) => `${field}: ${message}`,
    );
    return { status, causes: causes.sort() };
  }
  const identity = (item: unknown) => {
    const { port: number, protocol } = item as Port;
    return typeof item === 'string' ? item : `${number}/${protocol}`;
  };
  const sorted = (value: unknown) =>
    Array.isArray(value)
      ? [...value].sort((a, b) => (identity(a) < identity(b) ? -1 : 1))
      : value;
  const { tags, ports, ...rest } = body.spec;
  return {
    status,
    spec: { ...rest, tags: sorted(tags), ports: sorted(ports) },
    labels: body.metadata.labels,
    generation: body.metadata.generation,
    owners: owners(body),
  };
}

const message = (next: Step) => JSON.stringify(next);

describe('server-side apply, compared', () => {
  const servers: Server[] = [];
  let paths: string[];
  let counter = 0;

  beforeAll(async () => {
    if (!realServer) {
      return;
    }
    for (const candidate of candidates) {
      servers.push(await candidate.start());
    }
    const namespaces: string[] = [];
    for (const server of servers) {
      await define(server, definition);
      namespaces.push(await freshNamespace(server));
    }
    paths = namespaces.map(
      namespace => `/apis/${group}/v1/namespaces/${namespace}/widgets`,
    );
  });

  afterAll(async () => {
    for (const server of servers) {
      await cleanUp(server);
      await server.stop();
    }
  });

  const onBoth = (
    run: (server: Server, path: string) => Promise<Answer>,
  ): Promise<object[]> =>
    Promise.all(
      servers.map(async (server, index) =>
        comparable(await run(server, paths[index])),
      ),
    );

  itWhere(
    realServer !== undefined,
    REAL_SERVER,
    'random sequences come out the same on the sandbox and on the real server',
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 1, maxLength: 7 }),
          async steps => {
            counter += 1;
            const name = `w${counter}`;
            await onBoth(({ client }, path) =>
              client.post(`${path}?fieldManager=base`, widget(name, base)),
            );
            for (const next of steps) {
              const [sandbox, real] = await onBoth(({ client }, path) =>
                next.action === 'apply'
                  ? client.apply(
                      `${path}/${name}`,
                      next.manager,
                      widget(
                        name,
                        next.spec,
                        next.labels ? { labels: next.labels } : {},
                      ),
                      next.force ? '&force=true' : '',
                    )
                  : client.patch(
                      'merge',
                      `${path}/${name}?fieldManager=${next.manager}`,
                      { spec: next.spec },
                    ),
              );
              expect({ step: message(next), ...sandbox }).toEqual({
                step: message(next),
                ...real,
              });
            }
          },
        ),
        { numRuns: 150, seed: 20261201 },
      ),
  );
});
