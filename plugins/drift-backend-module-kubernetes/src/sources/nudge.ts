/* How the controllers that reconcile custom resources are asked to look again: each listens to its own annotation. */
import type { Cluster } from '../cluster/cluster';
import { FIELD_MANAGER, REQUESTED_AT } from '../constants';
import type { Gvk, ObjectName } from '../gvk';

export interface Nudge {
  annotations: Record<string, string>;
  /** For people. */
  controller: string;
}

export function nudgeOf(gvk: Gvk, requestedAt: string): Nudge {
  if (gvk.group.endsWith('.fluxcd.io')) {
    return {
      annotations: { 'reconcile.fluxcd.io/requestedAt': requestedAt },
      controller: 'Flux',
    };
  }
  if (gvk.group === 'argoproj.io' && gvk.kind === 'Application') {
    return {
      annotations: { 'argocd.argoproj.io/refresh': 'normal' },
      controller: 'Argo CD',
    };
  }
  // Any change of the object makes its controller run; Crossplane providers and Kong's operator work this way.
  return {
    annotations: { [REQUESTED_AT]: requestedAt },
    controller: 'its controller',
  };
}

/** Asks the controller of a custom resource to look again. Throws `PlatformError`. */
export async function sendNudge(
  cluster: Cluster,
  name: ObjectName,
  options: { signal: AbortSignal; requestedAt: string },
): Promise<Nudge> {
  const request = { signal: options.signal, priority: 'pass' } as const;
  const served = await cluster.discovery.require(name.gvk, request);
  const nudge = nudgeOf(name.gvk, options.requestedAt);
  await cluster.connection.send({
    method: 'PATCH',
    path: cluster.objects.pathOf(name, served),
    query: { fieldManager: FIELD_MANAGER },
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations: nudge.annotations } },
    ...request,
  });
  return nudge;
}
