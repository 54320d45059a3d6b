/** Which entities a resource belongs to, by the Kubernetes plugin's conventions on its declared side. */
import type { AuthService, LoggerService } from '@backstage/backend-plugin-api';
import {
  RELATION_OWNED_BY,
  stringifyEntityRef,
  type Entity,
} from '@backstage/catalog-model';
import { CATALOG_FILTER_EXISTS } from '@backstage/catalog-client';
import type { CatalogService } from '@backstage/plugin-catalog-node';
import { resourceKey } from '@plumbline/backstage-plugin-drift-common';
import type { DriftStore, ResourceRow } from '../store';
import { parseLabelSelector, type LabelMatcher } from './labelSelector';

const ID = 'backstage.io/kubernetes-id';
const SELECTOR = 'backstage.io/kubernetes-label-selector';
const NAMESPACE = 'backstage.io/kubernetes-namespace';
const CLUSTER = 'backstage.io/kubernetes-cluster';

/** One entity that may have resources. */
interface Candidate {
  ref: string;
  owner?: string;
  matches: LabelMatcher;
  namespace?: string;
  cluster?: string;
}

type Matchable = Pick<ResourceRow, 'id' | 'ref' | 'origin' | 'parent'>;
type Link = { ref: string; owner?: string };

export interface EntityMatcher {
  /** Looks at all entities and resources and stores the links that changed. Returns how many. */
  run(signal: AbortSignal): Promise<number>;
}

export function createEntityMatcher(options: {
  store: DriftStore;
  catalog: CatalogService;
  auth: AuthService;
  logger: LoggerService;
}): EntityMatcher {
  const { store, catalog, auth, logger } = options;
  // what was stored last, so that a run that finds nothing new writes nothing
  const stored = new Map<string, string>();
  const warned = new Set<string>();

  async function candidates(): Promise<Candidate[]> {
    const result: Candidate[] = [];
    const pages = catalog.streamEntities(
      {
        filter: [
          { [`metadata.annotations.${ID}`]: CATALOG_FILTER_EXISTS },
          { [`metadata.annotations.${SELECTOR}`]: CATALOG_FILTER_EXISTS },
        ],
        fields: [
          'kind',
          'metadata.name',
          'metadata.namespace',
          'metadata.annotations',
          'relations',
        ],
      },
      { credentials: await auth.getOwnServiceCredentials() },
    );
    for await (const page of pages) {
      for (const entity of page) {
        const candidate = toCandidate(entity);
        if (candidate) result.push(candidate);
        else warnOnce(stringifyEntityRef(entity));
      }
    }
    return result;
  }

  function warnOnce(ref: string) {
    if (warned.has(ref)) return;
    warned.add(ref);
    logger.warn(
      `Annotation ${SELECTOR} of ${ref} is not a label selector that selects anything in particular, for example "app=orders,tier in (web,api)"; the entity gets no resources by it`,
    );
  }

  return {
    async run(signal) {
      const entities = await candidates();
      const resources: Matchable[] = [];
      for await (const resource of store.listForMatching()) {
        resources.push(resource);
      }
      if (signal.aborted) return 0;
      const links = matchAll(resources, entities);
      const changed = resources.flatMap(({ id }) => {
        const found = links.get(id) ?? [];
        return stored.get(id) === JSON.stringify(found)
          ? []
          : [{ resourceId: id, entities: found }];
      });
      if (changed.length) await store.setEntities(changed);
      stored.clear();
      for (const { id } of resources) {
        stored.set(id, JSON.stringify(links.get(id) ?? []));
      }
      return changed.length;
    },
  };
}

function toCandidate(entity: Entity): Candidate | undefined {
  const annotations = entity.metadata.annotations ?? {};
  const selector = annotations[SELECTOR];
  const id = annotations[ID];
  // the selector goes before the id, as in the Kubernetes plugin
  const matches = selector
    ? parseLabelSelector(selector)
    : (labels: Record<string, string>) => labels[ID] === id;
  if (!matches) return undefined;
  return {
    ref: stringifyEntityRef(entity),
    owner: entity.relations?.find(r => r.type === RELATION_OWNED_BY)?.targetRef,
    matches,
    namespace: annotations[NAMESPACE],
    cluster: annotations[CLUSTER],
  };
}

/** Links of every resource: its own, or where it has none, those of its nearest parent that has some. */
export function matchAll(
  resources: Matchable[],
  entities: Candidate[],
): Map<string, Link[]> {
  const byKey = new Map(resources.map(r => [resourceKey(r.ref), r]));
  const own = new Map(resources.map(r => [r.id, ownLinks(r, entities)]));
  const result = new Map<string, Link[]>();
  for (const resource of resources) {
    const seen = new Set<string>();
    let current: Matchable | undefined = resource;
    let links: Link[] = [];
    while (current && !seen.has(current.id)) {
      seen.add(current.id);
      links = own.get(current.id) ?? [];
      if (links.length || !current.parent) break;
      current = byKey.get(resourceKey(current.parent));
    }
    result.set(resource.id, links);
  }
  return result;
}

function ownLinks({ origin }: Matchable, entities: Candidate[]): Link[] {
  if (!origin) return [];
  const labels = origin.labels ?? {};
  return entities
    .filter(
      entity =>
        entity.matches(labels) &&
        (!entity.namespace || entity.namespace === origin.namespace) &&
        (!entity.cluster || entity.cluster === origin.cluster),
    )
    .map(({ ref, owner }) => ({ ref, ...(owner ? { owner } : {}) }))
    .sort((a, b) => (a.ref < b.ref ? -1 : 1));
}
