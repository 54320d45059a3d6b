/** Which entities can have resources, and which of them say so. */
import type { Entity } from '@backstage/catalog-model';

const KINDS = ['component', 'system', 'api', 'resource'];

/** The annotation that links an entity to what bears the label of the same name. */
export const LINK_ANNOTATION = 'backstage.io/kubernetes-id';

/** Entities of these kinds have a Drift tab; one without resources says there how to link them. @public */
export function isDriftAvailable(entity: Entity): boolean {
  return KINDS.includes(entity.kind.toLocaleLowerCase('en-US'));
}
