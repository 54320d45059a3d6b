/** For tests: custom resources, and the context in which the mapper finds them. */
import { ConfigReader } from '@backstage/config';
import { textAt } from '@plumbline/backstage-plugin-drift-node';
import type { CustomResourceMapper } from '@plumbline/backstage-plugin-drift-node';
import type { Json, JsonObject } from '@plumbline/drift-engine';
import { createKonnectParts, type KonnectParts } from '../create';
import type { MapContext } from '../mapper/lookup';

export const CP_ID = '11111111-2222-4333-8444-555555555555';

/** A custom resource in namespace `shop`. */
export function object(
  kind: string,
  name: string,
  content: { metadata?: { [key: string]: Json | undefined } } & {
    [key: string]: Json | undefined | { [key: string]: Json | undefined };
  },
): JsonObject {
  const { metadata, ...rest } = content;
  return JSON.parse(
    JSON.stringify({
      apiVersion: 'configuration.konghq.com/v1alpha1',
      kind,
      ...rest,
      metadata: {
        name,
        namespace: 'shop',
        uid: `uid-of-${kind}-${name}`,
        resourceVersion: '1',
        ...metadata,
      },
    }),
  );
}

/** The parts for control planes `cp0`, `cp1`, …, each with these settings. */
export function partsFor(
  ...controlPlanes: { [key: string]: string }[]
): KonnectParts {
  return createKonnectParts(
    new ConfigReader({
      drift: {
        konnect: {
          controlPlanes: controlPlanes.map((settings, index) => ({
            id: `cp${index}`,
            serverUrl: 'eu.api.example.com',
            token: 'kpat_test',
            ...settings,
          })),
        },
      },
    }),
  );
}

/** A mapper for one control plane, {@link CP_ID}, whose platform is not needed. */
export function mapperFor(): CustomResourceMapper {
  return partsFor({ id: 'prod', controlPlaneId: CP_ID }).mapper;
}

/** The context in which `mapped` finds `others`. */
export function contextOf(mapped: Json, others: readonly Json[]): MapContext {
  const is = (
    candidate: Json,
    ref: { group: string; kind: string; namespace?: string },
  ) =>
    textAt(candidate, 'apiVersion')?.split('/')[0] === ref.group &&
    textAt(candidate, 'kind') === ref.kind &&
    textAt(candidate, 'metadata', 'namespace') === ref.namespace;
  return {
    cluster: 'test',
    origin: {
      source: 'kubernetes/test/customResources',
      type: 'customResource',
      cluster: 'test',
      apiVersion: textAt(mapped, 'apiVersion') ?? '',
      kind: textAt(mapped, 'kind') ?? '',
      namespace: textAt(mapped, 'metadata', 'namespace'),
      name: textAt(mapped, 'metadata', 'name') ?? '',
      uid: textAt(mapped, 'metadata', 'uid'),
    },
    lookup: async ref =>
      others.find(
        candidate =>
          is(candidate, ref) &&
          textAt(candidate, 'metadata', 'name') === ref.name,
      ),
    list: async ref => others.filter(candidate => is(candidate, ref)),
  };
}
