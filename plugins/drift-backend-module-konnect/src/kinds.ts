/**
 * What there is to know of a kind of entity, and how to find its row in the one table that drives everything: where it
 * lives in the API, how it is found, what may be written, and which custom resource declares it.
 */
import { KINDS } from './kindTable';

export { KINDS };

/** The collections of core entities that are looked after. */
export type Collection =
  | 'certificates'
  | 'ca_certificates'
  | 'snis'
  | 'vaults'
  | 'key-sets'
  | 'keys'
  | 'services'
  | 'upstreams'
  | 'consumer_groups'
  | 'routes'
  | 'targets'
  | 'consumers'
  | 'plugins';

/** A field of a custom resource that names others whose live ids belong in the entity. */
export interface ReferenceField {
  field: string;
  /**
   * `typed`: `{type, namespacedRef: {name, namespace}}`, or `{type, konnectID}`; `plain`: `{name, namespace}`; `list`: several
   * of those.
   */
  form: 'typed' | 'plain' | 'list';
  kind: Collection;
  to: string;
  /** It hangs on what it names: it is for the same control plane, and inherits its catalog entities. */
  isParent?: boolean;
}

/** How one custom resource kind declares entities of a collection. */
export interface CustomResourceKind {
  group: string;
  version: string;
  plural: string;
  kind: string;
  /** It stands in no namespace. */
  clusterScoped?: boolean;
  /** Where the entity's fields stand: in `spec`, or at the top of the object. */
  body: 'spec' | 'top';
  /**
   * Fields of the body that are not the entity's own. Every other field is declared as it stands: a field that this
   * table does not know yet must show as drift rather than be left out in silence.
   */
  notFields: readonly string[];
  /** Fields that have another name in the entity. */
  renamed?: Readonly<Record<string, string>>;
  /** Fields that say that values stand in a Secret, and which values. */
  secretRefs?: readonly { field: string; values: string }[];
  references: readonly ReferenceField[];
}

/** One row of the table. */
export interface KonnectKind {
  collection: Collection;
  /** For people: `service`. */
  noun: string;
  /**
   * Entities are read and written under this parent, and `field` comes from the path. The flat collection lists only.
   */
  nestedUnder?: { collection: Collection; field: string };
  /** GET and PUT of one entity wrap it in this field. */
  wrapper?: string;
  /** Fields that are unique in the control plane (under the parent, if nested), best first. */
  uniqueNames: readonly string[];
  /** The name that GET takes in place of an id. Absent: such a lookup has to read the list. */
  nameInPath?: string;
  /** Fields which together are unique, where all of them count also when absent (a plugin's scope). */
  uniqueScope?: readonly string[];
  /** A long text that is unique but for its white space: it is known by its digest. */
  uniqueText?: string;
  /**
   * Values that Konnect may keep to itself when it is asked, each with the field that tells that it has one: an update
   * that does not bring such a value along would take it away.
   */
  withheld?: readonly { value: readonly string[]; toldBy: readonly string[] }[];
  /** Never in a request's body: the server's own, and what the path says. */
  notInBody: readonly string[];
  /**
   * Swept only where one is declared: most control planes have none, and a token that may not read them is no reason to
   * know nothing of the others.
   */
  onDemand?: boolean;
  customResource: CustomResourceKind;
}

const BY_COLLECTION = new Map<string, KonnectKind>(
  KINDS.map(kind => [kind.collection, kind]),
);

/** The row of a kind as it stands in `ResourceRef.kind`, if there is one. */
export function findKind(collection: string): KonnectKind | undefined {
  return BY_COLLECTION.get(collection);
}

/** The row of a collection. */
export function kindOf(collection: Collection): KonnectKind {
  const kind = BY_COLLECTION.get(collection);
  if (!kind) {
    throw new Error(`The table of Konnect's kinds has no row '${collection}'`);
  }
  return kind;
}
