/** The rules in force: pauses first, then those set in the portal and those from app-config. */
import {
  Alert,
  Badge,
  Button,
  ButtonIcon,
  Card,
  CardBody,
  CardHeader,
  Cell,
  Flex,
  Table,
  Text,
  useTable,
  type ColumnConfig,
} from '@backstage/ui';
import { RiAddLine, RiDeleteBinLine, RiLockLine } from '@remixicon/react';
import { useApi } from '@backstage/core-plugin-api';
import type { ApiPolicyRule } from '@plumbline/backstage-plugin-drift-common';
import { useCallback, useMemo, useState } from 'react';
import { driftApiRef } from '../api/driftApi';
import { useMaySetPolicy } from '../api/useMay';
import { PageContent } from '../components/PageContent';
import { describeScope, describeSettings } from '../components/policyText';
import { LoadError, Loading } from '../components/states';
import { Time } from '../components/Time';
import { useLive } from '../live/useLive';
import { RemoveRuleDialog } from './RemoveRuleDialog';
import { RuleDialog } from './RuleDialog';

const PAGE_SIZE = 25;

export function PoliciesPage() {
  const api = useApi(driftApiRef);
  const live = useLive(useCallback(() => api.listPolicies(), [api]));
  const may = useMaySetPolicy();
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<ApiPolicyRule>();
  const [message, setMessage] = useState<string>();

  const done = (text: string) => {
    setAdding(false);
    setRemoving(undefined);
    setMessage(text);
    live.reload();
  };
  const items = live.value?.items;
  const pauses = useMemo(
    () => items?.filter(rule => rule.settings.paused),
    [items],
  );
  const rules = useMemo(
    () => items?.filter(rule => !rule.settings.paused),
    [items],
  );
  return (
    <PageContent>
      <Flex justify="between" align="center" gap="3">
        <Text as="p" color="secondary">
          The narrowest rule wins: a name over a namespace, a kind, a platform,
          everything. What it leaves open comes from the next broader one.
        </Text>
        <Button
          variant="primary"
          iconStart={<RiAddLine />}
          isDisabled={!may.allowed}
          onPress={() => setAdding(true)}
        >
          Add a rule
        </Button>
      </Flex>
      {may.whyNot && <Alert status="info" icon title={may.whyNot} />}
      <div role="status">
        {message && <Alert status="success" icon title={message} />}
      </div>
      {live.loading && <Loading what="policies" lines={8} />}
      <LoadError
        what="The policies"
        live={live}
        stale={live.value !== undefined}
      />
      {pauses && rules && (
        <>
          <Section title="Pauses">
            <RuleTable
              rules={pauses}
              empty="Nothing is paused."
              onRemove={may.allowed ? setRemoving : undefined}
              removeLabel="End the pause"
            />
          </Section>
          <Section title="Rules">
            <RuleTable
              rules={rules}
              empty="No rule: every resource is only observed."
              onRemove={may.allowed ? setRemoving : undefined}
              removeLabel="Remove the rule"
            />
          </Section>
        </>
      )}
      <RuleDialog
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        onDone={rule => done(`Set for ${describeScope(rule.scope)}.`)}
      />
      <RemoveRuleDialog
        rule={removing}
        onClose={() => setRemoving(undefined)}
        onDone={rule => done(`Removed for ${describeScope(rule.scope)}.`)}
      />
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

function RuleTable(props: {
  rules: ApiPolicyRule[];
  empty: string;
  /** Absent: the reader may not remove any. */
  onRemove: ((rule: ApiPolicyRule) => void) | undefined;
  removeLabel: string;
}) {
  const { rules, onRemove, removeLabel } = props;
  const columns = useMemo<ColumnConfig<ApiPolicyRule>[]>(
    () => [
      {
        id: 'scope',
        label: 'For',
        isRowHeader: true,
        minWidth: 180,
        defaultWidth: '2fr',
        cell: rule => (
          <Cell>
            <Text weight="bold">{describeScope(rule.scope)}</Text>
          </Cell>
        ),
      },
      {
        id: 'settings',
        label: 'Settings',
        minWidth: 200,
        defaultWidth: '2fr',
        cell: rule => (
          <Cell>
            <Flex gap="1" style={{ flexWrap: 'wrap' }}>
              {describeSettings(rule.settings).map(({ name, value }) => (
                <Badge key={name} size="small">
                  {name}: {value}
                </Badge>
              ))}
            </Flex>
          </Cell>
        ),
      },
      {
        id: 'reason',
        label: 'Reason',
        minWidth: 160,
        defaultWidth: '2fr',
        cell: rule => (
          <Cell>
            <Text>{rule.reason ?? '–'}</Text>
          </Cell>
        ),
      },
      {
        id: 'by',
        label: 'Set by',
        minWidth: 150,
        defaultWidth: '1fr',
        cell: rule => (
          <Cell>
            {rule.origin === 'config' ? (
              <Text color="secondary">
                <RiLockLine size={14} aria-hidden /> app-config
              </Text>
            ) : (
              <Flex direction="column" gap="0.5">
                <Text>{rule.by ?? 'not known'}</Text>
                {rule.createdAt && (
                  <Text variant="body-small" color="secondary">
                    <Time at={rule.createdAt} />
                  </Text>
                )}
              </Flex>
            )}
          </Cell>
        ),
      },
      {
        id: 'until',
        label: 'Ends',
        width: 120,
        cell: rule => (
          <Cell>
            <Text>{rule.until ? <Time at={rule.until} /> : 'no end'}</Text>
          </Cell>
        ),
      },
      {
        id: 'remove',
        label: 'Remove',
        width: 90,
        cell: rule => (
          <Cell>
            {rule.origin === 'portal' && onRemove && (
              <ButtonIcon
                variant="tertiary"
                size="small"
                icon={<RiDeleteBinLine />}
                aria-label={`${removeLabel} for ${describeScope(rule.scope)}`}
                onPress={() => onRemove(rule)}
              />
            )}
          </Cell>
        ),
      },
    ],
    [onRemove, removeLabel],
  );
  const { tableProps } = useTable({
    mode: 'complete',
    data: rules,
    paginationOptions:
      rules.length > PAGE_SIZE
        ? { pageSize: PAGE_SIZE, pageSizeOptions: [PAGE_SIZE, 100] }
        : { type: 'none' },
  });
  return (
    <Table
      {...tableProps}
      columnConfig={columns}
      emptyState={<Text color="secondary">{props.empty}</Text>}
    />
  );
}
