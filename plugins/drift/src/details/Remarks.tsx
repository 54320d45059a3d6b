/** What a comparison found besides drift: problems, warnings, extras, and lists in another order. */
import {
  Accordion,
  AccordionPanel,
  AccordionTrigger,
  Alert,
  Cell,
  Flex,
  Switch,
  Table,
  Text,
  useTable,
  type ColumnConfig,
} from '@backstage/ui';
import type {
  ApiExtraField,
  ApiProblem,
  ApiResourceDetail,
} from '@plumbline/backstage-plugin-drift-common';
import { useMemo, useState } from 'react';
import { Path, Value } from '../components/Value';
import { Sentence } from '../components/Sentence';

const PAGE_SIZE = 25;

export function Problems(props: {
  problems: ApiProblem[];
  status: 'danger' | 'warning';
  title: string;
}) {
  if (props.problems.length === 0) return null;
  return (
    <Alert
      status={props.status}
      icon
      title={props.title}
      description={
        <ul style={{ margin: 0, paddingInlineStart: '1.2em' }}>
          {props.problems.map(problem => (
            <li key={`${problem.path} ${problem.reason}`}>
              {problem.path && (
                <>
                  <Path path={problem.path} />
                  {': '}
                </>
              )}
              <Sentence>{problem.message}</Sentence>
            </li>
          ))}
        </ul>
      }
    />
  );
}

const EXTRA_COLUMNS: ColumnConfig<ApiExtraField & { id: string }>[] = [
  {
    id: 'path',
    label: 'Field',
    isRowHeader: true,
    cell: extra => (
      <Cell>
        <Path path={extra.path} />
      </Cell>
    ),
  },
  {
    id: 'live',
    label: 'Live',
    cell: extra => (
      <Cell>
        <Value value={extra.live} />
      </Cell>
    ),
  },
  {
    id: 'owner',
    label: 'Set by',
    cell: extra => (
      <Cell>
        <Text color="secondary">
          {extra.isDefault
            ? 'default of the platform'
            : extra.owners?.map(owner => owner.manager).join(', ') ||
              'not known'}
        </Text>
      </Cell>
    ),
  },
];

function ExtraTable(props: { extras: ApiExtraField[] }) {
  const data = useMemo(
    () => props.extras.map(extra => ({ ...extra, id: extra.path })),
    [props.extras],
  );
  const { tableProps } = useTable({
    mode: 'complete',
    data,
    paginationOptions:
      data.length > PAGE_SIZE
        ? { pageSize: PAGE_SIZE, pageSizeOptions: [PAGE_SIZE, 100] }
        : { type: 'none' },
  });
  return <Table {...tableProps} columnConfig={EXTRA_COLUMNS} />;
}

function Extras({ extras }: { extras: ApiExtraField[] }) {
  const [withDefaults, setWithDefaults] = useState(false);
  const added = useMemo(
    () => extras.filter(extra => !extra.isDefault),
    [extras],
  );
  const defaults = extras.length - added.length;
  if (extras.length === 0) return null;
  return (
    <Accordion>
      <AccordionTrigger
        title={
          added.length > 0
            ? `Live fields that nobody declared (${added.length})`
            : `Defaults of the platform (${defaults})`
        }
        subtitle="No drift: they are shown, and they keep their values."
      />
      <AccordionPanel>
        <Flex direction="column" gap="3">
          {defaults > 0 && added.length > 0 && (
            <Switch
              label={`Show ${defaults} defaults of the platform`}
              isSelected={withDefaults}
              onChange={setWithDefaults}
            />
          )}
          <ExtraTable
            extras={withDefaults || added.length === 0 ? extras : added}
          />
        </Flex>
      </AccordionPanel>
    </Accordion>
  );
}

function Reordered({ paths }: { paths: string[] }) {
  if (paths.length === 0) return null;
  return (
    <Accordion>
      <AccordionTrigger
        title={`Same values in another order (${paths.length})`}
        subtitle="No drift: the order does not count here."
      />
      <AccordionPanel>
        <ul style={{ margin: 0 }}>
          {paths.map(path => (
            <li key={path}>
              <Path path={path} />
            </li>
          ))}
        </ul>
      </AccordionPanel>
    </Accordion>
  );
}

export function Remarks({ resource }: { resource: ApiResourceDetail }) {
  return (
    <Flex direction="column" gap="3">
      <Problems
        problems={resource.problems}
        status="danger"
        title="The declaration is wrong"
      />
      <Problems
        problems={resource.warnings}
        status="warning"
        title="Worth knowing"
      />
      {resource.extras.length > 0 && <Extras extras={resource.extras} />}
      <Reordered paths={resource.reordered} />
    </Flex>
  );
}
