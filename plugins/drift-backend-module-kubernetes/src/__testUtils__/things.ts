/* A custom resource and a mapper for tests: a Thing declares one thing on another platform. */
import { at, textAt } from '@plumbline/backstage-plugin-drift-node';
import type {
  CustomResourceMapper,
  DeclaredResource,
} from '@plumbline/backstage-plugin-drift-node';
import type { Json, JsonObject } from '@plumbline/drift-engine';
import type { Cluster } from '../cluster/cluster';

const anyObject = {
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
};

function definition(group: string, kind: string, plural: string): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        kind,
        plural,
        singular: kind.toLowerCase(),
        listKind: `${kind}List`,
      },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: anyObject,
                status: anyObject,
                data: anyObject,
              },
            },
          },
        },
      ],
    },
  };
}

export function thing(name: string, spec: JsonObject): JsonObject {
  return {
    apiVersion: 'things.example.com/v1',
    kind: 'Thing',
    metadata: { name, namespace: 'default' },
    spec,
  };
}

/** Installs the definitions and waits until the server serves them. */
export async function installThings(
  cluster: Cluster,
  signal: AbortSignal,
): Promise<void> {
  await installKind(cluster, 'things.example.com', 'Thing', signal);
  await installKind(cluster, 'things.example.com', 'Helper', signal);
}

/** Installs a kind at version `v1` that takes any fields, and waits until the server serves it. */
export async function installKind(
  cluster: Cluster,
  group: string,
  kind: string,
  signal: AbortSignal,
): Promise<void> {
  const request = { signal, priority: 'pass' } as const;
  const plural = `${kind.toLowerCase()}s`;
  await cluster.connection.send({
    method: 'POST',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: definition(group, kind, plural),
    ...request,
  });
  await untilServed(cluster, `/apis/${group}/v1/${plural}`, request);
}

async function untilServed(
  cluster: Cluster,
  path: string,
  request: { signal: AbortSignal; priority: 'pass' },
): Promise<void> {
  for (;;) {
    try {
      await cluster.connection.get(path, request);
      return;
    } catch (error) {
      // Not yet: the next answer comes from the server too, so this never spins without a request.
      if (!(error instanceof Error && error.message.includes('404'))) {
        throw error;
      }
    }
  }
}

/** Maps a Thing to one declared resource whose document is its spec, with what its helper says, and the names of a namespace's helpers. */
export const thingMapper: CustomResourceMapper = {
  title: 'Things',
  resources: [
    {
      group: 'things.example.com',
      version: 'v1',
      plural: 'things',
      kind: 'Thing',
      namespaced: true,
    },
    {
      group: 'things.example.com',
      version: 'v1',
      plural: 'helpers',
      kind: 'Helper',
      namespaced: true,
      auxiliary: true,
    },
    {
      group: 'absent.example.com',
      version: 'v1',
      plural: 'ghosts',
      kind: 'Ghost',
      namespaced: true,
    },
  ],
  async map(
    object: Json,
    { origin, lookup, list },
  ): Promise<DeclaredResource[]> {
    if (at(object, 'spec', 'broken') === true) {
      throw new Error('this thing is broken');
    }
    const helper = textAt(object, 'spec', 'helper');
    const found =
      helper &&
      (await lookup({
        group: 'things.example.com',
        kind: 'Helper',
        namespace: origin.namespace,
        name: helper,
      }));
    const all = await list({
      group: 'things.example.com',
      kind: 'Helper',
      namespace: textAt(object, 'spec', 'helpersOf'),
    });
    return [
      {
        ref: {
          platform: 'things',
          kind: 'thing',
          namespace: origin.namespace,
          name: origin.name,
        },
        document: {
          spec: at(object, 'spec') ?? {},
          help: (found && at(found, 'spec', 'text')) || null,
          helpers: at(object, 'spec', 'helpersOf')
            ? all.map(one => textAt(one, 'metadata', 'name') ?? '').sort()
            : [],
        },
        version: textAt(object, 'metadata', 'resourceVersion') ?? '',
        origin,
        locators: [`name:${origin.name}`],
      },
    ];
  },
};
