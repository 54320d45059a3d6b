/** What a plan would write, field by field, and what stays. */
import {
  Accordion,
  AccordionPanel,
  AccordionTrigger,
  Badge,
  Cell,
  Flex,
  Table,
  Text,
  type ColumnConfig,
} from '@backstage/ui';
import type { ApiPlan } from '@plumbline/backstage-plugin-drift-common';
import { lazy, Suspense, useMemo } from 'react';
import { Loading } from '../components/states';
import { Path, Value } from '../components/Value';
import { Sentence } from '../components/Sentence';
import { Guards } from './Guards';
import styles from './FieldTable.module.css';

const RawDiff = lazy(() => import('./RawDiff'));

const FEW_PATHS = 5;

type Write = ApiPlan['writes'][number] & { id: string; byPolicy: boolean };

const COLUMNS: ColumnConfig<Write>[] = [
  {
    id: 'path',
    label: 'Field',
    isRowHeader: true,
    cell: write => (
      <Cell>
        <div className={styles.field}>
          <Path path={write.path} />
          {write.byPolicy && (
            <Badge
              size="small"
              title="It was not chosen: the policy puts it back in any case."
            >
              by policy
            </Badge>
          )}
        </div>
      </Cell>
    ),
  },
  {
    id: 'from',
    label: 'From',
    cell: write => (
      <Cell>
        <Value value={write.from} />
      </Cell>
    ),
  },
  {
    id: 'to',
    label: 'To',
    cell: write => (
      <Cell>
        <Value
          value={write.operation === 'remove' ? undefined : write.to}
          absent="removed"
        />
      </Cell>
    ),
  },
];

// The preview already supposes that the person chose: what still asks or holds is not written.
export const WRITING: ApiPlan['action'][] = [
  'create',
  'update',
  'delete',
  'nudge',
];

export function PlanView(props: {
  plan: ApiPlan;
  /** One line above the fields. */
  title: string;
  /** The fields that the person chose; absent: no single ones. */
  paths?: readonly string[];
}) {
  const { plan, title, paths } = props;
  const writes = useMemo(
    () =>
      plan.writes.map(write => ({
        ...write,
        id: write.path,
        byPolicy: paths !== undefined && !paths.includes(write.path),
      })),
    [plan.writes, paths],
  );
  return (
    <Flex direction="column" gap="3">
      <Text>
        <Sentence>{plan.message}</Sentence>
      </Text>
      <Text as="h3" weight="bold">
        {title}
      </Text>
      {plan.action === 'nudge' && (
        <Text>
          A controller is asked as a whole: it puts back every field that it
          declares.
        </Text>
      )}
      {writes.length > 0 && (
        <Table
          columnConfig={COLUMNS}
          data={writes}
          pagination={{ type: 'none' }}
        />
      )}
      <Kept paths={plan.kept} />
      <Guards guards={plan.guards} />
      {plan.after !== undefined && WRITING.includes(plan.action) && (
        <Accordion>
          <AccordionTrigger title="As YAML" />
          <AccordionPanel>
            <Suspense fallback={<Loading what="the comparison" />}>
              <RawDiff
                left={{ label: 'Live now', state: plan.before }}
                right={{ label: 'After the write', state: plan.after }}
              />
            </Suspense>
          </AccordionPanel>
        </Accordion>
      )}
      {plan.platformDryRun && (
        <Text color="secondary">
          The platform’s own dry run: {plan.platformDryRun}
        </Text>
      )}
    </Flex>
  );
}

function Kept({ paths }: { paths: string[] }) {
  if (paths.length === 0) return null;
  const title =
    paths.length === 1
      ? '1 field stays as it is live'
      : `${paths.length} fields stay as they are live`;
  const list = (
    <ul className={styles.paths} aria-label={title}>
      {paths.map(path => (
        <li key={path}>
          <Path path={path} />
        </li>
      ))}
    </ul>
  );
  if (paths.length > FEW_PATHS) {
    return (
      <Accordion>
        <AccordionTrigger title={title} />
        <AccordionPanel>{list}</AccordionPanel>
      </Accordion>
    );
  }
  return (
    <div>
      <Text color="secondary">{title}:</Text>
      {list}
    </div>
  );
}
