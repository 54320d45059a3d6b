/*
 * Who owns a drifted field, and whether that owner is a controller that will take it back.
 */
import { FieldOwner, Pointer } from '../types';

/** Tools by which people write, also through the `scale` subresource: their edits are edits, not a controller's. */
const PEOPLE =
  /^(?:kubectl(?:-.*)?|k9s|lens|openlens|freelens|headlamp|node-fetch|mozilla|kubernetes-dashboard|dashboard|oc|rancher-ui)$/i;

/**
 * Owners of a field: by its own pointer, else of what lies under it, else of the nearest thing above it that is
 * owned as a whole.
 */
export function ownersAt(
  owners: Record<Pointer, FieldOwner[]> | undefined,
  path: Pointer,
): FieldOwner[] | undefined {
  if (!owners) {
    return undefined;
  }
  const exact = owners[path];
  if (exact) {
    return exact;
  }
  const below = new Set<FieldOwner>();
  const prefix = `${path}/`;
  for (const [pointer, all] of Object.entries(owners)) {
    if (pointer.startsWith(prefix)) {
      all.forEach(owner => below.add(owner));
    }
  }
  if (below.size > 0) {
    return [...below];
  }
  for (
    let at = path.lastIndexOf('/');
    at > 0;
    at = path.lastIndexOf('/', at - 1)
  ) {
    const above = owners[path.slice(0, at)];
    if (above) {
      return above;
    }
  }
  return undefined;
}

/** Is there anything below a place that somebody owns who is not us? */
export function ownedByOthersBelow(
  owners: Record<Pointer, FieldOwner[]> | undefined,
  path: Pointer,
): boolean {
  const prefix = `${path}/`;
  return Object.entries(owners ?? {}).some(
    ([pointer, all]) =>
      pointer.startsWith(prefix) && all.some(owner => !owner.ours),
  );
}

/** Another controller owns the field and keeps it: it was set through the `scale` subresource, and not by a person. */
export function isContested(owners: readonly FieldOwner[]): boolean {
  return owners.some(
    owner =>
      !owner.ours &&
      owner.subresource === 'scale' &&
      !PEOPLE.test(owner.manager),
  );
}
