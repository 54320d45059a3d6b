/* Looks up the objects that a custom resource refers to: in one listing, or freshly one by one. */
import type { CustomResourceMapper } from '@plumbline/backstage-plugin-drift-node';
import type { Json, JsonObject } from '@plumbline/drift-engine';
import type { Cluster } from '../cluster/cluster';
import type { Priority } from '../cluster/connection';
import { makeGvk } from '../gvk';
import { textAt } from '../json';

export type Lookup = Parameters<CustomResourceMapper['map']>[1]['lookup'];
type LookupRef = Parameters<Lookup>[0];

const keyOf = (ref: LookupRef) =>
  [ref.group, ref.kind, ref.namespace ?? '', ref.name].join('/');

/** Fresh reads, each at most once for one use. */
export function freshLookup(
  cluster: Cluster,
  options: { signal: AbortSignal; priority: Priority },
): Lookup {
  const reads = new Map<string, Promise<Json | undefined>>();
  return ref => {
    const key = keyOf(ref);
    const read = reads.get(key) ?? readOne(cluster, ref, options);
    reads.set(key, read);
    return read;
  };
}

async function readOne(
  cluster: Cluster,
  ref: LookupRef,
  options: { signal: AbortSignal; priority: Priority },
): Promise<Json | undefined> {
  for (const version of await cluster.discovery.versions(ref.group, options)) {
    const gvk = makeGvk(ref.group, version, ref.kind);
    if (await cluster.discovery.find(gvk, options)) {
      return cluster.objects.get(
        { gvk, namespace: ref.namespace, name: ref.name },
        options,
      );
    }
  }
  return undefined;
}

/** Everything that one listing read; other kinds are read freshly. */
export class ListedObjects {
  private readonly objects = new Map<string, JsonObject>();
  private readonly listed = new Set<string>();

  /** @param namespaces - the only ones that were listed; all where absent */
  constructor(private readonly namespaces?: readonly string[]) {}

  add(resource: { group: string; kind: string }, objects: JsonObject[]): void {
    this.markListed(resource);
    for (const object of objects) {
      const ref = {
        group: resource.group,
        kind: resource.kind,
        namespace: textAt(object, 'metadata', 'namespace'),
        name: textAt(object, 'metadata', 'name') ?? '',
      };
      this.objects.set(keyOf(ref), object);
    }
  }

  markListed(resource: { group: string; kind: string }): void {
    this.listed.add(`${resource.group}/${resource.kind}`);
  }

  lookup(otherwise: Lookup): Lookup {
    return async ref =>
      this.covers(ref) ? this.objects.get(keyOf(ref)) : otherwise(ref);
  }

  private covers(ref: LookupRef): boolean {
    const inside =
      ref.namespace === undefined ||
      !this.namespaces ||
      this.namespaces.includes(ref.namespace);
    return inside && this.listed.has(`${ref.group}/${ref.kind}`);
  }
}
