/** What people may be allowed to do, as Backstage permissions. */
import { createPermission } from '@backstage/plugin-permission-common';

/**
 * Resource type of drift resources, for conditional decisions.
 *
 * @public
 */
export const RESOURCE_TYPE_DRIFT_RESOURCE = 'drift-resource';

/** See a resource: verdict, fields, episodes, decisions, its conflict. @public */
export const driftResourceReadPermission = createPermission({
  name: 'drift.resource.read',
  attributes: { action: 'read' },
  resourceType: RESOURCE_TYPE_DRIFT_RESOURCE,
});

/** Ask for a pass now. @public */
export const driftResourceCheckPermission = createPermission({
  name: 'drift.resource.check',
  attributes: { action: 'read' },
  resourceType: RESOURCE_TYPE_DRIFT_RESOURCE,
});

/** Put the declared side back. @public */
export const driftResourceReconcilePermission = createPermission({
  name: 'drift.resource.reconcile',
  attributes: { action: 'update' },
  resourceType: RESOURCE_TYPE_DRIFT_RESOURCE,
});

/** Answer a conflict, or keep live values. @public */
export const driftConflictResolvePermission = createPermission({
  name: 'drift.conflict.resolve',
  attributes: { action: 'update' },
  resourceType: RESOURCE_TYPE_DRIFT_RESOURCE,
});

/** Set and remove policies and pauses. @public */
export const driftPolicyUpdatePermission = createPermission({
  name: 'drift.policy.update',
  attributes: { action: 'update' },
});

/** Declare a manifest through the portal (scaffolder). @public */
export const driftDeclarationApplyPermission = createPermission({
  name: 'drift.declaration.apply',
  attributes: { action: 'create' },
});

/** @public */
export const driftPermissions = [
  driftResourceReadPermission,
  driftResourceCheckPermission,
  driftResourceReconcilePermission,
  driftConflictResolvePermission,
  driftPolicyUpdatePermission,
  driftDeclarationApplyPermission,
];
