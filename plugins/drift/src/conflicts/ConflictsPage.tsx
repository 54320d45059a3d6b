/** The conflict queue: what waits for a person, mine first, oldest first. */
import {
  Alert,
  Flex,
  Select,
  Switch,
  Tab,
  TabList,
  TabPanel,
  TablePagination,
  Tabs,
} from '@backstage/ui';
import { RiCheckDoubleLine } from '@remixicon/react';
import { useApi } from '@backstage/core-plugin-api';
import type { ApiQuestionKind } from '@plumbline/backstage-plugin-drift-common';
import { useCallback, useState } from 'react';
import { driftApiRef } from '../api/driftApi';
import { PageContent } from '../components/PageContent';
import { Empty, LoadError, Loading } from '../components/states';
import { usePages } from '../live/usePages';
import { BulkBar } from './BulkAnswer';
import { QuestionCard } from './QuestionCard';
import { QUESTION_KINDS } from './questions';
import styles from './Question.module.css';

type Status = 'open' | 'resolved' | 'withdrawn';

const ALL = 'all';
const KIND_OPTIONS = [
  { id: ALL, label: 'All questions' },
  ...Object.entries(QUESTION_KINDS).map(([id, label]) => ({ id, label })),
];

export function ConflictsPage() {
  const [mine, setMine] = useState(true);
  const [kind, setKind] = useState<string>(ALL);
  return (
    <PageContent>
      <div className={styles.filters}>
        <Switch
          label="Only those of my groups and mine"
          isSelected={mine}
          onChange={setMine}
        />
        <div className={styles.kind}>
          <Select
            aria-label="Kind of question"
            size="small"
            options={KIND_OPTIONS}
            value={kind}
            onChange={key => setKind(String(key))}
          />
        </div>
      </div>
      <Tabs>
        <TabList>
          <Tab id="open">Open</Tab>
          <Tab id="resolved">Resolved</Tab>
          <Tab id="withdrawn">Withdrawn</Tab>
        </TabList>
        {(['open', 'resolved', 'withdrawn'] as const).map(status => (
          <TabPanel key={status} id={status}>
            <Queue
              status={status}
              mine={mine}
              kind={kind === ALL ? undefined : (kind as ApiQuestionKind)}
              onShowAll={() => setMine(false)}
            />
          </TabPanel>
        ))}
      </Tabs>
    </PageContent>
  );
}

function Queue(props: {
  status: Status;
  mine: boolean;
  kind: ApiQuestionKind | undefined;
  onShowAll: () => void;
}) {
  const { status, mine, kind } = props;
  const api = useApi(driftApiRef);
  const { live, pagination } = usePages(
    useCallback(
      page =>
        api.listConflicts({
          ...page,
          status,
          mine: mine || undefined,
          kindOfQuestion: kind,
        }),
      [api, status, mine, kind],
    ),
    { pageSize: 20, pageSizes: [20, 50, 100], noun: 'questions' },
  );
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(
    new Set(),
  );
  const [message, setMessage] = useState<string>();

  if (live.loading) return <Loading what="the questions" lines={8} />;
  if (!live.value) return <LoadError what="The questions" live={live} />;
  const { items } = live.value;
  const bulk = items.filter(
    item => item.kindOfQuestion === 'firstSight' && item.status === 'open',
  );
  const selected = bulk.filter(item => selectedIds.has(item.id));

  return (
    <Flex direction="column" gap="4" pt="4">
      <LoadError what="The questions" live={live} stale />
      <div role="status">
        {message && <Alert status="success" icon title={message} />}
      </div>
      {bulk.length > 1 && (
        <BulkBar
          selected={selected}
          outOf={bulk.length}
          onSelectAll={() => setSelectedIds(new Set(bulk.map(item => item.id)))}
          onClear={() => setSelectedIds(new Set())}
          onDone={() => {
            setSelectedIds(new Set());
            live.reload();
          }}
        />
      )}
      {items.length === 0 && <NoQuestions {...props} />}
      {items.map(item => (
        <QuestionCard
          key={item.id}
          conflict={item}
          reload={live.reload}
          onAnswered={result => {
            setMessage(result.message);
            live.reload();
          }}
          selection={
            bulk.length > 1 && bulk.includes(item)
              ? {
                  isSelected: selectedIds.has(item.id),
                  onChange: isSelected => {
                    const next = new Set(selectedIds);
                    if (isSelected) next.add(item.id);
                    else next.delete(item.id);
                    setSelectedIds(next);
                  },
                }
              : undefined
          }
        />
      ))}
      {items.length > 0 && pagination.type === 'page' && (
        <TablePagination {...pagination} />
      )}
    </Flex>
  );
}

function NoQuestions(props: {
  status: Status;
  mine: boolean;
  onShowAll: () => void;
}) {
  if (props.status !== 'open') return <Empty title="None so far" />;
  return (
    <Empty
      title={
        props.mine
          ? 'No question waits for you or your groups'
          : 'No question waits for anybody'
      }
      icon={<RiCheckDoubleLine size={32} aria-hidden />}
    >
      {props.mine
        ? 'Others may wait for other owners, or for nobody in particular: switch to all to see them.'
        : 'Conflicts, live edits where the policy asks, and differences found at first sight would be asked here.'}
    </Empty>
  );
}
