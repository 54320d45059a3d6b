/* Where a declaration stands, read from its object; what may hold secrets is left out. */
import { stringMapAt, textAt } from '@plumbline/backstage-plugin-drift-node';
import type { DeclarationOrigin } from '@plumbline/backstage-plugin-drift-node';
import type { Json } from '@plumbline/drift-engine';
import { LAST_APPLIED } from '../constants';
import type { Gvk } from '../gvk';

/** Annotations whose values are documents of their own, or say by name that they are secret. */
function isTelling(annotation: string): boolean {
  return (
    annotation !== LAST_APPLIED &&
    !/last-applied|secret|token|password|credential/i.test(annotation)
  );
}

export function originOf(
  gvk: Gvk,
  object: Json,
  place: Pick<DeclarationOrigin, 'source' | 'type' | 'cluster' | 'url'>,
): DeclarationOrigin {
  const annotations = Object.entries(
    stringMapAt(object, 'metadata', 'annotations'),
  ).filter(([name]) => isTelling(name));
  return {
    ...place,
    apiVersion: gvk.apiVersion,
    kind: gvk.kind,
    namespace: textAt(object, 'metadata', 'namespace'),
    name: textAt(object, 'metadata', 'name') ?? '',
    uid: textAt(object, 'metadata', 'uid'),
    labels: stringMapAt(object, 'metadata', 'labels'),
    annotations: Object.fromEntries(annotations),
  };
}
