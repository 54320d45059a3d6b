// Does once what Kong's operator does all the time: brings the custom resources to Konnect and notes it in their status.
import { JsonObject, JsonValue } from '../konnect/json';
import { Collection } from '../konnect/kinds';
import { KonnectStore } from '../konnect/store';
import { KubeManifest } from './kongResources';

/** A custom resource as the cluster has it. */
export interface StoredResource extends KubeManifest {
  metadata: KubeManifest['metadata'] & { uid: string; generation?: number };
}

/** Writes the status of a custom resource. */
export type WriteStatus = (
  resource: StoredResource,
  status: JsonObject,
) => Promise<void>;

/** Who the journal says it was. */
export const OPERATOR = 'kong-operator';

const COLLECTION_OF: Record<string, Collection> = {
  KongService: 'services',
  KongRoute: 'routes',
  KongPluginBinding: 'plugins',
  KongConsumer: 'consumers',
  KongConsumerGroup: 'consumer_groups',
  KongUpstream: 'upstreams',
  KongTarget: 'targets',
};
const SERVER_URL = 'https://konnect.sandbox.invalid';
const ORGANIZATION = '5ca26716-02f7-4430-9117-1d1a7a2695e7';

/**
 * Creates the Konnect side of `resources`, each naming only what stands before it.
 *
 * @param now - ISO 8601, for the conditions
 */
export async function syncToKonnect(
  store: KonnectStore,
  resources: StoredResource[],
  now: string,
  writeStatus: WriteStatus,
): Promise<void> {
  const planes = new Map<string, string>();
  const ids = new Map<string, { id: string; plane: string }>();
  const plugins = new Map<string, StoredResource>();
  const idOf = (kind: string, name: string) => {
    const found = ids.get(`${kind}/${name}`);
    if (!found)
      throw new Error(`The seed names ${kind} ${name} before it is there`);
    return found;
  };
  const done = (type: string, reason: string, generation: number) => [
    {
      type,
      status: 'True',
      reason,
      message: 'Brought to Konnect',
      observedGeneration: generation,
      lastTransitionTime: now,
    },
  ];

  for (const resource of resources) {
    const { kind, metadata } = resource;
    const generation = metadata.generation ?? 1;
    const programmed = done('Programmed', 'Programmed', generation);
    if (kind === 'KonnectAPIAuthConfiguration') {
      await writeStatus(resource, {
        conditions: done('APIAuthValid', 'Valid', generation),
        organizationID: ORGANIZATION,
        serverURL: SERVER_URL,
      });
    } else if (kind === 'KongPlugin') {
      plugins.set(metadata.name, resource);
    } else if (kind === 'KonnectGatewayControlPlane') {
      const request = objectAt(resource, 'spec', 'createControlPlaneRequest');
      const plane = store.createControlPlane(
        {
          name: String(request.name),
          description: String(request.description ?? ''),
          labels: {
            ...(request.labels as Record<string, string>),
            ...labelsOf(resource),
          },
        },
        OPERATOR,
      );
      if (!plane)
        throw new Error(`Control plane ${request.name} is there already`);
      planes.set(metadata.name, plane.id);
      await writeStatus(resource, {
        conditions: programmed,
        id: plane.id,
        organizationID: ORGANIZATION,
        serverURL: SERVER_URL,
        clusterType: plane.config.cluster_type,
        konnectEndpoints: {
          controlPlane: plane.config.control_plane_endpoint,
          telemetry: plane.config.telemetry_endpoint,
        },
      });
    } else {
      const parent = parentOf(resource, idOf);
      const plane =
        parent?.plane ??
        planes.get(
          String(
            objectAt(
              resource,
              'spec',
              'controlPlaneRef',
              'konnectNamespacedRef',
            ).name,
          ),
        );
      if (!plane)
        throw new Error(`${kind} ${metadata.name} names no control plane`);
      const body = {
        ...bodyOf(resource, plugins, idOf),
        tags: tagsOf(resource),
      };
      const entity = store.create(plane, COLLECTION_OF[kind], body, OPERATOR);
      ids.set(`${kind}/${metadata.name}`, { id: entity.id, plane });
      for (const group of (resource.consumerGroups ?? []) as string[]) {
        const { id } = idOf('KongConsumerGroup', group);
        store.setMember(plane, id, entity.id, true, OPERATOR);
      }
      await writeStatus(resource, {
        conditions: programmed,
        konnect: {
          id: entity.id,
          controlPlaneID: plane,
          organizationID: ORGANIZATION,
          serverURL: SERVER_URL,
          ...(parent && { [parent.statusField]: parent.id }),
        },
      });
    }
  }
}

type IdOf = (kind: string, name: string) => { id: string; plane: string };

function parentOf(resource: StoredResource, idOf: IdOf) {
  if (resource.kind === 'KongRoute') {
    const { name } = objectAt(resource, 'spec', 'serviceRef', 'namespacedRef');
    return {
      ...idOf('KongService', String(name)),
      statusField: 'serviceID',
    };
  }
  if (resource.kind === 'KongTarget') {
    const { name } = objectAt(resource, 'spec', 'upstreamRef');
    return {
      ...idOf('KongUpstream', String(name)),
      statusField: 'upstreamID',
    };
  }
  return undefined;
}

function bodyOf(
  resource: StoredResource,
  plugins: Map<string, StoredResource>,
  idOf: IdOf,
): JsonObject {
  const { controlPlaneRef: _, ...spec } = objectAt(resource, 'spec');
  switch (resource.kind) {
    case 'KongRoute': {
      const { serviceRef, ...rest } = spec;
      return { ...rest, service: { id: parentOf(resource, idOf)?.id } };
    }
    case 'KongTarget': {
      const { upstreamRef, ...rest } = spec;
      return { ...rest, upstream: { id: parentOf(resource, idOf)?.id } };
    }
    case 'KongConsumer':
      return { username: resource.username, custom_id: resource.custom_id };
    case 'KongPluginBinding': {
      const { name } = objectAt(resource, 'spec', 'pluginRef');
      const plugin = plugins.get(String(name));
      if (!plugin)
        throw new Error(`The seed binds KongPlugin ${name} before it is there`);
      const scope = Object.entries(objectAt(resource, 'spec', 'targets')).map(
        ([field, value]) => {
          const target = value as { kind?: string; name: string };
          const kind =
            target.kind ??
            (field === 'consumerRef' ? 'KongConsumer' : 'KongConsumerGroup');
          const { id } = idOf(kind, target.name);
          const parent = field.replace('Ref', '').replace('Group', '_group');
          return [parent, { id }];
        },
      );
      return {
        name: plugin.plugin,
        config: plugin.config,
        ...Object.fromEntries(scope),
      };
    }
    default:
      return spec;
  }
}

/** What the operator tags an entity with, besides the declared tags. */
function tagsOf(resource: StoredResource): string[] {
  const declared = objectAt(resource, 'spec').tags ?? [];
  return [
    ...(declared as string[]),
    ...Object.entries(labelsOf(resource)).map(
      ([key, value]) => `${key}:${value}`,
    ),
    'managed-by:kong-operator',
  ];
}

function labelsOf({
  apiVersion,
  kind,
  metadata,
}: StoredResource): Record<string, string> {
  const [group, version] = apiVersion.split('/');
  return {
    'k8s-generation': String(metadata.generation ?? 1),
    'k8s-group': group,
    'k8s-kind': kind,
    'k8s-name': metadata.name,
    'k8s-namespace': String(metadata.namespace),
    'k8s-uid': metadata.uid,
    'k8s-version': version,
  };
}

function objectAt(value: JsonObject, ...path: string[]): JsonObject {
  return path.reduce<JsonObject>((node, key) => {
    const next: JsonValue | undefined = node[key];
    return typeof next === 'object' && next !== null && !Array.isArray(next)
      ? next
      : {};
  }, value);
}
