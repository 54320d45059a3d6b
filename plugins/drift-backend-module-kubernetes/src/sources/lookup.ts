/* What mappers may read beside the custom resource that they map: from the same listing, or freshly. */
import { textAt } from '@plumbline/backstage-plugin-drift-node';
import type { CustomResourceMapper } from '@plumbline/backstage-plugin-drift-node';
import type { Json, JsonObject } from '@plumbline/drift-engine';
import type { Cluster } from '../cluster/cluster';
import type { FindOptions } from '../cluster/discovery';

type MapContext = Parameters<CustomResourceMapper['map']>[1];

/** The part of a mapper's context that reads other objects. */
export type Beside = Pick<MapContext, 'lookup' | 'list'>;

type LookupRef = Parameters<Beside['lookup']>[0];
type ListRef = Parameters<Beside['list']>[0];

const kindOf = (ref: ListRef) => `${ref.group}/${ref.kind}`;
const scopeOf = (ref: ListRef) => `${kindOf(ref)}/${ref.namespace ?? ''}`;
const keyOf = (ref: LookupRef) => `${scopeOf(ref)}/${ref.name}`;

/**
 * Fresh reads, each at most once for one use.
 *
 * @param namespaces - the only ones that may be read where all of a kind are asked for; all where absent
 */
export function readsBeside(
  cluster: Cluster,
  options: FindOptions,
  namespaces: readonly string[] | undefined,
): Beside {
  return {
    lookup: once(keyOf, ref => readOne(cluster, ref, options)),
    list: once(scopeOf, ref => readAll(cluster, ref, options, namespaces)),
  };
}

function once<Ref, T>(
  key: (ref: Ref) => string,
  read: (ref: Ref) => Promise<T>,
): (ref: Ref) => Promise<T> {
  const reads = new Map<string, Promise<T>>();
  return ref => {
    const known = reads.get(key(ref)) ?? read(ref);
    reads.set(key(ref), known);
    return known;
  };
}

async function readOne(
  cluster: Cluster,
  { group, kind, namespace, name }: LookupRef,
  options: FindOptions,
): Promise<Json | undefined> {
  const gvk = await cluster.discovery.findVersion(group, kind, options);
  return gvk && cluster.objects.get({ gvk, namespace, name }, options);
}

async function readAll(
  cluster: Cluster,
  { group, kind, namespace }: ListRef,
  options: FindOptions,
  namespaces: readonly string[] | undefined,
): Promise<Json[]> {
  const gvk = await cluster.discovery.findVersion(group, kind, options);
  const objects: Json[] = [];
  if (gvk) {
    const pages = cluster.objects.list(gvk, {
      ...options,
      namespaces: namespace === undefined ? namespaces : [namespace],
    });
    for await (const page of pages) {
      objects.push(...page);
    }
  }
  return objects;
}

/** Everything that one listing read; other kinds are read freshly. */
export class ListedObjects {
  private readonly objects = new Map<string, Map<string, JsonObject>>();

  /** @param namespaces - the only ones that were listed; all where absent */
  constructor(private readonly namespaces?: readonly string[]) {}

  add(resource: { group: string; kind: string }, objects: JsonObject[]): void {
    const listed = this.markListed(resource);
    for (const object of objects) {
      const ref = {
        group: resource.group,
        kind: resource.kind,
        namespace: textAt(object, 'metadata', 'namespace'),
        name: textAt(object, 'metadata', 'name') ?? '',
      };
      listed.set(keyOf(ref), object);
    }
  }

  markListed(resource: {
    group: string;
    kind: string;
  }): Map<string, JsonObject> {
    const kind = kindOf(resource);
    const listed = this.objects.get(kind) ?? new Map<string, JsonObject>();
    this.objects.set(kind, listed);
    return listed;
  }

  beside(otherwise: Beside): Beside {
    return {
      lookup: async ref => {
        const listed = this.covering(ref);
        return listed ? listed.get(keyOf(ref)) : otherwise.lookup(ref);
      },
      list: async ref => {
        const listed = this.covering(ref);
        return listed
          ? [...listed.values()].filter(
              object =>
                ref.namespace === undefined ||
                textAt(object, 'metadata', 'namespace') === ref.namespace,
            )
          : otherwise.list(ref);
      },
    };
  }

  /** The objects of a kind, where the listing covered the place that is asked for. */
  private covering(ref: ListRef): Map<string, JsonObject> | undefined {
    const inside =
      ref.namespace === undefined ||
      !this.namespaces ||
      this.namespaces.includes(ref.namespace);
    return inside ? this.objects.get(kindOf(ref)) : undefined;
  }
}
