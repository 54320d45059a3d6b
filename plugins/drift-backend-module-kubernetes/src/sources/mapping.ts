/* The custom resources that mappers know, and what they stand for. */
import {
  type CustomResourceMapper,
  type DeclaredResource,
  isPlatformError,
  PlatformError,
} from '@plumbline/backstage-plugin-drift-node';
import type { JsonObject } from '@plumbline/drift-engine';
import { describeObject, type Gvk, makeGvk } from '../gvk';
import { nameOf } from '../platform/live';
import { reasonOf } from '../reason';
import type { Beside } from './lookup';
import { originOf } from './origin';

/** One kind of custom resource and everybody who maps it. */
export interface MappedKind {
  gvk: Gvk;
  /** Empty where the kind is only looked up by others. */
  mappers: CustomResourceMapper[];
}

/** The kinds of all mappers, each once. */
export function mappedKinds(
  mappers: readonly CustomResourceMapper[],
): MappedKind[] {
  const kinds = new Map<string, MappedKind>();
  for (const mapper of mappers) {
    for (const resource of mapper.resources) {
      const gvk = makeGvk(resource.group, resource.version, resource.kind);
      const key = `${gvk.apiVersion}/${gvk.kind}`;
      const known = kinds.get(key) ?? { gvk, mappers: [] };
      if (!resource.auxiliary) {
        known.mappers.push(mapper);
      }
      kinds.set(key, known);
    }
  }
  return [...kinds.values()];
}

/**
 * What one custom resource declares. A mapper that fails makes the whole read fail: leaving the object out would read as
 * "no longer declared".
 */
export async function mapObject(
  kind: MappedKind,
  object: JsonObject,
  place: { source: string; cluster: string },
  beside: Beside,
): Promise<DeclaredResource[]> {
  const origin = originOf(kind.gvk, object, {
    source: place.source,
    type: 'customResource',
    cluster: place.cluster,
  });
  const declared: DeclaredResource[] = [];
  for (const mapper of kind.mappers) {
    try {
      declared.push(
        ...(await mapper.map(object, {
          cluster: place.cluster,
          origin,
          ...beside,
        })),
      );
    } catch (error) {
      if (isPlatformError(error)) {
        throw error;
      }
      throw new PlatformError(
        'invalid',
        `${mapper.title} cannot make anything of ${describeObject(
          nameOf(kind.gvk, object),
        )} in cluster ${place.cluster}: ${reasonOf(error)}`,
      );
    }
  }
  return declared;
}
