/** What the mapper may look up beside the object it maps, and how references between custom resources are followed. */
import {
  isObject,
  listAt,
  textAt,
} from '@plumbline/backstage-plugin-drift-node';
import type { CustomResourceMapper } from '@plumbline/backstage-plugin-drift-node';
import type { Json, Problem } from '@plumbline/drift-engine';
import type { ControlPlaneDirectory, DirectoryEntry } from './directory';

/** The context of one `map` call. */
export type MapContext = Parameters<CustomResourceMapper['map']>[1];

/** A reference to another custom resource. */
export interface ObjectRef {
  group: string;
  kind: string;
  namespace?: string;
  name: string;
}

/** Where an object belongs, or why that cannot be said. */
export interface Placement {
  entry?: DirectoryEntry;
  problems: Problem[];
}

export const KONNECT_GROUP = 'konnect.konghq.com';
const CONFIGURATION_GROUP = 'configuration.konghq.com';

/** The control plane that a `controlPlaneRef` of `object` names; nothing where it is for none of ours. */
export async function placeByControlPlaneRef(
  object: Json,
  context: MapContext,
  directory: ControlPlaneDirectory,
): Promise<Placement> {
  const path = '/spec/controlPlaneRef';
  const type = textAt(object, 'spec', 'controlPlaneRef', 'type');
  const konnectId = textAt(object, 'spec', 'controlPlaneRef', 'konnectID');
  if (type === 'konnectID' && konnectId) {
    return pick(await directory.byId(konnectId), path);
  }
  const name = textAt(
    object,
    'spec',
    'controlPlaneRef',
    'konnectNamespacedRef',
    'name',
  );
  // Without a reference, or with one of type `kic`, it is the ingress controller's.
  if (type !== 'konnectNamespacedRef' || !name) {
    return { problems: [] };
  }
  const ownNamespace = textAt(object, 'metadata', 'namespace');
  const namespace =
    textAt(
      object,
      'spec',
      'controlPlaneRef',
      'konnectNamespacedRef',
      'namespace',
    ) ?? ownNamespace;
  const ref: ObjectRef = {
    group: KONNECT_GROUP,
    kind: 'KonnectGatewayControlPlane',
    namespace,
    name,
  };
  const controlPlane = await context.lookup(ref);
  if (controlPlane === undefined) {
    return placeByStatus(object, directory, dangling(path, ref));
  }
  const placement = pick(await directory.byResource(controlPlane), path);
  if (placement.entry && namespace !== ownNamespace) {
    placement.problems.push(...(await checkGrant(object, ref, path, context)));
  }
  return placement;
}

function pick(found: DirectoryEntry[], path: string): Placement {
  const [entry, ...others] = found;
  if (others.length === 0) {
    return { entry, problems: [] };
  }
  return {
    entry,
    problems: [
      {
        path,
        reason: 'AmbiguousControlPlane',
        message: `It could be for ${found
          .map(({ platformId }) => platformId)
          .join(
            ' or ',
          )}: configure them by controlPlaneId, and let the KonnectGatewayControlPlane's status say its id.`,
      },
    ],
  };
}

/**
 * Where the chain of references is broken, the operator's status may still say where the object belongs; else, with
 * one control plane configured, it can only be that one. The problem stays: it is never written.
 */
export async function placeByStatus(
  object: Json,
  directory: ControlPlaneDirectory,
  problem: Problem,
): Promise<Placement> {
  const id = textAt(object, 'status', 'konnect', 'controlPlaneID');
  const [entry] = id ? await directory.byId(id) : [];
  return {
    entry: entry ?? (id ? undefined : directory.only),
    problems: [problem],
  };
}

/** The problem of a reference to something that is not there. */
export function dangling(path: string, ref: ObjectRef): Problem {
  const where = ref.namespace ? `${ref.namespace}/` : '';
  return {
    path,
    reason: 'DanglingReference',
    message: `It refers to the ${ref.kind} ${where}${ref.name}, which does not exist. Create it, or correct the reference.`,
  };
}

/**
 * Kong lets a reference cross into another namespace only where a KongReferenceGrant there allows it: else everybody
 * could declare into everybody's control plane.
 */
export async function checkGrant(
  object: Json,
  ref: ObjectRef,
  path: string,
  context: MapContext,
): Promise<Problem[]> {
  const from = {
    group: CONFIGURATION_GROUP,
    kind: textAt(object, 'kind'),
    // What stands in no namespace is granted by an empty one.
    namespace: textAt(object, 'metadata', 'namespace') ?? '',
  };
  const grants = await context.list({
    group: CONFIGURATION_GROUP,
    kind: 'KongReferenceGrant',
    namespace: ref.namespace,
  });
  const allowed = grants.some(
    grant =>
      textAt(grant, 'metadata', 'namespace') === ref.namespace &&
      listAt(grant, 'spec', 'from').some(
        item =>
          isObject(item) &&
          item.group === from.group &&
          item.kind === from.kind &&
          (item.namespace ?? '') === from.namespace,
      ) &&
      listAt(grant, 'spec', 'to').some(
        item =>
          isObject(item) &&
          item.group === ref.group &&
          item.kind === ref.kind &&
          (!item.name || item.name === ref.name),
      ),
  );
  if (allowed) {
    return [];
  }
  return [
    {
      path,
      reason: 'ReferenceNotGranted',
      message: `It refers to the ${ref.kind} ${ref.namespace}/${
        ref.name
      }, and no KongReferenceGrant in namespace ${ref.namespace} allows that ${
        from.namespace
          ? `from namespace ${from.namespace}`
          : `to a ${from.kind}`
      }.`,
    },
  ];
}
