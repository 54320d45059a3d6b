/** Resources, worst first as the server orders them. */
import { Cell, Row, Table, Text, type ColumnConfig } from '@backstage/ui';
import { RiPauseCircleLine, RiQuestionAnswerLine } from '@remixicon/react';
import type { ApiResourceSummary } from '@plumbline/backstage-plugin-drift-common';
import { useMemo, type ReactNode } from 'react';
import { Sentence } from './Sentence';
import type { Pages } from '../live/usePages';
import { Time } from './Time';
import { VerdictTag } from './VerdictTag';
import styles from './ResourceTable.module.css';

const COLUMNS: ColumnConfig<ApiResourceSummary>[] = [
  {
    id: 'verdict',
    label: 'Verdict',
    width: 160,
    cell: item => (
      <Cell>
        <VerdictTag verdict={item.verdict} />
      </Cell>
    ),
  },
  {
    id: 'name',
    label: 'Resource',
    isRowHeader: true,
    minWidth: 180,
    defaultWidth: '3fr',
    cell: item => (
      <Cell>
        <span className={styles.name}>
          <Text weight="bold">{item.title}</Text>
          {item.verdict !== 'InSync' && (
            <Text
              variant="body-small"
              color="secondary"
              className={styles.message}
            >
              <Sentence>{item.message}</Sentence>
            </Text>
          )}
        </span>
      </Cell>
    ),
  },
  {
    id: 'platform',
    label: 'Platform',
    minWidth: 130,
    defaultWidth: '1fr',
    cell: item => (
      <Cell>
        <Text>{item.platformTitle}</Text>
      </Cell>
    ),
  },
  {
    id: 'age',
    label: 'Since',
    width: 90,
    cell: item => (
      <Cell>
        <Text>
          <Time at={item.since} format="age" />
        </Text>
      </Cell>
    ),
  },
  {
    id: 'fields',
    label: 'Fields',
    width: 80,
    cell: item => (
      <Cell>
        <Text className={styles.number}>{item.fields || '–'}</Text>
      </Cell>
    ),
  },
  {
    id: 'next',
    label: 'Next check',
    width: 150,
    cell: item => (
      <Cell>
        <NextCheck item={item} />
      </Cell>
    ),
  },
];

function NextCheck({ item }: { item: ApiResourceSummary }) {
  return (
    <span className={styles.name}>
      <Text>
        {item.next.at ? <Time at={item.next.at} format="due" /> : 'not planned'}
      </Text>
      {item.policy.paused && (
        <Text variant="body-small" color="secondary">
          <RiPauseCircleLine size={12} aria-hidden /> paused
        </Text>
      )}
      {item.openConflictId && (
        <Text variant="body-small" color="secondary">
          <RiQuestionAnswerLine size={12} aria-hidden /> waits for a person
        </Text>
      )}
    </span>
  );
}

/** A row either leads to the resource's page (`hrefOf`) or opens it in place (`onOpen`). */
export function ResourceTable(props: {
  pages: Pages<ApiResourceSummary>;
  hrefOf?: (id: string) => string | undefined;
  onOpen?: (id: string) => void;
  openId?: string;
  emptyState: ReactNode;
}) {
  const { pages, hrefOf, onOpen, openId } = props;
  const { value, loading } = pages.live;
  // The table renders its rows again only for other items or other columns: the open row is neither.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const columns = useMemo(() => [...COLUMNS], [openId]);
  return (
    <Table
      columnConfig={columns}
      data={value?.items}
      isPending={loading}
      pagination={pages.pagination}
      emptyState={props.emptyState}
      rowConfig={({ item }) => (
        <Row
          id={item.id}
          columns={columns}
          className={styles.row}
          data-resource-id={item.id}
          data-open={item.id === openId || undefined}
          href={hrefOf?.(item.id)}
          onAction={onOpen ? () => onOpen(item.id) : undefined}
        >
          {column => column.cell(item)}
        </Row>
      )}
    />
  );
}
