/* How the controllers that reconcile custom resources are asked to look again: each listens to its own annotation. */
import { REQUESTED_AT } from '../constants';
import type { Gvk } from '../gvk';

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
