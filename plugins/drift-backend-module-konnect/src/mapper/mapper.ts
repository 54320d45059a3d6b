/** Turns Kong's custom resources into declared resources of the control planes that they are for. */
import { at, isObject, textAt } from '@plumbline/backstage-plugin-drift-node';
import type {
  CustomResourceMapper,
  DeclaredResource,
} from '@plumbline/backstage-plugin-drift-node';
import type { Json, JsonObject, Problem } from '@plumbline/drift-engine';
import { KINDS, type KonnectKind } from '../kinds';
import { nameLocators, withPort } from '../liveObject';
import { versionOf } from '../version';
import { declaredTags, entityBody, namedReferences } from './body';
import type { ControlPlaneDirectory, DirectoryEntry } from './directory';
import { operatorEvidence } from './evidence';
import { identify, tagProblems } from './identity';
import {
  dangling,
  KONNECT_GROUP,
  placeByControlPlaneRef,
  placeByStatus,
  type MapContext,
  type Placement,
} from './lookup';
import { pluginBody } from './plugin';
import { CONFIG_STORE_KIND } from './vault';

type MappedResource = CustomResourceMapper['resources'][number];

const CONFIGURATION_GROUP = 'configuration.konghq.com';

/** Looked up for others, never declared by themselves. */
const AUXILIARY: MappedResource[] = [
  {
    group: KONNECT_GROUP,
    version: 'v1alpha2',
    plural: 'konnectgatewaycontrolplanes',
    kind: 'KonnectGatewayControlPlane',
    namespaced: true,
    auxiliary: true,
  },
  {
    group: KONNECT_GROUP,
    version: 'v1alpha1',
    plural: 'konnectconfigstores',
    kind: CONFIG_STORE_KIND,
    namespaced: true,
    auxiliary: true,
  },
  {
    group: CONFIGURATION_GROUP,
    version: 'v1',
    plural: 'kongplugins',
    kind: 'KongPlugin',
    namespaced: true,
    auxiliary: true,
  },
  {
    group: CONFIGURATION_GROUP,
    version: 'v1',
    plural: 'kongclusterplugins',
    kind: 'KongClusterPlugin',
    namespaced: false,
    auxiliary: true,
  },
  {
    group: CONFIGURATION_GROUP,
    version: 'v1alpha1',
    plural: 'kongreferencegrants',
    kind: 'KongReferenceGrant',
    namespaced: true,
    auxiliary: true,
  },
];

/** @see CustomResourceMapper */
export class KonnectMapper implements CustomResourceMapper {
  readonly title = 'Kong Konnect';
  readonly resources: readonly MappedResource[] = [
    ...KINDS.map(({ customResource }) => ({
      group: customResource.group,
      version: customResource.version,
      plural: customResource.plural,
      kind: customResource.kind,
      namespaced: !customResource.clusterScoped,
    })),
    ...AUXILIARY,
  ];
  readonly #directory: ControlPlaneDirectory;

  constructor(directory: ControlPlaneDirectory) {
    this.#directory = directory;
  }

  /** @see CustomResourceMapper.map */
  async map(object: Json, context: MapContext): Promise<DeclaredResource[]> {
    const kind = kindOfObject(object);
    const name = textAt(object, 'metadata', 'name');
    if (!kind || !name) {
      return [];
    }
    const placement = await this.#place(kind, object, context);
    return placement.entry
      ? [
          await declare(
            kind,
            object,
            name,
            placement.entry,
            placement.problems,
            context,
          ),
        ]
      : [];
  }

  /** By its own `controlPlaneRef`, else by the resource that it hangs on. */
  async #place(
    kind: KonnectKind,
    object: Json,
    context: MapContext,
  ): Promise<Placement> {
    const directory = this.#directory;
    const reference = namedReferences(kind, object).find(
      ({ isParent }) => isParent,
    );
    if (at(object, 'spec', 'controlPlaneRef') !== undefined || !reference) {
      return placeByControlPlaneRef(object, context, directory);
    }
    const target = await context.lookup(reference.object);
    if (target === undefined) {
      return placeByStatus(
        object,
        directory,
        dangling(reference.path, reference.object),
      );
    }
    const { entry } = await placeByControlPlaneRef(target, context, directory);
    return { entry, problems: [] };
  }
}

function kindOfObject(object: Json): KonnectKind | undefined {
  const apiVersion = textAt(object, 'apiVersion');
  const objectKind = textAt(object, 'kind');
  return KINDS.find(
    ({ customResource: { group, kind } }) =>
      kind === objectKind && apiVersion?.split('/')[0] === group,
  );
}

async function declare(
  kind: KonnectKind,
  object: Json,
  name: string,
  entry: DirectoryEntry,
  placementProblems: Problem[],
  context: MapContext,
): Promise<DeclaredResource> {
  const { platformId } = entry;
  const body =
    kind.collection === 'plugins'
      ? await pluginBody(object, platformId, context)
      : await entityBody(kind, object, platformId, context);
  const tags = declaredTags(body.document, object);
  const document: JsonObject = {
    ...(withPort(body.document) as JsonObject),
    ...(tags !== undefined && { tags }),
  };
  const namespace = textAt(object, 'metadata', 'namespace');
  const identity = identify(kind, object, document, entry);
  const controller = operatorEvidence(object);
  if (body.madeFrom.length > 0) {
    // Of the other objects its status says nothing.
    delete controller?.upToDate;
  }
  const problems = distinct([
    ...placementProblems,
    ...body.problems,
    ...identity.problems,
    ...tagProblems(tags),
  ]);
  const parentName = await upstreamName(kind, object, context);
  const isMirror = textAt(object, 'spec', 'source') === 'Mirror';
  return {
    ref: {
      platform: platformId,
      kind: kind.collection,
      ...(namespace && { namespace }),
      name,
    },
    document,
    version: declaredVersion([object, ...body.madeFrom], entry.versionKey),
    origin: context.origin,
    locators: [
      ...identity.locators,
      ...(identity.adopts ? [] : nameLocators(kind, document, parentName)),
    ],
    ...(identity.mark && { mark: identity.mark }),
    ...(identity.deterministicId && {
      deterministicId: identity.deterministicId,
    }),
    ...(body.references.length > 0 && { references: body.references }),
    ...(body.parent && { parent: body.parent }),
    ...(controller && { controller }),
    ...(isMirror && {
      readOnly: 'It is declared as a mirror (spec.source: Mirror).',
    }),
    ...(textAt(object, 'metadata', 'deletionTimestamp') && { deleting: true }),
    ...(problems.length > 0 && { problems }),
  };
}

async function upstreamName(
  kind: KonnectKind,
  object: Json,
  context: MapContext,
): Promise<string | undefined> {
  if (!kind.nestedUnder) {
    return undefined;
  }
  const [reference] = namedReferences(kind, object);
  const upstream = reference && (await context.lookup(reference.object));
  return textAt(upstream, 'spec', 'name');
}

/** Versions of everything that the document was made from; a manifest without versions is known by its content. */
function declaredVersion(objects: readonly Json[], key: string): string {
  return objects
    .map(
      object =>
        textAt(object, 'metadata', 'resourceVersion') ??
        versionOf(withoutStatus(object), key),
    )
    .join('+');
}

function withoutStatus(object: Json): Json {
  if (!isObject(object)) {
    return object;
  }
  const { status, ...rest } = object;
  return rest;
}

function distinct(problems: Problem[]): Problem[] {
  return [
    ...new Map(
      problems.map(problem => [`${problem.path} ${problem.reason}`, problem]),
    ).values(),
  ];
}
