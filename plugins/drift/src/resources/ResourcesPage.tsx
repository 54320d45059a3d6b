/** All resources, filtered by what stands in the URL; below it the page of one resource. */
import { SearchField, Select, Text, Button } from '@backstage/ui';
import { useApi } from '@backstage/core-plugin-api';
import {
  useAppLocation,
  useAppSearchParams,
} from '@backstage/frontend-plugin-api';
import type { Verdict } from '@plumbline/drift-engine';
import { useCallback, useEffect, useState } from 'react';
import { driftApiRef } from '../api/driftApi';
import { PageContent } from '../components/PageContent';
import { ResourceTable } from '../components/ResourceTable';
import { LoadError } from '../components/states';
import { VerdictLegend } from '../components/VerdictLegend';
import { VERDICT_LOOKS, VERDICT_ORDER } from '../components/verdicts';
import { useLive } from '../live/useLive';
import { usePages } from '../live/usePages';
import { resourceIdIn, useDriftLinks, type ResourceFilters } from '../routes';
import { ResourcePage } from './ResourcePage';
import styles from './ResourcesPage.module.css';

const ANY = 'any';
const SEARCH_DELAY_MILLISECONDS = 300;
const MAX_SEARCH_CHARACTERS = 200;

export function ResourcesPage() {
  const { pathname } = useAppLocation();
  const id = resourceIdIn(pathname);
  return id ? <ResourcePage key={id} id={id} /> : <ResourceList />;
}

/** The filters in the URL, and how to change one. */
function useFilters() {
  const [params, setParams] = useAppSearchParams();
  const verdict = VERDICT_ORDER.find(each => each === params.get('verdict'));
  const owner = params.get('owner') ?? undefined;
  const platform = params.get('platform') ?? undefined;
  const kind = params.get('kind') ?? undefined;
  const q = params.get('q') ?? undefined;
  const unassigned = params.get('unassigned') === 'true' || undefined;
  const set = useCallback(
    (name: keyof ResourceFilters, value: string | undefined) =>
      setParams(
        old => {
          if (value) old.set(name, value);
          else old.delete(name);
          return old;
        },
        { replace: true },
      ),
    [setParams],
  );
  const clear = () => setParams({}, { replace: true });
  return { verdict, owner, platform, kind, q, unassigned, set, clear };
}

function ResourceList() {
  const api = useApi(driftApiRef);
  const links = useDriftLinks();
  const filters = useFilters();
  const { verdict, owner, platform, kind, q, unassigned } = filters;
  const pages = usePages(
    useCallback(
      page =>
        api.listResources({
          ...page,
          verdict: verdict && [verdict],
          owner,
          platform,
          kind: kind ? [kind] : undefined,
          q,
          unassigned,
        }),
      [api, verdict, owner, platform, kind, q, unassigned],
    ),
    { pageSize: 25, pageSizes: [25, 100] },
  );
  const isFiltered =
    verdict || owner || platform || kind || q || unassigned || false;
  return (
    <PageContent>
      <Filters filters={filters} isFiltered={Boolean(isFiltered)} />
      <LoadError
        what="The resources"
        live={pages.live}
        stale={pages.live.value !== undefined}
      />
      {(pages.live.loading || pages.live.value) && (
        <ResourceTable
          pages={pages}
          hrefOf={links.resource}
          emptyState={
            <Text color="secondary">
              {isFiltered
                ? 'No resource that you may see matches these filters.'
                : 'No resource is known yet: nothing is declared, or the first sweep has not ended.'}
            </Text>
          }
        />
      )}
    </PageContent>
  );
}

function Filters(props: {
  filters: ReturnType<typeof useFilters>;
  isFiltered: boolean;
}) {
  const { filters } = props;
  const api = useApi(driftApiRef);
  const fleet = useLive(useCallback(() => api.getFleet(), [api]));
  const owners = (fleet.value?.byOwner ?? []).flatMap(row =>
    row.owner ? [{ id: row.owner, label: row.owner }] : [],
  );
  const platforms = (fleet.value?.byPlatform ?? []).map(row => ({
    id: row.platform,
    label: row.title,
  }));
  const verdicts = VERDICT_ORDER.map(id => ({
    id,
    label: VERDICT_LOOKS[id].label,
  }));
  return (
    <div className={styles.filters} role="search">
      <NameSearch value={filters.q} onChange={q => filters.set('q', q)} />
      <Choice<Verdict>
        label="Verdict"
        value={filters.verdict}
        options={verdicts}
        onChange={value => filters.set('verdict', value)}
      />
      <Choice
        label="Platform"
        value={filters.platform}
        options={withChosen(platforms, filters.platform)}
        onChange={value => filters.set('platform', value)}
      />
      <Choice
        label="Owner"
        value={filters.owner}
        options={withChosen(owners, filters.owner)}
        onChange={value => filters.set('owner', value)}
      />
      {filters.kind && (
        <Choice
          label="Kind"
          value={filters.kind}
          options={[{ id: filters.kind, label: filters.kind }]}
          onChange={value => filters.set('kind', value)}
        />
      )}
      {filters.unassigned && (
        <Text color="secondary">only those without an entity</Text>
      )}
      {props.isFiltered && (
        <Button variant="tertiary" size="small" onPress={filters.clear}>
          Clear the filters
        </Button>
      )}
      <VerdictLegend />
    </div>
  );
}

// What the URL names stays a choice, also before the fleet is known.
function withChosen(
  options: { id: string; label: string }[],
  chosen: string | undefined,
) {
  return !chosen || options.some(option => option.id === chosen)
    ? options
    : [...options, { id: chosen, label: chosen }];
}

function Choice<T extends string>(props: {
  label: string;
  value: T | undefined;
  options: { id: T; label: string }[];
  onChange: (value: T | undefined) => void;
}) {
  return (
    <Select
      label={props.label}
      size="small"
      options={[{ id: ANY, label: 'Any' }, ...props.options]}
      value={props.value ?? ANY}
      onChange={key => props.onChange(key === ANY ? undefined : (key as T))}
    />
  );
}

function NameSearch(props: {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const { value = '', onChange } = props;
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(
      () => onChange(text || undefined),
      SEARCH_DELAY_MILLISECONDS,
    );
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <SearchField
      label="Name"
      size="small"
      placeholder="Part of a name"
      maxLength={MAX_SEARCH_CHARACTERS}
      value={text}
      onChange={setText}
    />
  );
}
