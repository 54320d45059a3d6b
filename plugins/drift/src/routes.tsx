/** Where the pages are: both frontend systems fill it in, the components only read it. */
import { createContext, useContext, type ReactNode } from 'react';
import { createRouteRef } from '@backstage/core-plugin-api';

/** Routes of the old frontend system. */
export const driftPageRouteRef = createRouteRef({ id: 'drift' });
export const entityDriftRouteRef = createRouteRef({ id: 'drift:entity' });

/** App-absolute paths; absent where the app has not mounted the page. */
export interface DriftPaths {
  conflicts?: string;
  fleet?: string;
  resources?: string;
  policies?: string;
}

const PathsContext = createContext<DriftPaths>({});

export function DriftPathsProvider(props: {
  paths: DriftPaths;
  children: ReactNode;
}) {
  return (
    <PathsContext.Provider value={props.paths}>
      {props.children}
    </PathsContext.Provider>
  );
}

/** The four pages below one root path. */
export function pathsUnder(root: string): DriftPaths {
  const base = root.replace(/\/$/, '');
  return {
    conflicts: `${base}/conflicts`,
    fleet: `${base}/fleet`,
    resources: `${base}/resources`,
    policies: `${base}/policies`,
  };
}

/** Filters of the resource list, as they stand in its URL. */
export interface ResourceFilters {
  verdict?: string;
  owner?: string;
  platform?: string;
  kind?: string;
  q?: string;
  /** Only resources that belong to no entity. */
  unassigned?: boolean;
}

/** Links between the pages; `undefined` where the target page is not mounted. */
export function useDriftLinks() {
  const paths = useContext(PathsContext);
  return {
    paths,
    resource: (id: string) =>
      paths.resources && `${paths.resources}/${encodeURIComponent(id)}`,
    resources: (filters: ResourceFilters = {}) => {
      if (!paths.resources) return undefined;
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(filters)) {
        if (value) query.set(name, String(value));
      }
      return query.size > 0 ? `${paths.resources}?${query}` : paths.resources;
    },
  };
}

/** The resource that the URL names: the part after `…/resources/`. */
export function resourceIdIn(pathname: string): string | undefined {
  const match = pathname.match(/\/resources\/([^/]+)\/?$/);
  return match ? decodeURIComponent(match[1]) : undefined;
}
