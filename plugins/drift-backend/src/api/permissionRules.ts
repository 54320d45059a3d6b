/** Conditions that a permission policy may put on drift resources, and what they mean in SQL. */
import {
  createPermissionResourceRef,
  createPermissionRule,
} from '@backstage/plugin-permission-node';
import { RESOURCE_TYPE_DRIFT_RESOURCE } from '@plumbline/backstage-plugin-drift-common';
import { z } from 'zod';
import type { ResourceView, VisibilityFilter } from '../store';

/** @public */
export const driftResourceRef = createPermissionResourceRef<
  ResourceView,
  VisibilityFilter
>().with({ pluginId: 'drift', resourceType: RESOURCE_TYPE_DRIFT_RESOURCE });

const listOf = (what: string) => z.array(z.string()).describe(what);

/** @public */
export const isOwnedBy = createPermissionRule({
  name: 'IS_OWNED_BY',
  description: 'Allow resources whose entity is owned by one of these',
  resourceRef: driftResourceRef,
  paramsSchema: z.object({
    owners: listOf('Entity refs of owners, for example from the user’s claims'),
  }),
  apply: (resource, { owners }) =>
    resource.owner !== undefined && owners.includes(resource.owner),
  toQuery: ({ owners }) => ({ property: 'owner', values: owners }),
});

/** @public */
export const isOfEntity = createPermissionRule({
  name: 'IS_OF_ENTITY',
  description: 'Allow resources that belong to one of these entities',
  resourceRef: driftResourceRef,
  paramsSchema: z.object({ entities: listOf('Entity refs') }),
  apply: (resource, { entities }) =>
    resource.entities.some(entity => entities.includes(entity)),
  toQuery: ({ entities }) => ({ property: 'entity', values: entities }),
});

/** @public */
export const isOnPlatform = createPermissionRule({
  name: 'IS_ON_PLATFORM',
  description: 'Allow resources of one of these platforms',
  resourceRef: driftResourceRef,
  paramsSchema: z.object({
    platforms: listOf('Platform ids, for example konnect/prod'),
  }),
  apply: (resource, { platforms }) => platforms.includes(resource.ref.platform),
  toQuery: ({ platforms }) => ({ property: 'platform', values: platforms }),
});

/** @public */
export const isOfKind = createPermissionRule({
  name: 'IS_OF_KIND',
  description: 'Allow resources of one of these kinds',
  resourceRef: driftResourceRef,
  paramsSchema: z.object({
    kinds: listOf('Kinds, for example apps/v1/Deployment'),
  }),
  apply: (resource, { kinds }) => kinds.includes(resource.ref.kind),
  toQuery: ({ kinds }) => ({ property: 'kind', values: kinds }),
});

/** @public */
export const isInNamespace = createPermissionRule({
  name: 'IS_IN_NAMESPACE',
  description: 'Allow resources declared in one of these namespaces',
  resourceRef: driftResourceRef,
  paramsSchema: z.object({ namespaces: listOf('Namespaces') }),
  apply: (resource, { namespaces }) =>
    namespaces.includes(resource.ref.namespace ?? ''),
  toQuery: ({ namespaces }) => ({ property: 'namespace', values: namespaces }),
});

/** @public */
export const driftPermissionRules = [
  isOwnedBy,
  isOfEntity,
  isOnPlatform,
  isOfKind,
  isInNamespace,
];
