/** Spec and status are written through paths of their own; each write leaves the other half as it is. */
import { FieldSet } from './fieldset';
import { clone } from './json';
import { Kind } from './kinds';
import { Target } from './target';
import { KubeObject } from './types';
import { emptyObject, readObject } from './versions';

const STATUS_ONLY = FieldSet.parse({ 'f:status': {} });
const ALL_BUT_STATUS = FieldSet.parse({
  'f:spec': {},
  'f:metadata': { 'f:labels': {}, 'f:finalizers': {}, 'f:ownerReferences': {} },
});
const NOTHING = new FieldSet();

/** The fields that nobody comes to own by a write through this path. */
export function ignoredFields(kind: Kind, subresource: string): FieldSet {
  if (!kind.status) {
    return NOTHING;
  }
  return subresource === 'status' ? ALL_BUT_STATUS : STATUS_ONLY;
}

/** The status is the server's where it is a subresource: what a client sends is dropped. */
export function resetStatus(
  { kind, version }: Pick<Target, 'kind' | 'version'>,
  object: KubeObject,
): void {
  if (!kind.status) {
    return;
  }
  const { status } = readObject(
    kind,
    version,
    emptyObject(kind, version),
  ).object;
  if (status === undefined) {
    delete object.status;
  } else {
    object.status = status;
  }
}

/** A write of the object keeps the live status, a write of the status keeps everything else. */
export function keepOtherHalf(
  { kind, subresource }: Target,
  next: KubeObject,
  live: KubeObject,
): void {
  if (!kind.status) {
    return;
  }
  if (subresource !== 'status') {
    if (live.status === undefined) {
      delete next.status;
    } else {
      next.status = clone(live.status);
    }
    return;
  }
  const { status, metadata } = next;
  Object.keys(next).forEach(key => delete next[key]);
  Object.assign(next, clone(live), {
    metadata: { ...clone(live.metadata), annotations: metadata.annotations },
  });
  if (metadata.annotations === undefined) {
    delete next.metadata.annotations;
  }
  delete next.metadata.managedFields;
  if (status === undefined) {
    delete next.status;
  } else {
    next.status = status;
  }
}
