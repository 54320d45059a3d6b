/** The fleet: verdicts by owner and by platform, the oldest drift, and how the platforms are. */
import {
  Card,
  CardBody,
  CardHeader,
  Cell,
  Flex,
  Link,
  Table,
  Text,
  useTable,
  type ColumnConfig,
} from '@backstage/ui';
import { useApi } from '@backstage/core-plugin-api';

import { EntityLink } from '../components/EntityLink';
import type { ApiFleet } from '@plumbline/backstage-plugin-drift-common';
import { useCallback, useMemo } from 'react';
import { driftApiRef } from '../api/driftApi';
import { PageContent } from '../components/PageContent';
import { Empty, LoadError, Loading } from '../components/states';
import { Time } from '../components/Time';
import { VerdictLegend } from '../components/VerdictLegend';
import { VerdictCounts } from '../components/VerdictTag';
import { Unavailable } from '../entity/Unavailable';
import { Facts } from '../details/Facts';
import { formatMeasured } from '../live/time';
import { useLive } from '../live/useLive';
import { useDriftLinks, type ResourceFilters } from '../routes';
import styles from './Fleet.module.css';
import { PlatformTable } from './PlatformTable';

const PAGE_SIZE = 25;

/** One row of counts, by owner or by platform. */
interface CountRow {
  id: string;
  name: React.ReactNode;
  /** Said in the names of the links: "3 drifted of team-a". */
  of: string;
  filters: ResourceFilters;
  total: number;
  byVerdict: Record<string, number>;
  oldestDriftSince?: string;
}

export function FleetPage() {
  const api = useApi(driftApiRef);
  const live = useLive(useCallback(() => api.getFleet(), [api]));
  if (live.loading) {
    return (
      <PageContent>
        <Loading what="the fleet" lines={10} />
      </PageContent>
    );
  }
  if (!live.value) {
    return (
      <PageContent>
        <LoadError what="The fleet" live={live} />
      </PageContent>
    );
  }
  return (
    <PageContent>
      <LoadError what="The fleet" live={live} stale />
      <Overview fleet={live.value} />
      {live.value.summary.total > 0 && (
        <Section title="Drifts of the last 24 hours">
          <Lives fleet={live.value} />
        </Section>
      )}
      <Section title="Platforms and sources">
        <PlatformTable platforms={live.value.platforms} />
      </Section>
      <Section title="By owner">
        <CountTable label="Owner" rows={ownerRows(live.value)} />
      </Section>
      <Section title="By platform">
        <CountTable label="Platform" rows={platformRows(live.value)} />
      </Section>
    </PageContent>
  );
}

function Section(props: { title: string; children: React.ReactNode }) {
  return (
    <Card role="region" aria-label={props.title}>
      <CardHeader>
        <Text as="h2" variant="title-x-small" weight="bold">
          {props.title}
        </Text>
      </CardHeader>
      <CardBody>{props.children}</CardBody>
    </Card>
  );
}

function Overview({ fleet }: { fleet: ApiFleet }) {
  const links = useDriftLinks();
  const { summary } = fleet;
  if (summary.total === 0) {
    return (
      <>
        <Unavailable unavailable={summary.unavailable} />
        <Empty title="No resource is known yet">
          Nothing is declared, or the first sweep has not ended. See below how
          the platforms are.
        </Empty>
      </>
    );
  }
  return (
    <>
      <Unavailable unavailable={summary.unavailable} />
      <div className={styles.overview}>
        <div className={styles.tags} role="group" aria-label="All resources">
          <VerdictCounts
            byVerdict={summary.byVerdict}
            hrefOf={verdict => links.resources({ verdict })}
          />
          <VerdictLegend />
        </div>
        <Text color="secondary">
          {summary.oldestDriftSince ? (
            <>
              Oldest drift: <Time at={summary.oldestDriftSince} />.{' '}
            </>
          ) : (
            'No drift is known. '
          )}
          {summary.openConflicts > 0 && links.paths.conflicts && (
            <Link href={links.paths.conflicts}>
              {summary.openConflicts === 1
                ? '1 question waits'
                : `${summary.openConflicts} questions wait`}
            </Link>
          )}
        </Text>
      </div>
    </>
  );
}

/** How long a wrong value lived: the figures that say whether all this works. */
function Lives({ fleet }: { fleet: ApiFleet }) {
  return (
    <Facts
      facts={[
        [
          'Time to detect',
          <Spread
            key="detect"
            spread={fleet.timeToDetectSeconds}
            meaning="From the change, as the platform tells it, to the moment it was seen."
            none="No drift began whose time of change the platform tells."
          />,
        ],
        [
          'Time to correct',
          <Spread
            key="correct"
            spread={fleet.timeToCorrectSeconds}
            meaning="From the change to the moment a fresh read showed both sides equal."
            none="No drift was put right."
          />,
        ],
      ]}
    />
  );
}

function Spread(props: {
  spread: ApiFleet['timeToDetectSeconds'];
  meaning: string;
  none: string;
}) {
  const { spread, meaning, none } = props;
  if (!spread) return <Text color="secondary">{none}</Text>;
  return (
    <Flex direction="column" gap="0.5">
      <Text weight="bold">half within {formatMeasured(spread.median)}</Text>
      <Text>95 of 100 within {formatMeasured(spread.p95)}</Text>
      <Text variant="body-small" color="secondary">
        {meaning}
      </Text>
    </Flex>
  );
}

function CountTable(props: { label: string; rows: CountRow[] }) {
  const { label, rows } = props;
  const links = useDriftLinks();
  const columns = useMemo<ColumnConfig<CountRow>[]>(
    () => [
      {
        id: 'name',
        label,
        isRowHeader: true,
        minWidth: 180,
        defaultWidth: '1fr',
        cell: row => <Cell>{row.name}</Cell>,
      },
      {
        id: 'total',
        label: 'Resources',
        width: 110,
        cell: row => (
          <Cell>
            <CountLink
              count={row.total}
              of={row.of}
              href={links.resources(row.filters)}
            />
          </Cell>
        ),
      },
      {
        id: 'verdicts',
        label: 'Verdicts',
        minWidth: 240,
        defaultWidth: '3fr',
        cell: row => (
          <Cell>
            <div className={styles.tags}>
              <VerdictCounts
                byVerdict={row.byVerdict}
                of={`of ${row.of}`}
                hrefOf={verdict => links.resources({ ...row.filters, verdict })}
              />
            </div>
          </Cell>
        ),
      },
      {
        id: 'oldest',
        label: 'Oldest drift',
        width: 130,
        isHidden: rows.every(row => !row.oldestDriftSince),
        cell: row => (
          <Cell>
            <Text>
              {row.oldestDriftSince ? <Time at={row.oldestDriftSince} /> : '–'}
            </Text>
          </Cell>
        ),
      },
    ],
    // The links only change with the place that the app gives our pages.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [label, rows, links.paths.resources],
  );
  const { tableProps } = useTable({
    mode: 'complete',
    data: rows,
    paginationOptions:
      rows.length > PAGE_SIZE
        ? { pageSize: PAGE_SIZE, pageSizeOptions: [PAGE_SIZE, 100] }
        : { type: 'none' },
  });
  return (
    <Table
      {...tableProps}
      columnConfig={columns}
      emptyState={<Text color="secondary">Nothing to count yet.</Text>}
    />
  );
}

function CountLink(props: {
  count: number;
  of: string;
  href: string | undefined;
}) {
  if (!props.href) return <Text>{props.count}</Text>;
  return (
    <Link href={props.href} aria-label={`${props.count} of ${props.of}`}>
      {props.count}
    </Link>
  );
}

function ownerRows(fleet: ApiFleet): CountRow[] {
  return fleet.byOwner.map(row => ({
    ...row,
    id: row.owner ?? 'unassigned',
    of: row.owner ?? 'no owner',
    filters: row.owner ? { owner: row.owner } : { unassigned: true },
    name: row.owner ? (
      <EntityLink entityRef={row.owner} />
    ) : (
      <Text color="secondary">nobody (unassigned)</Text>
    ),
  }));
}

function platformRows(fleet: ApiFleet): CountRow[] {
  return fleet.byPlatform.map(row => ({
    ...row,
    id: row.platform,
    of: row.title,
    filters: { platform: row.platform },
    name: (
      <Flex direction="column" gap="0.5">
        <Text>{row.title}</Text>
        <Text variant="body-small" color="secondary">
          {row.platform}
        </Text>
      </Flex>
    ),
  }));
}
