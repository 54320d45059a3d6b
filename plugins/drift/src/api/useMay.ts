/** Whether the reader may act, and in which words to say that not. */
import {
  driftConflictResolvePermission,
  driftPolicyUpdatePermission,
  driftResourceCheckPermission,
  driftResourceReconcilePermission,
} from '@plumbline/backstage-plugin-drift-common';
import { usePermission } from '@backstage/plugin-permission-react';

/** `allowed` is false while it is still being asked; the server decides again in any case. */
export interface May {
  allowed: boolean;
  /** Set once it is certain that it is not allowed. */
  whyNot?: string;
}

function toMay(
  answer: { loading: boolean; allowed: boolean },
  whyNot: string,
): May {
  return {
    allowed: answer.allowed,
    whyNot: answer.loading || answer.allowed ? undefined : whyNot,
  };
}

/** @param resourceId - absent while it is not known yet: then nothing is allowed */
export function useMayReconcile(resourceId: string | undefined): May {
  return toMay(
    usePermission({
      permission: driftResourceReconcilePermission,
      resourceRef: resourceId,
    }),
    'You do not have the permission to reconcile this resource.',
  );
}

export function useMayCheck(resourceId: string | undefined): May {
  return toMay(
    usePermission({
      permission: driftResourceCheckPermission,
      resourceRef: resourceId,
    }),
    'You do not have the permission to ask for a check or a preview.',
  );
}

export function useMayResolve(resourceId: string | undefined): May {
  return toMay(
    usePermission({
      permission: driftConflictResolvePermission,
      resourceRef: resourceId,
    }),
    'You do not have the permission to decide about this resource.',
  );
}

export function useMaySetPolicy(): May {
  return toMay(
    usePermission({ permission: driftPolicyUpdatePermission }),
    'You do not have the permission to change policies.',
  );
}
