/** How each platform and declaration source is: last complete read, budget, and why it is not known. */
import { Cell, Flex, Table, Text, type ColumnConfig } from '@backstage/ui';
import {
  RiAlertLine,
  RiCheckboxCircleFill,
  RiCloseCircleLine,
  RiQuestionLine,
  type RemixiconComponentType,
} from '@remixicon/react';
import type { ApiPlatformStatus } from '@plumbline/backstage-plugin-drift-common';
import { useMemo } from 'react';
import { Time } from '../components/Time';
import { Sentence } from '../components/Sentence';
import { formatDuration } from '../live/time';
import styles from './Fleet.module.css';

const HEALTH: Record<
  ApiPlatformStatus['status'],
  { label: string; Icon: RemixiconComponentType }
> = {
  ok: { label: 'Ok', Icon: RiCheckboxCircleFill },
  degraded: { label: 'Degraded', Icon: RiAlertLine },
  unreachable: { label: 'Unreachable', Icon: RiCloseCircleLine },
  unknown: { label: 'Not known yet', Icon: RiQuestionLine },
};

function Health({ status }: { status: ApiPlatformStatus['status'] }) {
  const { label, Icon } = HEALTH[status];
  return (
    <span className={styles.health} data-status={status}>
      <Icon aria-hidden />
      <Text>{label}</Text>
    </span>
  );
}

const COLUMNS: ColumnConfig<ApiPlatformStatus>[] = [
  {
    id: 'title',
    label: 'Name',
    isRowHeader: true,
    minWidth: 180,
    defaultWidth: '2fr',
    cell: item => (
      <Cell>
        <Flex direction="column" gap="0.5">
          <Text weight="bold" className={styles.name}>
            {item.title}
          </Text>
          <Text variant="body-small" color="secondary">
            {item.kind === 'source' ? 'declaration source' : 'platform'}
          </Text>
        </Flex>
      </Cell>
    ),
  },
  {
    id: 'status',
    label: 'Health',
    minWidth: 220,
    defaultWidth: '3fr',
    cell: item => (
      <Cell>
        <Flex direction="column" gap="0.5">
          <Health status={item.status} />
          {item.message && (
            <Text variant="body-small" color="secondary">
              <Sentence>{item.message}</Sentence>
            </Text>
          )}
        </Flex>
      </Cell>
    ),
  },
  {
    id: 'complete',
    label: 'Last read completely',
    minWidth: 170,
    defaultWidth: '2fr',
    cell: item => (
      <Cell>
        <Flex direction="column" gap="0.5">
          <Text>
            {item.lastCompleteAt ? <Time at={item.lastCompleteAt} /> : 'never'}
          </Text>
          {item.lastTriedAt && item.status !== 'ok' && (
            <Text variant="body-small" color="secondary">
              tried <Time at={item.lastTriedAt} />
            </Text>
          )}
        </Flex>
      </Cell>
    ),
  },
  {
    id: 'sweep',
    label: 'Took',
    width: 90,
    cell: item => (
      <Cell>
        <Text>{formatSweep(item.sweepMilliseconds)}</Text>
      </Cell>
    ),
  },
  {
    id: 'budget',
    label: 'Requests',
    width: 150,
    cell: item => (
      <Cell>
        <Flex direction="column" gap="0.5">
          <Text>
            {item.requestsPerMinute === undefined
              ? '–'
              : `${item.requestsPerMinute} a minute`}
          </Text>
          {item.requestsLeft !== undefined && (
            <Text variant="body-small" color="secondary">
              {item.requestsLeft} free now
            </Text>
          )}
        </Flex>
      </Cell>
    ),
  },
  {
    id: 'resources',
    label: 'Resources',
    width: 125,
    cell: item => (
      <Cell>
        <Text>{item.resources ?? '–'}</Text>
      </Cell>
    ),
  },
];

function formatSweep(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '–';
  return milliseconds < 1000
    ? `${milliseconds} ms`
    : formatDuration(milliseconds / 1000);
}

export function PlatformTable(props: { platforms: ApiPlatformStatus[] }) {
  const { platforms } = props;
  const data = useMemo(
    () =>
      // A source may have the same id as its platform.
      platforms.map(item => ({ ...item, id: `${item.kind} ${item.id}` })),
    [platforms],
  );
  return (
    <Table
      columnConfig={COLUMNS}
      data={data}
      pagination={{ type: 'none' }}
      emptyState={
        <Text color="secondary">
          No platform is configured yet, so nothing is looked at.
        </Text>
      }
    />
  );
}
